//! Page servers as processes, behind connections that can be cut, and programs that are paged to
//! them.

use pager_facts::{Happened, KEY, PagerFacts};
use record::Run as RunOf;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::process::{Pid, PidfdFlags, Signal, kill_process, pidfd_open};
use serde::Deserialize;
use std::io::{Read, Write};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

const FOURSTAMP: &str = env!("CARGO_BIN_EXE_fourstamp");
const PATIENCE: Duration = Duration::from_secs(120);

/// The last is for parity.
pub struct Servers {
    folder: tempfile::TempDir,
    processes: Vec<Child>,
    wires: Vec<Wire>,
}

/// What lies between a program and a server. Cut, it carries nothing and says nothing.
struct Wire {
    address: String,
    listener: TcpListener,
    cut: Arc<AtomicBool>,
}

impl Servers {
    pub fn start(many: usize) -> Servers {
        let folder = tempfile::tempdir().unwrap();
        let made = Command::new(FOURSTAMP)
            .args(["pager", "key"])
            .arg(folder.path().join("key"))
            .output()
            .unwrap();
        assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
        let mut servers = Servers { folder, processes: Vec::new(), wires: Vec::new() };
        for number in 0..many {
            let (process, address) = servers.launch(number);
            servers.processes.push(process);
            servers.wires.push(Wire::to(address));
        }
        servers
    }

    fn launch(&self, number: usize) -> (Child, String) {
        let announce = self.folder.path().join(format!("address-{number}"));
        let _ = std::fs::remove_file(&announce);
        let mut command = Command::new(FOURSTAMP);
        command.args([
            "pager",
            "serve",
            "--memory",
            "256M",
            "--listen",
            "127.0.0.1:0",
            "--key-file",
        ]);
        command.arg(self.key()).arg("--announce").arg(&announce);
        rmem::end_with_parent(&mut command);
        let mut process = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        let begun = Instant::now();
        let text = loop {
            let text = std::fs::read_to_string(&announce).unwrap_or_default();
            if text.ends_with('\n') {
                break text;
            }
            if begun.elapsed() > PATIENCE {
                let _ = (process.kill(), process.wait());
                panic!("the server does not listen");
            }
            std::thread::sleep(Duration::from_millis(2));
        };
        (process, text.trim().to_owned())
    }

    fn key(&self) -> PathBuf {
        self.folder.path().join("key")
    }

    pub fn signal(&mut self, number: usize, signal: Signal) {
        let pid = Pid::from_raw(self.processes[number].id() as i32).unwrap();
        kill_process(pid, signal).unwrap();
    }

    pub fn cut(&mut self, number: usize) {
        self.wires[number].cut.store(true, Ordering::Relaxed);
    }

    /// A new one in its place: the program finds it where the old one was.
    pub fn restart(&mut self, number: usize) {
        let _ = self.processes[number].wait();
        let (process, address) = self.launch(number);
        self.processes[number] = process;
        let wire = &self.wires[number];
        carry(wire.listener.try_clone().unwrap(), address, Arc::clone(&wire.cut));
    }
}

impl Drop for Servers {
    fn drop(&mut self) {
        for process in &mut self.processes {
            let _ = process.kill();
            let _ = process.wait();
        }
    }
}

impl Wire {
    fn to(server: String) -> Wire {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap().to_string();
        let cut = Arc::new(AtomicBool::new(false));
        carry(listener.try_clone().unwrap(), server, Arc::clone(&cut));
        Wire { address, listener, cut }
    }
}

/// Connect whoever comes with the server.
fn carry(listener: TcpListener, server: String, cut: Arc<AtomicBool>) {
    std::thread::spawn(move || {
        while let Ok((client, _)) = listener.accept() {
            // A server that is gone: so is the client's connection. Another thread may carry for
            // the one that took its place.
            let Ok(onward) = TcpStream::connect(&server) else { continue };
            for stream in [&client, &onward] {
                stream.set_nodelay(true).unwrap();
            }
            let pairs =
                [(client.try_clone().unwrap(), onward.try_clone().unwrap()), (onward, client)];
            for (from, to) in pairs {
                let cut = Arc::clone(&cut);
                std::thread::spawn(move || carry_one_way(from, to, &cut));
            }
        }
    });
}

fn carry_one_way(mut from: TcpStream, mut to: TcpStream, cut: &AtomicBool) {
    let mut buffer = vec![0; 1 << 16];
    while let Ok(some) = from.read(&mut buffer) {
        while cut.load(Ordering::Relaxed) {
            std::thread::sleep(Duration::from_millis(50));
        }
        if some == 0 || to.write_all(&buffer[..some]).is_err() {
            break;
        }
    }
    let _ = (from.shutdown(Shutdown::Both), to.shutdown(Shutdown::Both));
}

/// A program that is paged.
pub struct Run {
    child: Child,
    folder: tempfile::TempDir,
}

