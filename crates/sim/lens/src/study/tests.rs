use super::*;
use document::{Screen, table_csv};
use stats::launches::Reason;
use std::time::Duration;

fn on(nodes: u16) -> SpeedupSetup {
    SpeedupSetup { nodes: Some(nodes), ..in_order() }
}

fn in_order() -> SpeedupSetup {
    SpeedupSetup { model: "m".into(), build: THIS_BUILD.into(), ..SpeedupSetup::default() }
}

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
        setup: SpeedupSetup { nodes, ..in_order() },
        style: Style::default(),
        launches: vec![Launch { round: 1, begun, outcome: summary(&seconds) }],
        seconds: estimate(seconds),
        speedup: nodes.map(|_| estimate(8.0 / seconds)),
        relative: None,
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
    let of = [measured(in_order(), &[30e-6, 32e-6]), measured(on(2), &[0.010, 0.083])];
    let study = SpeedupStudy::new(2, &of);
    let said = terminal(&study, 160);
    for wanted in ["31.0 µs", "28.8 ms", "0.00108×", "too few launches"] {
        assert!(said.contains(wanted), "{wanted}: {said}");
    }
    assert!(!said.contains("0.000 ") && !said.contains("0.00×"), "{said}");
    assert!(
        study
            .finding
            .starts_with("Undecided whether m is faster on several nodes (too few launches)")
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
        "engine,model,build,transport,timing,stretch,nodes,launches,seconds,seconds_low,\
         seconds_high,speedup,speedup_low,speedup_high,efficiency,efficiency_low,efficiency_high,\
         relative,relative_low,relative_high,rollbacks,event_efficiency"
    );
    let cells = &table[2];
    assert_eq!(cells[..8], ["optimistic", "m", "this", "", "", "", "2", "2"]);
    assert!(cells[8].starts_with("0.0288") && cells[9..11] == ["", ""], "{cells:?}");
    assert!(cells[11].starts_with("0.00107") && cells[12..14] == ["", ""], "{cells:?}");
}

#[test]
fn every_launch_is_a_row_for_scripts_and_a_failure_is_a_remark() {
    let failures = vec![study::Failure { name: "nodes-2-3".into(), why: "no such rank".into() }];
    let (setup, results) = measured(on(2), &[0.5, 0.25]);
    let of = [measured(in_order(), &[1.0]), (setup, Results { failures, ..results })];
    let study = SpeedupStudy::new(2, &of);
    let launches = csv(&study, "launches");
    assert_eq!(
        launches[0].join(","),
        "engine,model,build,transport,timing,stretch,nodes,launch,begun_unix_s,seconds,events,\
         messages,executed,rolled_back,rollbacks,anti_messages,sendbacks,efficiency,\
         off_node_share,gvt_rounds,memory_peak"
    );
    assert_eq!(launches[3][6..11], ["2", "2", "0", "0.25", "7"]);
    assert_eq!(launches.len(), 4);
    let said = terminal(&study, 80);
    assert!(said.contains("nodes-2: a launch failed: no such rank"), "{said}");
    assert!(!said.contains("dotted line"), "charts are on the page: {said}");
}

#[test]
fn on_a_narrow_terminal_intervals_stand_below_their_figures() {
    let of = [measured(in_order(), &[1.0, 1.01, 0.99]), measured(on(2), &[0.5, 0.51, 0.49])];
    let said = terminal(&SpeedupStudy::new(2, &of), 80);
    assert!(said.lines().all(|line| line.chars().count() <= 80), "{said}");
    let at = said.lines().position(|line| line.trim_start().starts_with("2 nodes")).unwrap();
    let below = said.lines().nth(at + 1).unwrap();
    assert!(below.contains(" ms to ") && below.contains("× to "), "{said}");
}

