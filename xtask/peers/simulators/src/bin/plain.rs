//! PHOLD, warpnet, pucks and STB88 as a heap and a loop. Prints the rate as CSV.

use models::plain::{phold_plain, pucks_plain, stb88_plain, warpnet_plain};
use models::pucks::{self, HORIZON};
use models::{GeneratorOptions, Network, PholdOptions, WarpnetOptions};
use models::{Scenario, Stb88Options};
use std::time::Instant;

fn main() {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let (events, seconds) = match words.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["phold", objects, start, end] => {
            phold([objects, start, end].map(|text| text.parse().expect("a number")))
        }
        ["warpnet"] => warpnet(),
        ["pucks"] => table_of_pucks(),
        ["stb88"] => battle(),
        _ => panic!("phold OBJECTS START END, warpnet, pucks or stb88"),
    };
    println!("events,events_per_s\n{events},{}", events as f64 / seconds);
}

/// Events, and how long they took: making the scenario does not count, as it does not count for the
/// engine.
fn timed(run: impl FnOnce() -> u64) -> (u64, f64) {
    let begin = Instant::now();
    (run(), begin.elapsed().as_secs_f64())
}

fn phold([objects, start, end]: [u32; 3]) -> (u64, f64) {
    let options = PholdOptions { objects, start, remote: 1.0, ..Default::default() };
    timed(|| phold_plain(&options, f64::from(end)).expect("valid parameters").0)
}

fn warpnet() -> (u64, f64) {
    let network = Network::generate(&GeneratorOptions::default()).expect("valid options");
    timed(|| warpnet_plain(network, &WarpnetOptions::default()).expect("valid parameters").0)
}

fn table_of_pucks() -> (u64, f64) {
    let scenario = pucks::Scenario::generate(&Default::default()).expect("valid options");
    timed(|| pucks_plain(scenario, HORIZON).expect("a sound table").0)
}

fn battle() -> (u64, f64) {
    let scenario = Scenario::generate(&Default::default()).expect("valid options");
    timed(|| stb88_plain(scenario, &Stb88Options::default(), i32::MAX).expect("nothing is \
    watched").0)
}
