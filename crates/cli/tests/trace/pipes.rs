//! `fourstamp trace --pipes`: connections of one direction, of which the C library may move bytes
//! by itself. What was not seen is never paired.

use crate::compiled::compiled;
use crate::messages::{Message, facts_of, messages_of};
use record::{NULL, Run};
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::process::{Command, ExitStatus, Stdio};
use std::sync::OnceLock;
use streams::{PipesFacts, SocketsFacts};

struct Home(tempfile::TempDir);

/// A run that was traced, and what was said meanwhile.
struct Traced {
    said: String,
    facts: SocketsFacts,
    messages: Vec<Message>,
}

impl Home {
    fn new() -> Home {
        Home(tempfile::tempdir().unwrap())
    }

    fn at(&self, path: &str) -> PathBuf {
        self.0.path().join(path)
    }

    /// The program in C.
    fn compiled(&self) -> String {
        compiled(self.0.path(), "pipes", &[]).to_str().unwrap().to_owned()
    }

    fn script(&self, name: &str, lines: &str) {
        std::fs::write(self.at(name), format!("{COMMON}{lines}")).unwrap();
    }

    fn command(&self, options: &[&str], program: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_fourstamp"));
        command.args(["trace", "--out", "run"]).args(options).arg("--").args(program);
        self.with_files(&mut command);
        command
    }

    /// What it says goes to files: these are no pipes.
    fn with_files(&self, command: &mut Command) {
        let file = |name| std::fs::File::create(self.at(name)).unwrap();
        command.current_dir(self.0.path()).stdin(Stdio::null());
        command.stdout(file("stdout")).stderr(file("stderr"));
    }

    fn stderr(&self) -> String {
        std::fs::read_to_string(self.at("stderr")).unwrap()
    }

    fn trace(&self, program: &[&str]) -> Traced {
        let status = self.command(&["--pipes"], program).status().unwrap();
        self.traced(status)
    }

    fn script_alone(&self, script: &str) -> Traced {
        self.trace(&[python(), script])
    }

    /// A pipeline of the shell's.
    fn shell(&self, line: &str) -> Traced {
        self.trace(&["sh", "-c", &line.replace("python3", python())])
    }

    fn traced(&self, status: ExitStatus) -> Traced {
        let said = self.stderr();
        assert!(status.success(), "{said}");
        let run = Run::open(self.at("run")).unwrap();
        Traced { said, facts: facts_of(&run), messages: messages_of(&run) }
    }
}

/// The interpreter itself: what is called so may be a script that uses pipes of its own.
fn python() -> &'static str {
    static FOUND: OnceLock<String> = OnceLock::new();
    FOUND.get_or_init(|| {
        let mut command = Command::new("python3");
        let output = command.args(["-c", "import sys; print(sys.executable)"]).output().unwrap();
        String::from_utf8(output.stdout).unwrap().trim().to_owned()
    })
}

/// What every script begins with: its clock is that of the machine.
const COMMON: &str = "import os, sys, time\n\
    now = lambda: time.clock_gettime_ns(time.CLOCK_MONOTONIC_RAW)\n\
    def take(size=1 << 16):\n\
    \x20   total = 0\n\
    \x20   while (got := os.read(0, size)): total += len(got)\n\
    \x20   return total\n";

impl Traced {
    fn pipes(&self) -> &PipesFacts {
        self.facts.pipes.as_ref().unwrap()
    }

    /// So many pipes, and nothing of them is missing.
    fn is_all_of(&self, pipes: u64) {
        let PipesFacts { whole, bytes_sent, bytes_matched, half, crowded, .. } = *self.pipes();
        assert_eq!((whole, half, crowded), (pipes, 0, 0), "{:?}", self.facts);
        assert_eq!(bytes_sent, bytes_matched, "{:?}", self.facts);
        assert_eq!(self.pipes().unmatched(), 0, "{:?}", self.facts);
        for message in &self.messages {
            assert!(message.is_whole() && message.stamps.is_sorted(), "{message:?}");
        }
        assert_eq!((self.facts.exchanges, self.facts.outside_exchanges), (0, 0));
    }

    fn has_no_pair(&self) {
        assert!(!self.messages.iter().any(Message::is_whole), "{:?}", self.facts);
        assert_eq!(self.facts.matched, 0, "{:?}", self.facts);
    }

