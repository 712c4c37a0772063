use super::*;
use document::{Screen, table_csv};
use stats::launches::Reason;
use std::time::Duration;

const ON_2: SpeedupSetup = SpeedupSetup { nodes: Some(2), timing: "" };

fn summary(seconds: &f64) -> Summary {
    Summary { seconds: *seconds, efficiency: 0.75, rollbacks: 12, events: 7, ..Summary::default() }
}

fn measured(setup: SpeedupSetup, seconds: &[f64]) -> (SpeedupSetup, Results<Summary>) {
    (setup, seconds.iter().map(summary).collect())
}

fn row(nodes: Option<u16>, seconds: f64) -> SpeedupRow {
    let estimate = |value: f64| Estimate { value, interval: Ok((value * 0.9, value * 1.1)) };
    let begun = Duration::from_secs(1_700_000_000);
    SpeedupRow {
        setup: SpeedupSetup { nodes, timing: "" },
        launches: vec![Launch { round: 1, begun, outcome: summary(&seconds) }],
        seconds: estimate(seconds),
        speedup: nodes.map(|_| estimate(8.0 / seconds)),
        event_efficiency: 0.75,
        rollbacks: 12.0,
    }
}

fn page(study: &SpeedupStudy) -> String {
    let mut page = Vec::new();
    document::page(&study.document(), &mut page).unwrap();
    String::from_utf8(page).unwrap()
}

fn csv(study: &SpeedupStudy, name: &str) -> Vec<Vec<String>> {
    let mut out = Vec::new();
    table_csv(&study.document(), name, &mut out).unwrap();
    let text = String::from_utf8(out).unwrap();
    text.lines().map(|line| line.split(',').map(str::to_owned).collect()).collect()
}

fn terminal(study: &SpeedupStudy, width: usize) -> String {
    document::terminal(&study.document(), Screen { width, colour: false })
}

#[test]
fn the_page_has_four_charts_and_the_table() {
    let rows = vec![row(None, 8.0), row(Some(1), 10.0), row(Some(2), 5.0), row(Some(4), 4.0)];
    let study = SpeedupStudy { title: "<x>".into(), cores: 2, rows, ..SpeedupStudy::default() };
    let page = page(&study);
    assert_eq!(page.matches("<section ").count(), 4);
    for wanted in ["&lt;x&gt;", "4 nodes", "1.600×", "80", "2 cores"] {
        assert!(page.contains(wanted), "{wanted}");
    }
    assert!(!page.contains("off_node_share"), "launches are for scripts");
}

/// Seen: "44 ns to 19079 s", "0.00 to 219336.12", and 83 ms beside 10 ms "over 99.9 % longer".
#[test]
fn two_launches_have_no_interval_and_factors_are_factors() {
    let few = |value| Estimate { value, interval: Err(Reason::TooFewLaunches) };
    let launches = [0.010, 0.083].iter().map(summary).collect::<Results<Summary>>().launches;
    let base = SpeedupRow { seconds: few(30e-6), ..row(None, 1.0) };
    let slow = SpeedupRow {
        launches,
        seconds: few(0.029),
        speedup: Some(few(0.00104)),
        ..row(Some(1), 1.0)
    };
    let page = page(&SpeedupStudy { cores: 2, rows: vec![base, slow], ..SpeedupStudy::default() });
    for wanted in [
        "30.0\u{a0}µs",
        "0.00104×",
        "no interval: too few launches",
        "took 8.30× as long as the fastest",
    ] {
        assert!(page.contains(wanted), "{wanted}");
    }
}

#[test]
fn a_study_that_was_ended_early_has_a_page_as_well() {
    let study = SpeedupStudy { cores: 4, rows: vec![row(None, 8.0)], ..SpeedupStudy::default() };
    assert!(page(&study).contains("in order"));
}