#[test]
fn what_the_interval_decides_is_said() {
    let of = |nodes: &[f64]| {
        let base = measured(in_order(), &[1.0, 1.01, 0.99]);
        SpeedupStudy::new(2, &[base, measured(on(2), nodes)]).finding
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
    let base = measured(in_order(), &[1.0, 1.01, 0.99]);
    let on_1 = measured(on(1), &[0.8, 1.2, 1.0]);
    let of = |nodes: &[f64]| {
        SpeedupStudy::new(2, &[base.clone(), on_1.clone(), measured(on(2), nodes)]).finding
    };
    let slow = of(&[8.0, 8.1, 7.9]);
    let begin = "m is not faster on several nodes: the best of them, 2 nodes, is 0.125×";
    assert!(slow.starts_with(begin), "{slow}");
    let wide = of(&[0.9, 1.3, 1.1]);
    assert!(wide.starts_with("Undecided whether m is faster on several nodes"), "{wide}");
    assert!(wide.contains("the best of them, 2 nodes"), "{wide}");
}

/// Two models over two transports, b three times as fast over tcp; a is slower on nodes, b faster.
fn joint() -> Vec<(SpeedupSetup, Results<Summary>)> {
    let mut all = Vec::new();
    for (model, tcp_s) in [("a", 2.0), ("b", 0.1)] {
        let of = SpeedupSetup { model: model.into(), ..in_order() };
        all.push(measured(of.clone(), &[1.0, 1.01, 0.99]));
        for (transport, seconds) in
            [("thread", if model == "a" { 2.0 } else { 0.3 }), ("tcp", tcp_s)]
        {
            let setup = SpeedupSetup { nodes: Some(2), transport, timing: "none", ..of.clone() };
            all.push(measured(setup, &[seconds, seconds * 1.01, seconds * 0.99]));
        }
    }
    all
}

#[test]
fn several_models_are_one_study() {
    let study = SpeedupStudy::new(2, &joint());
    assert_eq!(study.finding, "Faster on nodes than in order: b; slower on nodes: a.");
    let says = |wanted: &str| study.sentences.iter().any(|said| said.contains(wanted));
    assert!(says("b is fastest on 2 nodes, tcp: 10.0×"), "{:?}", study.sentences);
    assert!(says("a is fastest in order; the best on nodes (2 nodes, t"), "{:?}", study.sentences);
    // The geometric mean of 1 and a third.
    let wanted =
        "A run takes 0.577× as long over tcp as over thread (2\u{a0}pairs of setups; 95 %: ";
    assert!(says(wanted), "{:?}", study.sentences);
    let table = csv(&study, "speedup");
    assert_eq!(table[6][..7], ["optimistic", "b", "this", "tcp", "none", "", "2"]);
    assert!(table[6][11].starts_with("10"), "against b in order: {:?}", table[6]);
    let page = page(&study);
    assert_eq!(page.matches("<section ").count(), 5);
    for wanted in
        ["Model by model", "b, 2 nodes, tcp", "a: In order the run takes", "rings are tcp"]
    {
        assert!(page.contains(wanted), "{wanted}");
    }
    let ids = ["time-chart-a", "time-chart-b", "models-in-order", "models-time", "models-speedup"];
    ids.iter().for_each(|id| assert!(page.contains(&format!("-{id}\"")), "{id}"));
}

#[test]
fn another_build_is_compared_with_this_one_and_with_its_own_run_in_order() {
    let mut of =
        vec![measured(in_order(), &[1.0, 1.01, 0.99]), measured(on(2), &[0.5, 0.51, 0.49])];
    let other = |setup: SpeedupSetup| SpeedupSetup { build: "gcc".into(), ..setup };
    of.push(measured(other(in_order()), &[3.0, 3.03, 2.97]));
    of.push(measured(other(on(2)), &[1.0, 1.02, 0.98]));
    let study = SpeedupStudy::new(2, &of);
    let figure = |at: usize, of: fn(&SpeedupRow) -> Option<Estimate>| {
        of(&study.rows[at]).map(|it| (it.value * 100.0).round() / 100.0)
    };
    assert_eq!(figure(2, |row| row.relative), Some(3.0));
    assert_eq!(
        [figure(3, |row| row.relative), figure(3, |row| row.speedup)],
        [Some(2.0), Some(3.0)]
    );
    let said = terminal(&study, 160);
    for wanted in ["2 nodes, gcc", "in order, this", "Against this", "3.00×"] {
        assert!(said.contains(wanted), "{wanted}: {said}");
    }
    assert!(said.contains("2.00× as long with build gcc as with this build"), "{said}");
    assert!(page(&study).contains("In order, against this build"));
}

#[test]
fn what_lies_within_its_interval_decides_nothing() {
    let mut of = joint();
    of.truncate(3);
    of[2].1 = [1.5, 2.9, 2.0].iter().map(summary).collect();
    let study = SpeedupStudy::new(2, &of);
    let said = study.sentences.iter().find(|said| said.contains("over tcp")).unwrap();
    assert!(said.ends_with("which decides nothing."), "{said}");
    // Rounds are compared with themselves: one that both lost has no part in it.
    of[2].1.launches.remove(1);
    let few = SpeedupStudy::new(2, &of);
    assert!(
        few.sentences.iter().any(|said| said.contains("1\u{a0}pair of setups; too few launches"))
    );
}