/// How it ended.
pub struct Ended {
    pub status: ExitStatus,
    pub out: String,
    pub err: String,
    /// What the pager has told.
    pub events: Vec<Happened>,
}

impl Run {
    pub fn start(servers: &Servers, options: &[&str], program: &[&str]) -> Run {
        Run::start_with_key(servers, Some(&servers.key()), options, program)
    }

    pub fn start_with_key(
        servers: &Servers,
        key: Option<&Path>,
        options: &[&str],
        program: &[&str],
    ) -> Run {
        let folder = tempfile::tempdir().unwrap();
        let mut command = Command::new(FOURSTAMP);
        command.args(["pager", "run"]);
        if let Some(key) = key {
            command.arg("--key-file").arg(key);
        }
        let (parity, data) = servers.wires.split_last().unwrap();
        for wire in data {
            command.args(["--server", &wire.address]);
        }
        command.args(["--parity", &parity.address]).args(options);
        command.arg("--out").arg(folder.path().join("run")).arg("--").args(program);
        let (out, err) = (folder.path().join("out"), folder.path().join("err"));
        let file = |path: &Path| std::fs::File::create(path).unwrap();
        command.stdin(Stdio::piped()).stdout(file(&out)).stderr(file(&err));
        Run { child: command.spawn().unwrap(), folder }
    }

    /// Until a process has told that it is paged.
    pub fn wait_until_paged(&mut self) {
        let (begun, processes) = (Instant::now(), self.folder.path().join("run/processes"));
        while !processes.exists() {
            assert!(begun.elapsed() < PATIENCE, "nothing is paged");
            if self.child.try_wait().unwrap().is_some() {
                return;
            }
            std::thread::sleep(Duration::from_millis(2));
        }
    }

    /// Until standard error has these words, or the program ends.
    pub fn wait_until_told(&mut self, words: &str) {
        let begun = Instant::now();
        while self.child.try_wait().unwrap().is_none() && !self.text("err").contains(words) {
            assert!(begun.elapsed() < PATIENCE, "not told: {words}: {}", self.text("err"));
            std::thread::sleep(Duration::from_millis(20));
        }
    }

    /// Its end, for which a program that goes on until its standard input ends need not wait.
    pub fn end(mut self) -> Ended {
        drop(self.child.stdin.take());
        let begun = Instant::now();
        let status = loop {
            if let Some(status) = self.child.try_wait().unwrap() {
                break status;
            }
            if begun.elapsed() > PATIENCE {
                let _ = self.child.kill();
                panic!("the program hangs: {}", self.text("err"));
            }
            std::thread::sleep(Duration::from_millis(5));
        };
        let events = self.events();
        Ended { status, out: self.text("out"), err: self.text("err"), events }
    }

    /// The launcher and the program, at once. What they leave.
    pub fn kill(mut self) -> tempfile::TempDir {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
        for file in std::fs::read_dir(self.folder.path().join("run/processes")).unwrap() {
            let name = file.unwrap().path();
            let pid: Option<i32> = name.file_stem().and_then(|name| name.to_str()?.parse().ok());
            pid.and_then(Pid::from_raw).into_iter().for_each(kill_to_the_end);
        }
        self.folder
    }

    fn text(&self, name: &str) -> String {
        std::fs::read_to_string(self.folder.path().join(name)).unwrap_or_default()
    }

    fn events(&self) -> Vec<Happened> {
        let Ok(run) = RunOf::open(self.folder.path().join("run")) else { return Vec::new() };
        let facts = PagerFacts::deserialize(&run.info.parameters[KEY]).unwrap_or_default();
        facts.events().map(|event| event.what.clone()).collect()
    }
}

/// Until what it held is free: it is nobody's child any more whom one could wait for.
fn kill_to_the_end(pid: Pid) {
    let process = pidfd_open(pid, PidfdFlags::empty()).unwrap();
    kill_process(pid, Signal::KILL).unwrap();
    let patience = Timespec::try_from(PATIENCE).unwrap();
    let ended = poll(&mut [PollFd::new(&process, PollFlags::IN)], Some(&patience)).unwrap();
    assert_eq!(ended, 1, "the program does not die");
}

/// The checking program; `None` where there is no C compiler, and says so.
pub fn checker() -> Option<PathBuf> {
    static COMPILED: OnceLock<Option<PathBuf>> = OnceLock::new();
    COMPILED.get_or_init(compile_checker).clone()
}

fn compile_checker() -> Option<PathBuf> {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/programs/checker.c");
    // Test programs share it, and may compile it at the same time.
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR"));
    let (program, part) =
        (folder.join("checker"), folder.join(format!("checker-{}", std::process::id())));
    match Command::new("cc").args(["-O2", "-o"]).arg(&part).arg(source).status() {
        Ok(status) => {
            assert!(status.success(), "the checker compiles");
            std::fs::rename(part, &program).unwrap();
            Some(program)
        }
        Err(error) => {
            println!("skipped: no C compiler: {error}");
            None
        }
    }
}
