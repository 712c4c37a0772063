//! Runs of older versions stay readable: this is what one of 0.1.0 said of itself, when events were
//! words.

use fourstamp_pager_facts::{Happened, PagerFacts, ServerRole, ServerState};

#[test]
fn what_was_written_before_events_were_data_is_read() {
    let text = include_str!("facts-in-words.json");
    let facts: PagerFacts = serde_json::from_str(text).expect("an old run");
    assert_eq!(
        (&facts.policy[..], facts.local_bytes, facts.page_bytes),
        ("parity-log", 2 << 20, 4096)
    );
    let roles: Vec<_> = facts.servers.iter().map(|server| (server.role, server.state)).collect();
    let up = |role| (role, ServerState::Up);
    assert_eq!(roles, [ServerRole::Data, ServerRole::Data, ServerRole::Parity].map(up));
    let process = facts.main().expect("its process");
    assert_eq!((process.pid, process.finished, process.transfers), (17549, Some(true), 427_847));
    assert_eq!((process.faults.hard, process.fault_ns.hard.p50.round()), (601, 321_859.0));
    assert_eq!((process.prefetch.windows, process.outside_bytes), (4188, 16 << 20));
    let seconds = &process.seconds;
    let sum: f64 = seconds.parts().iter().map(|part| part.seconds).sum();
    assert!((sum - seconds.elapsed).abs() < 1e-9 && seconds.engine > 1.7, "{seconds:?}");
    let said: Vec<_> = facts.events().map(|event| event.what.to_string()).collect();
    assert!(said[0].starts_with("server 0 (127.0.0.1:7711) is down: "), "{said:?}");
    assert_eq!(said[1], "server 3 (127.0.0.1:7711) has joined, empty");
    // Words are shown, and nothing is learnt from them.
    assert!(facts.events().all(|event| matches!(event.what, Happened::Told(_))));
}