    /// A number that the program wrote behind this word on its standard error.
    fn said(&self, word: &str) -> i64 {
        let mut words = self.said.split_whitespace();
        words.find(|one| *one == word).unwrap_or_else(|| panic!("no {word}: {}", self.said));
        words.next().unwrap().parse().unwrap()
    }

    fn report(&self) -> String {
        let text = self.said.replace('\u{a0}', " ");
        text.split_whitespace().collect::<Vec<_>>().join(" ")
    }
}

/// What was found is what the program saw, but for what surrounds it.
fn is_near(found: i64, said: i64) -> bool {
    (found - said).abs() < said / 5 + 20_000_000
}

#[test]
fn a_pipeline_of_the_shell_is_whole() {
    let home = Home::new();
    home.script("make.py", "for at in range(50): os.write(1, b'x' * (100 + at))\n");
    home.script("pass.py", "while (got := os.read(0, 70)): os.write(1, got)\n");
    home.script("take.py", "print('took', take(), file=sys.stderr)\n");
    let traced = home.shell("python3 make.py | python3 pass.py | python3 take.py");
    traced.is_all_of(2);
    let total = 50 * 100 + 49 * 50 / 2;
    assert_eq!(traced.said("took"), total);
    assert_eq!(traced.pipes().bytes_sent, 2 * total as u64);
    let first = traced.facts.processes.iter().find(|one| one.name.ends_with("make.py")).unwrap();
    let mut made: Vec<_> =
        traced.messages.iter().filter(|one| one.src == i64::from(first.node)).collect();
    made.sort_by_key(|one| one.stamps[0]);
    assert!(made.iter().map(|one| one.bytes).eq(100..150), "{made:?}");
    let report = traced.report();
    assert!(report.starts_with("took"), "{report}");
    assert!(report.contains("2 pipes had both ends traced, and 100 % of"), "{report}");
    assert!(!report.contains("No connection"), "{report}");
}

#[test]
fn a_child_that_is_written_to_and_read_from_has_two_pipes() {
    let home = Home::new();
    home.script("echo.py", "while (got := os.read(0, 1000)): os.write(1, got)\n");
    home.script(
        "ask.py",
        "from subprocess import PIPE, Popen\n\
        child = Popen([sys.executable, 'echo.py'], stdin=PIPE, stdout=PIPE, bufsize=0)\n\
        for at in range(40): child.stdin.write(b'x' * 300); assert child.stdout.read(300)\n\
        child.stdin.close(); child.wait()\n",
    );
    let traced = home.script_alone("ask.py");
    traced.is_all_of(2);
    assert_eq!(traced.pipes().bytes_sent, 2 * 40 * 300);
    assert!(traced.messages.len() >= 80, "{:?}", traced.facts);
}

/// The queue holds a lock while it writes, so calls of the three never overlap.
#[test]
fn what_three_producers_put_into_a_queue_is_each_ones_own() {
    let home = Home::new();
    home.script(
        "queue.py",
        "from multiprocessing import get_context\n\
        context = get_context('fork'); queue = context.Queue()\n\
        def produce(size):\n\
        \x20   for at in range(300): queue.put(b'x' * size)\n\
        sizes = [200, 400, 600]\n\
        all = [context.Process(target=produce, args=(size,)) for size in sizes]\n\
        for one in all: one.start()\n\
        got = [len(queue.get()) for at in range(900)]\n\
        for one in all: one.join()\n\
        assert sorted(got) == sorted(sizes * 300)\n",
    );
    std::fs::rename(home.at("queue.py"), home.at("queued.py")).unwrap();
    let traced = home.script_alone("queued.py");
    traced.is_all_of(1);
    let mut sizes: BTreeMap<(i64, i64), usize> = BTreeMap::new();
    for message in &traced.messages {
        *sizes.entry((message.src, message.bytes)).or_default() += 1;
    }
    assert_eq!(sizes.values().copied().collect::<Vec<_>>(), [300; 3], "{sizes:?}");
    let nodes: Vec<i64> = sizes.keys().map(|(src, _)| *src).collect();
    assert!(nodes.is_sorted_by(|one, other| one < other), "{sizes:?}");
}

