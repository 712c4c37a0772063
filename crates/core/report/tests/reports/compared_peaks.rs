//! What is printed of a pair of peaks is the difference of the figures that are printed beside it,
//! on the terminal, on the page, after an intervention and as JSON.

use proptest::prelude::*;
use record::{Field, Values};
use report::{Compared, ComparedSide, ComparedTotals, Facts, intervention};
use stats::analysis::{Analysis, Peak, Stage};
use stats::compare::{CompareOptions, Comparison, Sample, compare};
use stats::{Accumulator, Columns, FileRows, Options, Position};

/// Launches of two hundred messages each, some about either place.
fn run(places: [f64; 2], own: &[f64]) -> (Sample, Analysis) {
    const ROWS: usize = 200;
    let rows = |(launch, _)| FileRows { launch: launch as u32, node: 0, rows: ROWS as u64 };
    let files = own.iter().enumerate().map(rows).collect();
    let mut accumulator = Accumulator::new(Options { files, resamples: 0, ..Options::default() });
    for (own, launch) in own.iter().zip(0..) {
        let time = |at: usize| (places[at % 2] * own * (1.0 + at as f64 / 2000.0)) as i64;
        let times: Vec<i64> = (0..ROWS).map(time).collect();
        let columns = Columns::new(ROWS)
            .with(Field::Kind, Values::Constant(0))
            .with(Field::ReadyNs, Values::Constant(0))
            .with(Field::TakenNs, Values::Each(&times));
        accumulator.add_columns(&columns, Position { launch, node: 0, first_row: 0 });
    }
    (accumulator.sample(), accumulator.finish())
}

fn peak(place_ns: f64, mass: f64, reach: f64) -> Peak {
    Peak {
        place_ns,
        place_interval_ns: None,
        from_ns: place_ns / reach,
        to_ns: place_ns * reach,
        width_ns: place_ns * 0.1,
        width_interval_ns: None,
        count: 1,
        mass,
        mass_interval: None,
        time_share: mass,
        time_interval: None,
        blocks: (1, 1),
        launches: (1, 1),
        chance: 0.0,
        tail: false,
    }
}

/// A time as it is printed, `11.6 µs`, at the beginning of `text`, ns.
fn time(text: &str) -> f64 {
    let mut words = text.split_whitespace();
    let number =
        words.next().expect("a number").replace('−', "-").parse::<f64>().expect("a number");
    let units = [("ns", 1.0), ("µs", 1e3), ("ms", 1e6), ("s", 1e9)];
    let unit = words.next().expect("a unit");
    number * units.iter().find(|(name, _)| *name == unit).expect("a unit").1
}

/// The number before `mark`, with its sign.
fn number_before(text: &str, mark: &str) -> f64 {
    let before = text.split(mark).next().expect("the mark");
    let number = before
        .rsplit([' ', '('])
        .next()
        .expect("a number")
        .replace('−', "-")
        .replace('\u{202f}', "");
    number
        .trim_start_matches(['+', '±'])
        .parse()
        .unwrap_or_else(|_| panic!("{number:?} in {text:?}"))
}

/// The share in `11.6 µs (60 % of messages)`, in percent.
fn share(text: &str) -> f64 {
    let inside = text.split('(').nth(1).expect("a share");
    number_before(inside, " % of messages")
}

/// Two cells with places and shares, and what is said of them.
fn agrees(a: &str, b: &str, what: &str) {
    let (printed, said) = (time(b) / time(a), number_before(what, "×"));
    // Three figures of each.
    assert!((said / printed).ln().abs() < 0.02, "{a} | {b} | {what}");
    let points = what.split("; ").find(|part| part.contains("points")).expect("of the shares");
    let first = points.split(" points").next().expect("points");
    let (printed, said) = (share(b) - share(a), number_before(&format!("{first}#"), "#"));
    assert!((said - printed).abs() < 1.2, "{a} | {b} | {what}");
}

