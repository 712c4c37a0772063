//! Pucks on the bare engines, without a fabric: for profilers, and to compare engine and plain
//! loop.
//!
//! `cargo run --release -p fourstamp-models --example pucks --
//! plain|sequential|optimistic|short:PERCENT REPEATS [FOLDER]`
//!
//! `short` is four simulated nodes with so many per cent more memory than the busiest one needs:
//! what is sent back.

#![allow(clippy::unwrap_used)] // what goes wrong here is for whoever changes the engine to see

use models::Pucks;
use models::plain::pucks_plain;
use models::pucks::{MESSAGES_FILE, OBJECTS_FILE, Scenario};
use models::warpnet::Table;
use std::time::Instant;
use timewarp::simulated::{self, Simulation};
use timewarp::{Dealing, Limits, Node, Options, Placement, Progress, Unwatched, sequential};

fn main() {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let (engine, repeats) = (words[0].as_str(), words[1].parse::<u32>().unwrap());
    let scenario = scenario(words.get(2).map(String::as_str));
    for _ in 0..repeats {
        let begin = Instant::now();
        let events = match engine {
            "plain" => pucks_plain(scenario.clone(), f64::MAX).unwrap().0,
            "sequential" => {
                let model = Pucks::new(scenario.clone());
                sequential::run(&model, &Limits::default(), &mut Unwatched).unwrap().total().events
            }
            "optimistic" => one_node(&Pucks::new(scenario.clone())),
            other => match other.strip_prefix("short:") {
                Some(spare) => {
                    short_of_memory(&Pucks::new(scenario.clone()), spare.parse().unwrap())
                }
                None => panic!("there is no engine {other}"),
            },
        };
        let took = begin.elapsed();
        println!(
            "{engine}: {events} events, {:.0} ns each",
            took.as_nanos() as f64 / events as f64
        );
    }
}

fn scenario(folder: Option<&str>) -> Scenario {
    let Some(folder) = folder else { return Scenario::generate(&Default::default()).unwrap() };
    let read = |file: &str| std::fs::read_to_string(format!("{folder}/{file}")).unwrap();
    let (objects, messages) = (read(OBJECTS_FILE), read(MESSAGES_FILE));
    let table = |file, text| Table { file, text };
    Scenario::read(table(OBJECTS_FILE, &objects), table(MESSAGES_FILE, &messages)).unwrap()
}

fn one_node(model: &Pucks) -> u64 {
    let placement = Placement::deal(model, 1, Dealing::Blocks).unwrap();
    let options = Options { undo_check: false, ..Options::default() };
    let mut node = Node::new(model, &placement, 0, &options, Unwatched).unwrap();
    while node.run(1000).unwrap() != Progress::Finished {}
    node.finish().0.total().events
}

fn short_of_memory(model: &Pucks, spare_per_cent: usize) -> u64 {
    let placement = Placement::deal(model, 4, Dealing::RoundRobin).unwrap();
    let need = sequential::needs(model, &Limits::default(), &placement)
        .unwrap()
        .into_iter()
        .max()
        .unwrap();
    let memory_bytes = Some(need + need * spare_per_cent / 100);
    let options = Options { undo_check: false, memory_bytes, ..Options::default() };
    let simulation = Simulation {
        dealing: Dealing::RoundRobin,
        rollback_every: 0,
        ..Simulation::new(4, 1, options)
    };
    let (outcome, _) = simulated::run(model, &simulation).unwrap();
    let right = sequential::run(model, &Limits::default(), &mut Unwatched).unwrap();
    assert_eq!(
        (outcome.trace_digest, outcome.state_digest),
        (right.trace_digest, right.state_digest)
    );
    let total = outcome.total();
    println!("{memory_bytes:?} bytes: {} sent back, {} undone", total.returns_sent, total.undone);
    total.events
}
