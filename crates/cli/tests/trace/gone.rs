//! Clients of a Unix-domain socket that have gone before they are accepted: the kernel does not say
//! which end is whose.

use crate::followed::followed;
use std::path::Path;
use streams::SocketsFacts;

/// What three clients write, of 10, 20 and 30 lines.
const BYTES: u64 = 60 * 20;

/// What came of clients of this kind, and what was said.
fn traced(who: &str) -> (SocketsFacts, String) {
    let home = tempfile::tempdir().unwrap();
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/programs/gone.py");
    followed(home.path(), &["python3", script.to_str().unwrap(), who, "listener"])
}

#[test]
fn clients_that_came_one_by_one_are_matched() {
    for who in ["children", "self"] {
        let (facts, said) = traced(who);
        assert!(said.contains(&format!("took {BYTES} ")), "{who}: {said}");
        let counts = [facts.whole_connections, facts.half_connections, facts.gone_clients];
        assert_eq!(counts, [3, 0, 0], "{who}: {facts:?}");
        assert_eq!((facts.bytes_sent, facts.bytes_matched), (BYTES, BYTES), "{who}: {facts:?}");
        assert_eq!((facts.matched, facts.outside), (60, None), "{who}: {facts:?}");
    }
}

/// Threads are told apart where one was done with connecting before another began.
#[test]
fn clients_that_came_at_once_are_matched_all_or_not_at_all() {
    let (facts, said) = traced("threads");
    assert!(said.contains(&format!("took {BYTES} ")), "{said}");
    assert_eq!(facts.unmatched.doubtful_connections, 0, "{facts:?}");
    match facts.gone_clients {
        0 => assert_eq!((facts.whole_connections, facts.bytes_matched), (3, BYTES), "{facts:?}"),
        gone => {
            assert_eq!((gone, facts.matched, facts.half_connections), (3, 0, 6), "{facts:?}");
        }
    }
}

#[test]
fn a_client_that_was_not_traced_is_not_made_up() {
    let (facts, said) = traced("untraced");
    assert_eq!((facts.whole_connections, facts.gone_clients), (0, 1), "{facts:?}");
    assert!(
        said.contains("Which clients 1 Unix-domain connection came from is not known"),
        "{said}"
    );
    assert!(facts.outside.is_some(), "{facts:?}");
}
