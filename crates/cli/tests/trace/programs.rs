//! `fourstamp trace`: programs that talk over sockets, with delays planted where each stage is.

use crate::compiled::compiled;
use crate::messages::{Message, facts_of, messages_of};
use record::{How, NULL, Run};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};
use streams::SocketsFacts;
use streams::exchanges::STRETCHES;

struct Home(tempfile::TempDir);

impl Home {
    fn new() -> Home {
        Home(tempfile::tempdir().unwrap())
    }

    fn at(&self, path: &str) -> PathBuf {
        self.0.path().join(path)
    }

    fn trace(&self, options: &[&str], program: &[&str]) -> Output {
        let mut command = Command::new(env!("CARGO_BIN_EXE_fourstamp"));
        command.arg("trace").args(options).arg("--").args(program).current_dir(self.0.path());
        command.stdin(Stdio::null()).output().unwrap()
    }

    /// Trace both processes of a kind of talk.
    fn talk(&self, what: &str) -> (Output, SocketsFacts, Vec<Message>) {
        self.talk_of("talkers", what)
    }

    fn talk_of(&self, program: &str, what: &str) -> (Output, SocketsFacts, Vec<Message>) {
        let program = compiled(self.0.path(), program, &[]);
        let program = [program.to_str().unwrap(), what];
        let output = self.trace(&["--follow", "--no-report", "--out", "run"], &program);
        assert_eq!(output.status.code(), Some(7), "{}", error_of(&output));
        let run = Run::open(self.at("run")).unwrap();
        let facts = facts_of(&run);
        (output, facts, messages_of(&run))
    }
}

