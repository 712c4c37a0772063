//! What pages, terminal and CSV say of a made-up simulation.

use crate::builder::{Recipe, analyse};
use crate::shown::{html, terminal_with};
use crate::warp::{Read, Truth};
use document::{Screen, Series};
use report::{Entry, Lens, Page, Part};
use serde_json::{Value, json};
use sim_lens::{SimLens, Simulation};

/// A made-up run of three nodes, and what its engine said.
fn simulated(result: fn(&Truth) -> Option<Value>) -> (Read, Truth) {
    on_nodes(3, result)
}

/// Through a run folder.
fn on_nodes(nodes: u16, result: fn(&Truth) -> Option<Value>) -> (Read, Truth) {
    let folder = tempfile::tempdir().expect("there is room for a folder");
    let path = folder.path().join("run");
    let truth = crate::warp::write(&path, nodes, 2_000, 5);
    (crate::warp::read(&path, result(&truth)), truth)
}

fn entry(read: &Read) -> Entry<'_> {
    let Read { facts, analysis, part } = read;
    Entry { parts: part.as_slice(), ..Entry::new("run", facts, analysis) }
}

fn terminal(read: &Read) -> String {
    let screen = Screen { width: 80, colour: false };
    terminal_with(&read.facts, &read.analysis, read.part.as_slice(), screen)
}

fn page_text(run: Entry) -> String {
    let mut out = Vec::new();
    html(&Page { title: "", runs: &[run], floors: &[], remarks: &[] }, &mut out)
        .expect("memory takes everything");
    String::from_utf8(out).expect("the page is UTF-8")
}

/// The figures that `--json` has.
fn figures(part: &Part) -> Simulation {
    serde_json::from_value(part.figures["simulation"].clone()).expect("the run is a simulation")
}

#[test]
fn a_simulations_rows_end_in_its_figures() {
    let (read, truth) = simulated(|_| None);
    let found = figures(read.part.as_ref().expect("the run is a simulation"));
    let counted = crate::warp::Truth {
        executed: found.executed,
        undone: found.undone,
        committed: found.committed,
        rollbacks: found.rollbacks.count,
        messages: read.analysis.messages,
    };
    assert_eq!(counted, truth);
    assert_eq!(found.messages.iter().map(|group| group.count).sum::<u64>(), truth.messages);
    assert_eq!(truth.executed, truth.undone + truth.committed, "what was planted is a simulation");
    let text = terminal(&read);
    assert!(text.lines().all(|line| line.chars().count() <= 80), "{text}");
    for figure in [truth.executed, truth.committed, truth.rollbacks] {
        let figure = figure.to_string();
        let word = |word: &str| word.trim_end_matches([',', '.']) == figure;
        assert!(text.split_whitespace().any(word), "{figure} is not in:\n{text}");
    }
}

#[test]
fn a_simulations_page_has_its_sections_and_no_other_page_has() {
    let (read, _) = simulated(|_| None);
    let ids = ["r0-gvt", "r0-rates", "r0-node-time", "r0-rollbacks", "r0-work", "r0-warp-messages"];
    let simulated = page_text(entry(&read));
    let recipe = Recipe::new("pingpong", "tcp", 2_000, [300.0, 5_000.0, 1_000.0]);
    let (facts, analysis) = (recipe.facts(), analyse(&recipe.make()));
    let other = page_text(Entry::new("run", &facts, &analysis));
    for id in ids {
        assert!(simulated.contains(&format!("<section id=\"{id}\"")), "{id}");
        assert!(!other.contains(id), "{id}");
    }
}

#[test]
fn what_the_engine_counted_is_believed_before_its_rows() {
    let said =
        |truth: &Truth| Some(json!({"events": truth.committed + 7, "rollbacks": truth.rollbacks}));
    let (read, truth) = simulated(said);
    let text = page_text(entry(&read)).replace('\u{202f}', "");
    assert!(text.contains(&format!("The simulation committed {}", truth.committed + 7)));
    assert!(text.contains(&format!(
        "The record holds {}\u{a0}events committed of {}",
        truth.committed,
        truth.committed + 7
    )));
    let rows_only = page_text(entry(&simulated(|_| None).0));
    assert!(!rows_only.contains("The record holds"));
}

#[test]
fn a_simulation_without_rows_has_what_its_engine_said() {
    let (read, _) = on_nodes(0, |_| Some(json!({"events": 0, "rollbacks": 0})));
    let text = terminal(&read);
    assert!(
        text.contains("The simulation committed 0 events: none was ever rolled back."),
        "{text}"
    );
    assert!(!text.contains("No message was recorded."), "{text}");
}

#[test]
fn messages_that_overtook_are_counted_whole_and_by_node() {
    let (read, _) = simulated(|_| {
        let queues = json!([
            {"node": 0, "taken": 900, "overtook": 90}, {"node": 1, "taken": 100, "overtook": 10},
        ]);
        Some(json!({"events": 1, "queues": queues}))
    });
    let text = terminal(&read).replace(['\u{a0}', '\u{202f}'], " ");
    let words = text.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(words.contains("Of 1000 event messages"), "{words}");
    assert!(words.contains("queues, 100 (10 %) overtook"), "{words}");
    let part = read.part.as_ref().expect("the run is a simulation");
    assert_eq!(part.figures["queues"][1]["overtook"], 10);
    let id = "<section id=\"r0-overtaking\"";
    assert!(page_text(entry(&read)).contains(id));
    let unsearched = page_text(entry(&simulated(|_| None).0));
    assert!(!unsearched.contains("out of their receive queues"), "no queue was searched");
    assert!(unsearched.contains(id) && unsearched.contains("By the stamps, "), "by the stamps");
}

#[test]
fn every_series_of_a_simulation_is_csv() {
    let part = simulated(|_| None).0.part.expect("the run is a simulation");
    let names: Vec<&str> = part.series.iter().map(|series| series.name).collect();
    assert_eq!(names, SimLens.series());
    for Series { name, points } in part.series {
        let mut out = Vec::new();
        document::series_csv(&[Series { name, points }], &mut out).expect("memory takes it");
        let text = String::from_utf8(out).expect("CSV is UTF-8");
        assert!(text.lines().count() > 1, "{name} is empty");
        assert!(text.lines().all(|line| line.split(',').count() == 8), "{name}");
        assert!(text.lines().skip(1).all(|line| line.starts_with(&format!("{name},"))), "{name}");
    }
}
