//! What `fourstamp trace` cannot see, it says: programs that make system calls without the C
//! library, and io_uring. And file systems that cannot allocate space lose nothing.

#![cfg(target_arch = "x86_64")]

use crate::compiled::compiled;
use record::Run;
use std::process::{Command, Output, Stdio};
use streams::{KEY, ProcessSummary, SocketsFacts};

struct Home(tempfile::TempDir);

impl Home {
    fn new() -> Home {
        Home(tempfile::tempdir().unwrap())
    }

    fn trace(&self, options: &[&str], program: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_fourstamp"));
        command.args(["trace", "--out", "run"]).args(options).arg("--").args(program);
        command.current_dir(self.0.path()).stdin(Stdio::null());
        command
    }

    fn raw(&self, what: &str) -> (Output, ProcessSummary) {
        let program = compiled(self.0.path(), "raw", &[]);
        let output = self.trace(&[], &[program.to_str().unwrap(), what]).output().unwrap();
        let facts = self.facts();
        assert_eq!(facts.processes.len(), 1, "{facts:?}");
        (output, facts.processes[0].clone())
    }

    fn facts(&self) -> SocketsFacts {
        let run = Run::open(self.0.path().join("run")).unwrap();
        serde_json::from_value(run.info.parameters[KEY].clone()).unwrap()
    }
}

