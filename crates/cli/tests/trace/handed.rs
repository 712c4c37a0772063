//! Pairs of Unix-domain sockets that are handed to a child as its standard input and output, as
//! Node.js, libuv and others do.

use crate::compiled::compiled;
use crate::followed::followed;
use streams::SocketsFacts;

const WAYS: [&str; 3] = ["fork", "vfork", "spawn"];
const LINES: u64 = 50;
const LINE: u64 = 20;

/// What the children that were started in this way did, and took; a word each, and how.
fn traced(words: &[&str]) -> (SocketsFacts, String) {
    let home = tempfile::tempdir().unwrap();
    let program = compiled(home.path(), "handed", &[]);
    let words: Vec<_> = [program.to_str().unwrap()].iter().chain(words).copied().collect();
    followed(home.path(), &words)
}

#[test]
fn what_a_child_writes_or_reads_by_calls_is_matched_however_it_was_started() {
    for how in WAYS {
        for (mode, ways) in [("writes", 1), ("lends", 1), ("copies", 2)] {
            let (facts, said) = traced(&[how, mode]);
            assert!(said.contains(&format!("took {} ", LINES * LINE)), "{said}");
            let counts = [facts.whole_connections, facts.half_connections, facts.older_connections];
            assert_eq!(counts, [1, 0, 0], "{how} {mode}: {facts:?}");
            let bytes = ways * LINES * LINE;
            assert_eq!((facts.bytes_sent, facts.bytes_matched), (bytes, bytes), "{how} {mode}");
            assert_eq!(facts.outside, None, "{how} {mode}: {facts:?}");
            assert!(facts.matched >= LINES, "{how} {mode}: {facts:?}");
        }
    }
}

#[test]
fn a_pair_of_which_its_maker_uses_neither_end_is_matched_between_its_children() {
    for how in WAYS {
        let (facts, said) = traced(&[how, "writes", "drains"]);
        assert!(said.contains(&format!("took {} ", LINES * LINE)), "{said}");
        let counts = [facts.whole_connections, facts.half_connections, facts.older_connections];
        assert_eq!(counts, [1, 0, 0], "{how}: {facts:?}");
        assert_eq!((facts.bytes_sent, facts.bytes_matched), (LINES * LINE, LINES * LINE), "{how}");
        assert_eq!(facts.outside, None, "{how}: {facts:?}");
        assert_eq!(facts.matched, LINES, "{how}: {facts:?}");
    }
}

#[test]
fn nothing_is_matched_where_the_c_library_moved_bytes_by_itself() {
    for (how, mode, took) in [
        ("vfork", "prints", LINES),
        ("spawn", "prints", LINES),
        ("vfork", "mixes", 2 * LINES),
        ("fork", "prints-last", LINES + 1),
        ("fork", "opens", LINES + 1),
        ("vfork", "scans", 0),
    ] {
        let (facts, said) = traced(&[how, mode]);
        assert!(said.contains(&format!("took {} ", took * LINE)), "{said}");
        assert_eq!(facts.unmatched.stream_connections, 1, "{how} {mode}: {facts:?}");
        assert_eq!((facts.matched, facts.whole_connections), (0, 0), "{how} {mode}: {facts:?}");
        let expected = "moved bytes of 1 Unix-domain connection, or may have, without a call that \
            is seen, in handed (";
        assert!(said.contains(expected), "{how} {mode}: {said}");
    }
}
