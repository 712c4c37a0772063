//! `fourstamp trace --merge`: two ends of connections that were recorded on two hosts. The second
//! is this machine, too, whose logs are then made those of another one: its clocks are ahead, and
//! run faster. How long each message was on its way is known from the logs as they were.

use record::{Batch, Field, NULL, Run};
use serde_json::{Value, json};
use shaped::Link;
use shaped::namespaces::{self, Namespaces};
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use streams::{KEY, SocketsFacts};

/// Requests of 300 B and answers of 50 B, for some seconds; two clients at once.
const SCRIPT: &str = "import socket, sys, threading, time
if sys.argv[1] == 'serve':
    def answer(c):
        while c.recv(1000): c.sendall(b'y' * 50)
    s = socket.create_server((sys.argv[2], 7000)); print('listens', flush=True)
    all = [threading.Thread(target=answer, args=(s.accept()[0],)) for _ in range(2)]
else:
    def ask():
        c = socket.create_connection((sys.argv[2], 7000))
        for _ in range(400): c.sendall(b'x' * 300); c.recv(100); time.sleep(0.01)
        c.close()
    all = [threading.Thread(target=ask) for _ in range(2)]
for one in all: one.start()
for one in all: one.join()
";

/// What the clocks of the other machine are ahead, ns, and how much faster they run.
struct Planted {
    counter: i64,
    monotonic: i64,
    wall: i64,
    ppm: f64,
}

impl Planted {
    fn counter(&self, ticks: i64, first: i64) -> i64 {
        ticks + self.counter + ((ticks - first) as f64 * self.ppm * 1e-6) as i64
    }

    fn monotonic(&self, ns: i64, first: i64) -> i64 {
        ns + self.monotonic + ((ns - first) as f64 * self.ppm * 1e-6) as i64
    }

    fn wall(&self, ns: i64, first: i64) -> i64 {
        ns + self.wall + ((ns - first) as f64 * self.ppm * 1e-6) as i64
    }
}

/// The first moment of a machine's three clocks: what is planted is counted from there.
#[derive(Clone, Copy)]
struct First {
    ticks: i64,
    monotonic: i64,
    wall: i64,
}

struct Machine {
    planted: Planted,
    first: First,
}

impl Machine {
    /// Make the logs in the folder those of another machine.
    fn takes(&self, run: &Path) {
        let path = run.join("run.json");
        let mut info: Value = read(&path);
        info["origin"]["boot_id"] = json!("another");
        let Planted { monotonic, wall, .. } = self.planted;
        shift(&mut info["origin"]["monotonic_raw_ns"], |ns| ns + monotonic);
        shift(&mut info["origin"]["realtime_ns"], |ns| ns + wall);
        std::fs::write(path, info.to_string()).unwrap();
        for entry in std::fs::read_dir(run.join("live")).unwrap() {
            let path = entry.unwrap().path();
            match path.extension().and_then(OsStr::to_str) {
                Some("json") => {
                    let mut sheet: Value = read(&path);
                    sheet["boot_id"] = json!("another");
                    self.clock(&mut sheet, "domain");
                    std::fs::write(path, sheet.to_string()).unwrap();
                }
                Some("log") => {
                    let text = std::fs::read_to_string(&path).unwrap();
                    let line = |line: &str| {
                        let mut domain: Value = serde_json::from_str(line).unwrap();
                        self.clock(&mut domain, "id");
                        format!("{domain}\n")
                    };
                    std::fs::write(path, text.lines().map(line).collect::<String>()).unwrap();
                }
                Some("sockets") => self.log(&path),
                _ => {}
            }
        }
    }

    fn clock(&self, of: &mut Value, name: &str) {
        let domain = of[name].as_str().unwrap().to_owned();
        let source = domain.split_once('/').unwrap().1;
        of[name] = json!(format!("another/{source}"));
        let First { ticks, monotonic, wall } = self.first;
        for anchor in of["anchors"].as_array_mut().unwrap() {
            shift(&mut anchor["ticks"], |at| self.planted.counter(at, ticks));
            shift(&mut anchor["monotonic_raw_ns"], |at| self.planted.monotonic(at, monotonic));
            shift(&mut anchor["realtime_ns"], |at| self.planted.wall(at, wall));
        }
    }

