//! The SVG is read back as XML: planted values stand where they must, and no text on another.

use plotly::layout::{Axis, AxisType, BarMode};
use roxmltree::{Document, Node};
use serde_json::{Value, json};

use super::Plot;
use super::frame::WIDTHS;
use super::words::{LINE, Place, width};
use crate::chart::{
    Chart, Raw, bars, count_axis, layout, line, lying, mode, part_axis, time_axis, wide_bars,
};

const HEIGHT: u32 = 340;

fn chart(axes: plotly::Layout) -> Chart {
    Chart::new("planted", HEIGHT, "Planted.", axes)
}

fn raw(value: Value) -> Box<Raw> {
    Box::new(Raw(value))
}

fn read(plot: &Plot) -> String {
    format!("<svg xmlns=\"http://www.w3.org/2000/svg\">{}</svg>", plot.svg)
}

/// What `class` has below it.
fn of<'a>(svg: &'a Document, class: &str) -> Node<'a, 'a> {
    let is =
        |node: &Node| node.attribute("class").is_some_and(|all| all.split(' ').any(|c| c == class));
    svg.descendants().find(is).unwrap_or_else(|| panic!("nothing of class {class}"))
}

fn path(svg: &Document, class: &str) -> String {
    of(svg, class).attribute("d").expect("a path").to_owned()
}

#[test]
fn planted_points_of_a_log_axis_are_where_they_must_be() {
    let axes = layout()
        .x_axis(time_axis("time (log)", AxisType::Log))
        .y_axis(part_axis("part", AxisType::Linear).range(vec![0.0, 1.0]));
    let mut chart = chart(axes);
    chart.data.push(line(vec![1e-6, 1e-5, 1e-3], vec![1.0, 0.5, 0.0], "One", "@b", 2.0));
    let plot = Plot::fixed(&chart, 0, 800.0);
    let text = read(&plot);
    let svg = Document::parse(&text).expect("XML");
    // One decade of three, half the height; then the other two.
    assert_eq!(path(&svg, "k-b"), "M0 0l333.3 500l666.7 500");
    let ticks: Vec<(&str, &str)> = of(&svg, "tx")
        .children()
        .map(|tick| (tick.attribute("x").unwrap_or_default(), tick.text().unwrap_or_default()))
        .collect();
    let wanted = [("0%", "1 µs"), ("33.33%", "10 µs"), ("66.67%", "100 µs"), ("100%", "1 ms")];
    let wanted = wanted.map(|(at, name)| (at, name.replace(' ', "\u{202f}")));
    assert!(wanted.iter().all(|(at, name)| ticks.contains(&(at, name))), "{ticks:?}");
}

#[test]
fn bars_have_their_widths_and_stand_on_the_axis() {
    let axes = layout()
        .x_axis(count_axis("n", AxisType::Linear).range(vec![0.0, 10.0]))
        .y_axis(count_axis("messages", AxisType::Linear).range(vec![0.0, 100.0]));
    let mut chart = chart(axes);
    let texts = vec!["1<br><b>50</b> messages".to_owned(), "7".to_owned()];
    chart.data.push(wide_bars(vec![1.0, 7.0], vec![50, 100], vec![2.0, 4.0], texts, "@c"));
    let plot = Plot::fixed(&chart, 0, 800.0);
    let text = read(&plot);
    let svg = Document::parse(&text).expect("XML");
    assert_eq!(path(&svg, "f-c"), "M0 500h200v500h-200zM500 0h400v1000h-400z");
    assert_eq!(plot.live.tips[0], [0, 500, 200, 1000, 0]);
    assert_eq!(plot.texts[0], "1\n50 messages");
}

#[test]
fn stacked_bars_lie_end_to_end_and_a_mode_changes_the_axis() {
    let part = part_axis("part", AxisType::Linear).range(vec![0.0, 1.0]);
    let names = Axis::new().type_(AxisType::Category).range(vec![1.5, -0.5]);
    let mut chart =
        chart(layout().bar_mode(BarMode::Stack).bar_gap(0.0).x_axis(part).y_axis(names));
    let two = || vec!["first".to_owned(), "second".to_owned()];
    chart.data.push(lying(bars(vec![0.25, 0.5], two(), two(), "B", "@b")));
    chart.data.push(lying(bars(vec![0.75, 0.5], two(), two(), "C", "@c")));
    let log = json!({"xaxis.type": "log", "xaxis.range": [-2.0, 0.0]});
    chart.modes = vec![mode("linear", None, json!({})), mode("log", None, log)];
    let text = read(&Plot::fixed(&chart, 0, 800.0));
    let svg = Document::parse(&text).expect("XML");
    assert_eq!(path(&svg, "f-b"), "M0 0h250v500h-250zM0 500h500v500h-500z");
    assert_eq!(path(&svg, "f-c"), "M250 0h750v500h-750zM500 500h500v500h-500z");
    let text = read(&Plot::fixed(&chart, 1, 800.0));
    let svg = Document::parse(&text).expect("XML");
    assert!(path(&svg, "f-b").starts_with("M0 0h699v500"), "{}", path(&svg, "f-b"));
}

