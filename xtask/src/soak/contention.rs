//! What holds a node from outside: something that takes its core, or a signal that stops it.
//! `story` and `explain` have to name that node, and to cover
//! nine tenths of the wait of the message that it held.
//!
//! A case is a draw of the transport, the node, the length, and whether the node was pinned by us
//! or from outside. On a busy machine a plant may hold
//! no message, or less than something else does: then the case is planted again, some times.

use super::Cases;
use crate::hog::now_ns;
use crate::process::{capture_within, on_path};
use crate::workspace::Workspace;
use anyhow::{Context, Result, bail, ensure};
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64Mcg;
use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// A benchmark, a story or an explanation takes no longer.
const LIMIT: Duration = Duration::from_secs(120);
/// A case whose plant held no message is planted again so often.
const TRIES: u32 = 6;
/// Cores that a machine must have, so that the other node goes on.
const CORES_LEAST: usize = 2;
/// How much of a planted time a message must have waited for to be the one that it held.
const HELD_LEAST: f64 = 0.6;
/// And how much of its wait must be covered.
const COVERED_LEAST: f64 = 0.9;

/// What is planted.
#[derive(Clone, Copy, Debug)]
struct Case {
    transport: &'static str,
    node: u32,
    ms: u64,
    /// Pinned by us, or from outside.
    pinned: bool,
    /// By a signal; else something takes its core.
    stopped: bool,
    /// Whether the nodes run before everything else but the plant: then a busy machine does not hold them, too.
    real_time: bool,
    /// How long the node is left alone before.
    after_ms: u64,
}

/// What a verb said of the wait.
#[derive(Debug, PartialEq)]
enum Verdict {
    Right,
    Wrong(String),
    /// The plant held no message that this verb tells of.
    NotHeld,
}

/// Runs the cases; how many were named right.
pub fn contention(workspace: &Workspace, cases: Cases) -> Result<()> {
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    if cores < CORES_LEAST {
        println!("skipped: it takes two cores, so that one node goes on while the other is held");
        return Ok(());
    }
    let strength = Strength::of_this_machine();
    println!("plants: {}", strength.words());
    let (mut right, mut not_held, mut wrong) = (0, Vec::new(), Vec::new());
    for number in cases.from..cases.from + cases.count {
        let case = Case::draw(number);
        match plant(workspace, number, case, strength)? {
            Verdict::Right => right += 1,
            Verdict::NotHeld => not_held.push(number),
            Verdict::Wrong(why) => {
                println!("case {number}, {case:?}: {why}");
                wrong.push(number);
            }
        }
    }
    println!("{right} of {} plants named right by both verbs, {} wrong", cases.count, wrong.len());
    if !not_held.is_empty() {
        println!("no message was held in the cases {not_held:?}: the machine was too busy to plant them");
    }
    let replay = "cargo xtask soak --only contention --count 1 --from";
    ensure!(wrong.is_empty(), "cases {wrong:?} were named wrong: {replay} {}", wrong.first().unwrap_or(&0));
    Ok(())
}

impl Case {
    fn draw(number: u64) -> Case {
        let mut random = Pcg64Mcg::seed_from_u64(number);
        let transports = ["thread", "shm", "tcp", "udp"];
        let transport = transports[random.random_range(0..transports.len())];
        // A signal stops both nodes of one process.
        let stopped = transport != "thread" && random.random_bool(0.2);
        Case {
            transport,
            node: random.random_range(0..2),
            ms: if stopped { 300 } else { [5, 20, 100, 300][random.random_range(0..4)] },
            pinned: random.random_bool(0.5),
            stopped,
            real_time: random.random_bool(0.5),
            after_ms: random.random_range(300..900),
        }
    }
}

/// What this machine lets us do to a core.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Strength {
    RealTime,
    Loops,
}

impl Strength {
    fn of_this_machine() -> Strength {
        let has = on_path("chrt").is_some() && on_path("taskset").is_some();
        let permitted = has && crate::process::succeeds(Command::new("chrt").args(["-f", "50", "true"]));
        if permitted { Strength::RealTime } else { Strength::Loops }
    }

