//! Rates of nodes, bursts in one call, slow receivers, what goes on beside a run, and what sending
//! again costs: each planted, and found in what the run says.

use crate::common::{fail, folder, run, text};
use std::path::Path;

/// A table or a series of a run, its rows below the heading.
fn rows(home: &Path, run_folder: &str, name: &str) -> Vec<Vec<String>> {
    let output = run(home, &format!("report {run_folder} --csv={name}"));
    assert!(output.status.success(), "{}", text(&output.stderr));
    let cells = |line: &str| line.split(',').map(str::to_string).collect();
    text(&output.stdout).lines().skip(1).map(cells).collect()
}

fn number(cell: &str) -> f64 {
    cell.parse().unwrap_or_else(|_| panic!("no number: {cell}"))
}

fn measure(home: &Path, words: &str) -> String {
    let output = run(home, words);
    assert!(output.status.success(), "{}", text(&output.stderr));
    text(&output.stdout)
}

#[test]
fn a_simulated_stream_has_the_rate_of_its_machine() {
    let home = folder();
    let words = "bench stream --on mark3 --count 300 --rate 500 --warm-up 0 --out r";
    let said = measure(home.path(), words);
    let rates = rows(home.path(), "r", "rates");
    let [row] = &rates[..] else { panic!("{rates:?}") };
    assert_eq!(row[..3], ["0", "1", "300"]);
    // 500 messages a second: 2 ms a send.
    assert!((number(&row[3]) - 2e6).abs() < 2e4, "{row:?}");
    let said = said.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(said.contains("Sustained rate: node 0: 500 messages/s, 2.00 ms a send"), "{said}");
}

#[test]
fn the_pause_of_a_burst_stands_apart_from_its_sends() {
    let home = folder();
    let common = "--gap 4ms --count 100 --messages 5 --launches 1 --warm-up 0";
    measure(home.path(), &format!("bench burst {common} --batch 5 --out r"));
    let sends = rows(home.path(), "r", "sends");
    let total = |group: &str| -> f64 {
        let of = |row: &&Vec<String>| row.iter().any(|cell| cell == group);
        sends.iter().filter(of).map(|row| number(&row[row.len() - 2])).sum()
    };
    // 20 bursts: 80 sends follow another within theirs, 19 pauses lie between them.
    assert_eq!((total("interval"), total("pauses")), (80.0, 19.0), "{sends:?}");
    let rates = rows(home.path(), "r", "rates");
    assert!(number(&rates[0][3]) < 4e6, "a mean of sends has no pause: {rates:?}");
    assert!(fail(home.path(), "bench burst --batch 6").contains("as many as a burst has"));
    let said = measure(home.path(), &format!("bench burst {common} --intervene batch --out i"));
    let said = said.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(said.contains("5 messages of a burst handed over in one call"), "{said}");
    let json = std::fs::read_to_string(home.path().join("i-changed/run.json")).expect("a run");
    assert!(json.contains("\"batch\": 5"), "{json}");
}

#[test]
fn a_slow_receiver_is_slow_by_what_it_does() {
    let home = folder();
    let words = "bench pingpong --count 50 --launches 1 --receiver-work 3ms --out r";
    measure(home.path(), words);
    let json = std::fs::read_to_string(home.path().join("r/run.json")).expect("a run");
    assert!(json.contains("\"receiver_work_ns\": 3000000"), "{json}");
    let quantiles = rows(home.path(), "r", "quantiles");
    let cycle = quantiles.iter().find(|row| row[0] == "cycle").expect("whole cycles");
    assert!(number(&cycle[2]) >= 3e6, "the fastest of all: {cycle:?}");
    let refused = fail(home.path(), "bench stream --all --nodes 3 --receiver-work 1ms");
    assert!(refused.contains("--receiver-work"), "{refused}");
}

#[test]
fn what_goes_on_beside_a_run_is_recorded_and_said() {
    let home = folder();
    let beside = "--background 1 --background-traffic 10mbit";
    let said = measure(
        home.path(),
        &format!("bench pingpong --duration 300ms --launches 1 {beside} --out r"),
    );
    let said = said.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(said.contains("1 thread kept processors busy"), "{said}");
    assert!(said.contains("Mbit/s of other traffic went over loopback TCP"), "{said}");
    let json = std::fs::read_to_string(home.path().join("r/run.json")).expect("a run");
    assert!(json.contains("\"background_traffic_bits_per_s\": 10000000"), "{json}");
    let refused = fail(home.path(), "bench pingpong --on mark3 --background 1");
    assert!(refused.contains("this machine's time"), "{refused}");
}

#[test]
fn sending_again_costs_its_sender_what_was_asked_for() {
    let home = folder();
    let words = "bench pingpong --transport udp --timer periodic --period 10ms --resend-cost 5ms \
        --count 4000 --launches 1 --warm-up 0 --out r";
    measure(home.path(), words);
    let json = std::fs::read_to_string(home.path().join("r/run.json")).expect("a run");
    assert!(json.contains("\"resend_cost_us\": 5000"), "{json}");
    // Half of the time something is unacknowledged when the period ends: some went again.
    let quantiles = rows(home.path(), "r", "quantiles");
    let cycle = quantiles.iter().find(|row| row[0] == "cycle").expect("whole cycles");
    let longest = cycle.iter().filter_map(|cell| cell.parse::<f64>().ok()).fold(0.0, f64::max);
    assert!(again(&json) > 0 && longest >= 5e6, "none took 5 ms: {cycle:?} {json}");
    assert!(fail(home.path(), "bench pingpong --resend-cost 1ms").contains("transport udp"));
}

/// Messages that nodes sent again, as a note of the run says.
fn again(json: &str) -> u64 {
    let before = json.split(" messages sent again by the timer").next().unwrap_or_default();
    let number = before.rsplit(' ').next().unwrap_or_default();
    number.parse().unwrap_or_else(|_| panic!("no count: {json}"))
}