#[test]
fn every_kind_of_trace_is_drawn() {
    let (x, y) = ([1.0, 2.0, 3.0], [1.0, 3.0, 2.0]);
    let steps = json!({"color": "@d", "shape": "hv"});
    let traces = [
        (json!({"mode": "lines", "x": x, "y": y, "line": steps}), "k-d", "path"),
        (json!({"mode": "markers", "x": x, "y": y, "marker": {"color": "@s2"}}), "f-s2", "g"),
        (
            json!({"mode": "lines", "x": x, "y": y, "fill": "toself", "fillcolor": "@work"}),
            "f-work",
            "path",
        ),
        (json!({"x": x, "y": y, "stackgroup": "all", "fillcolor": "@s1/0.8"}), "f-s1", "path"),
        (
            json!({
                "type": "heatmap", "x": [0, 1], "y": [0, 1], "z": [[0.0, null], [1.0, 0.5]],
                "zmin": 0.0, "zmax": 1.0, "colorscale": [[0.0, "@s7"], [1.0, "@s0"]],
                "colorbar": {"tickvals": [0.0, 1.0], "ticktext": ["low", "high"]},
            }),
            "f-s0",
            "path",
        ),
        (
            json!({
                "mode": "lines+markers", "x": [1, 2, null], "y": [1, 2, null],
                "line": {"color": "@mark", "width": 1}, "marker": {"symbol": "arrow"},
            }),
            "k-mark",
            "g",
        ),
    ];
    for (trace, class, element) in traces {
        let mut chart = chart(layout().x_axis(Axis::new()).y_axis(Axis::new()));
        chart.data.push(raw(trace));
        let text = read(&Plot::elastic(&chart, 0));
        let svg = Document::parse(&text).expect("XML");
        assert_eq!(of(&svg, class).tag_name().name(), element, "{class}: {text}");
    }
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
    let seen = |node: &Node| {
        let class = node.attribute("class").unwrap_or_default();
        class
            .trim_start_matches("mid ")
            .strip_prefix('v')
            .and_then(|bits| bits.parse::<u8>().ok())
            .is_none_or(|bits| bits & (1 << bit) != 0)
    };
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
        .map(|at| format!("fastest {at}0–9{at}.{at} % of messages, mean<br>{at}12.345 µs"))
        .collect();
    let axes = layout()
        .x_axis(
            Axis::new()
                .title("messages by end-to-end time, and their mean")
                .type_(AxisType::Category),
        )
        .y_axis(time_axis("mean time", AxisType::Linear));
    let mut standing = chart(axes);
    let values: Vec<f64> = (0..9).map(|at| f64::from(at) * 1.234_567e-5).collect();
    standing.data.push(bars(names.clone(), values.clone(), names.clone(), "", "@b"));
    no_overlap(&standing);

    let axes = layout()
        .x_axis(time_axis("mean time", AxisType::Linear))
        .y_axis(Axis::new().title("from → to").type_(AxisType::Category));
    let mut on_side = chart(axes);
    on_side.data.push(lying(bars(values, names.clone(), names, "", "@b")));
    no_overlap(&on_side);
}

#[test]
fn words_at_neighbouring_points_stand_clear_of_each_other_and_of_bars() {
    let axes = layout()
        .x_axis(time_axis("time (log)", AxisType::Log))
        .y_axis(count_axis("messages", AxisType::Linear).range(vec![0.0, 100.0]));
    let mut peaks = chart(axes);
    let x: Vec<f64> = (0..8).map(|at| 1e-6 * 1.7f64.powi(at)).collect();
    let width: Vec<f64> = x.iter().map(|x| x * 0.5).collect();
    let counts = vec![10, 50, 52, 90, 20, 60, 61, 15];
    let words: Vec<String> =
        x.iter().map(|x| format!("<b>{:.2} µs</b><br>71 % of time", x * 1e6)).collect();
    peaks.data.push(wide_bars(x.clone(), counts.clone(), width, vec![String::new(); 8], "@b"));
    peaks.data.push(raw(json!({
        "type": "scatter", "mode": "markers+text", "x": x, "y": counts, "text": words,
        "marker": {"symbol": "triangle-down", "size": 9, "color": "@mark"},
    })));
    no_overlap(&peaks);
    let plot = Plot::elastic(&peaks, 0);
    let text = read(&plot);
    let svg = Document::parse(&text).expect("XML");
    assert!(of(&svg, "words").children().count() > 2);
}