fn error_of(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// What the program said after this word.
fn said(output: &Output, word: &str) -> i64 {
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let line = text.lines().find_map(|line| line.strip_prefix(word)).expect(word);
    line.trim().parse().unwrap()
}

fn all_bytes_matched(facts: &SocketsFacts) {
    assert_eq!(facts.whole_connections, 1, "{facts:?}");
    assert_eq!((facts.half_connections, facts.unmatched.doubtful_connections), (0, 0), "{facts:?}");
    assert_eq!(facts.bytes_sent, facts.bytes_matched, "{facts:?}");
}

/// Within 5 % of the truth.
fn is_near(found: i64, truth: i64) -> bool {
    (found - truth).abs() * 20 <= truth
}

#[test]
fn a_server_that_is_asleep_is_a_receive_wait() {
    let (output, facts, messages) = Home::new().talk("asleep");
    all_bytes_matched(&facts);
    let asked: Vec<_> = messages.iter().filter(|message| message.bytes == 100).collect();
    assert_eq!(asked.len(), 20);
    assert!(asked.iter().all(|message| message.how == Some(How::Observed)));
    let wait: i64 = asked.iter().map(|message| message.stage(2)).sum();
    assert!(is_near(wait, said(&output, "waited")), "{wait}: {output:?}");
    let rest: i64 = asked.iter().map(|message| message.stage(0) + message.stage(1)).sum();
    assert!(rest * 20 < wait, "{rest} of {wait}");
}

#[test]
fn a_slow_accept_is_a_receive_wait_of_the_first_message() {
    let (output, facts, messages) = Home::new().talk("slow-accept");
    all_bytes_matched(&facts);
    let first = messages.iter().filter(|message| message.bytes == 100).max_by_key(|m| m.stage(2));
    let (wait, waited) = (first.unwrap().stage(2), said(&output, "first"));
    assert!(is_near(wait, waited), "{wait} of {waited}");
}

#[test]
fn a_full_socket_is_a_send_wait_whether_the_call_waits_or_is_refused() {
    for what in ["blocked", "refused"] {
        let (output, facts, messages) = Home::new().talk(what);
        all_bytes_matched(&facts);
        let longest = messages.iter().map(|message| message.stage(0)).max().unwrap();
        assert!(is_near(longest, said(&output, "longest")), "{what}: {longest}: {output:?}");
        let total: i64 = messages.iter().map(|message| message.bytes).sum();
        assert_eq!(total, 64 * 4096);
    }
}

#[test]
fn a_message_that_is_lost_and_sent_again_is_in_transit() {
    let (output, facts, messages) = Home::new().talk("lost");
    all_bytes_matched(&facts);
    let lost: Vec<_> = messages.iter().filter(|message| message.bytes == 100).collect();
    assert_eq!(lost.len(), 10);
    assert!(lost.iter().all(|message| message.how == Some(How::Observed)));
    let transit: i64 = lost.iter().map(|message| message.stage(1)).sum();
    let truth = said(&output, "lost");
    assert!(is_near(transit, truth) && truth > 10 * 30_000_000, "{transit}: {output:?}");
}

#[test]
fn every_way_of_moving_bytes_is_counted_and_changes_nothing() {
    let home = Home::new();
    let (output, facts, messages) = home.talk("every");
    all_bytes_matched(&facts);
    assert_eq!((facts.matched, facts.overlapping), (7 * 40, 0));
    for message in &messages {
        assert!(message.is_whole(), "{message:?}");
        let [ready, sent, arrived, taken] = message.stamps;
        assert!(ready <= sent && sent <= taken && arrived <= taken, "{message:?}");
        assert_eq!(message.how == Some(How::Observed), message.error == NULL, "{message:?}");
    }
    let plain = Command::new(home.at("talkers")).arg("every").output().unwrap();
    assert_eq!((plain.status.code(), plain.stdout), (output.status.code(), output.stdout));
}

/// Of a talk of `options.c`, which says the same without the tracer.
fn options(what: &str) -> Vec<Message> {
    let home = Home::new();
    let (output, facts, messages) = home.talk_of("options", what);
    let plain = Command::new(home.at("options")).arg(what).output().unwrap();
    let said = |output: &Output| String::from_utf8_lossy(&output.stdout).into_owned();
    assert_eq!(said(&output), said(&plain), "{what}");
    all_bytes_matched(&facts);
    assert_eq!((facts.matched, messages.len()), (100, 100), "{what}: {facts:?}");
    assert_eq!(facts.exchanges, 50, "{what}: {facts:?}");
    messages
}

#[test]
fn control_data_that_a_program_asks_for_is_all_that_it_gets_and_stamps_are_taken() {
    for what in ["inq", "stamp"] {
        let messages = options(what);
        assert!(messages.iter().all(|message| message.how == Some(How::Observed)), "{what}");
    }
}

#[test]
fn stamps_that_a_program_asks_for_before_it_connects_stay_its_own() {
    let messages = options("own");
    assert!(messages.iter().all(|message| message.how == Some(How::Bracketed)));
}

#[test]
fn a_pair_that_was_made_before_any_other_socket_is_a_connection() {
    for what in ["pair", "exec"] {
        assert!(options(what).iter().all(Message::is_whole));
    }
}

#[test]
fn what_a_process_writes_to_wake_itself_is_no_request() {
    let home = Home::new();
    let script = "import socket; a, b = socket.socketpair()\n\
        for _ in range(30): a.send(b'x'); b.recv(10)\n";
    std::fs::write(home.at("wake.py"), script).unwrap();
    let output = home.trace(&["--no-report", "--out", "run"], &["python3", "wake.py"]);
    assert!(output.status.success(), "{output:?}");
    let facts = facts_of(&Run::open(home.at("run")).unwrap());
    all_bytes_matched(&facts);
    assert_eq!((facts.matched, facts.exchanges, facts.outside_exchanges), (30, 0, 0), "{facts:?}");
}

/// Nobody listens at the address that it calls, which is its own.
#[test]
fn a_socket_that_is_connected_to_itself_reads_what_it_writes() {
    let home = Home::new();
    let script = "import socket\n\
        s = socket.socket(); s.bind(('127.0.0.1', 0)); s.connect(s.getsockname())\n\
        assert s.getsockname() == s.getpeername()\n\
        for _ in range(30): s.sendall(b'x' * 100); assert len(s.recv(1000)) == 100\n\
        s.sendall(b'y' * 7)\n";
    std::fs::write(home.at("own.py"), script).unwrap();
    let output = home.trace(&["--out", "run"], &["python3", "own.py"]);
    assert!(output.status.success(), "{output:?}");
    let run = Run::open(home.at("run")).unwrap();
    let (facts, messages) = (facts_of(&run), messages_of(&run));
    assert_eq!((facts.whole_connections, facts.half_connections), (1, 0), "{facts:?}");
    assert_eq!((facts.bytes_sent, facts.bytes_matched, facts.matched), (3007, 3000, 30));
    assert_eq!((facts.exchanges, facts.outside_exchanges), (0, 0), "{facts:?}");
    let whole: Vec<_> = messages.iter().filter(|message| message.is_whole()).collect();
    assert!(messages.len() == 31 && whole.len() == 30, "{messages:?}");
    // The kernel may begin to stamp only after the first of them.
    let is_observed = |message: &Message| message.how == Some(How::Observed);
    assert!(whole.iter().any(|message| is_observed(message)), "{whole:?}");
    for message in whole {
        assert_eq!(is_observed(message), message.error == NULL, "{message:?}");
        assert!(message.stamps.is_sorted(), "{message:?}");
    }
    assert!(!error_of(&output).contains("not traced"), "{}", error_of(&output));
}

#[test]
fn what_a_killed_process_sent_is_there() {
    let (_, facts, messages) = Home::new().talk("killed");
    all_bytes_matched(&facts);
    assert_eq!(messages.len(), 1000);
    assert!(messages.iter().all(Message::is_whole));
}

#[test]
fn connections_that_begin_with_their_first_bytes_are_whole() {
    let home = Home::new();
    let script = "import os, socket\n\
        OPEN, BEFORE = socket.MSG_FASTOPEN, 30\n\
        l = socket.create_server(('127.0.0.1', 0)); to = l.getsockname()\n\
        if os.fork() == 0:\n\
        \x20   for kind in 'sendto', 'sendmsg', 'connect':\n\
        \x20       c = socket.socket(); data = b'x' * 50\n\
        \x20       if kind == 'sendto': c.sendto(data, OPEN, to)\n\
        \x20       if kind == 'sendmsg': c.sendmsg([data], [], OPEN, to)\n\
        \x20       if kind == 'connect':\n\
        \x20           c.setsockopt(socket.IPPROTO_TCP, BEFORE, 1); c.connect(to)\n\
        \x20           c.sendall(data)\n\
        \x20       c.recv(100)\n\
        \x20   os._exit(0)\n\
        for _ in range(3): c, _ = l.accept(); c.sendall(c.recv(100))\n\
        os.wait()\n";
    let allowed = std::fs::read_to_string("/proc/sys/net/ipv4/tcp_fastopen").unwrap_or_default();
    if !allowed.trim().parse::<u32>().is_ok_and(|bits| bits & 1 != 0) {
        return println!("skipped: net.ipv4.tcp_fastopen lets no client");
    }
    std::fs::write(home.at("open.py"), script).unwrap();
    let output = home.trace(&["--follow", "--no-report", "--out", "run"], &["python3", "open.py"]);
    assert!(output.status.success(), "{output:?}");
    let facts = facts_of(&Run::open(home.at("run")).unwrap());
    assert_eq!((facts.whole_connections, facts.half_connections), (3, 0), "{facts:?}");
    assert_eq!((facts.bytes_sent, facts.bytes_matched, facts.exchanges), (300, 300, 3));
}

/// The parent has made both ends, and goes on.
#[test]
fn what_a_child_was_writing_when_its_parent_killed_it_makes_no_contradiction() {
    let home = Home::new();
    let script = "import os, signal, socket\n\
        listener = socket.create_server(('127.0.0.1', 0))\n\
        a, b = socket.socketpair()\n\
        child = os.fork()\n\
        if child == 0:\n\
        \x20   for _ in range(20): b.sendall(b'x' * 100)\n\
        \x20   b.sendall(b'y' * (1 << 24))\n\
        b.close(); got = 0\n\
        while got < 100_000: got += len(a.recv(1000))\n\
        os.kill(child, signal.SIGKILL); os.wait(); a.close()\n";
    std::fs::write(home.at("child.py"), script).unwrap();
    let output = home.trace(&["--follow", "--no-report", "--out", "run"], &["python3", "child.py"]);
    assert!(output.status.success(), "{output:?}");
    let facts = facts_of(&Run::open(home.at("run")).unwrap());
    all_bytes_matched(&facts);
    assert_eq!((facts.matched, facts.bytes_matched), (20, 2000), "{facts:?}");
}

#[test]
fn a_program_that_cannot_be_traced_is_refused_in_a_line() {
    let home = Home::new();
    let refused = |program: &str, why: &str| {
        let output = home.trace(&[], &[program]);
        let error = error_of(&output);
        assert_eq!(output.status.code(), Some(2), "{error}");
        assert!(error.contains(why) && error.trim().lines().count() == 1, "{error}");
        assert!(!home.at("runs").join("x").exists());
    };
    refused("no-such-program-here", "on PATH");
    let source = home.at("static.c");
    std::fs::write(&source, "int main(void) { return 0; }").unwrap();
    let program = home.at("static");
    let mut compiler = Command::new("cc");
    compiler.arg("-static").arg("-o").arg(&program).arg(&source);
    assert!(compiler.status().unwrap().success());
    refused(program.to_str().unwrap(), "statically linked");
}

#[test]
fn a_program_without_sockets_leaves_nothing_but_its_exit_code() {
    let home = Home::new();
    let output = home.trace(&[], &["sh", "-c", "echo hello; exit 5"]);
    assert_eq!((output.status.code(), &output.stdout[..]), (Some(5), &b"hello\n"[..]));
    assert!(error_of(&output).contains("--follow"), "{}", error_of(&output));
    assert!(!home.at("runs/sh-trace-1").exists());
}

#[test]
fn a_run_is_called_after_the_program_and_not_after_what_runs_it() {
    let home = Home::new();
    let script = "import socket; a, b = socket.socketpair(); a.send(b'x'); b.recv(1)";
    let words = ["env", "A=b", "nice", "python3", "-c", script];
    let output = home.trace(&["--no-report"], &words);
    assert!(output.status.success(), "{}", error_of(&output));
    let run = Run::open(home.at("runs/python3-trace-1")).unwrap();
    assert_eq!(run.info.workload, "python3");
}

#[test]
fn a_program_that_joins_meets_the_first_one() {
    let home = Home::new();
    let script = "import socket, sys\n\
        if sys.argv[1] == 'serve':\n\
        \x20   s = socket.socket(); s.bind(('127.0.0.1', 0)); s.listen()\n\
        \x20   open('port.new', 'w').write(str(s.getsockname()[1]))\n\
        \x20   import os; os.rename('port.new', 'port')\n\
        \x20   c, _ = s.accept()\n\
        \x20   while (d := c.recv(1000)): c.sendall(d)\n\
        else:\n\
        \x20   c = socket.create_connection(('127.0.0.1', int(open('port').read())))\n\
        \x20   for _ in range(50):\n\
        \x20       c.sendall(b'x' * 700); c.recv(1000)\n";
    std::fs::write(home.at("talk.py"), script).unwrap();
    let serve = ["python3", "talk.py", "serve"];
    let (first, second) = std::thread::scope(|scope| {
        let first = scope.spawn(|| home.trace(&["--no-report", "--out", "run"], &serve));
        let deadline = Instant::now() + Duration::from_secs(60);
        while !home.at("port").exists() && Instant::now() < deadline {
            std::thread::sleep(Duration::from_millis(10));
        }
        let ask = ["python3", "talk.py", "ask"];
        let second = home.trace(&["--no-report", "--join", "run"], &ask);
        (first.join().unwrap(), second)
    });
    assert!(first.status.success() && second.status.success(), "{first:?} {second:?}");
    let run = Run::open(home.at("run")).unwrap();
    let facts = facts_of(&run);
    all_bytes_matched(&facts);
    assert_eq!(facts.bytes_sent, 2 * 50 * 700);
    assert!(facts.processes[0].name.starts_with("python3 talk.py:"), "{facts:?}");
}

#[test]
fn the_time_of_an_exchange_is_told_and_who_was_served_instead() {
    let home = Home::new();
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/programs/exchanges.py");
    let program = ["python3", script.to_str().unwrap()];
    let output = home.trace(&["--follow", "--out", "run"], &program);
    assert!(output.status.success(), "{output:?}");
    let facts = facts_of(&Run::open(home.at("run")).unwrap());
    assert_eq!((facts.exchanges, facts.outside_exchanges), (21, 0), "{facts:?}");
    let (mut whole, mut sums, mut slow) = (0, [0; STRETCHES], None);
    streams::exchanges::each(&home.at("run"), 0, |exchange| {
        let stretches = exchange.stretches().map(Option::unwrap);
        assert_eq!(stretches.iter().sum::<i64>(), exchange.whole().unwrap());
        if exchange.request.bytes == 60 {
            whole += exchange.whole().unwrap();
            sums.iter_mut().zip(stretches).for_each(|(sum, ns)| *sum += ns);
        } else {
            assert_eq!(slow.replace(exchange.request.src), None);
        }
    })
    .unwrap();
    for (found, word) in [(whole, "whole"), (sums[4], "service"), (sums[8], "unread")] {
        assert!(is_near(found, said(&output, word)), "{word}: {found}; {output:?}");
    }
    let (unread, blocked) = (sums[3], said(&output, "blocked"));
    assert!(unread > blocked / 2 && unread < blocked + blocked / 10, "{unread} of {blocked}");
    let text = error_of(&output).split_whitespace().collect::<Vec<_>>().join(" ");
    let culprit = format!("request of python3 exchanges.py ({})", slow.unwrap());
    assert!(text.contains(&culprit), "{culprit}: {text}");
}

#[test]
fn the_pauses_of_an_answer_in_several_calls_are_no_wait_for_room() {
    let home = Home::new();
    let script = "import os, socket, time\n\
        now = lambda: time.clock_gettime_ns(time.CLOCK_MONOTONIC_RAW)\n\
        s = socket.create_server(('127.0.0.1', 0))\n\
        if os.fork() == 0:\n\
        \x20   c = socket.create_connection(s.getsockname()); c.sendall(b'x' * 300)\n\
        \x20   while c.recv(100): pass\n\
        \x20   os._exit(0)\n\
        c, _ = s.accept(); c.recv(1000); begun = now()\n\
        for part in range(6):\n\
        \x20   ended = now(); c.sendall(b'y' * 20); time.sleep(0.05)\n\
        c.close(); os.wait(); print('writing', ended - begun)\n";
    std::fs::write(home.at("parts.py"), script).unwrap();
    let output = home.trace(&["--follow", "--out", "run"], &["python3", "parts.py"]);
    assert!(output.status.success(), "{output:?}");
    let mut found = Vec::new();
    streams::exchanges::each(&home.at("run"), 0, |exchange| found.push(*exchange)).unwrap();
    let stretches: Vec<_> = found.iter().map(|one| one.stretches().map(Option::unwrap)).collect();
    let &[[0, _, _, _, service, writing, wait, ..]] = &stretches[..] else {
        panic!("{stretches:?}")
    };
    assert_eq!(stretches[0].iter().sum::<i64>(), found[0].whole().unwrap());
    assert!(is_near(writing, said(&output, "writing")), "{stretches:?} {output:?}");
    assert!(20 * (wait + service) < writing, "{stretches:?}");
    let text = error_of(&output).split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(text.contains("the answerer wrote the answer in several calls"), "{text}");
    assert!(!text.contains("request: writing"), "it was one call: {text}");
}

#[test]
fn a_process_that_becomes_another_user_is_traced_and_a_later_child_is_missed_aloud() {
    if !rustix::process::geteuid().is_root() {
        println!("skipped: only root becomes another user");
        return;
    }
    let home = Home::new();
    // The other user may not be able to read Python's own files: nothing is loaded late.
    let script = "import os, signal, socket\n\
        signal.alarm(60)\n\
        s = socket.create_server(('127.0.0.1', 0))\n\
        def ask():\n\
        \x20   c = socket.socket(); c.connect(s.getsockname())\n\
        \x20   c.sendall(b'x' * 300); c.recv(100); os._exit(0)\n\
        if os.fork() == 0:\n\
        \x20   os.setgid(65534); os.setuid(65534)\n\
        \x20   if os.fork() == 0: ask()\n\
        \x20   os.wait(); ask()\n\
        for _ in range(2):\n\
        \x20   c, _ = s.accept(); c.recv(1000); c.sendall(b'y' * 20)\n\
        os.wait()\n";
    std::fs::write(home.at("other.py"), script).unwrap();
    let output = home.trace(&["--follow", "--out", "run"], &["python3", "other.py"]);
    assert!(output.status.success(), "{output:?}");
    let facts = facts_of(&Run::open(home.at("run")).unwrap());
    assert_eq!((facts.whole_connections, facts.half_connections), (1, 1), "{facts:?}");
    assert_eq!((facts.bytes_sent, facts.bytes_matched), (320, 320), "{facts:?}");
    let lost = facts.processes.iter().filter(|process| process.noticed.lost_child).count();
    assert_eq!(lost, 1, "{facts:?}");
    assert!(error_of(&output).contains("could not open a log"), "{output:?}");
}

/// A server that sleeps before it reads is not looking; but a tracer of sockets never sees work, so
/// that none was recorded says nothing.
#[test]
fn the_story_of_a_traced_program_says_nothing_of_work() {
    let home = Home::new();
    home.talk("asleep");
    let mut fourstamp = Command::new(env!("CARGO_BIN_EXE_fourstamp"));
    let output = fourstamp.args(["story", "run"]).current_dir(home.0.path()).output().unwrap();
    assert!(output.status.success(), "{}", error_of(&output));
    let story = String::from_utf8_lossy(&output.stdout).replace('\u{a0}', " ");
    let story = story.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(story.contains("it waited in the receive queue"), "{story}");
    assert!(!story.contains("recorded no work"), "{story}");
}
