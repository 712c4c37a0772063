//! `fourstamp story` on runs of every sort, and the message of 1988 on our engine.

use crate::common::{fail, folder, succeed};

/// Text without its line breaks and indents, so that a sentence is one piece.
fn flat(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[test]
fn the_slowest_message_of_a_stream_has_a_story() {
    let folder = folder();
    for transport in ["tcp", "shm"] {
        let bench = format!(
            "bench stream --transport {transport} --count 2000 --warm-up 0 --launches 2 --out \
            {transport}"
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
        let several =
            succeed(folder.path(), &format!("story {transport} --slowest 3 --stage transit"));
        assert_eq!(several.matches("\nTransit, ").count(), 3, "{several}");
        let messages = succeed(folder.path(), &format!("story {transport} --slowest 3 --csv"));
        assert_eq!(messages.lines().count(), 4, "{messages}");
        let name = messages.lines().nth(1).and_then(|line| line.split(',').next()).expect("a row");
        assert!(out.starts_with(&format!("Message {name}: ")), "{name}: {out}");
        told_on_the_page(folder.path(), transport);
        let json = succeed(folder.path(), &format!("story {transport} --json"));
        let json: serde_json::Value = serde_json::from_str(&json).expect("JSON");
        let (row, story) = (&json["tables"][0]["rows"][0], &json["stories"][0]["story"]);
        assert_eq!((&row["message"], &row["seq"]), (&name.into(), &story["message"]["seq"]));
    }
}

/// A page tells of the messages that are the slowest ones of all, and of no other.
fn told_on_the_page(folder: &std::path::Path, run: &str) {
    let slowest = succeed(folder, &format!("story {run} --slowest 5 --csv"));
    let names: Vec<&str> =
        slowest.lines().skip(1).filter_map(|line| line.split(',').next()).collect();
    succeed(folder, &format!("report {run} --out {run}.html"));
    let page = std::fs::read_to_string(folder.join(format!("{run}.html"))).expect("a page");
    let told = |name: &&&str| page.contains(&format!("Message {name}: "));
    assert_eq!((names.len(), names.iter().filter(told).count()), (5, 5), "{names:?}");
    let stories = page
        .split("Message ")
        .skip(1)
        .filter(|text| text.starts_with(|first: char| first.is_ascii_digit()));
    assert_eq!(stories.count(), 5);
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
    assert!(flat(&out).contains("It was chosen by its name."), "{out}");
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

#[test]
fn the_message_of_1988_is_explained_as_in_the_memo() {
    let folder = folder();
    let told = |run: &str| {
        let warp = format!("warp diary --zip-forward --work 2000 --notes 4 --check --out {run}");
        let out = succeed(folder.path(), &warp);
        assert!(out.contains("Matches the sequential run"), "{out}");
        let story = succeed(folder.path(), &format!("story {run}"));
        let text = flat(&story);
        assert!(text.contains("It is M, the message of the memo of 1988"), "{story}");
        assert!(text.contains("from node 1 to node 0, for diary at virtual time 5.5"), "{story}");
        let is_memos = text.contains("This run is the memo's story: it spent");
        assert!(is_memos || text.contains("This run is not the memo's story"), "{story}");
        is_memos.then_some((story, text))
    };
    // Two nodes have to keep their pace: on a busy machine M comes before the sweep, or after it.
    let Some((story, text)) = ["zip", "again", "once-more"].into_iter().find_map(told) else {
        return println!("skipped: this machine is too busy for the two nodes to keep their pace");
    };
    for sentence in [
        "from node 1 to node 0, for diary at virtual time 5.5",
        "it waited in the receive queue.",
        "Meanwhile node 0 cancelled ",
        " messages of diary, ",
        " to itself and ",
        "And the message is for diary itself: its receive time, 5.5, is earlier than the send time \
        of all",
        "which undid ",
        "Diary's messages were cancelled because a rollback had undone the events that sent them: \
        65 events from virtual time 65 back to 1",
        "Diary had come to virtual time 65 when message number ",
        "(from caller), for virtual time 1, was taken",
    ] {
        assert!(text.contains(sentence), "no `{sentence}` in\n{story}");
    }
    assert!(cancelled_to_itself(&text) >= 20, "{story}");
}

#[test]
fn without_the_sweep_the_story_is_another() {
    let folder = folder();
    let out = succeed(folder.path(), "warp diary --work 2000 --notes 4 --check --out now");
    assert!(out.contains("Matches the sequential run"), "{out}");
    let of_m = flat(&succeed(folder.path(), "story now"));
    assert!(of_m.contains("It is M, the message of the memo of 1988"), "{of_m}");
    assert!(of_m.contains("for diary at virtual time 5.5"), "{of_m}");
    assert!(of_m.contains("This run is not the memo's story"), "{of_m}");
    let slowest = flat(&succeed(folder.path(), "story now --slowest 1"));
    match of_m.contains("It is also the slowest.") {
        true => assert!(slowest.contains("from end to end. It is M, the message of"), "{slowest}"),
        false => {
            assert!(of_m.contains("It is not the slowest: --slowest 1 tells"), "{of_m}");
            assert!(slowest.contains("It is not M, the message of the memo"), "{slowest}");
        }
    }
    let text = flat(&succeed(folder.path(), "story now --slowest 20"));
    assert!(text.contains("It is number 2 of the slowest of "), "{text}");
    assert!(cancelled_to_itself(&text) < 10, "a message waited for many cancellations\n{text}");
}

/// The largest number of messages of the diary to itself that a story says were cancelled
/// meanwhile.
fn cancelled_to_itself(text: &str) -> u64 {
    let cancelled = text.split("messages of diary, ").skip(1);
    let counts =
        cancelled.filter_map(|rest| rest.split(' ').next().and_then(|count| count.parse().ok()));
    counts.max().unwrap_or(0)
}