#[test]
fn a_reader_that_sleeps_is_a_receive_wait_and_a_full_pipe_a_send_wait() {
    let home = Home::new();
    home.script(
        "slow.py",
        "r, w = os.pipe()\n\
        if os.fork() == 0:\n\
        \x20   os.close(r); os.write(w, b'x' * 500); os.write(w, b'x' * 65036)\n\
        \x20   begun = now(); os.write(w, b'y' * 1000)\n\
        \x20   print('blocked', now() - begun, file=sys.stderr); os._exit(0)\n\
        os.close(w); begun = now(); time.sleep(0.4)\n\
        got = os.read(r, 500); print('asleep', now() - begun, file=sys.stderr)\n\
        while (got := os.read(r, 1 << 16)): pass\n\
        os.wait()\n",
    );
    let traced = home.script_alone("slow.py");
    traced.is_all_of(1);
    let of = |bytes: i64| traced.messages.iter().find(|one| one.bytes == bytes).unwrap();
    let (first, last) = (of(500), of(1000));
    assert!(is_near(first.stage(2), traced.said("asleep")), "{first:?}");
    assert!(is_near(last.stage(0), traced.said("blocked")), "{last:?}");
    assert!(last.stage(2) < last.stage(0) / 4, "{last:?}");
}

/// Each hides 7 bytes between writes of 20, and the reader takes all, or a part.
#[test]
fn a_pipe_into_which_the_c_library_writes_has_no_pairs() {
    let home = Home::new();
    let program = home.compiled();
    home.script("all.py", "take()\n");
    home.script("part.py", "os.read(0, 60); os.read(0, 60); time.sleep(0.2)\n");
    for how in ["stdio", "held", "dprintf", "raw"] {
        // The last is ended by SIGPIPE, within a call that waits for room.
        for (rounds, reader) in [(50, "all.py"), (50, "part.py"), (1_000_000, "part.py")] {
            let _ = std::fs::remove_dir_all(home.at("run"));
            let traced = home.shell(&format!("{program} {how} {rounds} | python3 {reader}"));
            traced.has_no_pair();
            let (streams, hidden) = (traced.pipes().streams, traced.pipes().hidden);
            let is_streams = ["stdio", "held"].contains(&how);
            let expected = if is_streams { (1, 0) } else { (0, 1) };
            assert_eq!((streams, hidden), expected, "{how} {reader}: {:?}", traced.facts);
            let report = traced.report();
            let said = match is_streams {
                true => "C's stdio (printf, fgets and their like) moved bytes of pipes",
                false => "it moved bytes that no call showed, as C's stdio does",
            };
            assert!(report.contains(said), "{how}: {report}");
        }
    }
}

#[test]
fn a_pipe_of_which_the_c_library_reads_has_no_pairs() {
    let home = Home::new();
    let program = home.compiled();
    home.script("make.py", "for at in range(90): os.write(1, b'x' * 20)\n");
    let traced = home.shell(&format!("python3 make.py | {program} reads"));
    traced.has_no_pair();
    let unmatched = (traced.pipes().streams, traced.pipes().hidden);
    assert!([(1, 0), (0, 1)].contains(&unmatched), "{:?}", traced.facts);
}

/// These close their standard output before they end.
#[test]
fn a_program_that_writes_by_the_c_library_alone_is_named() {
    let home = Home::new();
    home.script("take.py", "print('took', take(), file=sys.stderr)\n");
    let traced = home.shell("seq 1000 | python3 take.py");
    traced.has_no_pair();
    assert_eq!((traced.said("took"), traced.pipes().streams), (3893, 1), "{:?}", traced.facts);
    let report = traced.report();
    assert!(report.contains("without a call that is seen, in seq ("), "{report}");
}

