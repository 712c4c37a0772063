//! `fourstamp mpi study` as a user runs it: one box always, two where this machine lets us make
//! network namespaces.

use crate::common::{fail, folder, fourstamp, run, text};
use record::{Run, State};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

const QUICK: &str = "mpi study --quick --trials 2 --count 50 --integers 400 --transport tcp";

/// Whether namespaces can be made; else says why not.
fn namespaces() -> bool {
    let probe = format!("fourstamp-probe-{}", std::process::id());
    let ip = |words: &[&str]| Command::new("ip").args(words).stderr(Stdio::null()).status();
    let made = ip(&["netns", "add", &probe]).is_ok_and(|status| status.success());
    let words = [
        "-n", &probe, "qdisc", "add", "dev", "lo", "root", "tbf", "rate", "1mbit", "burst", "1600",
    ];
    let shape =
        || Command::new("tc").args(words).args(["limit", "16000"]).stderr(Stdio::null()).status();
    let shaped = made && shape().is_ok_and(|status| status.success());
    let _ = ip(&["netns", "del", &probe]);
    if !shaped {
        println!("skipped: network namespaces need root, ip and tc with tbf");
    }
    shaped
}

/// Namespaces, and folders for mpirun, of the study that the process of this number runs or ran.
fn made_by(pid: u32) -> Vec<String> {
    let places = [std::path::PathBuf::from("/run/netns"), std::env::temp_dir()];
    let entries = places.iter().flat_map(std::fs::read_dir).flatten();
    let names = entries.filter_map(|entry| entry.ok()?.file_name().into_string().ok());
    names.filter(|name| name.starts_with(&format!("fourstamp-study-{pid}-"))).collect()
}

fn wait_until(what: &str, mut there: impl FnMut() -> bool) {
    let begun = Instant::now();
    while !there() {
        assert!(begun.elapsed() < Duration::from_secs(60), "{what}");
        std::thread::sleep(Duration::from_millis(20));
    }
}

/// The lines of a table in the study's folder, without its head.
fn lines(file: &Path) -> Vec<String> {
    let text = std::fs::read_to_string(file).expect("a table");
    text.lines().skip(1).map(str::to_string).collect()
}

/// Least, average and largest of each trial of these boxes, ns.
fn trials(study: &Path, boxes: &str) -> Vec<[f64; 3]> {
    let of_these = |line: &String| {
        let cells: Vec<&str> = line.split(',').collect();
        let number = |at: usize| cells[at].parse::<f64>().expect("a number");
        (cells[1] == boxes).then(|| [number(5), number(7), number(6)])
    };
    lines(&study.join("table.csv")).iter().filter_map(of_these).collect()
}

fn check_boxes(study: &Path, boxes: &str) {
    let trials = trials(study, boxes);
    assert_eq!(trials.len(), 2, "{boxes}");
    assert!(
        trials.iter().all(|[min, mean, max]| 0.0 < *min && min <= mean && mean <= max),
        "{trials:?}"
    );
    let folder = boxes.replace(' ', "-");
    for (name, cycles) in [("1", Some(50)), ("2", Some(50)), ("sweep", None)] {
        let run = Run::open(study.join(format!("{folder}-{name}"))).expect("a run");
        assert_eq!(run.info.state, State::Closed);
        // A round trip is two messages and a cycle.
        assert!(cycles.is_none_or(|cycles| run.info.rows() == 3 * cycles), "{}", run.info.rows());
    }
    let sizes = lines(&study.join("sizes.csv"));
    assert!(
        sizes.iter().any(|line| line.starts_with(&format!("{boxes},1600,"))),
        "400 integers: {sizes:?}"
    );
}

