//! The SVG is read back as XML: planted values stand where they must, and no text on another.

use proptest::prelude::*;
use roxmltree::{Document, Node};
use std::collections::BTreeSet;

use super::Plot;
use super::frame::WIDTHS;
use super::words::{LINE, Place, width};
use crate::chart::{
    Axis, Bars, Chart, Curve, Dots, Quantity, Side, Square, Stack, Symbol, Trace, time_map,
};
use crate::colour::Colour;

const HEIGHT: u32 = 340;

const B: Colour = Colour("b");

fn chart(x: Axis, y: Axis) -> Chart {
    Chart::new("planted", HEIGHT, "Planted.", (x, y))
}

fn read(plot: &Plot) -> String {
    format!("<svg xmlns=\"http://www.w3.org/2000/svg\">{}</svg>", plot.svg)
}

/// What `class` has below it.
fn of_class<'a>(svg: &'a Document, class: &str) -> Node<'a, 'a> {
    let is =
        |node: &Node| node.attribute("class").is_some_and(|all| all.split(' ').any(|c| c == class));
    svg.descendants().find(is).unwrap_or_else(|| panic!("nothing of class {class}"))
}

fn path(svg: &Document, class: &str) -> String {
    of_class(svg, class).attribute("d").expect("a path").to_owned()
}

#[test]
fn planted_points_of_a_log_axis_are_where_they_must_be() {
    let mut chart = chart(Axis::time("time").log(), Axis::part("part").range(0.0, 1.0));
    chart.draw(Curve::line(vec![1e-6, 1e-5, 1e-3], vec![1.0, 0.5, 0.0], B, 2.0));
    let plot = Plot::fixed(&chart, 0, 800.0);
    let text = read(&plot);
    let svg = Document::parse(&text).expect("XML");
    // One decade of three, half the height; then the other two.
    assert_eq!(path(&svg, "k-b"), "M0 0l333.3 500l666.7 500");
    assert!(text.contains("time (log)"), "{text}");
    let ticks: Vec<(&str, &str)> = of_class(&svg, "tx")
        .children()
        .map(|tick| (tick.attribute("x").unwrap_or_default(), tick.text().unwrap_or_default()))
        .collect();
    let wanted = [("0%", "1 µs"), ("33.33%", "10 µs"), ("66.67%", "100 µs"), ("100%", "1 ms")];
    let wanted = wanted.map(|(at, name)| (at, name.replace(' ', "\u{202f}")));
    assert!(wanted.iter().all(|(at, name)| ticks.contains(&(at, name))), "{ticks:?}");
}

#[test]
fn bars_have_their_widths_and_stand_on_the_axis() {
    let axes = (Axis::count("n").range(0.0, 10.0), Axis::count("messages").range(0.0, 100.0));
    let mut chart = chart(axes.0, axes.1);
    let tips = vec!["1\n50 <messages>".to_owned(), "\u{7}7".to_owned()];
    let bars = Bars::new(vec![1.0, 7.0], vec![50_u64, 100], Colour("c")).wide(vec![2.0, 4.0]);
    chart.draw(bars.tips(tips));
    let plot = Plot::fixed(&chart, 0, 800.0);
    let text = read(&plot);
    let svg = Document::parse(&text).expect("XML");
    assert_eq!(path(&svg, "f-c"), "M0 500h200v500h-200zM500 0h400v1000h-400z");
    assert_eq!(plot.live.tips[0], [0, 500, 200, 1000, 0]);
    assert_eq!(plot.texts, ["1\n50 <messages>", "\u{fffd}7"]);
}

#[test]
fn stacked_bars_lie_end_to_end_and_a_mode_changes_the_axis() {
    let mut chart =
        chart(Axis::part("part").range(0.0, 1.0), Axis::names("").downwards()).stacked(0.0);
    let two = || vec!["first".to_owned(), "second".to_owned()];
    chart.draw(Bars::lying(vec![0.25, 0.5], two(), B));
    chart.draw(Bars::lying(vec![0.75, 0.5], two(), Colour("c")));
    let log = chart.mode("log").x(Axis::part("part").log().range(0.01, 1.0));
    chart.modes = vec![chart.mode("linear"), log, chart.mode("second").seeing([false, true])];
    let text = read(&Plot::fixed(&chart, 0, 800.0));
    let svg = Document::parse(&text).expect("XML");
    assert_eq!(path(&svg, "f-b"), "M0 0h250v500h-250zM0 500h500v500h-500z");
    assert_eq!(path(&svg, "f-c"), "M250 0h750v500h-750zM500 500h500v500h-500z");
    let text = read(&Plot::fixed(&chart, 1, 800.0));
    let svg = Document::parse(&text).expect("XML");
    assert!(path(&svg, "f-b").starts_with("M0 0h699v500"), "{}", path(&svg, "f-b"));
    let text = read(&Plot::fixed(&chart, 2, 800.0));
    assert!(text.contains("f-c") && !text.contains("f-b"), "{text}");
}