/// What was said on standard error, in one line.
fn said(output: &Output) -> String {
    let text = String::from_utf8_lossy(&output.stderr).into_owned();
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[test]
fn connections_of_a_program_without_the_c_library_are_counted_when_it_ends() {
    for what in ["raw", "raw-exit"] {
        let (output, process) = Home::new().raw(what);
        assert_eq!(output.status.code(), Some(7), "{output:?}");
        assert_eq!(
            (process.unseen_connections, process.noticed.listens_unseen),
            (6, true),
            "{what}"
        );
        let said = said(&output);
        let expected = "raw: 6 connections that carried bytes when it ended had no call that";
        assert!(said.contains(expected), "{said}");
        assert!(said.contains("it listened on a TCP port without having called"), "{said}");
        assert!(!said.contains("io_uring, whose"), "{said}");
    }
}

#[test]
fn a_program_that_is_seen_whole_is_not_said_to_hide_anything() {
    let (output, process) = Home::new().raw("plain");
    assert_eq!((process.unseen_connections, process.noticed.listens_unseen), (0, false));
    assert!(!process.noticed.io_uring && !said(&output).contains("not seen"), "{output:?}");
}

/// By a system call of its own; and where it is killed, by a look from outside.
#[test]
fn io_uring_is_noticed_however_it_was_set_up() {
    let allowed = std::fs::read_to_string("/proc/sys/kernel/io_uring_disabled");
    if allowed.is_ok_and(|text| text.trim() != "0") {
        return println!("skipped: kernel.io_uring_disabled lets nobody set it up");
    }
    for (what, code) in [("ring", 7), ("ring-killed", 128 + 9)] {
        let (output, process) = Home::new().raw(what);
        assert_eq!(output.status.code(), Some(code), "{output:?}");
        assert!(process.noticed.io_uring, "{what}");
        let said = said(&output);
        assert!(said.contains("raw: it set up io_uring, whose transfers are not seen"), "{said}");
    }
}

/// Sockets that a program is started with are not its own doing.
#[test]
fn sockets_that_were_there_before_the_program_are_not_counted() {
    let home = Home::new();
    let script = "import os, socket, sys\n\
        s = socket.create_server(('127.0.0.1', 0)); a = socket.create_connection(s.getsockname())\n\
        b, _ = s.accept(); a.sendall(b'x' * 50); b.recv(100)\n\
        [one.set_inheritable(True) for one in (s, a, b)]\n\
        os.execv(sys.argv[1], [sys.argv[1], 'plain'])\n";
    let program = compiled(home.0.path(), "raw", &[]);
    let program = ["python3", "-c", script, program.to_str().unwrap()];
    let output = home.trace(&[], &program).output().unwrap();
    let facts = home.facts();
    let unseen: Vec<u64> = facts.processes.iter().map(|one| one.unseen_connections).collect();
    assert!(unseen.iter().all(|count| *count == 0), "{facts:?} {output:?}");
    assert!(facts.processes.iter().all(|one| !one.noticed.listens_unseen), "{facts:?}");
}

/// Connections that are tried again, bytes that the C library writes by itself, and numbers of
/// descriptors that the tracer has for its own.
#[test]
fn what_is_easily_missed_is_seen_or_said() {
    let home = Home::new();
    let program = compiled(home.0.path(), "hidden", &[]);
    let output = home.trace(&[], &[program.to_str().unwrap()]).output().unwrap();
    assert_eq!(output.status.code(), Some(7), "{output:?}");
    assert_eq!(String::from_utf8_lossy(&output.stdout), "own 0\n", "the program's file is its own");
    let (facts, said) = (home.facts(), said(&output));
    let connections =
        (facts.whole_connections, facts.half_connections, facts.unmatched.hidden_connections);
    assert_eq!((connections, facts.unmatched.doubtful_connections), ((2, 0, 1), 0), "{facts:?}");
    assert_eq!((facts.matched, facts.exchanges), (40 + 4000, 20 + 2000), "{facts:?}");
    assert_eq!(facts.bytes_sent, facts.bytes_matched, "{facts:?}");
    assert_eq!(facts.processes[0].datagram_sockets, 2, "{facts:?}");
    assert_eq!(facts.processes[0].stopped_ns, None, "{facts:?}");
    let hidden = "By the kernel's account 1 connection carried more bytes than the calls that were";
    assert!(said.contains(hidden), "{said}");
    assert!(!said.contains("had asked another themselves"), "it asked itself: {said}");
}

/// Some 60,000 calls, which is 30 chunks of a log.
const TALK: &str = "import socket; a, b = socket.socketpair()\n\
    for _ in range(15000): a.send(b'x'); b.recv(10); b.send(b'y'); a.recv(10)\n";

#[test]
fn where_space_cannot_be_allocated_nothing_is_lost() {
    let home = Home::new();
    let fault = compiled(home.0.path(), "unallocated", &["-shared", "-fPIC"]);
    let mut command = home.trace(&["--no-report"], &["python3", "-c", TALK]);
    let output = command.env("LD_PRELOAD", fault).output().unwrap();
    assert!(output.status.success(), "{output:?}");
    let facts = home.facts();
    assert_eq!((facts.matched, facts.bytes_matched), (30_000, 30_000), "{facts:?}");
    assert_eq!(facts.processes[0].stopped_ns, None, "{facts:?}");
}

/// As a server does that goes into the background.
#[test]
fn a_process_that_outlives_the_run_is_said_to_go_on() {
    let script = "import os, socket, time\n\
        r, w = os.pipe(); a, b = socket.socketpair(); a.send(b'x'); b.recv(1)\n\
        if os.fork() == 0:\n\
        \x20   a.send(b'y'); b.recv(1); [os.close(one) for one in (0, 1, 2)]; os.write(w, b'.')\n\
        \x20   time.sleep(3); os._exit(0)\n\
        os.read(r, 1)\n";
    let home = Home::new();
    let output = home.trace(&["--follow"], &["python3", "-c", script]).output().unwrap();
    let facts = home.facts();
    let go_on: Vec<bool> = facts.processes.iter().map(|one| one.goes_on).collect();
    assert_eq!((go_on, facts.matched), (vec![false, true], 2), "{facts:?}");
    let said = said(&output);
    assert!(said.contains("it still ran when the run was closed; what it did from then on"));
    assert!(!said.contains("Nothing was lost"), "{said}");
}

#[test]
fn a_program_that_restricts_its_own_calls_makes_no_others_afterwards() {
    let home = Home::new();
    let program = compiled(home.0.path(), "hidden", &[]);
    let output = home.trace(&[], &[program.to_str().unwrap(), "restricted"]).output().unwrap();
    assert_eq!(output.status.code(), Some(7), "{output:?}");
    let (facts, said) = (home.facts(), said(&output));
    assert_eq!((facts.matched, facts.processes[0].noticed.restricted), (20, true), "{facts:?}");
    assert!(said.contains("hidden: it restricted its own system calls (seccomp) at"), "{said}");
    assert!(!said.contains("no room was left"), "{said}");
}

/// Beyond such a limit a write ends the process by a signal, which is not to be the tracer's doing.
#[test]
fn a_limit_of_files_lengths_ends_the_recording_and_not_the_program() {
    let limited = |bytes: u32| {
        let begin = "import resource, signal; signal.signal(signal.SIGXFSZ, signal.SIG_DFL)";
        format!("{begin}; resource.setrlimit(resource.RLIMIT_FSIZE, ({bytes}, {bytes}))\n{TALK}")
    };
    let home = Home::new();
    let output = home.trace(&[], &["python3", "-c", &limited(200_000)]).output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    let said_of = said(&output);
    assert!(said_of.contains("no room was left for its log") && said_of.contains("ulimit -f"));
    assert!(home.facts().matched > 1000, "{:?}", home.facts());
    let output = Home::new().trace(&[], &["python3", "-c", &limited(0)]).output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    let said_of = said(&output);
    assert!(said_of.contains("is not traced; it goes on: it may not write a file"), "{said_of}");
    assert!(!said_of.contains("used no stream socket"), "{said_of}");
}

#[test]
fn a_full_disk_ends_the_recording_and_not_the_program_whether_space_can_be_allocated_or_not() {
    let home = Home::new();
    let fault = compiled(home.0.path(), "unallocated", &["-shared", "-fPIC"]);
    for fault in [None, Some(fault)] {
        let disk = home.0.path().join("disk");
        std::fs::create_dir_all(&disk).unwrap();
        let mut mount = Command::new("mount");
        mount.args(["-t", "tmpfs", "-o", "size=2m", "tmpfs"]).arg(&disk);
        if !mount.output().is_ok_and(|output| output.status.success()) {
            return println!("skipped: only root mounts a small disk");
        }
        let filler = disk.join("filler");
        std::fs::write(&filler, vec![1; 1 << 20]).unwrap();
        let mut command = home.trace(&["--no-report"], &["python3", "-c", TALK]);
        command.current_dir(&disk);
        if let Some(fault) = &fault {
            command.env("LD_PRELOAD", fault);
        }
        let output = command.output().unwrap();
        std::fs::remove_file(&filler).unwrap();
        let mut report = Command::new(env!("CARGO_BIN_EXE_fourstamp"));
        let report = report.args(["report", "--terminal", "run"]).current_dir(&disk).output();
        Command::new("umount").arg("-l").arg(&disk).status().unwrap();
        let text = String::from_utf8(report.unwrap().stdout).unwrap();
        let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(text.contains("no room was left for its log at"), "{fault:?} {output:?} {text}");
        assert!(output.status.code().is_some(), "no signal: {output:?}");
    }
}
