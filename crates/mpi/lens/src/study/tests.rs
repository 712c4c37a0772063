use super::*;
use document::{Screen, table_csv};
use sizes::{jumps, of_the_rate, steepest};
use stats::analysis::Quantile;
use std::time::Duration;
use trials::link_words;

fn point(bytes: u64, ns: i64, jump: f64) -> SizePoint {
    SizePoint { bytes, count: 10, p50_ns: ns, p99_ns: ns, min_ns: ns, jump }
}

fn cycles(median_ns: i64) -> Summary {
    let quantile = |p, value_ns| Quantile { p, value_ns, interval_ns: None };
    Summary {
        count: 50,
        min_ns: median_ns - 10,
        max_ns: 9_000_000,
        mean_ns: 1.5 * median_ns as f64,
        quantiles: vec![quantile(0.5, median_ns), quantile(0.99, 2 * median_ns)],
        ..Summary::default()
    }
}

fn csv(document: &Document, name: &str) -> String {
    let mut out = Vec::new();
    table_csv(document, name, &mut out).expect("there is that table");
    String::from_utf8(out).expect("CSV is UTF-8")
}

#[test]
fn what_is_the_links_is_said() {
    let slow = Link::of_rate(10_000);
    assert!(link_words(&slow, 1e4, 1e5).contains("holds even these back"));
    let far = Link { latency: Some(Duration::from_millis(1)), ..Link::of_rate(1_000_000_000) };
    let said = link_words(&far, 10_000.0, 2_510_000.0);
    assert!(said.contains("2000.00 \u{b5}s (80 %)") && said.contains("at once"), "{said}");
    assert!(link_words(&far, 2e6, 1e6).contains("does not show"));
}

#[test]
fn the_steepest_jumps_come_first() {
    let sizes = [
        point(1, 100, 0.0),
        point(2, 150, 0.5),
        point(3, 151, 0.01),
        point(4, 302, 1.0),
        point(5, 400, 0.32),
    ];
    let found: Vec<(u64, u64)> = steepest(&sizes).iter().map(|(a, b)| (a.bytes, b.bytes)).collect();
    assert_eq!(found, [(3, 4), (1, 2), (4, 5)]);
    assert!(jumps("one box", &sizes[2..3])[0].contains("no size"), "one point has no jump");
}

#[test]
fn the_rates_part_is_a_part_of_what_was_measured() {
    // 12,500 bytes each way at 100 Mbit/s: 2 ms of the 2.5.
    let link = Link::of_rate(100_000_000);
    let said = of_the_rate(&link, &[point(0, 50_000, 0.0), point(12_500, 2_550_000, 0.0)]);
    assert!(said.as_ref().is_some_and(|said| said.contains("80 % of it")), "{said:?}");
    let faster = of_the_rate(&link, &[point(0, 50_000, 0.0), point(12_500, 70_000, 0.0)]);
    assert!(faster.is_some_and(|said| said.contains("so they were not held to it")));
    assert_eq!(of_the_rate(&link, &[point(0, 5, 0.0), point(1, 4, 0.0)]), None);
}

