//! Reports of made-up runs: golden texts, well-formed CSV, and a page that hostile names cannot
//! break.
//!
//! Golden files are written anew with `UPDATE_GOLDEN=1 cargo test -p fourstamp-report`; look at the
//! difference.

use crate::builder::{Message, Recipe, analyse, with_cycles, with_sends, with_sizes};
use crate::shown::{csv, html, table, terminal};
use document::DocumentError;
use report::*;
use stats::analysis::Analysis;

/// A run whose every figure is known: 2,000 messages of 300 + 5,000 + 1,000 ns and a little, every
/// 200th of which waited 2 ms more at the receiver.
fn planted() -> (Facts, Analysis) {
    let recipe = Recipe {
        launches: 2,
        sizes: vec![64, 4096],
        ..Recipe::new("pingpong", "tcp", 2_000, [0.0; 3])
    };
    let messages: Vec<Message> = (0..2_000)
        .map(|i| {
            let jump = if i % 2 == 1 { 3_000 } else { 0 };
            let late = if i % 200 == 77 { 2_000_000 } else { 0 };
            Message {
                launch: (i / 1000) as u32,
                src: (i % 2) as u32,
                dst: 1 - (i % 2) as u32,
                seq: i,
                bytes: if i % 2 == 1 { 4096 } else { 64 },
                hops: 1 + i % 3,
                queue: i % 4,
                ready_ns: i as i64 * 10_000,
                stage_ns: [
                    300 + i as i64 % 10,
                    5_000 + i as i64 % 7 + jump,
                    1_000 + i as i64 % 13 + late,
                ],
            }
        })
        .collect();
    let analysis = with_sends(with_sizes(with_cycles(analyse(&messages), &messages), &messages), 5);
    (recipe.facts(), analysis)
}

/// The same with two peaks end to end, and a sweep whose time jumps by half after 4040 bytes.
fn explained() -> (Facts, Analysis) {
    let (facts, mut analysis) = planted();
    let peak = |place_ns: f64, mass: f64, time_share: f64| stats::analysis::Peak {
        place_ns,
        place_interval_ns: Some((place_ns * 0.99, place_ns * 1.01)),
        from_ns: place_ns / 2.0,
        to_ns: place_ns * 2.0,
        width_ns: place_ns / 10.0,
        width_interval_ns: None,
        count: (mass * 2e3) as u64,
        mass,
        mass_interval: None,
        time_share,
        time_interval: None,
        blocks: (19, 20),
        launches: (2, 2),
        chance: 1e-4,
        tail: mass < 0.01,
    };
    analysis.stages[0].peaks = vec![peak(6_300.0, 0.995, 0.39), peak(2_006_300.0, 0.005, 0.61)];
    let point = |step: u64| {
        let bytes = step * 404;
        let ns = (5_000.0 + bytes as f64) * if bytes > 4040 { 1.5 } else { 1.0 };
        let visits = [0.999, 1.0, 1.001].map(|off| [ns * off, 1.2 * ns * off]).to_vec();
        stats::knees::Point { bytes, values: [ns, 1.2 * ns], visits }
    };
    analysis.sweep = stats::knees::fit(&(0..20).map(point).collect::<Vec<_>>(), true);
    (facts, analysis)
}

fn same_as_golden(name: &str, text: &str) {
    let path = format!("{}/tests/golden/{name}", env!("CARGO_MANIFEST_DIR"));
    if std::env::var_os("UPDATE_GOLDEN").is_some() {
        std::fs::write(&path, text).expect("the golden file can be written");
    }
    let golden = std::fs::read_to_string(&path).expect("the golden file is there");
    assert!(golden == text, "{name} differs; now it is:\n{text}");
}

fn page_text(facts: &Facts, analysis: &Analysis, runs: usize) -> String {
    let entries: Vec<Entry> = (0..runs).map(|_| Entry::new("run", facts, analysis)).collect();
    let floors = [Floor {
        name: facts.workload.clone(),
        p50_ns: 120,
        p99_ns: 310,
        note: facts.command.clone(),
    }];
    let remarks = [facts.command.clone()];
    let mut out = Vec::new();
    html(
        &Page { title: &facts.workload, runs: &entries, floors: &floors, remarks: &remarks },
        &mut out,
    )
    .expect("memory takes everything");
    String::from_utf8(out).expect("the page is UTF-8")
}

#[test]
fn the_terminal_report_is_as_it_was() {
    let (facts, analysis) = planted();
    same_as_golden("terminal.txt", &terminal(&facts, &analysis, 80, false));
}

#[test]
fn the_terminal_report_says_what_was_lost() {
    let (mut facts, mut analysis) = planted();
    facts.lost =
        Lost { cut: true, dropped: 12, failures: vec!["node 1 died".into()], ..Lost::default() };
    analysis.anomalies.negative[2] = 3;
    let text = terminal(&facts, &analysis, 80, false);
    for line in [
        "! The run was cut",
        "! 12 messages dropped",
        "! node 1 died",
        "! transit came out negative in 3",
    ] {
        assert!(text.contains(line), "{line} is not in:\n{text}");
    }
    assert!(!text.contains("Nothing was lost"));
}

