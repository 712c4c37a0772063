//! `fourstamp trace --frame`: messages by the protocol of a port, of real programs whose requests
//! are known.

use record::Run;
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use streams::exchanges::Exchange;
use streams::{FramingFacts, KEY, SocketsFacts};

struct Home(tempfile::TempDir);

/// What came of a run.
struct Traced {
    output: Output,
    facts: SocketsFacts,
    exchanges: Vec<Exchange>,
}

impl Home {
    fn new() -> Home {
        Home(tempfile::tempdir().unwrap())
    }

    fn run(&self) -> PathBuf {
        self.0.path().join("run")
    }

    fn trace(&self, options: &[&str], program: &[&str]) -> Output {
        let mut command = Command::new(env!("CARGO_BIN_EXE_fourstamp"));
        command.arg("trace").args(options).arg("--").args(program).current_dir(self.0.path());
        command.stdin(Stdio::null()).output().unwrap()
    }

    /// Trace a program with its child processes, by this rule of its port.
    fn framed(&self, port: u16, rule: &str, program: &[&str]) -> Traced {
        self.framed_with(&["--follow"], (port, rule), program)
    }

    fn framed_with(&self, options: &[&str], (port, rule): (u16, &str), program: &[&str]) -> Traced {
        let rule = format!("{port}={rule}");
        let options = [options, &["--out", "run", "--frame", &rule]].concat();
        let output = self.trace(&options, program);
        let run = Run::open(self.run()).unwrap_or_else(|error| panic!("{error}: {output:?}"));
        let facts: SocketsFacts = serde_json::from_value(run.info.parameters[KEY].clone()).unwrap();
        let mut exchanges = Vec::new();
        for process in &facts.processes {
            let take = |exchange: &Exchange| exchanges.push(*exchange);
            streams::exchanges::each(&self.run(), process.node, take).unwrap();
        }
        Traced { output, facts, exchanges }
    }

    /// Trace Redis while a shell does something with it, after which it is shut down; `None` where
    /// there is none.
    fn redis(&self, port: u16, does: &str) -> Option<Traced> {
        let script = format!(
            "redis-server --port {port} --save '' >/dev/null & \
            until redis-cli -p {port} ping >/dev/null 2>&1; do sleep 0.05; done; \
            {does}; redis-cli -p {port} shutdown nosave; wait"
        );
        has_redis().then(|| self.framed(port, "resp", &["sh", "-c", &script]))
    }

    /// Trace a kind of talk of the Python program.
    fn talk(&self, kind: &str, rule: &str) -> Traced {
        self.talk_with(&["--follow"], kind, rule)
    }

    fn talk_with(&self, options: &[&str], kind: &str, rule: &str) -> Traced {
        let port = free_port();
        let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/programs/frames.py");
        let words = ["python3", script.to_str().unwrap(), &port.to_string(), kind];
        self.framed_with(options, (port, rule), &words)
    }
}

impl Traced {
    fn framing(&self) -> &FramingFacts {
        assert_eq!(self.facts.framing.len(), 1, "{:?}", self.facts);
        &self.facts.framing[0]
    }

    /// What the program said behind a word: numbers, a line each.
    fn said(&self, word: &str) -> Vec<Vec<i64>> {
        let text = String::from_utf8_lossy(&self.output.stdout).into_owned();
        let lines = text.lines().filter_map(|line| line.strip_prefix(word));
        lines.map(|line| line.split_whitespace().map(|n| n.parse().unwrap()).collect()).collect()
    }

    fn report(&self) -> String {
        let text = String::from_utf8_lossy(&self.output.stderr).into_owned();
        text.split_whitespace().collect::<Vec<_>>().join(" ")
    }

    fn all_bytes_matched(&self) {
        let facts = &self.facts;
        assert_eq!(
            (facts.half_connections, facts.unmatched.doubtful_connections),
            (0, 0),
            "{facts:?}"
        );
        assert_eq!(facts.bytes_sent, facts.bytes_matched, "{facts:?}");
        assert!(facts.bytes_sent > 0, "{facts:?}");
    }
}

/// A port that nobody has now.
fn free_port() -> u16 {
    TcpListener::bind(("127.0.0.1", 0)).unwrap().local_addr().unwrap().port()
}

fn has_redis() -> bool {
    let works = |program| {
        let version = Command::new(program).arg("--version").output();
        version.is_ok_and(|output| output.status.success())
    };
    let all = ["redis-server", "redis-benchmark", "redis-cli"].into_iter().all(works);
    if !all {
        println!("skipped: redis-server and redis-tools are not installed");
    }
    all
}

