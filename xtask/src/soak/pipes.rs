//! Pipes between processes that a random draw has made, traced with `--pipes`: several writers and
//! readers, with locks and without, of which some are killed and some move bytes that no call
//! shows.
//!
//! Each message says who wrote it and which of the writer's it is, and each reader notes down what
//! it has read. So of every message that the run calls whole it is known whether it is that one.

use super::Cases;
use super::each::each;
use super::exported::{Row, rows};
use crate::process;
use crate::workspace::Workspace;
use anyhow::{Context, Result, ensure};
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64;
use serde_json::{Value, json};
use std::collections::HashMap;
use std::ops::AddAssign;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// Cases in a round.
pub const COUNT: u64 = 200;

/// Who does what for how long, as the command's word says it.
const TALK: &str = r#"
import ctypes, fcntl, json, os, random, signal, struct, sys, time
plan = json.loads(sys.argv[1])
random.seed(plan['seed'])
libc = ctypes.CDLL(None)
r, w = os.pipe()
end = time.time() + plan['seconds']

def locked(name):
    return os.open(name, os.O_RDWR | os.O_CREAT) if plan[name + '_lock'] else None

def in_turn(lock, work):
    if lock is not None: fcntl.lockf(lock, fcntl.LOCK_EX)
    try: return work()
    finally:
        if lock is not None: fcntl.lockf(lock, fcntl.LOCK_UN)

def pause(pauses):
    if pauses and random.random() < 0.3: time.sleep(random.random() * 0.002)

def hides(who): return plan['hides'] == who and random.random() < 0.05

def write(pauses):
    lock, count, me = locked('writers'), 0, os.getpid()
    while time.time() < end:
        pause(pauses)
        if hides('writer'):
            in_turn(lock, lambda: libc.dprintf(w, b'%s', b'\xff' * 64))
        else:
            in_turn(lock, lambda: os.write(w, struct.pack('QQ48x', me, count)))
            count += 1

def read(pauses):
    lock, buffer = locked('readers'), ctypes.create_string_buffer(64)
    truth = os.open('truth-%d' % os.getpid(), os.O_WRONLY | os.O_CREAT)
    while True:
        pause(pauses)
        if hides('reader'):
            if in_turn(lock, lambda: libc.__read(r, buffer, 64)) <= 0: return
        else:
            part = in_turn(lock, lambda: os.read(r, 64))
            if not part: return
            os.write(truth, part[:16])

children = []
for work, count, other in (write, plan['writers'], r), (read, plan['readers'], w):
    for _ in range(count):
        pauses, child = random.random() < 0.5, os.fork()
        if child == 0:
            random.seed(plan['seed'] + len(children))
            os.close(other)
            try: work(pauses)
            except BrokenPipeError: pass
            os._exit(0)
        children.append(child)
os.close(r)
os.close(w)
if plan['kills']:
    time.sleep(plan['kills_after'])
    os.kill(children[plan['kills'] - 1], signal.SIGKILL)
for child in children: os.waitpid(child, 0)
"#;

/// Runs the cases.
pub fn pipes(workspace: &Workspace, cases: Cases) -> Result<()> {
    let program = workspace.soaked();
    let python = process::python()?;
    let stage = Stage { program, python };
    each("pipes", cases, |number| stage.case(number))
}

/// What cases came to.
#[derive(Debug, Default)]
struct Done {
    /// Messages that were read, and those of them that the run calls whole.
    read: u64,
    whole: u64,
    /// Pipes of which nothing is matched because bytes were hidden.
    hidden: u64,
    kills: u64,
}

impl AddAssign for Done {
    fn add_assign(&mut self, other: Done) {
        self.read += other.read;
        self.whole += other.whole;
        self.hidden += other.hidden;
        self.kills += other.kills;
    }
}

/// What the processes of a case do.
struct Plan {
    seed: u64,
    seconds: f64,
    writers: u64,
    readers: u64,
    writers_lock: bool,
    readers_lock: bool,
    /// Who moves bytes that no call shows.
    hides: &'static str,
    /// Who is killed, by its number, writers first; 0: nobody.
    kills: u64,
    kills_after: f64,
}