#[test]
fn the_terminal_report_fits_80_columns_and_colour_adds_only_colour() {
    let (facts, analysis) = planted();
    let plain = terminal(&facts, &analysis, 80, false);
    assert!(plain.lines().all(|line| line.chars().count() <= 80), "{plain}");
    let coloured = terminal(&facts, &analysis, 80, true);
    assert_ne!(plain, coloured);
    assert_eq!(plain, without_colour(&coloured));
}

/// Text without `ESC [ ... m`.
fn without_colour(text: &str) -> String {
    let mut parts = text.split('\u{1b}');
    let first = parts.next().unwrap_or_default().to_owned();
    parts.fold(first, |all, part| all + part.split_once('m').map_or("", |(_, rest)| rest))
}

#[test]
fn peaks_and_knees_are_told() {
    let (facts, analysis) = explained();
    let text = terminal(&facts, &analysis, 80, false);
    assert!(text.lines().all(|line| line.chars().count() <= 80), "{text}");
    assert!(
        text.contains("2 of 2 launches") && text.contains("0.5 % of the messages and 61 % of"),
        "{text}"
    );
    assert!(text.contains("jumps up by 4.62 µs (50 %) between 4040 B and 4444 B"), "{text}");
    let page = page_text(&facts, &analysis, 1);
    for words in
        ["End to end (tail)", "1 in 10", "Latency (L + 2o)", "between 4040\u{a0}B and 4444\u{a0}B"]
    {
        assert!(page.contains(words), "{words} is not in the page");
    }
    let (facts, analysis) = planted();
    assert!(
        !page_text(&facts, &analysis, 1).contains("id=\"r0-peaks\""),
        "one peak needs no section"
    );
}

#[test]
fn the_headline_table_fits_80_columns() {
    let (facts, analysis) = planted();
    let floors =
        [Floor { name: "cache line".into(), p50_ns: 120, p99_ns: 310, note: "round trip".into() }];
    let long = Facts { topology: "hypercube".into(), ..facts.clone() };
    let runs = [Entry::new("run", &facts, &analysis), Entry::new("run", &long, &analysis)];
    let page = Page { title: "Two runs", runs: &runs, floors: &floors, remarks: &[] };
    let mut document = page.document();
    document.runs.clear();
    let text = document::terminal(&document, document::Screen { width: 80, colour: false });
    assert!(text.lines().all(|line| line.chars().count() <= 80), "{text}");
    same_as_golden("headline.txt", &text);
}

#[test]
fn the_quantile_csv_is_as_it_was() {
    let (facts, analysis) = planted();
    let text = table(&facts, &analysis, "quantiles").expect("every run has that table");
    same_as_golden("quantiles.csv", &text);
}

/// What is compared with nothing is one peak of a stage, and time is that of the stage.
#[test]
fn one_peak_of_a_stage_is_the_highest() {
    let (facts, mut analysis) = explained();
    analysis.stages[0].peaks.iter_mut().for_each(|peak| peak.chance = 0.0);
    let page = page_text(&facts, &analysis, 1);
    assert_eq!(page.matches("the highest</td>").count(), 1);
    assert!(page.contains("of all end to end time."), "the sentence names the time");
}

/// A mixture of launches has peaks that none of them has: they are not listed, and that is said.
#[test]
fn a_peak_of_no_launch_is_not_listed_and_counted() {
    let (facts, mut analysis) = explained();
    let peaks = &mut analysis.stages[0].peaks;
    let listed = peaks.len();
    let mixture = stats::analysis::Peak { place_ns: 7.77e6, launches: (0, 3), ..peaks[0].clone() };
    peaks.push(mixture);
    let text = terminal(&facts, &analysis, 120, false);
    assert!(!text.contains("7.77") && !text.contains("7770"), "{text}");
    assert!(text.contains(&format!("end to end has {listed} peaks")), "{text}");
    assert!(text.contains("Not listed: 1 peak of all launches together"), "{text}");
}

#[test]
fn quantiles_are_open_metrics_in_seconds() {
    let (facts, analysis) = planted();
    let mut out = Vec::new();
    openmetrics::write(&facts, &analysis, &mut out).expect("memory takes everything");
    let text = String::from_utf8(out).expect("it is text");
    let value = |start: &str| -> f64 {
        let line = text.lines().find(|line| line.starts_with(start)).expect(start);
        line.rsplit(' ').next().and_then(|number| number.parse().ok()).expect("a number")
    };
    let of = |rest: &str| value(&format!("fourstamp_message_seconds{rest}"));
    assert_eq!(of("_count{stage=\"transit\"}"), 2_000.0);
    let median = of("{stage=\"transit\",quantile=\"0.5\"}");
    assert!((4.9e-6..8.1e-6).contains(&median), "{median}");
    assert!(of("_sum{stage=\"transit\"}") > 2_000.0 * 5e-6);
    assert_eq!(value("fourstamp_run_info{workload=\"pingpong\",transport=\"tcp\""), 1.0);
    assert!(text.ends_with("# EOF\n"));
}