    fn words(self) -> &'static str {
        match self {
            Strength::RealTime => "a real-time program takes the core",
            Strength::Loops => {
                "sixteen busy loops share the core; missing here: the right to real-time priority (root), or \
                 the programs chrt and taskset"
            }
        }
    }

    /// The programs that take a core for so long.
    fn start(self, core: u32, ms: u64) -> Result<Vec<Child>> {
        let this = std::env::current_exe().context("this program has no name")?;
        let (copies, before): (u32, &[&str]) = match self {
            Strength::RealTime => (1, &["chrt", "-f", "50"]),
            Strength::Loops => (16, &[]),
        };
        let start = |_| {
            let mut command = Command::new("taskset");
            command.args(["-c", &core.to_string()]).args(before).arg(&this).args(["hog", "--ms"]);
            command.arg(ms.to_string()).stdout(Stdio::piped()).spawn().context("cannot start a hog")
        };
        (0..copies).map(start).collect()
    }
}

/// Plants a case until it holds a message.
fn plant(workspace: &Workspace, number: u64, case: Case, strength: Strength) -> Result<Verdict> {
    let scratch = workspace.scratch("contention")?;
    for attempt in 0..TRIES {
        let folder = scratch.join(format!("case-{number}-{attempt}"));
        let _ = std::fs::remove_dir_all(&folder);
        // What the machine would not let us plant is tried with nodes that nothing else holds.
        let real_time = strength == Strength::RealTime && (case.real_time || attempt > 1);
        let case = Case { real_time, ..case };
        let planted = measure(workspace, case, strength, &folder)?;
        let verdict = judge(workspace, case, planted, &folder)?;
        if let Verdict::Wrong(why) = verdict {
            return Ok(Verdict::Wrong(format!("{why}; the run is {}", folder.display())));
        }
        std::fs::remove_dir_all(&folder).context("cannot remove the run")?;
        if verdict == Verdict::Right {
            return Ok(Verdict::Right);
        }
    }
    Ok(Verdict::NotHeld)
}

/// A ping-pong with its plant; when that began and ended on the run's timeline, ns.
fn measure(workspace: &Workspace, case: Case, strength: Strength, folder: &Path) -> Result<(i64, i64)> {
    let mut bench = Command::new(workspace.fourstamp());
    bench.args(["bench", "pingpong", "--receive", "blocking", "--launches", "1", "--duration", "2s"]);
    bench.args(["--transport", case.transport, "--out"]).arg(folder);
    if !case.pinned {
        bench.arg("--no-pin");
    }
    if case.real_time {
        bench.arg("--real-time");
    }
    let mut bench = bench.stdout(Stdio::null()).spawn().context("cannot start the release build")?;
    let planted = disturb(case, strength, folder);
    let ended = bench.wait().context("the benchmark cannot be waited for")?;
    let (from, to) = planted?;
    ensure!(ended.success(), "{case:?}: the benchmark failed; its run is {}", folder.display());
    let info: Value = serde_json::from_slice(&std::fs::read(folder.join("run.json"))?)?;
    let zero = info["origin"]["monotonic_raw_ns"].as_i64().context("run.json lacks its origin")?;
    Ok((from - zero, to - zero))
}

/// Waits until the node measures, and holds it; from when to when.
fn disturb(case: Case, strength: Strength, folder: &Path) -> Result<(i64, i64)> {
    let thread = NodeThread::find(folder, case.node)?;
    std::thread::sleep(Duration::from_millis(case.after_ms));
    if case.stopped {
        let pid = Pid::from_raw(thread.pid).context("no process")?;
        let from = now_ns();
        kill_process(pid, Signal::STOP).context("cannot stop the node")?;
        std::thread::sleep(Duration::from_millis(case.ms));
        kill_process(pid, Signal::CONT).context("cannot continue the node")?;
        return Ok((from, now_ns()));
    }
    let core = match thread.core {
        Some(core) => core,
        None => thread.pin_to_where_it_is()?,
    };
    let mut spans = Vec::new();
    for hog in strength.start(core, case.ms)? {
        let printed = String::from_utf8(hog.wait_with_output()?.stdout)?;
        let mut numbers = printed.split_whitespace().map(str::parse::<i64>);
        let (Some(Ok(from)), Some(Ok(to))) = (numbers.next(), numbers.next()) else {
            bail!("a hog did not say when it ran");
        };
        spans.push((from, to));
    }
    let from = spans.iter().map(|(from, _)| *from).min().context("no hog ran")?;
    Ok((from, spans.iter().map(|(_, to)| *to).max().unwrap_or(from)))
}