/// Its last call moved bytes that it did not log.
#[test]
fn what_a_killed_writer_had_written_is_matched() {
    let home = Home::new();
    home.script(
        "killed.py",
        "import signal\n\
        r, w = os.pipe(); child = os.fork()\n\
        if child == 0:\n\
        \x20   os.close(r)\n\
        \x20   for at in range(20): os.write(w, b'x' * 100)\n\
        \x20   os.write(w, b'y' * (1 << 24))\n\
        os.close(w); got = 0\n\
        while got < 100_000: got += len(os.read(r, 1000))\n\
        os.kill(child, signal.SIGKILL); os.wait()\n\
        while os.read(r, 1000): pass\n",
    );
    let traced = home.script_alone("killed.py");
    let PipesFacts { whole, bytes_sent, bytes_matched, hidden, .. } = *traced.pipes();
    assert_eq!((whole, bytes_sent, bytes_matched, hidden), (1, 2000, 2000, 0), "{traced:?}");
    let matched: Vec<_> = traced.messages.iter().filter(|one| one.is_whole()).collect();
    assert_eq!((matched.len(), traced.facts.matched), (20, 20));
}

/// Two of three write between others' calls what they do not log.
#[test]
fn a_writer_that_is_killed_among_others_leaves_no_wrong_pair() {
    let home = Home::new();
    home.script(
        "several.py",
        "import signal\n\
        r, w = os.pipe()\n\
        big = os.fork()\n\
        if big == 0: os.write(w, b'y' * (1 << 24))\n\
        got = 0\n\
        while got < 100_000: got += len(os.read(r, 1000))\n\
        os.kill(big, signal.SIGKILL); os.wait()\n\
        if os.fork() == 0:\n\
        \x20   for at in range(20): os.write(w, b'x' * 1000)\n\
        \x20   os._exit(0)\n\
        os.close(w)\n\
        while os.read(r, 1000): pass\n\
        os.wait()\n",
    );
    let traced = home.script_alone("several.py");
    traced.has_no_pair();
    assert_eq!(traced.pipes().hidden, 1, "{:?}", traced.facts);
}

#[test]
fn a_program_that_becomes_another_goes_on_where_it_was() {
    let home = Home::new();
    home.script("rest.py", "for at in range(30): os.write(1, b'z' * 70)\n");
    home.script(
        "first.py",
        "for at in range(20): os.write(1, b'x' * 50)\n\
        os.execvp(sys.executable, ['python3', 'rest.py'])\n",
    );
    home.script("take.py", "take(300)\n");
    let traced = home.shell("python3 first.py | python3 take.py");
    traced.is_all_of(1);
    assert_eq!((traced.pipes().bytes_sent, traced.messages.len()), (20 * 50 + 30 * 70, 50));
}

#[test]
fn a_pipe_from_outside_has_halves() {
    let home = Home::new();
    home.script("take.py", "print('took', take(), file=sys.stderr)\n");
    let mut command = home.command(&["--pipes"], &[python(), "take.py"]);
    let mut child = command.stdin(Stdio::piped()).spawn().unwrap();
    std::io::Write::write_all(&mut child.stdin.take().unwrap(), &[b'x'; 5000]).unwrap();
    let traced = home.traced(child.wait().unwrap());
    assert_eq!(traced.said("took"), 5000);
    traced.has_no_pair();
    let PipesFacts { whole, half, from_outside, .. } = *traced.pipes();
    assert_eq!((whole, half, from_outside), (0, 1, 1), "{:?}", traced.facts);
    let report = traced.report();
    assert!(report.contains("1 pipe end came from a program that was not traced"), "{report}");
}

#[test]
fn what_a_process_writes_to_wake_itself_is_its_own() {
    let home = Home::new();
    let lines = "r, w = os.pipe()\nfor at in range(30): os.write(w, b'x'); os.read(r, 10)\n";
    home.script("wake.py", lines);
    let traced = home.script_alone("wake.py");
    traced.is_all_of(1);
    assert!(traced.messages.iter().all(|one| one.src == one.dst));
    assert_eq!(traced.messages.len(), 30);
}

#[test]
fn a_fifo_that_both_ends_open_is_a_pipe() {
    let home = Home::new();
    home.script(
        "fifo.py",
        "os.mkfifo('fifo')\n\
        for turn in range(2):\n\
        \x20   if os.fork() == 0:\n\
        \x20       w = os.open('fifo', os.O_WRONLY)\n\
        \x20       for at in range(25): os.write(w, b'x' * 40)\n\
        \x20       os._exit(0)\n\
        \x20   r = os.open('fifo', os.O_RDONLY)\n\
        \x20   while os.read(r, 100): pass\n\
        \x20   os.close(r); os.wait()\n",
    );
    let traced = home.script_alone("fifo.py");
    traced.is_all_of(1);
    assert_eq!(traced.messages.len(), 50);
}

