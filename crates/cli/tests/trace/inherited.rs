//! `fourstamp trace` of programs that use TCP connections which others made, and moved bytes on:
//! every byte is still the byte that the other end counts.

use crate::messages::{Message, facts_of, messages_of};
use record::{NULL, Run};
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};
use streams::SocketsFacts;
use streams::exchanges::Exchange;

struct Home(tempfile::TempDir);

impl Home {
    fn new() -> Home {
        Home(tempfile::tempdir().unwrap())
    }

    /// The words that play a role of the script.
    fn role(&self, words: &[&str]) -> Vec<String> {
        let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/programs/inherited.py");
        let words = words.iter().map(|word| (*word).to_owned());
        ["python3".to_owned(), script.to_str().unwrap().to_owned()]
            .into_iter()
            .chain(words)
            .collect()
    }

    /// The words that trace a role: the first of a run, or one that joins it.
    fn traced(&self, how: &[&str], words: &[&str]) -> Vec<String> {
        let trace = [env!("CARGO_BIN_EXE_fourstamp"), "trace", "--no-report"];
        let trace = trace.iter().chain(how).chain(&["--"]).map(|word| (*word).to_owned());
        trace.chain(self.role(words)).collect()
    }

    /// A program that is not traced and becomes another one.
    fn becomes(&self, words: &[&str], then: Vec<String>) -> Child {
        self.start(&self.role(words).into_iter().chain(then).collect::<Vec<_>>())
    }

    fn start(&self, words: &[String]) -> Child {
        let mut command = Command::new(&words[0]);
        command.args(&words[1..]).current_dir(self.0.path()).stdin(Stdio::null());
        command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
    }

    fn wait_for(&self, file: &str) {
        let deadline = Instant::now() + Duration::from_secs(60);
        while !self.0.path().join(file).exists() && Instant::now() < deadline {
            std::thread::sleep(Duration::from_millis(5));
        }
    }

    fn run(&self) -> Run {
        Run::open(self.0.path().join("run")).unwrap()
    }

    fn facts(&self) -> SocketsFacts {
        facts_of(&self.run())
    }

    fn messages(&self) -> Vec<Message> {
        messages_of(&self.run())
    }

    fn exchanges(&self) -> Vec<Exchange> {
        let mut found = Vec::new();
        for process in self.facts().processes {
            let run = self.0.path().join("run");
            streams::exchanges::each(&run, process.node, |one| found.push(*one)).unwrap();
        }
        found
    }

    fn report(&self) -> String {
        let mut command = Command::new(env!("CARGO_BIN_EXE_fourstamp"));
        command.args(["report", "--terminal", "run"]).current_dir(self.0.path());
        let output = command.output().unwrap();
        assert!(output.status.success(), "{output:?}");
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        text.split_whitespace().collect::<Vec<_>>().join(" ")
    }
}

fn ended(children: Vec<Child>) -> Vec<Output> {
    let outputs: Vec<Output> =
        children.into_iter().map(|child| child.wait_with_output().unwrap()).collect();
    assert!(outputs.iter().all(|output| output.status.success()), "{outputs:?}");
    outputs
}

/// Messages, and bytes in them: of both ends, written by others, read by others.
fn sums(facts: &SocketsFacts, messages: &[Message]) -> [(usize, i64); 3] {
    let outside = facts.outside.map_or(-1, i64::from);
    let sum = |is: &dyn Fn(&Message) -> bool| {
        let of: Vec<i64> = messages.iter().filter(|one| is(one)).map(|one| one.bytes).collect();
        (of.len(), of.iter().sum())
    };
    assert!(messages.iter().all(|one| {
        let is_whole = one.stamps[1] != NULL && one.stamps[3] != NULL;
        is_whole != (one.src == outside || one.dst == outside)
    }));
    [
        sum(&|one| one.src != outside && one.dst != outside),
        sum(&|one| one.src == outside),
        sum(&|one| one.dst == outside),
    ]
}

fn is_one_whole_connection(facts: &SocketsFacts) {
    assert_eq!((facts.whole_connections, facts.half_connections), (1, 0), "{facts:?}");
    assert_eq!(
        (facts.older_connections, facts.unmatched.doubtful_connections),
        (0, 0),
        "{facts:?}"
    );
    assert_eq!(facts.taken_over.connections, 1, "{facts:?}");
    assert_eq!(facts.bytes_sent, facts.bytes_matched, "{facts:?}");
}

/// 20 of 50 requests are answered by a program that is not traced; of the next it reads a part.
#[test]
fn a_server_that_takes_a_connection_over_within_a_request_meets_its_client() {
    let home = Home::new();
    let rest = home.traced(&["--join", "run"], &["answer-rest", "29"]);
    let client = home.start(&home.traced(&["--out", "run"], &["ask", "50"]));
    home.wait_for("run/run.json");
    ended(vec![client, home.becomes(&["answer-some", "20"], rest)]);
    let (facts, messages) = (home.facts(), home.messages());
    is_one_whole_connection(&facts);
    assert_eq!(facts.bytes_matched, 2960 + 600, "{facts:?}");
    assert_eq!(facts.taken_over.bytes_of_others, 2040 + 400, "{facts:?}");
    let expected = [(60, 30 * 100 + 30 * 20), (20, 400), (20, 2000)];
    assert_eq!(sums(&facts, &messages), expected, "{facts:?}");
    assert_eq!((facts.exchanges, home.exchanges().len()), (30, 30), "{facts:?}");
    assert_eq!(facts.outside_exchanges, 40, "{facts:?}");
    let said = home.report();
    assert!(said.contains("1 connection existed before the trace, or came from"), "{said}");
    assert!(said.contains("Of 2440 bytes that such a program wrote or read before"), "{said}");
}

