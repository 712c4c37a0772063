//! A run of any size whose truth is known, without sending anything: to try out a reader, or to see
//! what a report looks like at a hundred million messages.
//!
//! Every stage is drawn from a seed. Send wait and receive wait have one peak; transit has two, at
//! 300 ns and 900 ns in the ratio 3 to 1, and one message in 2000 is 20 µs to 4 ms late.
//!
//!     cargo run --release --package fourstamp-examples --example synthetic_run -- \
//!         runs/large 100000000 1

#![forbid(unsafe_code)]

use fourstamp::Clock;
use fourstamp::record::{
    Mode, NodeSheet, Recorder, RecorderOptions, Row, RunFolder, RunInfo, Schema, WhenFull,
};
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64Mcg;
use std::error::Error;

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let path = arguments.next().ok_or("wants a folder, then how many messages, then a seed")?;
    let messages: u64 = arguments.next().map_or(Ok(1_000_000), |number| number.parse())?;
    let seed: u64 = arguments.next().map_or(Ok(1), |number| number.parse())?;

    let mut info = RunInfo::new("synthetic");
    info.notes.push(format!("Synthetic: drawn from seed {seed}, not measured."));
    let run = RunFolder::create(&path, info)?;
    for node in 0..2 {
        let share = messages / 2 + if node == 0 { messages % 2 } else { 0 };
        let mut recorder = recorder(&run, node)?;
        record(&mut recorder, node as u16, share, seed);
        recorder.finish(Clock::best().anchor())?;
    }
    println!("{} messages in {path}", run.close()?.rows());
    Ok(())
}

fn recorder(run: &RunFolder, node: u32) -> Result<Recorder, Box<dyn Error>> {
    let options = RecorderOptions {
        mode: Mode::Stream,
        when_full: WhenFull::Block,
        ..RecorderOptions::default()
    };
    Ok(run.recorder(NodeSheet::new(0, node, &Clock::best()), &Schema::default(), options)?)
}

/// Records what node `dst` received: a message every 500 ns or so from the other node.
fn record(recorder: &mut Recorder, dst: u16, messages: u64, seed: u64) {
    let (start, quality) = (recorder.sheet().anchors[0].ticks.0, &recorder.sheet().quality);
    let ticks_per_ns = 1.0 / quality.ns_per_tick;
    let mut draw = Draw { random: Pcg64Mcg::seed_from_u64(seed ^ u64::from(dst)), ticks_per_ns };
    let mut ready = start;
    for seq in 0..messages {
        ready += draw.around(500.0);
        let sent = ready + draw.around(40.0);
        let arrived = sent + draw.transit();
        let taken = arrived + draw.around(80.0);
        recorder.push(&Row {
            ready,
            sent,
            arrived,
            taken,
            seq,
            bytes: 8,
            ..Row::between(1 - dst, dst)
        });
    }
}

struct Draw {
    random: Pcg64Mcg,
    ticks_per_ns: f64,
}

impl Draw {
    /// A time in ticks: a bell around `middle_ns`, never negative.
    fn around(&mut self, middle_ns: f64) -> u64 {
        let bell = (0..4).map(|_| self.random.random::<f64>()).sum::<f64>() / 2.0;
        (middle_ns * bell * self.ticks_per_ns) as u64
    }

    fn transit(&mut self) -> u64 {
        let late_ns =
            if self.random.random_bool(0.0005) { self.random.random_range(2e4..4e6) } else { 0.0 };
        let middle_ns = if self.random.random_bool(0.75) { 300.0 } else { 900.0 };
        self.around(middle_ns) + (late_ns * self.ticks_per_ns) as u64
    }
}