/// Writers that hold no lock, and readers. The truth is in the bytes, and by the order of reads.
#[test]
fn calls_that_overlap_are_halves_and_the_others_are_right() {
    let home = Home::new();
    home.script(
        "crowd.py",
        "import struct\n\
        r, w = os.pipe()\n\
        for one in range(3):\n\
        \x20   if os.fork() == 0:\n\
        \x20       for at in range(2000): os.write(w, struct.pack('<II', os.getpid(), at))\n\
        \x20       os._exit(0)\n\
        os.close(w); truth = open('truth', 'w')\n\
        while (got := os.read(r, 8)): print(*struct.unpack('<II', got), file=truth)\n\
        for one in range(3): os.wait()\n",
    );
    let traced = home.script_alone("crowd.py");
    let truth = std::fs::read_to_string(home.at("truth")).unwrap();
    let truth: Vec<(u32, usize)> = truth
        .lines()
        .map(|line| line.split_once(' ').unwrap())
        .map(|(pid, at)| (pid.parse().unwrap(), at.parse().unwrap()))
        .collect();
    let by = |stamp: usize| {
        let mut rows: Vec<_> =
            traced.messages.iter().filter(|one| one.stamps[stamp] != NULL).collect();
        rows.sort_by_key(|one| one.stamps[stamp]);
        rows
    };
    let reads = by(3);
    assert_eq!((truth.len(), reads.len()), (6000, 6000), "{:?}", traced.facts);
    let mut writes: BTreeMap<i64, Vec<&Message>> = BTreeMap::new();
    by(0).into_iter().for_each(|one| writes.entry(one.src).or_default().push(one));
    let (mut pairs, mut wrong) = (0, 0);
    for (read, (pid, at)) in reads.iter().zip(&truth).filter(|(read, _)| read.is_whole()) {
        let node = traced.facts.processes.iter().find(|one| one.pid == *pid).unwrap().node;
        pairs += 1;
        wrong += u64::from(writes[&i64::from(node)][*at] != *read);
    }
    assert_eq!(wrong, 0, "of {pairs}: {:?}", traced.facts);
    assert_eq!(pairs, traced.facts.matched);
    assert_eq!(pairs + traced.pipes().crowded, 6000, "{:?}", traced.facts);
    assert_eq!(traced.pipes().unmatched(), 0, "{:?}", traced.facts);
}

#[test]
fn every_call_answers_what_it_answers_without_the_tracer() {
    let home = Home::new();
    let program = home.compiled();
    let mut plain = Command::new(&program);
    home.with_files(plain.arg("ways"));
    let status = plain.status().unwrap();
    let expected = home.stderr();
    let traced = home.command(&["--pipes", "--no-report"], &[&program, "ways"]).status().unwrap();
    assert_eq!(traced.code(), status.code());
    let traced = home.traced(traced);
    let own = traced.said.lines().filter(|line| !line.starts_with("run: "));
    assert!(own.eq(expected.lines()), "{} {expected}", traced.said);
    let PipesFacts { whole, uncounted, hidden, .. } = *traced.pipes();
    // The third carries packets.
    assert_eq!((whole, uncounted, hidden), (3, 1, 0), "{:?}", traced.facts);
}

#[test]
fn a_million_small_messages_are_all_there() {
    let home = Home::new();
    let program = home.compiled();
    let traced = home.trace(&[&program, "many", "1000000"]);
    traced.is_all_of(1);
    assert_eq!((traced.messages.len(), traced.facts.matched), (1_000_000, 1_000_000));
}

/// Nobody has asked for pipes.
#[test]
fn without_the_option_pipes_are_not_looked_at() {
    let home = Home::new();
    home.script("make.py", "os.write(1, b'x' * 100)\n");
    home.script("take.py", "take()\n");
    let line = "python3 make.py | python3 take.py".replace("python3", python());
    let status = home.command(&["--follow"], &["sh", "-c", &line]).status().unwrap();
    assert!(status.success() && !home.at("run").exists(), "{}", home.stderr());
}

impl std::fmt::Debug for Traced {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{:?}", self.facts)
    }
}