#[test]
fn a_client_that_takes_a_connection_over_meets_its_server_and_asks() {
    let home = Home::new();
    let rest = home.traced(&["--join", "run"], &["ask-rest", "30"]);
    let server = home.start(&home.traced(&["--out", "run"], &["answer", "50"]));
    ended(vec![server, home.becomes(&["ask-some", "20"], rest)]);
    let (facts, messages) = (home.facts(), home.messages());
    is_one_whole_connection(&facts);
    let expected = [(60, 30 * 100 + 30 * 20), (20, 2000), (20, 400)];
    assert_eq!(sums(&facts, &messages), expected, "{facts:?}");
    let exchanges = home.exchanges();
    assert_eq!(exchanges.len(), 30, "{facts:?}");
    assert!(exchanges.iter().all(|one| (one.request.bytes, one.answer.bytes) == (100, 20)));
}

/// What was on its way, and what had not left, was others'.
#[test]
fn bytes_that_are_on_their_way_when_a_writer_takes_over_are_not_its_own() {
    let home = Home::new();
    let on = home.traced(&["--join", "run"], &["write-on"]);
    let reader = home.start(&home.traced(&["--out", "run"], &["read-all"]));
    home.wait_for("run/run.json");
    let outputs = ended(vec![reader, home.becomes(&["fill"], on)]);
    let filled = std::fs::read_to_string(home.0.path().join("filled")).unwrap();
    let filled: i64 = filled.parse().unwrap();
    let said = String::from_utf8_lossy(&outputs[0].stdout).into_owned();
    assert_eq!(said.trim(), format!("got {}", filled + 150_000));
    let (facts, messages) = (home.facts(), home.messages());
    is_one_whole_connection(&facts);
    let [matched, written_by_others, read_by_others] = sums(&facts, &messages);
    assert_eq!((matched, read_by_others), ((50, 150_000), (0, 0)), "{facts:?}");
    assert_eq!(written_by_others.1, filled, "{facts:?}");
}

/// Both ends lay in one program; bytes lay in both sockets, and the end that had been accepted is
/// the first to write.
#[test]
fn two_ends_that_were_both_taken_over_meet_and_it_is_known_who_connected() {
    let home = Home::new();
    let on = home.traced(&["--out", "run", "--follow"], &["both-go-on"]);
    ended(vec![home.becomes(&["both"], on)]);
    let (facts, messages) = (home.facts(), home.messages());
    is_one_whole_connection(&facts);
    // The 300 and 400 B that lay there were written by others, and read by two calls.
    let expected = [(21, 50 + 10 * 120), (2, 700), (0, 0)];
    assert_eq!(sums(&facts, &messages), expected, "{facts:?}");
    let exchanges = home.exchanges();
    assert_eq!(exchanges.len(), 10, "{facts:?}");
    assert!(exchanges.iter().all(|one| (one.request.bytes, one.answer.bytes) == (100, 20)));
}

/// As inetd and socket activation do: no byte has been read, so it is as if it had been traced
/// from its beginning, and HTTP is guessed. The request lay there for 400 ms.
#[test]
fn a_connection_that_is_handed_over_untouched_is_whole_and_its_request_has_lain_there() {
    let home = Home::new();
    let serve = home.traced(&["--join", "run"], &["serve"]);
    let client = home.start(&home.traced(&["--out", "run"], &["get"]));
    home.wait_for("run/run.json");
    ended(vec![client, home.becomes(&["hand-over"], serve)]);
    let (facts, messages) = (home.facts(), home.messages());
    is_one_whole_connection(&facts);
    assert_eq!((facts.taken_over.bytes_of_others, facts.outside), (0, None), "{facts:?}");
    assert_eq!((messages.len(), facts.exchanges), (6, 3), "{facts:?}");
    let framing = &facts.framing[0];
    assert_eq!((framing.messages, framing.exchanges, framing.by_call), (6, 3, 0), "{facts:?}");
    let first = messages.iter().min_by_key(|one| one.stamps[1]).unwrap();
    let wait = first.stage(2);
    assert!(wait > 380_000_000, "{first:?}");
    assert!(first.error == NULL || first.error < 20_000_000, "{first:?}");
    let server = facts.processes.iter().find(|one| one.node == first.dst as u32).unwrap();
    let port = std::fs::read_to_string(home.0.path().join("port")).unwrap();
    assert!(server.name.ends_with(&format!(":{port}")), "{facts:?}");
    let said = home.report();
    assert!(said.contains("1 connection existed before the trace, or came from"), "{said}");
    assert!(!said.contains("wrote or read before"), "{said}");
}

#[test]
fn a_connection_that_another_program_passed_is_counted_from_its_beginning() {
    let home = Home::new();
    let client = home.start(&home.traced(&["--out", "run"], &["ask", "12"]));
    home.wait_for("run/run.json");
    let taker = home.start(&home.traced(&["--join", "run"], &["take"]));
    let passer = home.start(&home.role(&["pass"]));
    ended(vec![client, taker, passer]);
    let (facts, messages) = (home.facts(), home.messages());
    assert_eq!((facts.whole_connections, facts.taken_over.connections), (1, 1), "{facts:?}");
    assert_eq!(facts.bytes_matched, 7 * 120, "{facts:?}");
    let outside = i64::from(facts.outside.unwrap());
    let of_client = |one: &&Message| one.bytes == 100 || one.bytes == 20;
    let is_lone = |one: &&Message| one.src == outside || one.dst == outside;
    let lone = messages.iter().filter(of_client).filter(is_lone).count();
    let matched = messages.iter().filter(of_client).count() - lone;
    assert_eq!((matched, lone, facts.exchanges), (14, 10, 7), "{facts:?}");
}