/// The thread of a node.
struct NodeThread {
    pid: i32,
    tid: String,
    /// That it was pinned to.
    core: Option<u32>,
}

impl NodeThread {
    /// Waits until it is there.
    fn find(folder: &Path, node: u32) -> Result<NodeThread> {
        let begun = Instant::now();
        let live = folder.join("live");
        while begun.elapsed() < LIMIT {
            let is_watched = live.join(format!("launch-0-node-{node}.causes.log")).exists();
            let sheet = std::fs::read(live.join(format!("launch-0-node-{node}.json"))).ok();
            let sheet = sheet.and_then(|text| serde_json::from_slice::<Value>(&text).ok());
            if let (true, Some(sheet)) = (is_watched, sheet)
                && let Some(pid) = sheet["pid"].as_i64()
                && let Some(tid) = thread_called(pid, &format!("node-{node}"))
            {
                let core = sheet["core"].as_u64().map(|core| core as u32);
                return Ok(NodeThread { pid: i32::try_from(pid)?, tid, core });
            }
            std::thread::sleep(Duration::from_millis(5));
        }
        bail!("node {node} of {} never began", folder.display())
    }

    /// Keeps it on the core where it is, so that it cannot evade what takes it.
    fn pin_to_where_it_is(&self) -> Result<u32> {
        let stat = std::fs::read_to_string(format!("/proc/{}/task/{}/stat", self.pid, self.tid))?;
        let behind_name = stat.rsplit_once(')').context("an unknown form of stat")?.1;
        let core = behind_name.split_whitespace().nth(36).context("stat lacks the core")?.to_owned();
        let mut taskset = Command::new("taskset");
        capture_within(taskset.args(["-p", "-c", &core, &self.tid]), LIMIT)?;
        Ok(core.parse()?)
    }
}

/// A thread of a process, by its name.
fn thread_called(pid: i64, name: &str) -> Option<String> {
    let tasks = std::fs::read_dir(PathBuf::from(format!("/proc/{pid}/task"))).ok()?;
    let called =
        |path: &Path| std::fs::read_to_string(path.join("comm")).is_ok_and(|found| found.trim_end() == name);
    let found = tasks.flatten().map(|task| task.path()).find(|path| called(path))?;
    Some(found.file_name()?.to_string_lossy().into_owned())
}

/// What both verbs say of the message that the plant held.
fn judge(workspace: &Workspace, case: Case, planted: (i64, i64), folder: &Path) -> Result<Verdict> {
    let ask = |verb: &str, more: &[&str]| -> Result<Value> {
        let mut command = Command::new(workspace.fourstamp());
        let answer = capture_within(command.arg(verb).arg(folder).args(more).arg("--json"), LIMIT)?;
        Ok(serde_json::from_str(&answer)?)
    };
    let stories = ask("story", &["--slowest", "20"])?;
    let waits: Vec<Value> =
        stories.as_array().into_iter().flatten().filter_map(|told| longest(&told[1])).collect();
    let held = |(_, wait): &(usize, &Value)| was_held(wait, case.node, planted);
    let Some((place, wait)) = waits.iter().enumerate().find(held) else {
        return Ok(Verdict::NotHeld);
    };
    if let Some(why) = wrong(case, wait) {
        return Ok(Verdict::Wrong(format!("story: {why}")));
    }
    let explanation = ask("explain", &[])?;
    let episodes = explanation["episodes"].as_array();
    match episodes.into_iter().flatten().find(|episode| was_held(episode, case.node, planted)) {
        Some(episode) => Ok(match wrong(case, episode) {
            Some(why) => Verdict::Wrong(format!("explain: {why}")),
            None => Verdict::Right,
        }),
        // The slowest message is always explained; another one if it holds a hundredth of all time.
        None if place == 0 => Ok(Verdict::Wrong("explain does not tell of the slowest message".to_owned())),
        None => Ok(Verdict::NotHeld),
    }
}