    /// The slots of a log: what each kind holds is in `streams::entry`.
    fn log(&self, path: &Path) {
        const HEAD: usize = streams::entry::HEAD_BYTES / 8;
        const STAMPED: u64 = streams::entry::flags::STAMPED as u64;
        let bytes = std::fs::read(path).unwrap();
        let word = |bytes: &[u8]| u64::from_le_bytes(bytes.try_into().unwrap());
        let mut words: Vec<u64> = bytes.chunks_exact(8).map(word).collect();
        let ticks = |at: u64| self.planted.counter(at as i64, self.first.ticks) as u64;
        for slot in words[HEAD..].chunks_exact_mut(4) {
            let kind = slot[0] & 0xf;
            if matches!(kind, 1..=4) {
                (slot[1], slot[2]) = (ticks(slot[1]), ticks(slot[2]));
            }
            if kind == 2 && slot[0] >> 4 & STAMPED != 0 {
                slot[3] = self.planted.wall(slot[3] as i64, self.first.wall) as u64;
            }
        }
        let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
        std::fs::write(path, bytes).unwrap();
    }
}

fn read(path: &Path) -> Value {
    serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap()
}

fn shift(value: &mut Value, by: impl Fn(i64) -> i64) {
    *value = json!(by(value.as_i64().unwrap()));
}

/// The first comparison of the clocks that the run holds.
fn first_of(run: &Path) -> First {
    let text = std::fs::read_to_string(run.join("live/clocks.log")).unwrap();
    let domain: Value = serde_json::from_str(text.lines().next().unwrap()).unwrap();
    let of = |name: &str| domain["anchors"][0][name].as_i64().unwrap();
    First { ticks: of("ticks"), monotonic: of("monotonic_raw_ns"), wall: of("realtime_ns") }
}

/// A message's nodes and number, and how long it was on its way, ns.
type Transit = ([i64; 3], i64);

struct Home(tempfile::TempDir);

impl Home {
    fn at(&self, path: &str) -> PathBuf {
        self.0.path().join(path)
    }

    fn fourstamp(&self, words: &[&str]) -> Output {
        let mut command = Command::new(env!("CARGO_BIN_EXE_fourstamp"));
        command.args(words).current_dir(self.0.path()).stdin(Stdio::null()).output().unwrap()
    }

    fn run(&self, name: &str) -> Run {
        Run::open(self.at(name)).unwrap()
    }

    /// The transit of each message, by its nodes and number, ns; and the clocks' error.
    fn transits(&self, name: &str) -> (Vec<Transit>, f64) {
        let run = self.run(name);
        let fields = [Field::Src, Field::Dst, Field::Seq, Field::SentNs, Field::ArrivedNs];
        let (mut batch, mut found) = (Batch::new(), Vec::new());
        for chunk in run.chunks() {
            chunk.read(&fields, &mut batch).unwrap();
            for row in 0..batch.rows() {
                let [src, dst, seq, sent, arrived] =
                    fields.map(|field| batch.column(field).at(row));
                if sent != NULL && arrived != NULL {
                    found.push(([src, dst, seq], arrived - sent));
                }
            }
        }
        found.sort_unstable();
        // Two clocks may err in opposite directions.
        (found, run.info.domains.iter().map(|domain| domain.error_ns.unwrap()).sum())
    }

    fn facts(&self, name: &str) -> SocketsFacts {
        serde_json::from_value(self.run(name).info.parameters[KEY].clone()).unwrap()
    }
}

fn boxes() -> Result<Namespaces, String> {
    let boxes = namespaces::two(|line| println!("{line}")).map_err(|error| error.to_string())?;
    boxes.join(&Link::of_rate(800_000_000)).map_err(|error| error.to_string())?;
    Ok(boxes)
}

