//! `fourstamp story` on runs of every sort.

mod common;

use common::{fail, folder, succeed};

/// Text without its line breaks and indents, so that a sentence is one piece.
fn flat(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[test]
fn the_slowest_message_of_a_stream_has_a_story() {
    let folder = folder();
    for transport in ["tcp", "shm"] {
        let bench = format!(
            "bench stream --transport {transport} --count 2000 --warm-up 0 --launches 2 --out {transport}"
        );
        succeed(folder.path(), &bench);
        let out = succeed(folder.path(), &format!("story {transport}"));
        let text = flat(&out);
        assert!(text.starts_with("Message "), "{out}");
        assert!(text.contains("data, 8 B, from node"), "{out}");
        assert!(text.contains("Half of the 2000 messages like it"), "{out}");
        assert!(text.contains("none took longer than this one"), "{out}");
        for heading in ["Send wait, ", "Transit, ", "Receive wait, "] {
            assert!(out.contains(&format!("\n{heading}")), "no {heading} in\n{out}");
        }
        assert!(!out.contains('\u{1b}'), "colours in a pipe\n{out}");
        let widest = out.lines().map(|line| line.chars().count()).max();
        assert!(widest <= Some(80), "{widest:?}\n{out}");
        let several = succeed(folder.path(), &format!("story {transport} --slowest 3 --stage transit"));
        assert_eq!(several.matches("\nTransit, ").count(), 3, "{several}");
    }
}

#[test]
fn a_message_by_its_name() {
    let folder = folder();
    succeed(
        folder.path(),
        "bench pingpong --transport thread --count 500 --warm-up 0 --launches 2 --out run",
    );
    let out = succeed(folder.path(), "story run --message 1:0:40");
    assert!(out.starts_with("Message 1:0:40: "), "{out}");
    // In a ping-pong nothing can stand before a message.
    let receive = succeed(folder.path(), "story run --stage receive-wait");
    assert!(flat(&receive).contains("The receive queue was empty when it arrived."), "{receive}");
}

#[test]
fn what_cannot_be_told_is_said_in_a_line() {
    let folder = folder();
    succeed(folder.path(), "bench pingpong --transport thread --count 100 --launches 1 --out run");
    let absent = fail(folder.path(), "story run --message 0:0:99999999");
    assert!(absent.contains("has no message 0:0:99999999"), "{absent}");
    let absent = fail(folder.path(), "story run --message 7:0:1");
    assert!(absent.contains("has no message 7:0:1"), "{absent}");
    let wrong = fail(folder.path(), "story run --message 17");
    assert!(wrong.contains("LAUNCH:SRC:SEQ"), "{wrong}");
    fail(folder.path(), "story run --message 0:0:1 --slowest 2");
    fail(folder.path(), "story run --slowest 0");
    let none = fail(folder.path(), "story nowhere");
    assert!(none.contains("nowhere"), "{none}");
    succeed(folder.path(), "warp ping --stop 20 -n 1 --out alone");
    let within = succeed(folder.path(), "story alone");
    assert!(within.starts_with("Message 0:0:"), "{within}");
}

#[test]
fn a_run_without_messages_is_said_to_have_none() {
    let folder = folder();
    // One event, on one node, that sends nothing.
    succeed(folder.path(), "warp ping --stop 0 -n 1 --out run");
    let line = fail(folder.path(), "story run");
    assert!(line.contains("has no messages"), "{line}");
}