#[test]
fn one_box_and_two_are_measured_and_nothing_is_left() {
    let home = folder();
    let command = fourstamp(home.path(), &format!("{QUICK} --rate 5mbit --out study"))
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the command starts");
    let pid = command.id();
    let output = command.wait_with_output().expect("it ends");
    let (out, err) = (text(&output.stdout), text(&output.stderr));
    assert_eq!(output.status.code(), Some(0), "{out}\n{err}");
    let study = home.path().join("study");
    check_boxes(&study, "one box");
    assert!(out.contains("over TCP") && study.join("report.html").exists(), "{out}");
    assert_eq!(made_by(pid), Vec::<String>::new());
    if !namespaces() {
        assert!(out.contains("two boxes"), "{err}");
        return;
    }
    check_boxes(&study, "two boxes");
    let said = out.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(said.contains("× as long") && said.contains("5 Mbit/s"), "{out}");
    // 1,600 bytes are 2.6 ms of this link each way, but for what the shaper lets pass at once after
    // a pause: a busy machine makes pauses.
    let sizes = lines(&study.join("sizes.csv"));
    let line = sizes.iter().find(|line| line.starts_with("two boxes,1600,")).expect("measured");
    let median_ns =
        line.split(',').nth(4).and_then(|cell| cell.parse::<u64>().ok()).expect("a number");
    assert!(median_ns > 400_000, "the link is slow: {median_ns}");
}

#[test]
fn messages_go_over_mpi_where_that_is_installed() {
    let Ok(version) = Command::new("mpirun").arg("--version").output() else {
        println!("skipped: mpirun is not installed");
        return;
    };
    if !text(&version.stdout).contains("Open MPI") {
        println!("skipped: MPICH sees that two namespaces are one machine");
        return;
    }
    let home = folder();
    let arguments = "mpi study --quick --trials 2 --count 500 --integers 400 --out study";
    let mut command = fourstamp(home.path(), arguments);
    crate::common::for_open_mpi(&mut command);
    let output = command.output().expect("the command starts");
    let (out, err) = (text(&output.stdout), text(&output.stderr));
    assert_eq!(output.status.code(), Some(0), "{out}\n{err}");
    let study = home.path().join("study");
    assert_eq!(trials(&study, "one box").len(), 2);
    if namespaces() {
        assert_eq!(trials(&study, "two boxes").len(), 2);
        let run = Run::open(study.join("two-boxes-1")).expect("a run");
        assert_eq!(run.info.transport, "mpi");
    }
}

#[test]
fn packets_of_a_simulated_machine_are_those_of_its_file() {
    let home = folder();
    let said = run(home.path(), "mpi study packets --on gigabit-2017 --integers 1600 --out study");
    assert!(said.status.success(), "{}", text(&said.stderr));
    let packets = lines(&home.path().join("study/packets.csv"));
    let [row] = &packets[..] else { panic!("{packets:?}") };
    let cells: Vec<f64> = row.split(',').skip(2).map(|cell| cell.parse().unwrap()).collect();
    let [steps, _, low, high, ..] = cells[..] else { panic!("{row}") };
    // The file's packets hold 1,460 bytes.
    assert!(steps == 4.0 && (low..=high).contains(&1460.0) && high - low < 8.0, "{row}");
    let page = std::fs::read_to_string(home.path().join("study/report.html")).expect("a page");
    assert!(page.contains("Round trip against size, by trial"));
    // Every size, of which there are more than groups in a report.
    let words = "mpi study packets --on gigabit-2017 --integers 1600 --every 1 --count 10 --out e";
    let said = run(home.path(), words);
    assert!(said.status.success(), "{}", text(&said.stderr));
    assert_eq!(lines(&home.path().join("e/sizes.csv")).len(), 1600);
    let packets = lines(&home.path().join("e/packets.csv"));
    assert!(packets.len() == 1 && packets[0].starts_with("two boxes,1,4,1460"), "{packets:?}");
    assert!(!home.path().join("study/table.csv").exists(), "there were no trials");
}