#[test]
fn both_boxes_stand_in_every_table_and_the_runs_below_the_study() {
    let (one, two) = (cycles(20_000), cycles(60_000));
    let sizes = [point(4, 20_000, 0.0), point(16, 30_000, 0.5), point(1600, 90_000, 2.0)];
    let link = Link::of_rate(5_000_000);
    let of = |boxes, cycles| Trial { boxes, trial: 1, cycles };
    let study = BoxStudy {
        over: "TCP",
        link: Some(&link),
        trials: vec![of(TWO_BOXES, &two), of(ONE_BOX, &one)],
        sweeps: vec![
            Sweep { boxes: ONE_BOX, trial: 1, sizes: &sizes[..2], fit: None },
            Sweep { boxes: TWO_BOXES, trial: 1, sizes: &sizes, fit: None },
        ],
        remarks: vec!["ended early by Ctrl-C".into()],
    };
    let made = study.document();
    let trials = csv(&made, "trials");
    assert_eq!(
        trials.lines().collect::<Vec<_>>(),
        [
            "trial,boxes,over,bytes,count,min_ns,max_ns,average_ns,sd_ns,p50_ns,p99_ns,p99.9_ns",
            "1,one box,TCP,8,50,19990,9000000,30000,0,20000,40000,",
            "1,two boxes,TCP,8,50,59990,9000000,90000,0,60000,120000,",
        ]
    );
    let sizes = csv(&made, "sizes");
    assert_eq!(sizes.lines().next(), Some("boxes,bytes,count,min_ns,p50_ns,p99_ns,jump,trial"));
    assert_eq!(sizes.lines().last(), Some("two boxes,1600,10,90000,90000,90000,2,1"));
    let said = document::terminal(&made, Screen { width: 80, colour: false });
    for wanted in [
        "A round trip takes 20.00 \u{b5}s in one box and 60.00 \u{b5}s between two, 3.00× as long",
        "(2 integers) over TCP; 50 round trips",
        "two boxes, a jump of the median: between 16 and 1600 bytes",
        "Ctrl-C",
    ] {
        let flat = said.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(flat.contains(wanted), "{wanted}: {said}");
    }
    let runs = Document {
        title: "Six runs".into(),
        opening: vec![
            Block::Eyebrow(vec!["Six runs".into()]),
            Block::Finding("All runs together.".into()),
        ],
        runs: vec![document::Run { title: "one-box-1".into(), ..document::Run::default() }],
        ..Document::default()
    };
    let mut page = Vec::new();
    document::page(&study.page(runs), &mut page).expect("memory takes everything");
    let page = String::from_utf8(page).expect("a page is UTF-8");
    assert_eq!(page.matches("<h1").count(), 1, "{page}");
    assert!(page.contains("All runs together.") && page.contains("one-box-1"));
    assert!(page.contains("The runs") && !page.contains("Six runs"));
}

/// A trial over a link whose packets hold 1,448 bytes, our header of 44 among them.
fn stepped(off: f64) -> Vec<SizePoint> {
    let time = |bytes: u64| 20_000 + 2 * bytes as i64 + 60_000 * (bytes + 44).div_ceil(1448) as i64;
    let point = |integers: u64| {
        let bytes = integers * INTEGER_BYTES;
        point(bytes, (time(bytes) as f64 * off) as i64, 0.0)
    };
    (1..=1600).step_by(3).map(point).collect()
}

fn fitted(sizes: &[SizePoint]) -> Option<stats::analysis::Sweep> {
    let at = |point: &SizePoint| [point.p50_ns as f64, point.p99_ns as f64];
    let points: Vec<stats::knees::Point> = sizes
        .iter()
        .map(|p| stats::knees::Point { bytes: p.bytes, values: at(p), visits: vec![at(p)] })
        .collect();
    stats::knees::fit(&points, true)
}

#[test]
fn four_trials_are_overlaid_and_their_packets_inferred() {
    let trials = [1.0, 1.01, 0.99, 1.004].map(stepped);
    let fits = trials.each_ref().map(|sizes| fitted(sizes));
    let sweeps = (1..).zip(trials.iter().zip(&fits)).map(|(trial, (sizes, fit))| Sweep {
        boxes: TWO_BOXES,
        trial,
        sizes,
        fit: fit.as_ref(),
    });
    let study = BoxStudy { over: "TCP", sweeps: sweeps.collect(), ..BoxStudy::default() };
    let made = study.document();
    let packets = csv(&made, "packets");
    let rows: Vec<Vec<&str>> = packets.lines().map(|line| line.split(',').collect()).collect();
    assert_eq!(
        rows.iter().map(|row| row[1]).collect::<Vec<_>>(),
        ["trial", "all", "1", "2", "3", "4"]
    );
    let number = |cell: &str| cell.parse::<f64>().expect("a number");
    for row in &rows[1..] {
        let (low, high) = (number(row[4]), number(row[5]));
        assert!(low <= 1448.0 && 1448.0 <= high && high - low < 30.0, "{row:?}");
    }
    // The steps lie at 1404, 2852, 4300 and 5748 bytes.
    let knees = csv(&made, "knees");
    let all: Vec<(f64, f64)> = knees
        .lines()
        .map(|line| line.split(',').collect::<Vec<_>>())
        .filter(|cells| cells[1] == "all")
        .map(|cells| (number(cells[2]), number(cells[3])))
        .collect();
    for step in [1404.0, 2852.0, 4300.0, 5748.0] {
        assert!(all.iter().any(|(before, after)| *before <= step && step < *after), "{knees}");
    }
    let section = made.sections.iter().find(|section| section.id == "graph").expect("a graph");
    assert!(section.sentence.contains("4 of 4 trials"), "{}", section.sentence);
    // A line for each trial, and the marks.
    assert_eq!(section.charts[0].data.len(), 5);
    assert!(!csv(&made, "sizes").contains(",0\n"), "every row has its trial");
}