/// What a terminal shows, on one line.
fn on_terminal(document: &document::Document) -> String {
    let screen = document::Screen { width: 100, colour: false };
    let text = document::terminal(document, screen);
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn check(comparison: &Comparison, runs: [&Analysis; 2]) {
    let found = &comparison.peaks[0];
    let (Some(a), Some(b), Some(place)) = (found.a, found.b, found.place) else { return };
    let json = serde_json::to_value(comparison).expect("JSON");
    let of = |pointer: &str| {
        json.pointer(pointer).and_then(serde_json::Value::as_f64).expect("a number")
    };
    let ratio = of("/peaks/0/b/place_ns") / of("/peaks/0/a/place_ns");
    assert!((of("/peaks/0/place/by") / ratio - 1.0).abs() < 1e-9);
    assert_eq!((place.by, found.mass.by), (b.place_ns / a.place_ns, b.mass - a.mass));

    let said = on_terminal(&intervention("a change", &[(Stage::EndToEnd, comparison.clone())]));
    let (from, rest) =
        said.split_once(" is at ").expect("a pair").1.split_once(" in A and at ").expect("A");
    let (to, what) = rest.split_once(" in B: ").expect("B");
    agrees(from, to, what);

    let facts = [Facts::default()];
    let side = |name: &str, analysis| ComparedSide { name: name.into(), facts: &facts, analysis };
    let totals = &ComparedTotals::default();
    let compared = Compared { a: side("a", runs[0]), b: side("b", runs[1]), comparison, totals };
    let document = compared.document();
    let mut table = Vec::new();
    document::table_csv(&document, "matched-peaks", &mut table).expect("a table");
    let mut reader = csv::Reader::from_reader(&table[..]);
    let head = reader.headers().expect("columns").clone();
    let row = reader.into_records().next().expect("a row").expect("CSV");
    let figure = |name: &str| -> f64 {
        let at = head.iter().position(|known| known == name).expect(name);
        row[at].parse().unwrap_or_else(|_| panic!("{name}: {:?}", &row[at]))
    };
    assert!((figure("place") / (figure("b_ns") / figure("a_ns")) - 1.0).abs() < 1e-9);
    assert!((figure("share") - (figure("b_share") - figure("a_share"))).abs() < 1e-9);
    for name in ["place", "share"] {
        let (low, high) = (format!("{name}_low"), format!("{name}_high"));
        let at = |name: &str| head.iter().position(|known| known == name).expect("a column");
        if !row[at(&low)].is_empty() {
            let within = figure(&low)..=figure(&high);
            assert!(within.contains(&figure(name)), "{name} {} in {within:?}", figure(name));
        }
    }
    // People read the same on the terminal, a line a peak.
    let screen = document::Screen { width: 100, colour: false };
    let said = document::terminal(&document, screen);
    let line = said
        .lines()
        .skip_while(|line| !line.contains("From A to B"))
        .find(|line| line.trim_start().starts_with("1 "))
        .unwrap_or_else(|| panic!("{said}"));
    let ratio = document::plain(&document::ratio(figure("place")));
    assert!(line.contains(&ratio), "{ratio}: {line}");
    assert!(line.contains(&document::points(figure("share"))), "{line}");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]
    #[test]
    fn a_pair_of_peaks_is_said_to_differ_as_its_figures_do(
        places in [100.0..1e6_f64, 100.0..1e6_f64],
        a in (100.0..1e6_f64, 0.02..1.0_f64, 1.05..5.0_f64),
        factor in 0.55..1.8_f64,
        of_b in (0.02..1.0_f64, 1.05..5.0_f64),
        own in prop::collection::vec(0.7..1.4_f64, 2..12),
    ) {
        let (first, second) = own.split_at(own.len() / 2);
        let (a_sample, a_analysis) = run(places, first);
        let (b_sample, b_analysis) = run(places, second);
        let peaks = [[peak(a.0, a.1, a.2)], [peak(a.0 * factor, of_b.0, of_b.1)]];
        let options = CompareOptions::default();
        let comparison =
            compare(&a_sample, &b_sample, [&peaks[0], &peaks[1]], &options).expect("comparable");
        check(&comparison, [&a_analysis, &b_analysis]);
    }
}