/// Seen: `warp study ping` said 0.000 s, 0.00× and an interval from "44 ns to 19079 s".
#[test]
fn two_short_launches_have_times_and_no_interval() {
    let of = [measured(SpeedupSetup::default(), &[30e-6, 32e-6]), measured(ON_2, &[0.010, 0.083])];
    let study = SpeedupStudy::new("ping", 2, &of);
    let said = terminal(&study, 160);
    for wanted in ["31.0 µs", "28.8 ms", "0.00108×", "too few launches"] {
        assert!(said.contains(wanted), "{wanted}: {said}");
    }
    assert!(!said.contains("0.000 ") && !said.contains("0.00×"), "{said}");
    assert!(
        study
            .finding
            .starts_with("Undecided whether ping is faster on several nodes (too few launches)")
    );
    assert!(
        study
            .sentences
            .iter()
            .any(|said| said.contains("Below 3 launches of each there is no interval"))
    );
    let table = csv(&study, "speedup");
    assert_eq!(
        table[0].join(","),
        "engine,timing,nodes,launches,seconds,seconds_low,seconds_high,speedup,speedup_low,\
         speedup_high,efficiency,efficiency_low,efficiency_high,rollbacks,event_efficiency"
    );
    let cells = &table[2];
    assert_eq!(cells[..4], ["optimistic", "", "2", "2"]);
    assert!(cells[4].starts_with("0.0288") && cells[5..7] == ["", ""], "{cells:?}");
    assert!(cells[7].starts_with("0.00107") && cells[8..10] == ["", ""], "{cells:?}");
}

#[test]
fn every_launch_is_a_row_for_scripts_and_a_failure_is_a_remark() {
    let failures = vec![study::Failure { name: "nodes-2-3".into(), why: "no such rank".into() }];
    let (setup, results) = measured(ON_2, &[0.5, 0.25]);
    let of = [measured(SpeedupSetup::default(), &[1.0]), (setup, Results { failures, ..results })];
    let study = SpeedupStudy::new("phold", 2, &of);
    let launches = csv(&study, "launches");
    assert_eq!(
        launches[0].join(","),
        "engine,timing,nodes,launch,begun_unix_s,seconds,events,messages,executed,rolled_back,\
         rollbacks,anti_messages,sendbacks,efficiency,off_node_share,gvt_rounds,memory_peak"
    );
    assert_eq!(launches[3][..7], ["optimistic", "", "2", "2", "0", "0.25", "7"]);
    assert_eq!(launches.len(), 4);
    let said = terminal(&study, 80);
    assert!(said.contains("nodes-2: a launch failed: no such rank"), "{said}");
    assert!(!said.contains("dotted line"), "charts are on the page: {said}");
}

#[test]
fn on_a_narrow_terminal_intervals_stand_below_their_figures() {
    let of =
        [measured(SpeedupSetup::default(), &[1.0, 1.01, 0.99]), measured(ON_2, &[0.5, 0.51, 0.49])];
    let said = terminal(&SpeedupStudy::new("m", 2, &of), 80);
    assert!(said.lines().all(|line| line.chars().count() <= 80), "{said}");
    let at = said.lines().position(|line| line.trim_start().starts_with("2 nodes")).unwrap();
    let below = said.lines().nth(at + 1).unwrap();
    assert!(below.contains(" ms to ") && below.contains("× to "), "{said}");
}

#[test]
fn what_the_interval_decides_is_said() {
    let of = |nodes: &[f64]| {
        let in_order = measured(SpeedupSetup::default(), &[1.0, 1.01, 0.99]);
        SpeedupStudy::new("m", 2, &[in_order, measured(ON_2, nodes)]).finding
    };
    assert!(
        of(&[0.5, 0.51, 0.49])
            .starts_with("m is fastest on 2 nodes: 2.00× as fast as in order (95 %: ")
    );
    assert!(
        of(&[8.0, 8.1, 7.9])
            .starts_with("m is fastest in order; the best on nodes (2 nodes) is 0.125× as fast")
    );
    assert!(
        of(&[0.8, 1.2, 1.0])
            .starts_with("Undecided whether m is faster on several nodes (spread too wide): ")
    );
}

#[test]
fn one_node_is_not_the_best_of_several() {
    let in_order = measured(SpeedupSetup::default(), &[1.0, 1.01, 0.99]);
    let on_1 = measured(SpeedupSetup { nodes: Some(1), timing: "" }, &[0.8, 1.2, 1.0]);
    let of = |nodes: &[f64]| {
        SpeedupStudy::new("m", 2, &[in_order.clone(), on_1.clone(), measured(ON_2, nodes)]).finding
    };
    let slow = of(&[8.0, 8.1, 7.9]);
    let begin = "m is not faster on several nodes: the best of them, 2 nodes, is 0.125×";
    assert!(slow.starts_with(begin), "{slow}");
    let wide = of(&[0.9, 1.3, 1.1]);
    assert!(wide.starts_with("Undecided whether m is faster on several nodes"), "{wide}");
    assert!(wide.contains("the best of them, 2 nodes"), "{wide}");
}
