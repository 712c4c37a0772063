//! STB88 on the bare engines, several times each: for profilers and for a quick look at their
//! speeds.
//!
//! `cargo run --release -p fourstamp-warp --example stb88 -- plain,sequential,1,2 CUTOFF TIMES
//! [DIR]`, where a number is that of threads and DIR has the tables of a scenario.

#![allow(clippy::unwrap_used)] // what goes wrong here is for whoever changes the engine to see

use models::plain::stb88_plain;
use models::{PingOptions, Scenario, Stb88, Stb88Options};
use std::time::Instant;
use timewarp::{Limits, Options, Unwatched, sequential};
use warp::{Job, ModelSpec, threads};

fn main() {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let [engines, cutoff, times, folder @ ..] = &words[..] else {
        panic!("give engines, a cutoff and how often")
    };
    let (cutoff, times): (f64, u32) = (cutoff.parse().unwrap(), times.parse().unwrap());
    let scenario = match folder {
        [folder, ..] => read(folder),
        [] => Scenario::generate(&Default::default()).unwrap(),
    };
    for _ in 0..times {
        for engine in engines.split(',') {
            let begun = Instant::now();
            let events = run(engine, &scenario, cutoff);
            let seconds = begun.elapsed().as_secs_f64();
            println!(
                "{engine}: {events} events, {seconds:.4} s, {:.3} µs each",
                seconds / events as f64 * 1e6
            );
        }
    }
}

fn read(folder: &str) -> Scenario {
    let texts = models::stb88::FILES
        .map(|file| std::fs::read_to_string(format!("{folder}/{file}")).unwrap());
    Scenario::read(texts.each_ref().map(String::as_str)).unwrap()
}

fn run(engine: &str, scenario: &Scenario, cutoff: f64) -> u64 {
    let options = Stb88Options::default();
    let model = Stb88::new(scenario.clone(), &options);
    match engine {
        "plain" => stb88_plain(scenario.clone(), &options, cutoff as i32).unwrap().0,
        "sequential" => {
            let limits = Limits { cutoff, ..Limits::default() };
            sequential::run(&model, &limits, &mut Unwatched).unwrap().total().events
        }
        threads => {
            // The model is not looked at: it is given.
            let mut job = Job::new(ModelSpec::of(&PingOptions::default()));
            job.engine = Options { cutoff, undo_check: false, ..Options::default() };
            let ran = threads::run(
                &model,
                &job,
                threads.parse().unwrap(),
                tempfile::tempdir().unwrap().path(),
            );
            let total = ran.unwrap().outcome.total();
            println!("  {} executed, {} rollbacks", total.completed, total.rollbacks);
            total.events
        }
    }
}
