//! How fast programs are played, and in how much memory.
//!
//! `cargo run --release -p fourstamp-predict --example replay_speed CASE [ROUNDS]`
//!
//! CASE is `ring` (64 ranks), `all-to-all` (256 ranks) or `stencil` (4,096 ranks in three
//! dimensions), all of 1 KiB a message through a switch. What is counted as an event is a send, a
//! receive, or a step of computing: what LogGOPSim counts.

use fourstamp_predict::{Course, Flow, Parcel, Program, Step, play};
use std::error::Error;
use std::time::Instant;

const MACHINE: &str = r#"
name = "fast"
nodes = 1024
topology = "switch"
[processor]
send = "500ns"
receive = "500ns"
[network]
latency = "2us"
bandwidth = "10GB/s"
"#;

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let case = arguments.next().ok_or("which case: ring, all-to-all or stencil?")?;
    let rounds = arguments.next().map(|rounds| rounds.parse()).transpose()?;
    let program = match case.as_str() {
        "ring" => program(64, rounds.unwrap_or(20_000), |_| vec![1]),
        "all-to-all" => program(256, rounds.unwrap_or(20), |ranks| (1..ranks).collect()),
        "stencil" => {
            let around = [1, 16, 256].into_iter().flat_map(|near| [near, 4096 - near]);
            program(4096, rounds.unwrap_or(40), |_| around.clone().collect())
        }
        other => return Err(format!("no case '{other}': ring, all-to-all or stencil").into()),
    };
    let mut machine = machine::parse("fast", MACHINE)?;
    machine.nodes = 4096;
    let events = program.courses.iter().map(|course| course.steps.len() as u64).sum::<u64>();
    let begun = Instant::now();
    let played = play(&program, &machine, 1, |_, _| ())?;
    let wall_s = begun.elapsed().as_secs_f64();
    let messages = program.messages.len();
    println!("messages,events,wall_s,events_per_s,peak_kib,simulated_ps");
    let rate = events as f64 / wall_s;
    println!("{messages},{events},{wall_s:.6},{rate:.0},{},{}", peak_kib()?, played.end());
    Ok(())
}

/// Rounds in which each rank computes, sends to those so far after it, and takes from those before.
fn program(ranks: u32, rounds: u32, distances: impl Fn(u32) -> Vec<u32>) -> Program {
    let distances = distances(ranks);
    let per_rank = distances.len() as u32;
    let mut program = Program { flow: Flow::Eager, ..Program::default() };
    program.courses = vec![Course::default(); ranks as usize];
    for round in 0..rounds {
        for rank in 0..ranks {
            let number = |rank: u32, at: usize| (round * ranks + rank) * per_rank + at as u32;
            let steps = &mut program.courses[rank as usize].steps;
            steps.push(Step::Work { ns: 1000, site: 0 });
            for (at, distance) in distances.iter().enumerate() {
                let to = ((rank + distance) % ranks) as u16;
                program.messages.push(Parcel { from: rank as u16, to, bytes: 1024 });
                steps.push(Step::Send(number(rank, at)));
            }
            for (at, distance) in distances.iter().enumerate() {
                steps.push(Step::Take(number((rank + ranks - distance) % ranks, at)));
            }
        }
    }
    program.own_messages = program.messages.len() as u32;
    program
}

/// The most memory that this process had.
fn peak_kib() -> Result<u64, Box<dyn Error>> {
    let status = std::fs::read_to_string("/proc/self/status")?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let kib = line.and_then(|line| line.split_whitespace().next()).ok_or("no VmHWM")?;
    Ok(kib.parse()?)
}
