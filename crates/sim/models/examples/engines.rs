//! PHOLD on the bare engines, without threads, clocks or a fabric: for profilers and instruction
//! counters.
//!
//! `cargo run --release -p fourstamp-models --example engines -- sequential|optimistic CUTOFF`

#![allow(clippy::unwrap_used)] // what goes wrong here is for whoever changes the engine to see

use models::{Phold, PholdOptions};
use timewarp::{
    Dealing, Limits, Node, Options, Outcome, Placement, Progress, Unwatched, sequential,
};

fn main() {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let [engine, cutoff] = &words[..] else {
        panic!("give sequential or optimistic, and a cutoff")
    };
    let cutoff = cutoff.parse().unwrap();
    let model = Phold::new(&PholdOptions { remote: 1.0, ..PholdOptions::default() }).unwrap();
    let outcome = match engine.as_str() {
        "sequential" => {
            let limits = Limits { cutoff, ..Limits::default() };
            sequential::run(&model, &limits, &mut Unwatched).unwrap()
        }
        "optimistic" => one_node(&model, cutoff),
        other => panic!("there is no engine {other}"),
    };
    println!("{} events, digest {:016x}", outcome.total().events, outcome.trace_digest);
}

fn one_node(model: &Phold, cutoff: f64) -> Outcome {
    let placement = Placement::deal(model, 1, Dealing::Blocks).unwrap();
    let options = Options { cutoff, undo_check: false, ..Options::default() };
    let mut node = Node::new(model, &placement, 0, &options, Unwatched).unwrap();
    while node.run(1000).unwrap() != Progress::Finished {}
    node.finish().0
}