#[test]
fn every_kind_of_trace_is_drawn() {
    let (x, y) = (|| vec![1.0, 2.0, 3.0], || vec![1.0, 3.0, f64::NAN]);
    let steps = vec![(1.0, 2.0), (2.0, 1.0), (3.0, 0.0)];
    let squares =
        [((0, 1), 5.0), ((1, 0), 5e6)].map(|(at, ns)| Square { at, ns, text: String::new() });
    let map = time_map("map", "A map.", ["from", "to", "time"], 2, &squares);
    let traces: [(Trace, &str, &str); 7] = [
        (Curve::line(x(), y(), Colour("d"), 1.0).stepped().into(), "k-d", "path"),
        (Curve::points(x(), y(), Dots::discs(Colour("s2"), 5.0)).into(), "f-s2", "g"),
        (Curve::outlines(x(), y(), Colour("work")).into(), "f-work", "path"),
        (Curve::line(x(), y(), B, 1.0).filled_to_0(Colour("c").at(0.2)).into(), "f-c", "path"),
        (Stack::new("One", steps, Colour("s1").at(0.8), Vec::new()).into(), "f-s1", "path"),
        (map.data[0].clone(), "f-s0", "path"),
        (Curve::line(x(), y(), Colour("mark"), 1.0).arrows().into(), "k-mark", "g"),
    ];
    for (trace, class, element) in traces {
        let number = || Axis::new(Quantity::Number, "");
        let mut chart = chart(number(), number());
        chart.draw(trace);
        let text = read(&Plot::elastic(&chart, 0));
        let svg = Document::parse(&text).expect("XML");
        assert_eq!(of_class(&svg, class).tag_name().name(), element, "{class}: {text}");
    }
}

#[test]
fn the_colours_of_a_map_go_with_the_logarithm() {
    let times = [1e3, 1e5, 1e7];
    let square = |at: usize| Square { at: (0, at), ns: times[at], text: format!("{at}") };
    let squares: Vec<Square> = (0..3).map(square).collect();
    let text = read(&Plot::elastic(&time_map("map", "", ["", "", "time"], 3, &squares), 0));
    let svg = Document::parse(&text).expect("XML");
    let left = |class: &str| path(&svg, class).split(['M', ' ']).nth(1).map(str::to_owned);
    let expected = ["s7", "s4", "s0"].map(|class| left(&format!("f-{class}")));
    assert_eq!(expected, ["10", "343.3", "676.7"].map(|at| Some(at.to_owned())), "{text}");
}

fn is_seen(node: &Node, bit: usize) -> bool {
    let class = node.attribute("class").unwrap_or_default();
    let bits = class.trim_start_matches("mid ").strip_prefix('v');
    let bits = bits.and_then(|bits| bits.parse::<u8>().ok());
    bits.is_none_or(|bits| bits & (1 << bit) != 0)
}

/// The texts that are seen at one of the widths, as boxes in the plot's pixels.
fn texts(plot: &Plot, svg: &Document, bit: usize) -> Vec<(Place, String)> {
    let [top, right, bottom, left] = plot.margins;
    let wide = WIDTHS[bit] - left - right;
    let high = f64::from(HEIGHT) - top - bottom;
    let pixels = |at: &str, whole: f64| match at.strip_suffix('%') {
        Some(part) => part.parse::<f64>().unwrap_or(0.0) / 100.0 * whole,
        None => at.parse().unwrap_or(0.0),
    };
    let seen = |node: &Node| is_seen(node, bit);
    let mut all = Vec::new();
    for text in svg.descendants().filter(|node| node.has_tag_name("text") && seen(node)) {
        let lines: Vec<&str> =
            text.descendants().filter_map(|n| n.is_text().then(|| n.text())?).collect();
        let value = |name: &str| text.attribute(name).unwrap_or("0");
        let moved = text
            .attribute("transform")
            .and_then(|t| t[10..].strip_suffix(')')?.parse::<f64>().ok());
        let x = pixels(value("x"), wide) + moved.unwrap_or(0.0);
        let y = pixels(value("y"), high) + pixels(value("dy"), 0.0);
        let own = lines.iter().map(|line| width(line)).fold(0.0, f64::max);
        let group = text.parent().and_then(|p| p.attribute("class")).unwrap_or_default().to_owned()
            + " "
            + value("class");
        let from = if ["tx", "words", "mid"].iter().any(|c| group.contains(c)) {
            x - own / 2.0
        } else if ["ty", "end"].iter().any(|c| group.contains(c)) {
            x - own
        } else {
            x
        };
        let bottom = y + 2.0 + LINE * (lines.len() as f64 - 1.0);
        all.push((Place { left: from, top: y - 10.0, right: from + own, bottom }, lines.join("|")));
    }
    all
}

