//! `kill -9` at random moments of programs that are traced at their sockets, and of what traces
//! them; then a reader.
//!
//! The programs count, in memory that outlives them, what they have received: the run must have all
//! of it, however young it is. A log is a mapped file, so not even the last second may be missing.

use super::Cases;
use super::each::each;
use super::kills::{Whom, ended, nodes, signal, stages, stopped_family, whole};
use crate::workspace::Workspace;
use anyhow::{Context, Result, ensure};
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64;
use rustix::process::Signal;
use serde_json::Value;
use std::ops::AddAssign;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant, SystemTime};

/// Cases in a round.
pub const COUNT: u64 = 300;

/// How the programs talk, and what the command is told besides.
const TALKS: &[(&str, &[&str])] = &[
    ("pair", &["--follow"]),
    ("threads", &["--follow"]),
    ("forks", &["--follow"]),
    ("lines", &["--follow", "--frame", "7611=lines"]),
    ("joined", &[]),
];

/// Places for counts; each is a thread's.
const COUNTS: usize = 64;

/// Processes that send each other lines, until one is gone or for so long that none outlives the
/// case. The first word says how, the second where they count what they have received.
const TALK: &str = r#"
import mmap, os, socket, struct, sys, threading, time
how, path = sys.argv[1:3]
memory = mmap.mmap(os.open(path, os.O_RDWR), 0)
end = time.time() + 8

def echo(peer, place, begins):
    count = 0
    try:
        if begins: peer.sendall(b'a line\n')
        while time.time() < end and (line := peer.recv(99)):
            count += 1
            struct.pack_into('Q', memory, 8 * place, count)
            peer.sendall(line)
    except OSError: pass
    peer.close()

def serve(listener, first, count, fork):
    workers = []
    for at in range(count):
        peer, _ = listener.accept()
        if not fork:
            workers.append(threading.Thread(target=echo, args=(peer, first + at, False)))
            workers[-1].start()
        elif os.fork() == 0:
            echo(peer, first + at, False)
            os._exit(0)
        peer = None if not fork else peer.close()
    for worker in workers: worker.join()
    while fork:
        try: os.wait()
        except ChildProcessError: break

def ask(port, first, count):
    def one(place):
        for attempt in range(400):
            try: peer = socket.create_connection(('127.0.0.1', port)); break
            except OSError: time.sleep(0.01)
        else: return
        echo(peer, place, True)
    workers = [threading.Thread(target=one, args=(first + at,)) for at in range(count)]
    for worker in workers: worker.start()
    for worker in workers: worker.join()

clients = {'pair': 1, 'lines': 1}.get(how, 3)
if how == 'joined-asks':
    while not os.path.exists(path + '.port'):
        if time.time() > end: sys.exit()
        time.sleep(0.01)
    ask(int(open(path + '.port').read()), 32, clients)
    sys.exit()
listener = socket.create_server(('127.0.0.1', 7611 if how == 'lines' else 0))
listener.settimeout(8)
port = listener.getsockname()[1]
if how == 'joined':
    open(path + '.new', 'w').write(str(port))
    os.rename(path + '.new', path + '.port')
elif os.fork() == 0:
    listener.close()  # or who connects would wait for itself where the other was killed
    ask(port, 32, clients)
    os._exit(0)
serve(listener, 0, clients, how == 'forks')
"#;

/// Runs the cases.
pub fn trace_kills(workspace: &Workspace, cases: Cases) -> Result<()> {
    let program = workspace.soaked();
    let home = tempfile::Builder::new().prefix("trace-kills-").tempdir()?;
    let stage = Stage { program, home: home.path().to_path_buf() };
    std::fs::write(stage.home.join("talk.py"), TALK)?;
    each("trace-kills", cases, |number| stage.case(number))
}

/// What cases came to.
#[derive(Debug, Default)]
struct Done {
    /// Processes that were killed.
    kills: u64,
    /// Runs that were read, with their messages, and those that programs had counted.
    runs: u64,
    messages: u64,
    counted: u64,
}

impl AddAssign for Done {
    fn add_assign(&mut self, other: Done) {
        self.kills += other.kills;
        self.runs += other.runs;
        self.messages += other.messages;
        self.counted += other.counted;
    }
}

struct Stage {
    program: PathBuf,
    home: PathBuf,
}