#[test]
fn requests_of_redis_that_were_sent_16_at_once_are_counted_and_paired() {
    let (home, port) = (Home::new(), free_port());
    let does = format!(
        "redis-benchmark -p {port} -n 4000 -c 10 -P 16 -t get -q >/dev/null; \
        redis-cli -p {port} info commandstats"
    );
    let Some(traced) = home.redis(port, &does) else { return };
    traced.all_bytes_matched();
    let stats = String::from_utf8_lossy(&traced.output.stdout).into_owned();
    assert!(stats.contains("cmdstat_get:calls=4000,"), "{stats}");
    // *2 $3 GET $16 key:000000000000
    let gets = traced.exchanges.iter().filter(|one| one.request.bytes == 36);
    assert_eq!(gets.count(), 4000);
    let framing = traced.framing();
    assert_eq!((framing.by_call, framing.aside, framing.out_of_order), (0, 0, 0), "{framing:?}");
    assert!(framing.stopped.is_empty(), "{framing:?}");
    // Redis ends before it answers SHUTDOWN.
    assert_eq!(traced.facts.outside_exchanges, 1, "{:?}", traced.facts);
    assert_eq!(framing.exchanges * 2 + 1, framing.messages, "{framing:?}");
    for exchange in &traced.exchanges {
        assert_eq!((exchange.request.messages, exchange.answer.messages), (1, 1));
        let whole: i64 = exchange.stretches().iter().flatten().sum();
        assert_eq!(Some(whole), exchange.whole());
        assert!(exchange.request.taken_ns <= exchange.answer.ready_ns, "{exchange:?}");
    }
    let report = traced.report();
    assert!(report.contains(&format!("to port {port}, resp found")), "{report}");
    assert!(report.contains("the n-th request belongs to the n-th answer"), "{report}");
}

#[test]
fn what_redis_sends_unasked_is_not_paired() {
    let (home, port) = (Home::new(), free_port());
    let does = format!(
        "(echo PING; echo SUBSCRIBE news; sleep 1) | redis-cli -p {port} >/dev/null & \
        (echo SUBSCRIBE news; sleep 1) | redis-cli -p {port} >/dev/null & \
        sleep 0.5; redis-cli -p {port} publish news hello; sleep 1"
    );
    let Some(traced) = home.redis(port, &does) else { return };
    traced.all_bytes_matched();
    let framing = traced.framing();
    assert_eq!(framing.out_of_order, 2, "{framing:?}");
    let of_turns = traced.facts.exchanges - framing.exchanges;
    assert_eq!(of_turns, 0, "a subscription alone is not answered by what comes of it");
    assert!(traced.report().contains("SUBSCRIBE or MONITOR"), "{}", traced.report());
}

#[test]
fn answers_over_http_have_their_requests_and_the_time_that_each_took() {
    let traced = Home::new().talk("http", "http");
    assert!(traced.output.status.success(), "{:?}", traced.output);
    traced.all_bytes_matched();
    let (services, framing) = (traced.said("service"), traced.framing());
    assert_eq!((services.len(), traced.exchanges.len()), (17, 17), "{framing:?}");
    assert_eq!((framing.messages, framing.by_call), (34, 0), "{framing:?}");
    for (exchange, said) in traced.exchanges.iter().zip(&services) {
        assert_eq!(exchange.answer.bytes, said[0], "{exchange:?}");
    }
    // One after another: the service is what the server says, and a little more.
    let mut more = 0;
    for (exchange, said) in traced.exchanges.iter().zip(&services).take(12) {
        let service = exchange.stretches()[4].unwrap();
        assert!(service >= said[1], "{service}: {said:?}");
        more += service - said[1];
    }
    assert!(more < 100_000_000, "{more}");
    // Five at once, of which the third is slow: those before it do not wait for it.
    let wholes: Vec<i64> = traced.exchanges[12..].iter().map(|one| one.whole().unwrap()).collect();
    assert!(wholes[1] < 40_000_000 && wholes[2] > 55_000_000, "{wholes:?}");
    assert!(wholes[3] > 55_000_000 && wholes[4] > 55_000_000, "{wholes:?}");
    let readies: Vec<i64> = traced.exchanges[12..].iter().map(|one| one.request.ready_ns).collect();
    assert!(readies.iter().all(|ready| *ready == readies[0]), "one call wrote all: {readies:?}");
}

#[test]
fn messages_with_a_count_are_whole_however_they_were_written() {
    let traced = Home::new().talk("length", "length:4be");
    assert!(traced.output.status.success(), "{:?}", traced.output);
    traced.all_bytes_matched();
    let (said, framing) = (traced.said("exchange"), traced.framing());
    assert_eq!((framing.messages, framing.by_call, framing.exchanges), (14, 0, 7), "{framing:?}");
    assert_eq!((said.len(), traced.exchanges.len()), (7, 7));
    for (exchange, said) in traced.exchanges.iter().zip(&said) {
        assert_eq!((exchange.request.bytes, exchange.answer.bytes), (said[0], said[1]));
        let service = exchange.stretches()[4].unwrap();
        assert!(service >= said[2], "{service}: {said:?}");
    }
    let report = traced.report();
    assert!(report.contains("the time between them is part of its send wait"), "{report}");
    assert!(report.contains("the n-th request is taken to belong to the n-th answer"), "{report}");
    let slow = traced.exchanges[5].stretches();
    assert!(slow[0] > Some(0), "it was written in two calls: {slow:?}");
    let (slow, next) = (&traced.exchanges[5].request, &traced.exchanges[6].request);
    assert!(slow.ready_ns < slow.sent_ns && slow.sent_ns == next.sent_ns, "{slow:?} {next:?}");
}

