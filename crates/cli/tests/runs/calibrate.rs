//! A machine made of recorded runs: what was planted (a machine in simulated time) comes back, its
//! round trips are those that were measured, and what cannot be is told in a line.

use crate::common::{fail, folder, succeed};
use fabric::{Machine, parse_machine};
use std::path::Path;

/// A sweep, and streams of two sizes, on a shipped machine.
fn record(home: &Path, machine: &str) {
    for (workload, out) in [
        ("sweep --largest 16K --count 20", "sweep"),
        ("stream --count 2000", "stream"),
        ("stream --size 8000 --count 1000", "stream-8000"),
    ] {
        succeed(home, &format!("bench {workload} --on {machine} --out {out}"));
    }
}

fn read(home: &Path, file: &str) -> Machine {
    let text = std::fs::read_to_string(home.join(file)).expect("the file is there");
    parse_machine(file, &text).expect("it can be read")
}

/// The truth lies within the interval, and that is narrow.
fn is(machine: &Machine, name: &str, bytes: u64, truth: f64) {
    let constant = machine.constants[name].at(bytes);
    let [least, most] = constant.range.expect("a measured figure has its interval");
    assert!((least..=most).contains(&truth), "{name}: {truth} in {constant:?}");
    assert!(most - least <= 0.02 * truth, "{name}: {constant:?}");
}

/// Each figure of a check, simulated / measured.
fn ratios(home: &Path, command: &str) -> Vec<(String, f64)> {
    let checked = succeed(home, &format!("{command} --csv"));
    let rows = checked.lines().skip(1).filter_map(|line| {
        let cells: Vec<&str> = line.split('"').collect();
        let (figure, rest) = match cells[..] {
            [run, figure, rest] => (format!("{run}{figure}"), rest),
            _ => return None,
        };
        Some((figure, rest.split(',').nth(3)?.parse().ok()?))
    });
    rows.collect()
}

#[test]
fn a_switched_ethernet_with_packets_comes_back() {
    let home = folder();
    record(home.path(), "gigabit-2017");
    succeed(home.path(), "machine calibrate sweep stream stream-8000 --out made.toml");
    let made = read(home.path(), "made.toml");
    is(&made, "processor.send", 8, 3_000.0);
    is(&made, "processor.copy", 8, 5e9);
    is(&made, "processor.interrupt", 8, 2_000.0);
    is(&made, "network.latency", 8, 19_000.0);
    is(&made, "network.bandwidth", 8, 125e6);
    is(&made, "network.packet", 8, 1460.0);
    let header = &made.constants["network.header"];
    assert!((header.value - 78.0).abs() < 1.0, "{header:?}");
    is(&made, "processor.receive", 8, 3_000.0);
    assert_eq!(made.value("processor.wake"), 0.0);
}

#[test]
fn a_network_that_handles_one_message_at_a_time_comes_back() {
    let home = folder();
    record(home.path(), "myrinet");
    succeed(home.path(), "machine calibrate sweep stream stream-8000 --out made.toml");
    let made = read(home.path(), "made.toml");
    is(&made, "processor.send", 8, 8_000.0);
    is(&made, "processor.receive", 8, 8_000.0);
    is(&made, "network.latency", 8, 7_000.0);
    is(&made, "network.handler", 8, 9_000.0);
    is(&made, "network.bandwidth", 8, 132e6);
}

#[test]
fn a_shaped_link_comes_back() {
    let home = folder();
    let file = "name = \"shaped\"\nnodes = 2\ntopology = \"mesh\"\n[processor]\nsend = \"2us\"\n\
        receive = \"2us\"\n[network]\nlatency = \"5us\"\nbandwidth = \"10MB/s\"\n\
        header = \"66B\"\nburst = \"8000B\"\n";
    std::fs::write(home.path().join("shaped.toml"), file).unwrap();
    for (workload, out) in
        [("sweep --count 20", "sweep"), ("stream --size 4000 --count 2000", "stream")]
    {
        succeed(home.path(), &format!("bench {workload} --on shaped.toml --out {out}"));
    }
    succeed(home.path(), "machine calibrate sweep stream --out made.toml");
    let made = read(home.path(), "made.toml");
    for (name, truth) in [("network.burst", 8000.0), ("network.bandwidth", 10e6)] {
        let value = made.value(name);
        assert!((value / truth - 1.0).abs() < 0.03, "{name}: {truth} is {value}");
    }
    // What it was not made of: both directions at once, and another size.
    for workload in ["stream --size 1000 --count 2000", "pingpong --size 30000 --count 100"] {
        let end = |machine: &str| {
            let out = format!("{}-{machine}", workload.split(' ').next().unwrap());
            succeed(home.path(), &format!("bench {workload} --on {machine} --out {out}"));
            succeed(home.path(), &format!("predict {out} --on {machine} --csv=completion"))
        };
        let seconds = |table: String| -> f64 {
            table.lines().nth(1).unwrap().rsplit(',').nth(4).unwrap().parse().unwrap()
        };
        let (truth, found) = (seconds(end("shaped.toml")), seconds(end("made.toml")));
        assert!((found / truth - 1.0).abs() < 0.03, "{workload}: {found} for {truth}");
    }
}

