//! `fourstamp predict` of programs that were traced at their sockets: on another network, of which
//! it is known what they would take there.

use crate::followed::followed;
use std::path::Path;
use std::process::{Command, Output};

/// What a server takes for a request, ms.
const SERVICE: f64 = 3.0;
/// What a thread may take to wake up, and the interpreter to go on, ms.
const MORE: f64 = 2.5;

/// A network of so many ms one way.
fn wire(home: &Path, latency_ms: u32) {
    let text = format!(
        "name = \"a wire of {latency_ms} ms\"\nnodes = 8\ntopology = \"switch\"\n[processor]\n\
         send = \"1us\"\nreceive = \"1us\"\n[network]\nlatency = \"{latency_ms}ms\"\n\
         bandwidth = \"1GB/s\"\n"
    );
    std::fs::write(home.join(format!("{latency_ms}.toml")), text).unwrap();
}

/// Trace servers and a client, each by what it is told.
fn traced(home: &Path, servers: &[&str], clients: &[&str]) {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/programs/serving.py");
    let program = |line: &&str| format!("python3 {} {line}", script.display());
    let mut lines: Vec<String> = servers.iter().map(|line| program(line) + " &").collect();
    lines.extend(clients.iter().map(program));
    lines.push("wait".into());
    followed(home, &["sh", "-c", &lines.join("\n")]);
}

fn predict(home: &Path, arguments: &str) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_fourstamp"));
    command.current_dir(home).args(["predict", "run"]).args(arguments.split_whitespace());
    command.output().unwrap()
}

/// A column of a table that is predicted.
fn column(home: &Path, on: &str, table: &str, name: &str) -> Vec<String> {
    let output = predict(home, &format!("{on} --csv={table}"));
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(output.status.success(), "{text}\n{}", String::from_utf8_lossy(&output.stderr));
    let mut rows = csv::Reader::from_reader(text.as_bytes());
    let at = rows.headers().unwrap().iter().position(|known| known.starts_with(name)).unwrap();
    rows.records().map(|row| row.unwrap()[at].to_owned()).collect()
}

/// What half of the exchanges of the client take at most there, ms: those of the first pair.
fn half_ms(home: &Path, on: &str) -> f64 {
    column(home, on, "exchanges", "target")[0].parse::<f64>().unwrap() / 1e6
}

/// The time from the first thing to the last there, ms.
fn completion_ms(home: &Path, on: &str) -> f64 {
    column(home, on, "completion", "predicted")[1].parse::<f64>().unwrap() * 1e3
}

fn assert_within(found: f64, [least, most]: [f64; 2], what: &str) {
    assert!((least..=most).contains(&found), "{what}: {found} ms, not {least} to {most}");
}

#[test]
fn a_request_and_its_answer_cross_the_other_network_once_each() {
    for how in ["threads", "loop", "pool"] {
        let home = tempfile::tempdir().unwrap();
        wire(home.path(), 20);
        let serve = format!("serve {how} . one {SERVICE}");
        traced(home.path(), &[&serve], &["ask keep . one 40", "end x . one"]);
        let half = half_ms(home.path(), "--on 20.toml");
        assert_within(half, [40.0 + SERVICE, 40.0 + SERVICE + MORE], how);
        // Two ways for the connection, and the next client begins when this one has ended.
        let all = completion_ms(home.path(), "--on 20.toml");
        assert_within(all, [40.0 * (40.0 + SERVICE), 40.0 * (40.0 + SERVICE + MORE) + 400.0], how);
    }
}

#[test]
fn clients_queue_at_a_server_that_is_busy_and_not_at_one_that_is_far() {
    let home = tempfile::tempdir().unwrap();
    wire(home.path(), 20);
    wire(home.path(), 1);
    let serve = format!("serve loop . one {SERVICE}");
    traced(home.path(), &[&serve], &["ask keep . one 30 6", "end x . one"]);
    // Six clients and 3 ms for each; then 20 ms there and back, in which all six are served.
    let half = half_ms(home.path(), "--on 1.toml");
    assert_within(half, [6.0 * SERVICE - 0.5, 6.0 * (SERVICE + MORE)], "near");
    let half = half_ms(home.path(), "--on 20.toml");
    assert_within(half, [40.0 + SERVICE, 40.0 + 6.0 * (SERVICE + MORE)], "far");
}

