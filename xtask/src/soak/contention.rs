//! What holds a node from outside: something that takes its core, a signal that stops it, pages
//! that are taken from it, a disk that stands still under its record. `story` and `explain` have to
//! name that node and that cause, and to cover nine tenths of the wait of the message that it held.
//!
//! A case is a draw of the transport, the node, the length, and whether the node was pinned by us
//! or from outside. On a busy machine a plant may hold no message, or less than something else
//! does: then the case is planted again, some times.

mod ground;
mod plants;
mod thread;
mod verdict;

use super::Cases;
use crate::workspace::Workspace;
use anyhow::{Context, Result, ensure};
use ground::Ground;
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64Mcg;
use serde_json::Value;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;
use verdict::Verdict;

/// A benchmark, a story or an explanation takes no longer.
const LIMIT: Duration = Duration::from_secs(120);
/// A case whose plant held no message is planted again so often.
const TRIES: u32 = 6;
/// Cores that a machine must have, so that the other node goes on.
const CORES_LEAST: usize = 2;
/// Two thirds take a core; the others are in turn.
pub const COUNT: u64 = 60;

/// What is planted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Plant {
    /// Something else runs on the node's core.
    Core,
    /// A signal stops its process.
    Stop,
    /// Its pages are taken away again and again.
    Pages,
    /// The file system of its record stands still.
    Disk,
}

/// What is planted where.
#[derive(Clone, Copy, Debug)]
struct Case {
    plant: Plant,
    transport: &'static str,
    node: u32,
    ms: u64,
    /// Pinned by us, or from outside.
    pinned: bool,
    /// Whether the nodes run before everything else but the plant: then a busy machine does not
    /// hold them, too.
    real_time: bool,
    /// How long the node is left alone before.
    after_ms: u64,
}

/// Runs the cases; how many were named right.
pub fn contention(workspace: &Workspace, cases: Cases) -> Result<()> {
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    if cores < CORES_LEAST {
        println!("skipped: it takes two cores, so that one node goes on while the other is held");
        return Ok(());
    }
    let ground = Ground::prepare(&workspace.scratch("contention")?)?;
    let (mut right, mut not_held, mut wrong, mut skipped) = (0, Vec::new(), Vec::new(), 0);
    for number in cases.from..cases.from + cases.count {
        let case = Case::draw(number);
        if !ground.bears(case.plant) {
            skipped += 1;
            continue;
        }
        match plant(workspace, number, case, &ground)? {
            Verdict::Right => right += 1,
            Verdict::NotHeld => not_held.push(number),
            Verdict::Wrong(why) => {
                println!("case {number}, {case:?}: {why}");
                wrong.push(number);
            }
        }
    }
    println!(
        "{right} of {} plants named right by both verbs, {} wrong",
        cases.count - skipped,
        wrong.len()
    );
    if !not_held.is_empty() {
        println!(
            "no message was held in the cases {not_held:?}: the machine was too busy to plant them"
        );
    }
    let replay = "cargo xtask soak --only contention --count 1 --from";
    ensure!(
        wrong.is_empty(),
        "cases {wrong:?} were named wrong: {replay} {}",
        wrong.first().unwrap_or(&0)
    );
    Ok(())
}

impl Case {
    fn draw(number: u64) -> Case {
        let mut random = Pcg64Mcg::seed_from_u64(number);
        let transports = ["thread", "shm", "tcp", "udp"];
        let transport = transports[random.random_range(0..transports.len())];
        let node = random.random_range(0..2);
        let ms = [5, 20, 100, 300][random.random_range(0..4)];
        let pinned = random.random_bool(0.5);
        let real_time = random.random_bool(0.5);
        let after_ms = random.random_range(300..900);
        let plant = match number % 9 {
            2 => Plant::Stop,
            5 => Plant::Pages,
            8 => Plant::Disk,
            _ => Plant::Core,
        };
        let core = Case { plant, transport, node, ms, pinned, real_time, after_ms };
        let in_memory = matches!(transport, "thread" | "shm");
        // Both nodes of one process are stopped together, and share its pages.
        let apart = if transport == "thread" { "shm" } else { transport };
        match plant {
            Plant::Core => core,
            Plant::Stop | Plant::Pages => Case { transport: apart, ms: 300, ..core },
            // Only these fill the buffer of a record within the time; and what waits for room waits
            // to be taken.
            Plant::Disk => {
                let transport = if in_memory { transport } else { "shm" };
                Case { transport, node: 1, ms: 2000, ..core }
            }
        }
    }

