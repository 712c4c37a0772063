//! The 1988 memo's message waited 383 of its 385 ms while its receiver's node cancelled 64 messages
//! that the receiver had sent to itself, in one sweep. Here the sweep does not exist: what has come
//! is looked at between any two steps.

use crate::models::Diary;
use timewarp::{Dealing, Kept, Node, Options, Packet, Parcel, Placement, Progress};

/// Let the object run ahead through 64 events by messages to itself, then tell it, at an early
/// time, that all this is void. Returns how many cancellations the node does between two looks at
/// arrivals, at most.
fn longest_sweep(zip_forward: bool) -> (u64, u64) {
    let model = Diary { days: 64 };
    let placement = Placement::deal(&model, 2, Dealing::Blocks).unwrap();
    let options = Options { zip_forward, undo_check: false, ..Options::default() };
    let mut writer = Node::new(&model, &placement, 0, &options, Kept::default()).unwrap();
    let mut caller = Node::new(&model, &placement, 1, &options, Kept::default()).unwrap();
    while writer.run(1).unwrap() == Progress::Busy {}
    assert_eq!(writer.status().executed, 65);
    while caller.run(1).unwrap() == Progress::Busy {}
    let mut parcels: Vec<Parcel<u64>> = Vec::new();
    while let Some((_, parcel, ())) = caller.outgoing() {
        parcels.extend(matches!(parcel.packet, Packet::Event { .. }).then_some(parcel));
    }
    for parcel in parcels {
        writer.receive(1, parcel).unwrap();
    }
    let mut steps = 0;
    while writer.run(1).unwrap() == Progress::Busy {
        steps += 1;
    }
    let (outcome, _) = writer.finish();
    assert_eq!(outcome.total().anti_sent, 64);
    (outcome.nodes[0].1.cancellation_step_max, steps)
}

#[test]
fn the_sweep_is_gone() {
    let (longest, steps) = longest_sweep(false);
    assert_eq!(longest, 1, "cancellations between two looks at what has arrived");
    assert!(steps > 64, "{steps} steps");
}

#[test]
fn the_old_way_shows_what_is_gone() {
    let (longest, _) = longest_sweep(true);
    assert_eq!(longest, 64, "the sweep of 1988");
}