#[test]
fn every_series_has_rows_of_eight_fields() {
    let (_, analysis) = explained();
    let all = csv(&analysis, None);
    for line in all.lines() {
        assert_eq!(line.split(',').count(), 8, "{line}");
    }
    let mut rows = 1;
    for name in series_names() {
        let text = csv(&analysis, Some(name));
        assert!(text.lines().count() > 1, "{name} is empty");
        assert!(text.lines().skip(1).all(|line| line.starts_with(&format!("{name},"))), "{name}");
        rows += text.lines().count() - 1;
    }
    assert_eq!(rows, all.lines().count());
}

#[test]
fn counts_in_csv_add_up_to_the_messages() {
    let text = csv(&planted().1, Some("distribution"));
    let sum: u64 = text
        .lines()
        .filter(|line| line.starts_with("distribution,end-to-end,") && line.contains(",linear,"))
        .filter_map(|line| line.split(',').nth(6)?.parse::<u64>().ok())
        .sum();
    assert_eq!(sum, 2_000);
}

#[test]
fn an_unknown_table_is_refused_by_name() {
    let (facts, analysis) = planted();
    let error = table(&facts, &analysis, "picks").expect_err("there is no such table");
    let text = error.to_string();
    assert!(
        text.contains("'picks'") && text.contains("quantiles") && text.contains("by-size"),
        "{text}"
    );
}

#[test]
fn a_full_disk_is_an_error() {
    struct Full;
    impl std::io::Write for Full {
        fn write(&mut self, _: &[u8]) -> std::io::Result<usize> {
            Err(std::io::ErrorKind::StorageFull.into())
        }
        fn flush(&mut self) -> std::io::Result<()> {
            Ok(())
        }
    }
    let (facts, analysis) = planted();
    let runs = [Entry::new("run", &facts, &analysis)];
    let page = Page { title: "", runs: &runs, floors: &[], remarks: &[] };
    assert!(matches!(html(&page, &mut Full), Err(DocumentError::Write(_))));
}

#[test]
fn a_page_is_whole_and_not_too_large() {
    let (facts, analysis) = planted();
    for runs in [1, 3] {
        let text = page_text(&facts, &analysis, runs);
        assert!(text.starts_with("<!DOCTYPE html>") && text.trim_end().ends_with("</html>"));
        assert_eq!(text.matches("<h1").count(), 1);
        assert_eq!(
            text.matches("<details class=\"run\"").count(),
            if runs == 1 { 0 } else { runs }
        );
        assert!(text.len() < 1_000_000, "{}", text.len());
        for outside in ["src=\"http", "href=\"http", "@import", "url("] {
            assert!(!text.contains(outside), "{outside}");
        }
    }
}

#[test]
fn hostile_names_stay_text() {
    const ATTACK: &str = "</script><img src=x onerror=alert(1)>\"'";
    let (mut facts, mut analysis) = planted();
    (facts.workload, facts.transport, facts.topology) =
        (ATTACK.into(), ATTACK.into(), ATTACK.into());
    (facts.command, facts.started, facts.program) = (ATTACK.into(), ATTACK.into(), ATTACK.into());
    facts.parameters.push((ATTACK.into(), ATTACK.into()));
    facts.machine.push((ATTACK.into(), ATTACK.into()));
    facts.clock.source = ATTACK.into();
    facts.clock.models.push(ATTACK.into());
    facts.notes.push(ATTACK.into());
    facts.lost.failures.push(ATTACK.into());
    for group in analysis.breakdowns.iter_mut().flat_map(|breakdown| &mut breakdown.groups) {
        group.label.push_str(ATTACK);
    }
    for runs in [1, 2] {
        let text = page_text(&facts, &analysis, runs);
        assert!(!text.contains("<img"), "an element came through");
        assert!(!text.contains("onerror=alert(1)>\""), "an attribute came through");
        assert!(text.contains("&lt;/script&gt;&lt;img"));
        // Data of each run's charts and choices and of all runs, the page's own.
        assert_eq!(text.matches("</script>").count(), 1 + 2 * runs + usize::from(runs > 1));
    }
    assert!(
        !terminal(&Facts { workload: "a\u{1b}[2J".into(), ..facts }, &analysis, 80, false)
            .contains('\u{1b}')
    );
}

#[test]
fn nothing_at_all_can_be_shown() {
    let mut analysis = planted().1;
    analysis.messages = 0;
    analysis.population.groups.clear();
    analysis.finding = None;
    analysis.stages.clear();
    analysis.cycles = None;
    analysis.shares.clear();
    analysis.breakdowns.clear();
    analysis.series.clear();
    analysis.slowest.clear();
    analysis.sizes.clear();
    analysis.counts.clear();
    analysis.sends = None;
    analysis.launches.launches.clear();
    let facts = Facts::default();
    assert!(page_text(&facts, &analysis, 1).contains("No message was recorded."));
    assert!(page_text(&facts, &analysis, 2).contains("No run recorded a message"));
    assert!(terminal(&facts, &analysis, 80, true).contains("No message was recorded."));
    assert_eq!(csv(&analysis, None).lines().count(), 1);
}
