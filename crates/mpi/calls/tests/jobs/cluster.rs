//! A simulated cluster of MPI ranks: random programs, run under a seed, leave logs as the tracer
//! writes them and the truth about every message.

pub mod engine;
pub mod folder;
pub mod log;
pub mod program;
pub mod random;
pub mod windows;

use clock::{Exchange, Ticks};
use engine::{Engine, Machine, Outcome};
use log::{RankClock, RankLog};
use random::Random;

/// What a simulated run is like.
#[derive(Clone, Copy, Debug)]
pub struct Setting {
    pub seed: u64,
    pub ranks: usize,
    pub messages: usize,
    /// Ranks on several hosts, each with a clock of its own.
    pub hosts: usize,
    /// See [`Machine::asleep_once_in`].
    pub asleep_once_in: u64,
}

/// Run random programs.
pub fn simulate(setting: Setting) -> Outcome {
    let mut random = Random::new(setting.seed);
    let programs = program::programs(&mut random, setting.ranks, setting.messages);
    let machine = Machine {
        latency: random.between(300, 3000),
        ns_per_kib: random.between(50, 300),
        asleep_once_in: setting.asleep_once_in,
    };
    let clocks: Vec<RankClock> = (0..setting.hosts).map(|host| clock(&mut random, host)).collect();
    let mut logs: Vec<RankLog> = (0..setting.ranks)
        .map(|rank| RankLog::new(rank, setting.ranks, clocks[rank % setting.hosts]))
        .collect();
    // Before the first message and after the last, so that all lie between.
    synchronise(&mut logs, -400_000, setting.hosts, &mut random);
    let mut outcome = Engine::run(&mut random, machine, programs, logs);
    synchronise(&mut outcome.logs, outcome.end + 1000, setting.hosts, &mut random);
    outcome
}

fn clock(random: &mut Random, host: usize) -> RankClock {
    let offset = if host == 0 { 1_000_000 } else { random.next() >> 8 };
    let drift_ppm = if host == 0 { 0.0 } else { random.between(-80, 80) as f64 };
    RankClock { host, offset, drift_ppm }
}

/// The first rank of each host but the first exchanges with rank 0; one host begins from rank 0's
/// side.
fn synchronise(logs: &mut [RankLog], at: i64, hosts: usize, random: &mut Random) {
    for host in 1..hosts.min(logs.len()) {
        for turn in 0..20 {
            let (there, back) = (random.between(300, 2000), random.between(300, 2000));
            let begin = at + turn * 10_000;
            let times = [begin, begin + there, begin + there + 50, begin + there + 50 + back];
            let (local, remote) = if host == 1 { (0, host) } else { (host, 0) };
            let [near, far] = [logs[local].clock, logs[remote].clock];
            let exchange = Exchange {
                local_sent: Ticks(near.ticks(times[0])),
                remote_received: Ticks(far.ticks(times[1])),
                remote_sent: Ticks(far.ticks(times[2])),
                local_received: Ticks(near.ticks(times[3])),
            };
            logs[local].exchange(remote, exchange);
        }
    }
}
