//! Programs that fork for seconds on end, traced with `--follow`: servers with a child for each
//! client, clients that are gone before they are accepted, pairs of sockets that two children talk
//! over. Others take the cores meanwhile, and processes of the program are stopped and go on.
//!
//! The program counts its connections and bytes, and nothing takes any of them away: all are
//! matched, and the report ends.

use super::Cases;
use super::each::each;
use super::kills::stop_and_go_on;
use crate::hog::Others;
use crate::process;
use crate::workspace::Workspace;
use anyhow::{Context, Result, bail, ensure};
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64;
use serde_json::Value;
use std::fs::File;
use std::ops::AddAssign;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

/// Cases in a round.
pub const COUNT: u64 = 30;
/// How long the program of a case goes on, s.
const SECONDS: u64 = 20;
/// A report takes no longer than this, however many processes there were.
const REPORT: Duration = Duration::from_secs(60);
/// The rest of a case, beyond the program's own seconds: closing thousands of logs.
const CLOSING: Duration = Duration::from_secs(300);

/// How the program forks; see its text.
const WAYS: [&str; 3] = ["served", "gone", "handed"];

/// What is traced: the way, for how long, and whether over TCP. It prints its connections and the
/// bytes that went over them.
const FORK: &str = r#"
import os, socket, sys, time
way, seconds, is_tcp = sys.argv[1], float(sys.argv[2]), sys.argv[3] == 'tcp'
end = time.time() + seconds
connections = total = 0

def listen():
    one = socket.socket(socket.AF_INET if is_tcp else socket.AF_UNIX)
    one.bind(('127.0.0.1', 0) if is_tcp else 'listener')
    one.listen(64)
    return one

def connect(address):
    one = socket.socket(socket.AF_INET if is_tcp else socket.AF_UNIX)
    one.connect(address)
    return one

def exactly(one, count):
    got = b''
    while len(got) < count:
        part = one.recv(count - len(got))
        if not part: sys.exit('ended after %d of %d' % (len(got), count))
        got += part
    return got

def in_child(work):
    child = os.fork()
    if child == 0:
        try: work()
        except BaseException as error:
            print(error, file=sys.stderr)
            os._exit(1)
        os._exit(0)
    return child

def wait(child):
    if os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) != 0: sys.exit('a child failed')

def served():
    global connections, total
    listener = listen()
    def ask(size):
        one = connect(listener.getsockname())
        one.sendall(b'%06d' % size + b'?' * size)
        exactly(one, size)
    def serve():
        one, _ = listener.accept()
        def answer():
            size = int(exactly(one, 6))
            exactly(one, size)
            one.sendall(b'!' * size)
        child = in_child(answer)
        one.close()
        return child
    while time.time() < end:
        sizes = [100 + connections % 900 + at for at in range(4)]
        askers = [in_child(lambda size=size: ask(size)) for size in sizes]
        servers = [serve() for _ in sizes]
        for child in askers + servers: wait(child)
        connections += len(sizes)
        total += sum(6 + 2 * size for size in sizes)

def gone():
    global connections, total
    listener = listen()
    while time.time() < end:
        size = 1 + connections % 2000
        def leave():
            one = connect(listener.getsockname())
            one.sendall(b'?' * size)
            one.close()
        wait(in_child(leave))
        one, _ = listener.accept()
        exactly(one, size)
        one.close()
        connections += 1
        total += size

def handed():
    global connections, total
    while time.time() < end:
        size = 1 + connections % 2000
        left, right = socket.socketpair()
        def write():
            right.close()
            left.sendall(b'?' * size)
            exactly(left, size)
        def read():
            left.close()
            right.sendall(exactly(right, size))
        children = [in_child(write), in_child(read)]
        left.close()
        right.close()
        for child in children: wait(child)
        connections += 1
        total += 2 * size

{'served': served, 'gone': gone, 'handed': handed}[way]()
print(connections, total)
"#;

/// Runs the cases.
pub fn forks(workspace: &Workspace, cases: Cases) -> Result<()> {
    let program = workspace.soaked();
    let python = process::python()?;
    let seconds = cases.seconds.unwrap_or(SECONDS);
    let stage = Stage { program, python, seconds };
    each("forks", cases, |number| stage.case(number))
}

/// What cases came to.
#[derive(Debug, Default)]
struct Done {
    processes: u64,
    connections: u64,
    bytes: u64,
    stops: u64,
}

impl AddAssign for Done {
    fn add_assign(&mut self, other: Done) {
        self.processes += other.processes;
        self.connections += other.connections;
        self.bytes += other.bytes;
        self.stops += other.stops;
    }
}

struct Stage {
    program: PathBuf,
    python: PathBuf,
    seconds: u64,
}

impl Stage {
    fn case(&self, number: u64) -> Result<Done> {
        let mut random = Pcg64::seed_from_u64(number);
        let way = WAYS[random.random_range(0..WAYS.len())];
        // What was gone over TCP is named by its address.
        let transport = ["unix", "tcp"][random.random_range(0..2)];
        let others = random.random_range(0..3);
        let said = format!("{way} over {transport} beside {others} others");
        let home = tempfile::Builder::new().prefix("forks-").tempdir()?;
        std::fs::write(home.path().join("fork.py"), FORK)?;
        let mut command = Command::new(&self.program);
        command.args(["trace", "--follow", "--no-report", "--out", "run", "--"]).arg(&self.python);
        command.args(["fork.py", way, &self.seconds.to_string(), transport]);
        command.current_dir(home.path());
        let file = |name| File::create(home.path().join(name));
        command.stdout(file("printed")?).stderr(file("errors")?);
        let _others = Others::start(others, Duration::from_secs(self.seconds))?;
        let mut traced = process::start(&mut command)?;
        let end = Instant::now() + Duration::from_secs(self.seconds);
        let stops = stop_and_go_on(traced.id(), &mut random, || Instant::now() < end);
        let status = process::wait(&mut traced, Duration::from_secs(self.seconds) + CLOSING)?;
        let text = |name| std::fs::read_to_string(home.path().join(name));
        ensure!(status.success(), "{said}: {status}: {}", text("errors")?.trim());
        let done = self.check(home.path(), &text("printed")?).with_context(|| said)?;
        Ok(Done { stops, ..done })
    }

    /// Hold the run against what the program printed.
    fn check(&self, home: &Path, printed: &str) -> Result<Done> {
        let mut words = printed.split_whitespace().map(str::parse::<u64>);
        let (Some(Ok(connections)), Some(Ok(bytes))) = (words.next(), words.next()) else {
            bail!("the program printed {printed:?}");
        };
        let info: Value = serde_json::from_slice(&std::fs::read(home.join("run/run.json"))?)?;
        let facts = &info["parameters"]["sockets"];
        let of = |name: &str| facts[name].as_u64().unwrap_or(0);
        let found =
            ["whole_connections", "bytes_sent", "bytes_matched", "half_connections"].map(of);
        ensure!(
            found == [connections, bytes, bytes, 0],
            "{connections} connections with {bytes} bytes; the run has {found:?}"
        );
        let mut report = Command::new(&self.program);
        report.args(["report", "--terminal", "run"]).current_dir(home);
        let text = process::capture_within(&mut report, REPORT)?;
        ensure!(text.contains("Who talks to whom"), "{text}");
        let processes = facts["processes"].as_array().map_or(0, Vec::len) as u64;
        Ok(Done { processes, connections, bytes, stops: 0 })
    }
}