#[test]
fn a_connection_for_each_request_costs_two_ways_more() {
    let home = tempfile::tempdir().unwrap();
    wire(home.path(), 20);
    let serve = format!("serve threads . one {SERVICE}");
    traced(home.path(), &[&serve], &["ask each . one 20", "end x . one"]);
    let half = half_ms(home.path(), "--on 20.toml");
    assert_within(half, [40.0 + SERVICE, 40.0 + SERVICE + MORE], "an exchange");
    let all = completion_ms(home.path(), "--on 20.toml");
    let each = 80.0 + SERVICE;
    assert_within(all, [20.0 * each, 20.0 * (each + 2.0 * MORE) + 400.0], "all");
}

#[test]
fn what_a_proxy_asks_crosses_the_network_too_unless_it_is_on_the_same_host() {
    let home = tempfile::tempdir().unwrap();
    wire(home.path(), 20);
    let servers = [format!("serve loop . one {SERVICE}"), "serve proxy . two 1 one".into()];
    let servers: Vec<&str> = servers.iter().map(String::as_str).collect();
    let clients = ["ask keep . two 30 3", "end x . two", "end x . one"];
    traced(home.path(), &servers, &clients);
    let node = |name: &str| -> String {
        let port = std::fs::read_to_string(home.path().join(name)).unwrap();
        let info = std::fs::read(home.path().join("run/run.json")).unwrap();
        let info: serde_json::Value = serde_json::from_slice(&info).unwrap();
        let processes = info["parameters"]["sockets"]["processes"].as_array().unwrap().clone();
        let serves = |process: &&serde_json::Value| {
            process["name"].as_str().unwrap().ends_with(&format!(":{port}"))
        };
        processes.iter().find(serves).unwrap()["node"].to_string()
    };
    let (server, proxy) = (node("one"), node("two"));
    let text = std::fs::read_to_string(home.path().join("20.toml")).unwrap();
    std::fs::write(home.path().join("few.toml"), text.replace("nodes = 8", "nodes = 2")).unwrap();
    let asks = |on: &str| -> f64 {
        let pairs =
            ["who", "whom", "target"].map(|name| column(home.path(), on, "exchanges", name));
        let is_client = |at: &usize| {
            pairs[1][*at].ends_with(&format!("({proxy})")) && pairs[2][*at] != pairs[0][*at]
        };
        let at = (0..pairs[0].len()).find(is_client).unwrap();
        pairs[2][at].parse::<f64>().unwrap() / 1e6
    };
    let busy = 3.0 * (SERVICE + 1.0 + 2.0 * MORE);
    assert_within(asks("--on 20.toml"), [80.0 + SERVICE + 1.0, 80.0 + busy], "three hosts");
    let together = format!("--on 20.toml --same-host {server},{proxy}");
    assert_within(asks(&together), [40.0 + SERVICE + 1.0, 40.0 + busy], "two hosts");
    let few = predict(home.path(), "--on few.toml");
    let said = String::from_utf8_lossy(&few.stderr).into_owned();
    assert_eq!(few.status.code(), Some(2), "{said}");
    assert!(said.contains("has 2 nodes") && said.contains("--same-host"), "{said}");
    let unknown = predict(home.path(), "--on 20.toml --same-host 0,99");
    let said = String::from_utf8_lossy(&unknown.stderr).into_owned();
    assert!(said.contains("it has no node 99"), "{said}");
    let alone = predict(home.path(), "--on 20.toml --same-host 0,1,2,3,4");
    let said = String::from_utf8_lossy(&alone.stderr).into_owned();
    assert_eq!(alone.status.code(), Some(2), "{said}");
    assert!(said.contains("all its processes belong on one host"), "{said}");
}

#[test]
fn what_tcp_holds_back_it_holds_back_on_any_network() {
    let home = tempfile::tempdir().unwrap();
    wire(home.path(), 5);
    // Two short writes behind each other, and an answer to both: the second waits for an
    // acknowledgement, which the reader delays for some 40 ms.
    let program = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/programs/two_writes.py");
    let program = program.display();
    let lines = format!("python3 {program} serve . &\npython3 {program} ask .\nwait");
    let (facts, _) = followed(home.path(), &["sh", "-c", &lines]);
    let held = &facts.held_back;
    assert!(held.messages >= 30 && held.ns / held.messages as i64 >= 35_000_000, "{held:?}");
    assert_eq!((held.nodes.len(), held.directions), (1, 1), "{held:?}");
    let half = half_ms(home.path(), "--on 5.toml");
    assert_within(half, [45.0, 70.0], "with 40 ms of delayed acknowledgements");
    let said = predict(home.path(), "--on 5.toml");
    let said = String::from_utf8_lossy(&said.stdout).into_owned();
    assert!(said.contains("stood still for"), "{said}");
}