#[test]
fn every_size_is_measured_in_every_trial() {
    let home = folder();
    let words = "mpi study packets --every 3 --integers 30 --count 20 --trials 2 --transport tcp";
    let said = run(home.path(), &format!("{words} --out study"));
    assert!(said.status.success(), "{}", text(&said.stderr));
    for trial in ["1", "2"] {
        let bytes: Vec<String> = lines(&home.path().join("study/sizes.csv"))
            .iter()
            .map(|line| line.split(',').map(str::to_string).collect::<Vec<_>>())
            .filter(|cells| cells[0] == "one box" && cells[7] == trial)
            .map(|cells| cells[1].clone())
            .collect();
        let wanted: Vec<String> = (1..=10).map(|step| (12 * step).to_string()).collect();
        assert_eq!(bytes, wanted, "trial {trial}");
    }
}

#[test]
fn without_an_mpi_library_the_remedy_is_said() {
    let home = folder();
    let output = fourstamp(home.path(), "mpi study pingpong --out study")
        .env("PATH", home.path())
        .output()
        .expect("the command starts");
    let err = text(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{err}");
    assert!(err.contains("openmpi-bin") && err.contains("--transport tcp"), "{err}");
}

#[test]
fn a_study_that_is_told_to_end_leaves_nothing() {
    if !namespaces() {
        return;
    }
    let home = folder();
    let mut study =
        fourstamp(home.path(), "mpi study --trials 1000 --count 2000 --transport tcp --out study")
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .expect("the command starts");
    let pid = study.id();
    wait_until("two namespaces", || made_by(pid).len() == 3);
    wait_until("a measurement in them", || home.path().join("study/two-boxes-1").exists());
    let told = Command::new("kill").args(["-TERM", &pid.to_string()]).status();
    assert!(told.is_ok_and(|status| status.success()));
    let status = study.wait().expect("it ends");
    assert_eq!(status.code(), Some(143), "what there is is shown, and the code says what ended it");
    assert_eq!(made_by(pid), Vec::<String>::new());
}

#[test]
fn what_a_killed_study_leaves_the_next_removes() {
    if !namespaces() {
        return;
    }
    let home = folder();
    let mut killed =
        fourstamp(home.path(), "mpi study --trials 1000 --count 50 --transport tcp --out killed")
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .expect("the command starts");
    let pid = killed.id();
    wait_until("two namespaces", || made_by(pid).len() == 3);
    killed.kill().expect("it can be killed");
    killed.wait().expect("it is gone");
    // A study of another test may be the next.
    let output = run(home.path(), &format!("{QUICK} --out next"));
    assert!(output.status.success(), "{}", text(&output.stderr));
    assert_eq!(made_by(pid), Vec::<String>::new());
}

#[test]
fn bad_input_is_one_line() {
    let home = folder();
    let err = fail(home.path(), "mpi study --hosts a,b,c");
    assert!(err.contains("--hosts a,b") && err.lines().count() == 1, "{err}");
    assert!(fail(home.path(), "mpi study --rate fast").contains("100mbit"));
    let err = fail(home.path(), "mpi study --csv=speed");
    assert!(err.contains("choose from: trials, sizes, knees, packets, medians"), "{err}");
    assert!(
        fail(home.path(), "mpi study --hosts a,b --rate 1gbit").contains("cannot be used with")
    );
    assert!(fail(home.path(), "mpi study pingpong --every 1").contains("give packets"));
    assert!(fail(home.path(), "mpi study --integers 5 --every 6").contains("above --integers"));
    assert!(fail(home.path(), "mpi study --on nowhere").contains("gigabit-2017"));
    std::fs::write(home.path().join("taken"), "").expect("a file");
    let err = fail(home.path(), "mpi study --quick --transport tcp --out taken");
    let said: Vec<&str> = err.lines().filter(|line| line.starts_with("fourstamp: ")).collect();
    assert!(said.len() == 1 && said[0].contains("choose another --out"), "{err}");
}
