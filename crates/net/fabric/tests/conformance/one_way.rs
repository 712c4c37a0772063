//! One way for ever: nothing that only the other direction would clear may fill up. Paths hold next
//! to nothing here, so that a few thousand messages are many times what fits into every buffer and
//! every window.

use crate::table::{Fabric, LITTLE_ROOM, Words, payload, take_in_time, udp_adaptive};
use fabric::{Node, Wait, Waiting};
use record::Kind;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

const BYTES: usize = 60;
const WORD_BYTES: usize = 9;

/// What the receiver says back.
struct Talk {
    /// One word after so many messages.
    every: u64,
    /// At most so many words.
    most: u64,
    /// The sender takes those that are due after so many messages, and the rest at the end.
    heard_every: u64,
}

impl Talk {
    const NONE: Talk = Talk { every: 1, most: 0, heard_every: u64::MAX };

    /// Words that are due after so many messages.
    fn due(&self, messages: u64) -> u64 {
        (messages / self.every).min(self.most)
    }
}

/// The first node sends and looks at nothing; the last one takes and says nothing.
pub fn one_way_far_beyond_every_buffer(fabric: &Fabric) {
    carry(fabric, &Talk::NONE);
}

/// The receiver says a few words at first, which the sender does not take until all has been sent.
pub fn one_way_past_words_that_nobody_takes(fabric: &Fabric) {
    carry(fabric, &Talk { every: 1, most: 5, heard_every: u64::MAX });
}

/// The receiver only says something now and then; the sender takes that still more seldom.
pub fn many_one_way_and_a_few_back(fabric: &Fabric) {
    carry(fabric, &Talk { every: 100, most: u64::MAX, heard_every: 700 });
}

/// Windows that go one way. An acknowledgement of its own is owed for each quarter of one, and over
/// tcp a whole inbox of such comes within 40.
fn messages(fabric: &Fabric) -> u64 {
    let windows = if fabric.is_troubled() { 40 } else { 150 };
    windows * u64::from(LITTLE_ROOM.messages)
}

fn carry(fabric: &Fabric, talk: &Talk) {
    let many = messages(fabric);
    let fabric = fabric.with_little_room();
    let last = fabric.nodes - 1;
    let words = Words::new(&fabric);
    let done = words.at(0);
    fabric.run(|node| match node.id() {
        0 => {
            let mut heard = 0;
            for number in 0..many {
                node.send(last, Kind::Data, &payload(0, last, number, BYTES)).unwrap();
                if (number + 1).is_multiple_of(talk.heard_every) {
                    hear(node, &mut heard, talk.due(number + 1));
                }
            }
            hear(node, &mut heard, talk.due(many));
            done.store(1, Ordering::Relaxed);
        }
        me if me == last => {
            let mut said = 0;
            for number in 0..many {
                let message = take_in_time(node);
                assert!(message.payload == payload(0, me, number, BYTES), "message {number}");
                for word in said..talk.due(number + 1) {
                    node.send(0, Kind::Reply, &payload(me, 0, word, WORD_BYTES)).unwrap();
                }
                said = talk.due(number + 1);
            }
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

/// Take the last node's words until so many have been heard.
fn hear(node: &mut Node, heard: &mut u64, due: u64) {
    let (me, last) = (node.id(), node.nodes() - 1);
    for word in *heard..due {
        assert!(take_in_time(node).payload == payload(last, me, word, WORD_BYTES), "word {word}");
    }
    *heard = due;
}

/// A sender that sleeps between its messages finds acknowledgements late, but before it takes a
/// message for lost.
#[test]
fn what_has_been_acknowledged_does_not_go_again() {
    const MESSAGES: u64 = 3;
    /// Longer than any acknowledgement is waited for.
    const SLEEP: Duration = Duration::from_millis(250);
    let acknowledged = AtomicU64::new(0);
    Fabric::mesh(udp_adaptive(), 2, Waiting::Blocking).run(|node| {
        for number in 1..=MESSAGES {
            if node.id() == 1 {
                take_in_time(node);
                // A look that finds nothing says what has come.
                assert!(
                    node.receive(Wait::Until(node.after(Duration::from_millis(1))))
                        .unwrap()
                        .is_none()
                );
                acknowledged.store(number, Ordering::Release);
                continue;
            }
            node.send(1, Kind::Data, b"8 bytes!").unwrap();
            while acknowledged.load(Ordering::Acquire) < number {
                std::thread::sleep(Duration::from_millis(1));
            }
            std::thread::sleep(SLEEP);
        }
        if node.id() == 0 {
            let counts = node.transport_report().unwrap().counts;
            let resent = fabric::UDP.counters.iter().zip(counts);
            let resent = resent.filter(|(of, _)| of.name.starts_with("resent"));
            assert_eq!(resent.map(|(_, count)| count).sum::<u64>(), 0);
        }
    });
}
