//! What happens when messages are not taken: bounded memory, a sender that waits, nothing lost.

use crate::table::{Fabric, Words, payload, take_in_time};
use fabric::{Handed, Letter, Node, Wait};
use record::Kind;
use std::cell::Cell;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

/// More messages than any path of the cube, any window, and the system's largest buffers of a
/// connection hold.
const MANY: u64 = 12_000;
const BYTES: usize = 2_000;

/// The receiver does nothing until its sender has been seen waiting.
pub fn a_slow_receiver_makes_its_sender_wait(fabric: &Fabric) {
    let last = fabric.nodes - 1;
    let words = Words::new(fabric);
    let (sent, done) = (words.at(0), words.at(1));
    fabric.run(|node| match node.id() {
        0 => {
            for number in 0..MANY {
                node.send(last, Kind::Data, &payload(0, last, number, BYTES)).unwrap();
                sent.store(number + 1, Ordering::Relaxed);
                // Every transport holds at most about a thousand a link; a cube of 8 has three
                // links on the way.
                assert!(node.in_flight(last) <= 8192, "{} on their way", node.in_flight(last));
            }
        }
        me if me == last => {
            let held = wait_until_still(node, sent);
            assert!(held < MANY, "the sender never had to wait: {held} messages are somewhere");
            for number in 0..MANY {
                let message = take_in_time(node);
                assert!(message.payload == payload(0, me, number, BYTES), "message {number}");
            }
            done.store(1, Ordering::Relaxed);
        }
        // The nodes in between forward only while they look.
        _ => {
            while done.load(Ordering::Relaxed) == 0 {
                let moment = Wait::Until(node.after(Duration::from_millis(1)));
                assert!(node.receive(moment).unwrap().is_none());
            }
        }
    });
}

/// The count once it has not moved for a while.
fn wait_until_still(node: &mut Node, count: &AtomicU64) -> u64 {
    let mut before = u64::MAX;
    loop {
        let pause = Duration::from_millis(150);
        if !node.rest(node.after(pause)) {
            std::thread::sleep(pause);
        }
        let now = count.load(Ordering::Relaxed);
        if now == before && now > 0 {
            return now;
        }
        before = now;
    }
}

/// Two nodes fill each other's paths and only then take: each can hold what the other may have on
/// its way.
pub fn both_ways_at_once_under_pressure(fabric: &Fabric) {
    const ROUNDS: u64 = 6;
    const BURST: u64 = 150;
    let last = fabric.nodes - 1;
    fabric.run(|node| {
        let me = node.id();
        let other = if me == 0 { last } else { 0 };
        let takes_part = me == 0 || me == last;
        for round in 0..ROUNDS {
            for number in 0..if takes_part { BURST } else { 0 } {
                node.send(other, Kind::Data, &payload(me, other, round * BURST + number, 60))
                    .unwrap();
            }
            for number in 0..if takes_part { BURST } else { 0 } {
                let message = take_in_time(node);
                assert!(message.payload == payload(other, me, round * BURST + number, 60));
            }
        }
    });
}

/// Two nodes send each other far more than their paths hold before either has taken anything: only
/// who takes while it waits for room gets through. Some messages are larger than a fragment.
pub fn both_ways_at_once_without_waiting(fabric: &Fabric) {
    const EACH: u64 = 6_000;
    let size = |number: u64| if number % 2_000 == 1_999 { 600_000 } else { 900 };
    let last = fabric.nodes - 1;
    let words = Words::new(fabric);
    let was_full = words.at(0);
    fabric.run(|node| {
        let me = node.id();
        let other = if me == 0 { last } else { 0 };
        let due = if me == 0 || me == last { EACH } else { 0 };
        let (mut sent, mut taken) = (0, 0);
        let deadline = node.after(crate::table::PATIENCE);
        let letter = || Letter::new(other, Kind::Data, clock::Ticks(record::ABSENT));
        let mut attempt = (letter(), payload(me, other, 0, size(0)));
        while sent < due || taken < due {
            assert!(
                node.clock().now() < deadline,
                "node {me} has sent {sent} and taken {taken} of {due}"
            );
            let room =
                sent < due && node.try_send(&mut attempt.0, &attempt.1).unwrap() == Handed::Yes;
            if room {
                sent += 1;
                attempt = (letter(), payload(me, other, sent, size(sent)));
                continue;
            }
            was_full.fetch_or(u64::from(sent < due), Ordering::Relaxed);
            if let Some(message) = node.receive(Wait::Poll).unwrap() {
                assert!(
                    message.payload() == payload(other, me, taken, size(taken)),
                    "message {taken}"
                );
                taken += 1;
            }
            node.look_after_peers().unwrap();
        }
    });
    assert!(was_full.load(Ordering::Relaxed) > 0, "nobody ever had to wait for room");
}

/// Two nodes send each other calls that are larger than their paths, at the same time: each takes
/// while it finds no room.
pub fn both_ways_at_once_in_large_calls(fabric: &Fabric) {
    const CALLS: u64 = 4;
    const BATCH: u64 = 20;
    let fabric = fabric.with_little_room();
    let bytes = |number: u64| if number.is_multiple_of(BATCH) { 9_000 } else { 500 };
    let last = fabric.nodes - 1;
    fabric.run(|node| {
        let me = node.id();
        let other = if me == 0 { last } else { 0 };
        let due = if me == 0 || me == last { CALLS * BATCH } else { 0 };
        let taken = Cell::new(0);
        let check = |payload_taken: &[u8]| {
            let number = taken.replace(taken.get() + 1);
            assert!(payload_taken == payload(other, me, number, bytes(number)), "message {number}");
        };
        for first in (0..due).step_by(BATCH as usize) {
            let all: Vec<Vec<u8>> = (first..first + BATCH)
                .map(|number| payload(me, other, number, bytes(number)))
                .collect();
            let parts: Vec<&[u8]> = all.iter().map(Vec::as_slice).collect();
            let letter = Letter::new(other, Kind::Data, clock::Ticks(record::ABSENT));
            node.send_batch_taking(letter, &parts, |message| check(message.payload())).unwrap();
        }
        while taken.get() < due {
            check(&take_in_time(node).payload);
        }
    });
}
