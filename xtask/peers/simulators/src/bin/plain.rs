//! PHOLD and warpnet as a heap and a loop. Prints the rate as CSV.

use models::plain::{phold_plain, warpnet_plain};
use models::{GeneratorOptions, Network, PholdOptions, WarpnetOptions};
use std::time::Instant;

fn main() {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let begin = Instant::now();
    let events = match words.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["phold", objects, start, end] => {
            let number = |text: &str| text.parse().expect("a number");
            let options = PholdOptions { objects: number(objects), start: number(start), remote: 1.0, ..Default::default() };
            phold_plain(&options, f64::from(number(end))).expect("valid parameters").0
        }
        ["warpnet"] => warpnet(),
        _ => panic!("phold OBJECTS START END, or warpnet"),
    };
    println!("events,events_per_s\n{events},{}", events as f64 / begin.elapsed().as_secs_f64());
}

fn warpnet() -> u64 {
    let options = WarpnetOptions::default();
    let network = Network::generate(&GeneratorOptions::default()).expect("valid options");
    warpnet_plain(network, &options).expect("valid parameters").0
}