#[test]
fn runs_that_it_was_not_made_of_are_simulated_right_and_leave_nothing_behind() {
    let home = folder();
    record(home.path(), "gigabit-2017");
    for (workload, out) in [
        ("pingpong --size 5000 --count 200", "pingpong"),
        ("relay --size 300 --count 200", "relay"),
    ] {
        succeed(home.path(), &format!("bench {workload} --on gigabit-2017 --out {out}"));
    }
    succeed(home.path(), "machine calibrate sweep stream --out made.toml");
    let before: Vec<_> = std::fs::read_dir(home.path()).unwrap().collect();
    let trips = |checked: &[(String, f64)]| -> Vec<(String, f64)> {
        checked.iter().filter(|row| row.0.contains("round trip")).cloned().collect()
    };
    let checked = ratios(home.path(), "machine check made.toml pingpong relay sweep");
    let trips = trips(&checked);
    assert!(trips.len() > 20, "{checked:?}");
    for (name, ratio) in &trips {
        assert!((ratio - 1.0).abs() < 0.005, "{name}: {ratio}");
    }
    let marked = |run: &str| {
        let of = trips.iter().find(|row| row.0.starts_with(run)).map(|row| row.0.clone());
        of.expect("its row").contains("made of it")
    };
    assert_eq!([marked("pingpong"), marked("relay"), marked("sweep")], [false, false, true]);
    let after = std::fs::read_dir(home.path()).unwrap().count();
    assert_eq!(before.len(), after, "what was simulated is gone");
}

#[test]
fn a_machine_of_this_host_has_its_round_trips() {
    let home = folder();
    let command = "bench sweep --transport tcp --receive blocking --largest 8K --count 30";
    succeed(home.path(), &format!("{command} --repeats 2 --refine 4 --out sweep"));
    let printed = succeed(home.path(), "machine calibrate sweep --name here");
    let made = parse_machine("printed", &printed).expect("what is printed is a file");
    assert_eq!(made.name, "here");
    assert!(printed.contains("no run sends one message after another"), "{printed}");
    std::fs::write(home.path().join("here.toml"), printed).unwrap();
    let trips = ratios(home.path(), "machine check here.toml sweep");
    let mut ratios: Vec<f64> = trips.iter().map(|row| row.1).collect();
    ratios.sort_unstable_by(f64::total_cmp);
    // The machine is shared: sizes differ by chance, the middle one does not.
    let middle = ratios[ratios.len() / 2];
    assert!((0.8..1.25).contains(&middle), "{trips:?}");
}

#[test]
fn one_size_leaves_latency_and_bandwidth_together() {
    let home = folder();
    succeed(home.path(), "bench pingpong --on gigabit-2017 --count 200 --out one");
    let printed = succeed(home.path(), "machine calibrate one");
    assert!(printed.contains("round trips have 8 bytes only"), "{printed}");
    assert!(printed.contains("`fourstamp bench sweep` would tell"), "{printed}");
    parse_machine("printed", &printed).expect("it can be read");
}

#[test]
fn what_cannot_be_is_told_in_a_line() {
    let home = folder();
    for command in [
        "bench pingpong --on gigabit-2017 --count 50 --out trips",
        "bench stream --on gigabit-2017 --count 200 --out stream",
        "bench stream --on gigabit-2017 --rate 1000 --count 50 --out rate",
        "bench pingpong --transport tcp --count 100 --launches 1 --out tcp",
        "bench stream --transport tcp --no-record --count 100 --launches 1 --out bare",
        "warp phold --on mark3 --nodes 2 --cutoff 3 --out warp",
    ] {
        succeed(home.path(), command);
    }
    std::fs::write(home.path().join("there.toml"), "mine").unwrap();
    for (command, said) in [
        ("machine calibrate stream", "no run has round trips"),
        ("machine calibrate warp", "is a run of 'phold'"),
        ("machine calibrate rate", "recorded with --rate"),
        ("machine calibrate trips tcp", "differ in their transport: 'machine' and 'tcp'"),
        ("machine calibrate bare", "without --no-record"),
        ("machine calibrate none", "none"),
        ("machine calibrate trips --out there.toml", "there.toml exists"),
        ("machine calibrate trips --out no/such/x.toml", "cannot write"),
        ("machine check gigabit-2017 warp", "only runs of `fourstamp bench`"),
        ("machine check none.toml trips", "cannot read none.toml"),
    ] {
        let error = fail(home.path(), command);
        assert!(error.contains(said), "{command}: {error}");
    }
    let kept = std::fs::read_to_string(home.path().join("there.toml")).unwrap();
    assert_eq!(kept, "mine");
}