impl Stage {
    fn case(&self, number: u64) -> Result<Done> {
        let mut random = Pcg64::seed_from_u64(number);
        let talk = TALKS[random.random_range(0..TALKS.len())];
        let whom = [Whom::All, Whom::One, Whom::Launcher][random.random_range(0..3)];
        // Half of the kills come while everything is being set up.
        let after_s: f64 = match random.random_range(0..2) {
            0 => random.random_range(0.0..0.6),
            _ => random.random_range(0.6..4.0),
        };
        let said = format!("{} ({whom:?} after {after_s:.2} s)", talk.0);
        let run = self.home.join(format!("run-{number}"));
        let counts = self.home.join(format!("counts-{number}"));
        std::fs::write(&counts, [0; 8 * COUNTS])?;
        let mut children = self.start(talk, &run, &counts).with_context(|| said.clone())?;
        std::thread::sleep(Duration::from_secs_f64(after_s));
        let family: Vec<u32> =
            children.iter().flat_map(|child| stopped_family(child.id())).collect();
        let kills = kill((&children, &family), whom, &mut random);
        let killed = SystemTime::now();
        // Who is not killed may go on after its run is closed, when the first process is gone.
        let counted = received(&counts)?;
        family.iter().for_each(|pid| signal(*pid, Signal::CONT));
        for child in &mut children {
            ended(child, &family).with_context(|| said.clone())?;
        }
        let killed = matches!(whom, Whom::All).then_some(killed);
        let mut done = self.read(&run, counted, killed).with_context(|| said)?;
        done.kills = kills;
        let _ = std::fs::remove_dir_all(&run);
        let _ = std::fs::remove_file(&counts);
        Ok(done)
    }

    fn start(
        &self,
        (how, options): (&str, &[&str]),
        run: &Path,
        counts: &Path,
    ) -> Result<Vec<Child>> {
        let first = self.trace(options, ("--out", run), (how, counts)).spawn()?;
        if how != "joined" {
            return Ok(vec![first]);
        }
        let begun = Instant::now();
        while !run.join("run.json").exists() && begun.elapsed() < Duration::from_secs(20) {
            std::thread::sleep(Duration::from_millis(5));
        }
        let second = self.trace(options, ("--join", run), ("joined-asks", counts)).spawn()?;
        Ok(vec![first, second])
    }

    fn trace(
        &self,
        options: &[&str],
        (place, run): (&str, &Path),
        (how, counts): (&str, &Path),
    ) -> Command {
        let mut command = Command::new(&self.program);
        command.args(["trace", "--no-report"]).args(options).arg(place).arg(run);
        command.args(["--", "python3", "talk.py", how]).arg(counts).current_dir(&self.home);
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).process_group(0);
        command
    }

    /// Read what the kills left.
    fn read(&self, run: &Path, counted: u64, killed: Option<SystemTime>) -> Result<Done> {
        if !run.join("run.json").exists() {
            ensure!(counted == 0, "there is no run, and {counted} messages were received");
            return Ok(Done::default());
        }
        let out = Command::new(&self.program).args(["report", "--terminal"]).arg(run).output()?;
        let errors = String::from_utf8_lossy(&out.stderr).into_owned();
        ensure!(out.status.success(), "{}: {}", out.status, errors.trim());
        let text = std::fs::read(run.join("run.json"))?;
        let info: Value = serde_json::from_slice(&text).context("run.json")?;
        ensure!(info["state"] != "open", "the run was read and is still open");
        whole(&info)?;
        let doubtful = &info["parameters"]["sockets"]["doubtful_connections"];
        ensure!(doubtful.as_u64().unwrap_or(0) == 0, "a connection is doubtful");
        let messages: u64 = nodes(&info).map(|node| node["rows"].as_u64().unwrap_or(0)).sum();
        ensure!(messages >= counted, "{messages} messages, and {counted} were received");
        if messages > 1000 {
            stages(&self.home, &self.program, run, &info, killed)?;
        }
        Ok(Done { kills: 0, runs: 1, messages, counted })
    }
}

/// Messages that the programs have received, by their own counts.
fn received(counts: &Path) -> Result<u64> {
    let bytes = std::fs::read(counts)?;
    let (words, _) = bytes.as_chunks::<8>();
    Ok(words.iter().map(|word| u64::from_le_bytes(*word)).sum())
}

/// Kill, and say how many were killed.
fn kill((children, family): (&[Child], &[u32]), whom: Whom, random: &mut Pcg64) -> u64 {
    let victims = match whom {
        Whom::All => family.to_vec(),
        Whom::Launcher => vec![children[random.random_range(0..children.len())].id()],
        Whom::One => vec![family[random.random_range(0..family.len())]],
    };
    victims.iter().for_each(|pid| signal(*pid, Signal::KILL));
    victims.len() as u64
}