#[test]
fn a_wrong_rule_is_said_and_nothing_is_lost() {
    let traced = Home::new().talk("binary", "lines");
    assert!(traced.output.status.success(), "{:?}", traced.output);
    traced.all_bytes_matched();
    let framing = traced.framing();
    assert_eq!((framing.messages, framing.by_call), (0, 60), "{framing:?}");
    assert_eq!(framing.stopped.get("not-this"), Some(&2), "{framing:?}");
    // What an end wrote after it had read all is a request, as without a rule.
    assert_eq!((traced.exchanges.len(), framing.exchanges), (30, 0));
    let report = traced.report();
    assert!(
        report.contains("lines ended in 2 directions of connections: its bytes do"),
        "{report}"
    );
}

#[test]
fn what_a_killed_process_wrote_is_framed_and_what_it_began_is_there() {
    let traced = Home::new().talk("killed", "lines");
    traced.all_bytes_matched();
    let framing = traced.framing();
    assert_eq!((framing.messages, framing.by_call), (4000, 1), "{framing:?}");
    assert_eq!((framing.exchanges, traced.exchanges.len()), (2000, 2000), "{framing:?}");
    let report = traced.report();
    assert!(report.contains("of 1 message the end was not found"), "{report}");
}

/// The server alone is traced: what it cannot see, the other end does not make up for.
#[test]
fn answers_that_a_server_does_not_show_are_passed_or_end_the_framing_with_the_reason() {
    let traced = Home::new().talk_with(&[], "answers", "http");
    assert!(traced.output.status.success(), "{:?}", traced.output);
    let framing = traced.framing();
    let stopped: Vec<(&str, u64)> =
        framing.stopped.iter().map(|(key, count)| (key.as_str(), *count)).collect();
    let expected = [("at-once", 1), ("not-this", 2), ("to-the-end", 1), ("unseen", 1)];
    assert_eq!(stopped, expected, "{framing:?}");
    // Four requests, the answer that ends with its connection, and the file of a known length.
    assert_eq!((framing.connections, framing.messages, framing.exchanges), (5, 6, 2));
    let answers: Vec<i64> = traced.exchanges.iter().map(|one| one.answer.bytes).collect();
    assert_eq!(answers[..2], [19 + 6, 19 + 24 + 100_000]);
    assert!(traced.report().contains("sendfile, splice or MSG_TRUNC"), "{}", traced.report());
}

#[test]
fn a_rule_that_is_none_is_refused_with_what_is_one() {
    let home = Home::new();
    for (rule, why) in [("7000", "PORT=RULE"), ("0=http", "is no port"), ("80=smtp", "give resp")] {
        let output = home.trace(&["--frame", rule], &["true"]);
        let error = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(2), "{error}");
        assert!(error.contains(why), "{rule}: {error}");
    }
    let output = home.trace(&["--frame", "80=http,80=resp"], &["true"]);
    let error = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(2), "{error}");
    assert!(error.contains("two rules"), "{error}");
}

/// Who began the run is killed, so that whoever reads it first closes it by what run.json says.
#[test]
fn rules_of_a_run_that_are_none_are_said_and_refused_to_who_joins() {
    let home = Home::new();
    let (port, fourstamp) = (free_port(), env!("CARGO_BIN_EXE_fourstamp"));
    let frames = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/programs/frames.py");
    let script = format!(
        "sed -i 's/=length:4be/=verse/' run/run.json; '{fourstamp}' trace --join run -- true; \
        echo joined $?; python3 '{}' {port} length; kill -9 $PPID",
        frames.display()
    );
    let rule = format!("{port}=length:4be");
    let options = ["--follow", "--out", "run", "--frame", &rule];
    let output = home.trace(&options, &["sh", "-c", &script]);
    let (said, error) = (String::from_utf8_lossy(&output.stdout), &output.stderr);
    assert!(said.starts_with("joined 2\n"), "{output:?}");
    let refused = "fourstamp: cannot use the rules of ports (parameters.frames) in run/run.json: \
        \"verse\" is no rule; give resp,";
    assert!(String::from_utf8_lossy(error).starts_with(refused), "{output:?}");
    let mut report = Command::new(fourstamp);
    let report = report.args(["report", "--terminal", "run"]).current_dir(home.0.path());
    let shown = String::from_utf8_lossy(&report.output().unwrap().stdout).into_owned();
    let shown = shown.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(shown.contains("were not used: \"verse\" is no rule"), "{shown}");
    assert!(shown.contains("100 % of the bytes"), "{shown}");
}
