//! `fourstamp trace` of programs in two network namespaces with a slow link between them: the
//! link's time is transit.

use record::Run;
use shaped::Link;
use shaped::namespaces::{self, Namespaces};
use std::ffi::OsStr;
use std::process::{Command, Stdio};
use streams::exchanges::Exchange;
use streams::{KEY, SocketsFacts};

/// Twenty messages of 20,000 B go one way, and 10 B come back each time.
const SCRIPT: &str = "import socket, sys, time
if sys.argv[1] == 'serve':
    s = socket.create_server((sys.argv[2], 7000)); print('listens', flush=True)
    c, _ = s.accept()
    for _ in range(20):
        got = 0
        while got < 20000: got += len(c.recv(1 << 16))
        c.sendall(b'y' * 10)
else:
    c = socket.create_connection((sys.argv[2], 7000)); trip = 0
    for _ in range(20):
        begun = time.monotonic_ns(); c.sendall(b'x' * 20000); c.recv(100)
        trip += time.monotonic_ns() - begun
    print('trip', trip, flush=True)
";

fn boxes() -> Result<Namespaces, String> {
    let boxes = namespaces::two(|line| println!("{line}")).map_err(|error| error.to_string())?;
    boxes.join(&Link::of_rate(8_000_000)).map_err(|error| error.to_string())?;
    Ok(boxes)
}

/// The words that run the script in a box, for a shell.
fn within(boxes: &Namespaces, place: usize, role: &str) -> String {
    let command = boxes.within(place, OsStr::new("python3"));
    let mut words = vec![command.get_program()];
    words.extend(command.get_args());
    let words: Vec<_> = words.iter().map(|word| word.to_str().unwrap()).collect();
    format!("{} link.py {role} {}", words.join(" "), Namespaces::addresses()[1])
}

#[test]
fn the_time_that_a_slow_link_takes_is_transit() {
    let boxes = match boxes() {
        Ok(boxes) => boxes,
        Err(why) => return println!("skipped: no network namespaces: {why}"),
    };
    let home = tempfile::tempdir().unwrap();
    std::fs::write(home.path().join("link.py"), SCRIPT).unwrap();
    let script = format!(
        "{} | while read line; do {}; done; wait",
        within(&boxes, 1, "serve"),
        within(&boxes, 0, "ask")
    );
    let mut command = Command::new(env!("CARGO_BIN_EXE_fourstamp"));
    command.args(["trace", "--follow", "--no-report", "--out", "run", "--", "sh", "-c", &script]);
    let output = command.current_dir(home.path()).stdin(Stdio::null()).output().unwrap();
    assert!(output.status.success(), "{output:?}");
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    let trip: i64 = said.trim().strip_prefix("trip ").expect(&said).parse().unwrap();
    assert!(trip > 20 * 15_000_000, "the link is not slow: {trip} ns for 400,000 B at 1 MB/s");
    let run = Run::open(home.path().join("run")).unwrap();
    let facts: SocketsFacts = serde_json::from_value(run.info.parameters[KEY].clone()).unwrap();
    assert_eq!((facts.whole_connections, facts.half_connections), (1, 0), "{facts:?}");
    assert_eq!((facts.bytes_sent, facts.bytes_matched), (400_200, 400_200), "{facts:?}");
    let (mut found, mut transit) = (0, 0);
    for process in &facts.processes {
        let take = |exchange: &Exchange| {
            found += 1;
            let stretches = exchange.stretches().map(Option::unwrap);
            transit += stretches[2] + stretches[7];
        };
        streams::exchanges::each(&home.path().join("run"), process.node, take).unwrap();
    }
    assert_eq!(found, 20);
    assert!((trip - transit).abs() * 20 <= trip, "{transit} of {trip}: {facts:?}");
}