fn no_overlap(chart: &Chart) {
    let plot = Plot::elastic(chart, 0);
    let text = read(&plot);
    let svg = Document::parse(&text).expect("XML");
    let [_, right, _, left] = plot.margins;
    for (bit, whole) in WIDTHS.iter().enumerate() {
        let all = texts(&plot, &svg, bit);
        assert!(all.len() > 3, "{all:?}");
        for (at, (place, words)) in all.iter().enumerate() {
            for (other, others) in &all[..at] {
                assert!(!place.overlaps(other), "{words} on {others} at {whole} pixels");
            }
            let inside = place.left >= -left - 1.0 && place.right <= whole - left + 1.0;
            assert!(inside, "{words} leaves the chart at {whole} pixels: {place:?}, {right}");
        }
    }
}

#[test]
fn ugly_names_do_not_overlap_nor_leave_the_chart() {
    let names: Vec<String> = (0..9)
        .map(|at| format!("fastest {at}0–9{at}.{at} % of messages, mean\n{at}12.345 µs"))
        .collect();
    let of_names = Axis::names("messages by end-to-end time, and their mean");
    let mut standing = chart(of_names, Axis::time("mean time"));
    let values: Vec<f64> = (0..9).map(|at| f64::from(at) * 1.234_567e-5).collect();
    standing.draw(Bars::new(names.clone(), values.clone(), B));
    no_overlap(&standing);

    let mut on_side = chart(Axis::time("mean time"), Axis::names("from → to"));
    on_side.draw(Bars::lying(values, names, B));
    no_overlap(&on_side);
}

fn histogram(of: Quantity, log: bool, (from, to): (f64, f64), most: u64) -> Chart {
    let x = Axis::new(of, "what is on the axis");
    let x = if log { x.log() } else { x };
    let mut chart = chart(x.range(from, to), Axis::count("n").range(0.0, most as f64));
    chart.draw(Bars::new(vec![from, to], vec![1, most], B).wide(vec![from * 0.1, to * 0.1]));
    chart
}

proptest! {
    /// Which ticks there are depends on the room, and the room on how far the outermost stick out.
    #[test]
    fn no_range_makes_names_of_ticks_leave_the_chart(
        of in prop_oneof![Just(Quantity::Time), Just(Quantity::Bytes), Just(Quantity::Count)],
        log in any::<bool>(),
        from in 10_u32..1000,
        steps in 1_u32..300,
        power in -9_i32..7,
        most in 1_u64..200,
    ) {
        // From nanoseconds to hours.
        let power = if of == Quantity::Time { power.min(1) } else { power };
        // Bins begin and end at round values, and so at ticks.
        let value = |steps: u32| f64::from(steps) * 10f64.powi(power);
        let chart = histogram(of, log, (value(from), value(from + steps)), most);
        no_overlap(&chart);
        let plot = Plot::elastic(&chart, 0);
        let text = read(&plot);
        let svg = Document::parse(&text).expect("XML");
        for bit in 0..WIDTHS.len() {
            let named = |node: &Node| node.has_tag_name("text") && is_seen(node, bit);
            let names: Vec<_> =
                of_class(&svg, "tx").children().filter(named).map(|tick| tick.text()).collect();
            let different: BTreeSet<_> = names.iter().collect();
            prop_assert_eq!(different.len(), names.len(), "{:?}", names);
            // Between two whole numbers there may be none.
            prop_assert!(names.len() >= 2 || of != Quantity::Time, "{names:?}");
        }
    }
}

#[test]
fn words_at_neighbouring_points_stand_clear_of_each_other_and_of_bars() {
    let mut peaks = chart(Axis::time("time").log(), Axis::count("messages").range(0.0, 100.0));
    let x: Vec<f64> = (0..8).map(|at| 1e-6 * 1.7f64.powi(at)).collect();
    let width: Vec<f64> = x.iter().map(|x| x * 0.5).collect();
    let counts = vec![10_u64, 50, 52, 90, 20, 60, 61, 15];
    let words = x.iter().map(|x| (format!("{:.2} µs\n71 % of time", x * 1e6), Side::Above));
    let words = words.collect();
    peaks.draw(Bars::new(x.clone(), counts.clone(), B).wide(width));
    let symbol = Symbol::Triangle;
    let marks = Dots { paint: Colour("mark").into(), size: 9.0, symbol };
    peaks.draw(Curve::points(x, counts, marks).words(words));
    no_overlap(&peaks);
    let plot = Plot::elastic(&peaks, 0);
    let text = read(&plot);
    let svg = Document::parse(&text).expect("XML");
    assert!(of_class(&svg, "words").children().count() > 2);
}