    /// The workload that notices.
    fn bench(self, workspace: &Workspace, run: &Path) -> Command {
        let mut bench = Command::new(workspace.fourstamp());
        bench.arg("bench").arg(if self.plant == Plant::Disk { "stream" } else { "pingpong" });
        bench.args(["--receive", "blocking", "--launches", "1", "--duration"]);
        bench.arg(format!("{}ms", 2000 + self.ms));
        bench.args(["--transport", self.transport, "--out"]).arg(run);
        if self.plant == Plant::Disk {
            bench.args(["--record", "stream"]);
        }
        if !self.pinned {
            bench.arg("--no-pin");
        }
        if self.real_time {
            bench.arg("--real-time");
        }
        bench
    }
}

/// Plants a case until it holds a message.
fn plant(workspace: &Workspace, number: u64, case: Case, ground: &Ground) -> Result<Verdict> {
    for attempt in 0..TRIES {
        let run = ground.folder(case.plant).join(format!("case-{number}-{attempt}"));
        let _ = std::fs::remove_dir_all(&run);
        // What the machine would not let us plant is tried with nodes that nothing else holds.
        let real_time = ground.has_real_time() && (case.real_time || attempt > 1);
        let case = Case { real_time, ..case };
        let planted = measure(workspace, case, ground, &run)?;
        let verdict = verdict::judge(workspace, case, planted, &run)?;
        if let Verdict::Wrong(why) = verdict {
            let kept = ground.keep(&run)?;
            return Ok(Verdict::Wrong(format!("{why}; the run is {}", kept.display())));
        }
        std::fs::remove_dir_all(&run).context("cannot remove the run")?;
        if verdict == Verdict::Right {
            return Ok(Verdict::Right);
        }
    }
    Ok(Verdict::NotHeld)
}

/// A run with its plant; when that began and ended on the run's timeline, ns.
fn measure(workspace: &Workspace, case: Case, ground: &Ground, run: &Path) -> Result<(i64, i64)> {
    let mut bench = case.bench(workspace, run);
    let mut bench =
        bench.stdout(Stdio::null()).spawn().context("cannot start the release build")?;
    let planted = plants::hold(case, ground, run);
    let ended = bench.wait().context("the benchmark cannot be waited for")?;
    let (from, to) = planted?;
    ensure!(ended.success(), "{case:?}: the benchmark failed; its run is {}", run.display());
    let info: Value = serde_json::from_slice(&std::fs::read(run.join("run.json"))?)?;
    let zero = info["origin"]["monotonic_raw_ns"].as_i64().context("run.json lacks its origin")?;
    Ok((from - zero, to - zero))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_case_is_drawn_from_its_number_alone_and_no_thread_is_stopped_by_a_signal() {
        let cases: Vec<Case> = (0..COUNT).map(Case::draw).collect();
        for (number, case) in (0..).zip(&cases) {
            assert_eq!(format!("{case:?}"), format!("{:?}", Case::draw(number)));
            let shared = matches!(case.plant, Plant::Core | Plant::Disk);
            assert!(shared || case.transport != "thread", "{case:?}");
        }
        let of = |plant| cases.iter().filter(|case| case.plant == plant).count();
        assert_eq!([Plant::Core, Plant::Stop, Plant::Pages, Plant::Disk].map(of), [40, 7, 7, 6]);
    }
}
