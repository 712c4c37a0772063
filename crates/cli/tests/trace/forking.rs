//! Servers that fork a child for each client.

use crate::followed::followed;
use std::path::Path;
use std::process::Command;
use streams::SocketsFacts;

const CLIENTS: u64 = 60;

/// What is known of a server with so many clients that runs in a folder, and what was said.
fn traced(home: &Path, how: &str, clients: u64) -> (SocketsFacts, String) {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/programs/forking.py");
    let words = ["python3", script.to_str().unwrap(), how, "listener", &clients.to_string()];
    followed(home, &words)
}

fn report(home: &Path) -> String {
    let mut command = Command::new(env!("CARGO_BIN_EXE_fourstamp"));
    let out = command.args(["report", "--terminal", "run"]).current_dir(home).output().unwrap();
    String::from_utf8(out.stdout).unwrap()
}

#[test]
fn children_of_a_server_are_matched_each_and_told_of_together() {
    let home = tempfile::tempdir().unwrap();
    let (facts, said) = traced(home.path(), "plain", CLIENTS);
    let bytes = CLIENTS * (CLIENTS + 1);
    assert_eq!((facts.whole_connections, facts.half_connections), (CLIENTS, 0), "{said}");
    assert_eq!((facts.bytes_sent, facts.bytes_matched), (bytes, bytes), "{facts:?}");
    assert_eq!((facts.matched, facts.exchanges), (2 * CLIENTS, CLIENTS), "{facts:?}");
    // The server never moves a byte itself: it has a node for its connections.
    let parents: Vec<u32> = facts.processes.iter().filter_map(|one| one.parent).collect();
    let server = facts.processes.iter().find(|one| one.parent.is_none()).unwrap().node;
    let asker = facts.processes.iter().find(|one| one.connections == CLIENTS / 2).unwrap();
    let children_of = |node| parents.iter().filter(|parent| **parent == node).count() as u64;
    assert_eq!(asker.parent, Some(server));
    assert_eq!(children_of(server), CLIENTS + 1, "its children and who asks");
    assert_eq!(children_of(asker.node), CLIENTS / 2);

    let said = report(home.path());
    let nodes: Vec<&str> = said.lines().filter(|line| line.starts_with("- Node")).collect();
    assert_eq!(nodes.len(), 3, "who asks, its children, those of the server: {nodes:?}");
    let row = |others: u64| said.lines().any(|line| line.contains(&format!("+{others})")));
    assert!(row(CLIENTS - 1) && row(CLIENTS / 2 - 1), "{said}");
}

#[test]
fn a_run_that_can_have_no_more_processes_says_so_once_and_the_program_goes_on() {
    let home = tempfile::tempdir().unwrap();
    let (facts, said) = traced(home.path(), "crowded", 4);
    assert_eq!(said.matches("fourstamp: process").count(), 1, "{said}");
    assert!(said.contains("is not traced; it goes on: more than 65536 processes"), "{said}");
    assert_eq!(facts.processes.len(), 1, "{facts:?}");
    assert!(facts.processes[0].noticed.crowded, "{facts:?}");
    let report = report(home.path());
    let words: Vec<&str> = report.split_whitespace().collect();
    assert!(words.join(" ").contains("are not traced: it can have no more"), "{report}");
}
