//! Wrong use: a code and a line for each mistake.

use crate::build::{Built, LINKS, Language, Link};
use record::Run;
use std::process::Command;

/// What was done, the code, and a word of what is said.
const MISTAKES: &[(&str, i32, &str)] = &[
    ("create without a path", 1, "path is NULL"),
    ("create without a place", 1, "run is NULL"),
    ("join without a path", 1, "path is NULL"),
    ("close nothing", 1, "run is NULL"),
    ("leave nothing", 1, "run is NULL"),
    ("node of nothing", 1, "run is NULL"),
    ("node without a place", 1, "node is NULL"),
    ("header of nothing", 1, "node is NULL"),
    ("header without room", 1, "header is NULL"),
    ("taken without a header", 1, "header is NULL"),
    ("taken by nothing", 1, "node is NULL"),
    ("counts without room", 1, "fourstamp_counts is NULL"),
    ("check nothing", 1, "node is NULL"),
    ("finish nothing", 1, "node is NULL"),
    ("now of nothing", 1, "node is NULL"),
    ("a run as a node", 2, "node is no handle"),
    ("a node as a run", 2, "run is no handle"),
    ("a text as a node", 2, "node is no handle"),
    ("options of no size", 5, "begin with FOURSTAMP_NODE_OPTIONS_INIT"),
    ("counts of a wrong size", 5, "begin with FOURSTAMP_COUNTS_INIT"),
    ("options of tomorrow", 5, "does not know"),
    ("wait 2", 6, "wait of the node's options is 2"),
    ("a buffer beyond all memory", 6, "rows is not possible"),
    ("a number that is taken", 13, "already has a node 0"),
    ("a kind that is none", 6, "99 is no kind of message"),
    ("a foreign header", 7, "not with a Fourstamp header"),
    ("a half of a whole", 8, "open it with `halves`"),
    ("a parent's node", 4, "fourstamp_join"),
    ("a parent's run", 4, "fourstamp_join"),
    ("another thread's error", 0, "none"),
    ("a folder that is not empty", 9, "is not empty"),
    ("no run", 10, "is not a run"),
    ("finish again", 3, "closed before"),
    ("taken by what has finished", 3, "closed before"),
    ("now of what has finished", 3, "closed before"),
    ("close again", 3, "closed before"),
    ("leave what is closed", 3, "closed before"),
    ("a node of what is closed", 3, "closed before"),
    ("join what has ended", 11, "has ended"),
];

#[test]
fn every_mistake_has_its_code_and_says_what_it_is() {
    for link in LINKS {
        let Some(built) = Built::of("tests/programs/misuse.c", Language::C, link) else { return };
        let said = built.run(&[built.folder().to_str().unwrap()]);
        assert_eq!(said.lines().count(), MISTAKES.len(), "{said}");
        for (line, (what, code, word)) in said.lines().zip(MISTAKES) {
            assert!(line.starts_with(&format!("{what}|{code}|")), "{what}, {code}: {line}");
            assert!(line.contains(word), "{word}: {line}");
        }
        // What was right between the mistakes is in the run.
        assert_eq!(Run::open(built.folder().join("run")).unwrap().rows(), 1);
    }
}

/// On a disk of its own with a few hundred kB of room, in a mount of its own.
#[test]
fn a_full_disk_is_an_error_and_loses_nothing() {
    let Some(built) = Built::of("tests/programs/full_disk.c", Language::C, Link::Shared) else {
        return;
    };
    let script = "mount -t tmpfs -o size=24M none \"$1\" && cd \"$1\" && \
        head -c 23M /dev/zero > filler && exec \"$2\" run filler";
    let small = built.folder().join("small");
    std::fs::create_dir(&small).unwrap();
    let mut command = Command::new("unshare");
    command.args(["--mount", "sh", "-c", script, "sh"]);
    command.arg(&small).arg(built.command(&[]).get_program());
    let output = command.env("LD_LIBRARY_PATH", built.folder()).output();
    let Some(output) = output.ok() else { return println!("skipped: there is no unshare") };
    let errors = String::from_utf8_lossy(&output.stderr).into_owned();
    if errors.contains("unshare:") || errors.contains("mount:") {
        return println!("skipped: {}", errors.trim_end());
    }
    let said = String::from_utf8(output.stdout).unwrap();
    let lines: Vec<&str> = said.lines().collect();
    assert!(output.status.success() && lines.len() == 3, "{said}{errors}");
    for (line, begin) in lines.iter().zip(["check|14|", "finish|14|"]) {
        assert!(line.starts_with(begin) && line.contains("free some space"), "{line}");
    }
    assert_eq!(lines[2], "recorded 150000, dropped 0, in the run 150000");
}