/// The longest chapter of a story, with its message as an episode has it.
fn longest(story: &Value) -> Option<Value> {
    let chapter = story["chapters"].as_array()?.iter().max_by_key(|chapter| length(chapter))?;
    let mut wait = chapter.clone();
    wait["slowest"] = story["message"].clone();
    Some(wait)
}

fn length(wait: &Value) -> i64 {
    wait["to_ns"].as_i64().unwrap_or(0) - wait["from_ns"].as_i64().unwrap_or(0)
}

/// Whether the plant was what it waited for: it waited for most of that time, and little longer, in
/// a stage that depends on the planted node. A message in
/// the other node's queue waited for something else at the same time.
fn was_held(wait: &Value, node: u32, (from, to): (i64, i64)) -> bool {
    let (begin, end) = (wait["from_ns"].as_i64().unwrap_or(0), wait["to_ns"].as_i64().unwrap_or(0));
    let common = (end.min(to) - begin.max(from)).max(0) as f64;
    let depends = match wait["stage"].as_str() {
        Some("receive-wait") => wait["slowest"]["dst"] == node,
        Some("send-wait") => wait["slowest"]["src"] == node,
        _ => true,
    };
    depends && common >= HELD_LEAST * (to - from) as f64 && common >= HELD_LEAST * length(wait) as f64
}

/// What is wrong with what was said of a wait.
fn wrong(case: Case, wait: &Value) -> Option<String> {
    let cause = if case.stopped { "stopped" } else { "run-queue" };
    let account = &wait["account"];
    let chief = &account["parts"][0];
    let covered = account["covered_ns"].as_f64().unwrap_or(0.0) / length(wait).max(1) as f64;
    let named = chief["cause"] == cause && chief["node"] == case.node;
    (!named || covered < COVERED_LEAST).then(|| {
        let said = format!("{} of node {}", chief["cause"], chief["node"]);
        format!("{said}, {:.0} % covered, not {cause} of node {}", 100.0 * covered, case.node)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_case_is_drawn_from_its_number_alone_and_no_thread_is_stopped_by_a_signal() {
        for number in 0..200 {
            let case = Case::draw(number);
            assert_eq!(format!("{case:?}"), format!("{:?}", Case::draw(number)));
            assert!(!(case.stopped && case.transport == "thread"), "{case:?}");
        }
    }

    #[test]
    fn the_right_node_cause_and_cover_are_asked_for() {
        let case = Case::draw(0);
        let cause = if case.stopped { "stopped" } else { "run-queue" };
        let wait = |node: u32, covered: i64| {
            let part = json!({"node": node, "cause": cause, "ns": covered});
            json!({"from_ns": 100, "to_ns": 1100, "account": {"parts": [part], "covered_ns": covered}})
        };
        assert_eq!(wrong(case, &wait(case.node, 950)), None);
        assert!(wrong(case, &wait(case.node, 800)).is_some());
        assert!(wrong(case, &wait(1 - case.node, 950)).is_some());
        let of_queue = |dst: u32| {
            let mut wait = wait(0, 0);
            (wait["stage"], wait["slowest"]) = (json!("receive-wait"), json!({"src": 1 - dst, "dst": dst}));
            wait
        };
        assert!(was_held(&of_queue(1), 1, (0, 1000)) && !was_held(&of_queue(1), 1, (1000, 2000)));
        assert!(!was_held(&of_queue(0), 1, (0, 1000)), "it waited for the other node");
    }
}