/// The words that trace a role of the script in a box, for a shell.
fn within(boxes: &Namespaces, place: usize, (role, run): (&str, &str)) -> String {
    let command = boxes.within(place, OsStr::new(env!("CARGO_BIN_EXE_fourstamp")));
    let mut words = vec![command.get_program()];
    words.extend(command.get_args());
    let words: Vec<_> = words.iter().map(|word| word.to_str().unwrap()).collect();
    format!(
        "{} trace --logs-only --out {run} -- python3 talk.py {role} {}",
        words.join(" "),
        Namespaces::addresses()[1]
    )
}

/// Two runs of two boxes, which hold their logs.
fn recorded() -> Result<Home, String> {
    let boxes = boxes()?;
    let home = Home(tempfile::tempdir().unwrap());
    std::fs::write(home.at("talk.py"), SCRIPT).unwrap();
    let script = format!(
        "{} | while read line; do {}; done; wait",
        within(&boxes, 1, ("serve", "a")),
        within(&boxes, 0, ("ask", "b"))
    );
    let mut command = Command::new("sh");
    command.args(["-c", &script]).current_dir(home.0.path()).stdin(Stdio::null());
    let output = command.output().unwrap();
    assert!(output.status.success(), "{output:?}");
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(said.contains("fourstamp trace --merge a,RUN"), "{said}");
    Ok(home)
}

#[test]
fn what_two_hosts_recorded_is_one_run_and_transits_are_true_within_the_clocks_error() {
    let home = match recorded() {
        Ok(home) => home,
        Err(why) => return println!("skipped: no network namespaces: {why}"),
    };
    let merge = |into: &str| {
        let output = home.fourstamp(&["trace", "--merge", "a,b", "--no-report", "--out", into]);
        assert!(output.status.success(), "{output:?}");
        let facts = home.facts(into);
        assert_eq!((facts.whole_connections, facts.half_connections), (2, 0), "{facts:?}");
        assert_eq!((facts.matched, facts.exchanges), (1600, 800), "{facts:?}");
        assert_eq!((facts.bytes_matched, facts.bytes_sent), (280_000, 280_000), "{facts:?}");
        home.transits(into)
    };
    let (truth, kernels) = merge("one");
    let planted = Planted {
        counter: 7_000_000_000_123,
        monotonic: 90_000_000_000_456,
        wall: -3_210_000_789,
        ppm: 40.0,
    };
    Machine { planted, first: first_of(&home.at("b")) }.takes(&home.at("b"));
    let (found, error) = merge("two");
    assert_eq!((found.len(), truth.len()), (1600, 1600));
    assert!(error > 0.0 && error < 2_000_000.0, "{error}");
    let off = |(one, other): (&Transit, &Transit)| {
        assert_eq!(one.0, other.0);
        (one.1 - other.1).abs()
    };
    let worst = found.iter().zip(&truth).map(off).max().unwrap();
    assert!(worst as f64 <= error + kernels, "{worst} of {error} and {kernels}");
    println!("the worst transit is off by {worst} ns, within {error:.0} and {kernels:.0} ns");
    let report = home.fourstamp(&["report", "--terminal", "two"]);
    let said = String::from_utf8_lossy(&report.stdout).into_owned();
    let said = said.split_whitespace().collect::<Vec<_>>().join(" ");
    let expected = format!("stamps of the two hosts agree within {:.1} µs.", error / 1000.0);
    assert!(said.contains(&expected), "{expected}: {said}");
}

#[test]
fn runs_without_logs_and_a_single_one_are_refused() {
    let home = Home(tempfile::tempdir().unwrap());
    let ask = "import socket; a, b = socket.socketpair(); a.send(b'x'); b.recv(1)";
    for (run, more) in [("closed", "--no-report"), ("open", "--logs-only")] {
        let traced = home.fourstamp(&["trace", more, "--out", run, "--", "python3", "-c", ask]);
        assert!(traced.status.success(), "{traced:?}");
    }
    let refused = |runs: &str, why: &str| {
        let output = home.fourstamp(&["trace", "--merge", runs, "--out", "both"]);
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(2), "{said}");
        assert!(said.contains(why) && said.trim().lines().count() == 1, "{said}");
        assert!(!home.at("both").exists());
    };
    refused("open,closed", "closed is closed, and its logs are gone: record it with --logs-only");
    refused("open", "--merge takes two runs or more");
    refused("open,nothing-here", "nothing-here");
}