impl Plan {
    fn drawn(seed: u64) -> Plan {
        let mut random = Pcg64::seed_from_u64(seed);
        let (writers, readers) = (random.random_range(1..4), random.random_range(1..3));
        let hides = ["", "", "writer", "reader"][random.random_range(0..4)];
        let kills = match random.random_range(0..2) {
            0 => 0,
            _ => random.random_range(1..=writers + readers),
        };
        Plan {
            seed,
            seconds: random.random_range(0.2..1.5),
            writers,
            readers,
            writers_lock: random.random(),
            readers_lock: random.random(),
            hides,
            kills,
            kills_after: random.random_range(0.0..1.0),
        }
    }

    /// As the program reads it.
    fn said(&self) -> String {
        json!({
            "seed": self.seed,
            "seconds": self.seconds,
            "writers": self.writers,
            "readers": self.readers,
            "writers_lock": self.writers_lock,
            "readers_lock": self.readers_lock,
            "hides": self.hides,
            "kills": self.kills,
            "kills_after": self.kills_after,
        })
        .to_string()
    }

    /// Whether no two calls at an end can overlap, all bytes are shown, and nobody ends within a
    /// call.
    fn is_plain(&self) -> bool {
        let in_turn = |count: u64, has_lock: bool| count == 1 || has_lock;
        in_turn(self.writers, self.writers_lock)
            && in_turn(self.readers, self.readers_lock)
            && self.hides.is_empty()
            && self.kills == 0
    }
}

struct Stage {
    program: PathBuf,
    python: PathBuf,
}

impl Stage {
    fn case(&self, number: u64) -> Result<Done> {
        let plan = Plan::drawn(number);
        let said = plan.said();
        let home = tempfile::Builder::new().prefix("pipes-").tempdir()?;
        std::fs::write(home.path().join("talk.py"), TALK)?;
        let mut command = Command::new(&self.program);
        command.args(["trace", "--pipes", "--no-report", "--out", "run", "--"]).arg(&self.python);
        command.args(["talk.py", &said]).current_dir(home.path()).stdin(Stdio::null());
        let out = command.output()?;
        let errors = String::from_utf8_lossy(&out.stderr).into_owned();
        ensure!(out.status.success(), "{said}: {}: {}", out.status, errors.trim());
        self.check(home.path(), &plan).with_context(|| said)
    }

    /// Hold the run against what was read.
    fn check(&self, home: &Path, plan: &Plan) -> Result<Done> {
        let info: Value = serde_json::from_slice(&std::fs::read(home.join("run/run.json"))?)?;
        let facts = &info["parameters"]["sockets"];
        let nodes: HashMap<u64, i64> = nodes(facts).collect();
        let mut messages = rows(&self.program, &home.join("run"), home)?;
        messages.sort_by_key(|row| row.stamps[3]);
        let hidden = facts["pipes"]["hidden"].as_u64().unwrap_or(0);
        let mut done = Done { hidden, kills: u64::from(plan.kills > 0), ..Done::default() };
        for (pid, reader) in &nodes {
            let Ok(bytes) = std::fs::read(home.join(format!("truth-{pid}"))) else { continue };
            let (words, _) = bytes.as_chunks::<8>();
            let truth: Vec<u64> = words.iter().map(|word| u64::from_le_bytes(*word)).collect();
            done.read += truth.len() as u64 / 2;
            let is_read = |row: &&Row| row.dst == *reader && row.stamps[3].is_some();
            for (row, said) in messages.iter().filter(is_read).zip(truth.chunks_exact(2)) {
                if row.stamps.contains(&None) {
                    continue;
                }
                done.whole += 1;
                let is_it = nodes.get(&said[0]) == Some(&row.src) && row.seq == said[1] as i64;
                ensure!(is_it, "{row:?} is what node {reader} read as {said:?}; {nodes:?}");
            }
        }
        ensure!(done.read > 0 || plan.kills > 0, "nothing was read");
        let is_all = done.whole == done.read;
        ensure!(!plan.is_plain() || is_all, "{} of {} are whole: {facts}", done.whole, done.read);
        Ok(done)
    }
}

/// The nodes of the run by their processes' numbers.
fn nodes(facts: &Value) -> impl Iterator<Item = (u64, i64)> {
    let all = facts["processes"].as_array().into_iter().flatten();
    all.filter_map(|one| Some((one["pid"].as_u64()?, one["node"].as_i64()?)))
}
