//! How fast programs are played, and in how much memory.
//!
//! `cargo run --release -p fourstamp-predict --example replay_speed CASE [ROUNDS]`
//!
//! CASE is `ring` (64 ranks), `all-to-all` (256 ranks) or `stencil` (4,096 ranks in three
//! dimensions), all of 1 KiB a message through a switch: in each round a rank computes, sends to
//! the others that it talks to, and takes from them. What is counted as an event is a send, a
//! receive, or a step of computing: what LogGOPSim counts. The rate is by processor time, of which
//! a process that shares its core has less than has passed.

use fourstamp_predict::{Courses, Flow, Parcel, Step, play};
use std::error::Error;
use std::time::Instant;

const MACHINE: &str = r#"
name = "fast"
nodes = 4096
topology = "switch"
[processor]
send = "500ns"
receive = "500ns"
[network]
latency = "2us"
bandwidth = "10GB/s"
"#;

const BYTES: u64 = 1024;
const WORK_NS: u64 = 1000;

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let case = arguments.next().ok_or("which case: ring, all-to-all or stencil?")?;
    let rounds = arguments.next().map(|rounds| rounds.parse()).transpose()?;
    let rounds = match case.as_str() {
        "ring" => Rounds::new(64, rounds.unwrap_or(100_000), vec![1]),
        "all-to-all" => Rounds::new(256, rounds.unwrap_or(100), (1..256).collect()),
        "stencil" => {
            let around = [1, 16, 256].into_iter().flat_map(|near| [near, 4096 - near]);
            Rounds::new(4096, rounds.unwrap_or(4070), around.collect())
        }
        other => return Err(format!("no case '{other}': ring, all-to-all or stencil").into()),
    };
    let machine = machine::parse("fast", MACHINE)?;
    let (begun, used) = (Instant::now(), processor_s()?);
    let played = play(&rounds, &machine, 1, |_, _| ())?;
    let wall_s = begun.elapsed().as_secs_f64();
    let processor_s = processor_s()? - used;
    let (messages, events) = (rounds.messages(), rounds.events());
    let (rate, peak_kib, end) = (events as f64 / processor_s, peak_kib()?, played.end());
    println!("messages,events,wall_s,processor_s,events_per_s,peak_kib,simulated_ps");
    println!("{messages},{events},{wall_s:.3},{processor_s:.3},{rate:.0},{peak_kib},{end}");
    Ok(())
}

/// A program that is never in memory.
struct Rounds {
    ranks: u32,
    rounds: u32,
    /// How far after a rank those are that it sends to.
    distances: Vec<u32>,
}

impl Rounds {
    fn new(ranks: u32, rounds: u32, distances: Vec<u32>) -> Rounds {
        Rounds { ranks, rounds, distances }
    }

    /// Messages of a rank in a round.
    fn sent(&self) -> u32 {
        self.distances.len() as u32
    }

    /// Steps of a rank in a round.
    fn steps(&self) -> u32 {
        1 + 2 * self.sent()
    }

    fn events(&self) -> u64 {
        u64::from(self.ranks * self.steps()) * u64::from(self.rounds)
    }

    fn number(&self, round: u32, rank: u32, which: u32) -> u32 {
        (round * self.ranks + rank) * self.sent() + which
    }
}

impl Courses for Rounds {
    fn nodes(&self) -> usize {
        self.ranks as usize
    }

    fn begins_ns(&self, _: u16) -> u64 {
        0
    }

    fn step(&self, node: u16, number: usize) -> Option<Step> {
        let (rank, number) = (u32::from(node), number as u32);
        let (round, at) = (number / self.steps(), number % self.steps());
        let step = match at.checked_sub(1) {
            None => Step::Work { ns: WORK_NS, site: 0 },
            Some(which) if which < self.sent() => Step::Send(self.number(round, rank, which)),
            Some(which) => {
                let which = which - self.sent();
                let before = self.ranks - self.distances[which as usize];
                Step::Take(self.number(round, (rank + before) % self.ranks, which))
            }
        };
        (round < self.rounds).then_some(step)
    }

    fn messages(&self) -> u32 {
        self.number(self.rounds, 0, 0)
    }

    fn message(&self, message: u32) -> Parcel {
        let from = message / self.sent() % self.ranks;
        let to = (from + self.distances[(message % self.sent()) as usize]) % self.ranks;
        Parcel { from: from as u16, to: to as u16, bytes: BYTES }
    }

    fn flow(&self) -> Flow {
        Flow::Eager
    }

    fn most_bytes(&self) -> u64 {
        BYTES
    }
}

/// Processor time of this thread, the only one.
fn processor_s() -> Result<f64, Box<dyn Error>> {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat")?;
    let ns: f64 = text.split_whitespace().next().ok_or("no schedstat")?.parse()?;
    Ok(ns / 1e9)
}

/// The most memory that this process had.
fn peak_kib() -> Result<u64, Box<dyn Error>> {
    let status = std::fs::read_to_string("/proc/self/status")?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let kib = line.and_then(|line| line.split_whitespace().next()).ok_or("no VmHWM")?;
    Ok(kib.parse()?)
}
