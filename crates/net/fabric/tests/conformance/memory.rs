//! What goes back and forth for ever leaves nothing behind in anybody's memory.

use crate::table::{Fabric, payload, take_in_time};
use fabric::PathRoom;
use record::Kind;

const BYTES: usize = 8;
/// Every message is acknowledged on its own, though an answer comes as well.
const ONE_BY_ONE: PathRoom = PathRoom { messages: 4, bytes: 4 << 10 };
/// Whatever is kept of an acknowledgement, so many make tens of megabytes.
const MESSAGES: u64 = 160_000;
/// Buffers have been made by then.
const WARM: u64 = MESSAGES / 8;
/// What may still grow.
const GROWTH_MOST: u64 = 4 << 20;

/// A node whose peer answers at once never finds its window closed, and hears what is acknowledged
/// all the same.
pub fn answers_at_once_leave_nothing_behind(fabric: &Fabric) {
    Fabric { path_room: Some(ONE_BY_ONE), ..fabric.clone() }.run(|node| {
        let (me, peer) = (node.id(), 1 - node.id());
        let mut warm = 0;
        for number in 0..MESSAGES {
            if me == 0 {
                node.send(peer, Kind::Data, &payload(me, peer, number, BYTES)).unwrap();
            }
            assert!(
                take_in_time(node).payload == payload(peer, me, number, BYTES),
                "message {number}"
            );
            if me == 1 {
                node.send(peer, Kind::Reply, &payload(me, peer, number, BYTES)).unwrap();
            }
            if number == WARM {
                warm = resident_bytes();
            }
        }
        let grown = resident_bytes().saturating_sub(warm);
        assert!(grown <= GROWTH_MOST, "node {me} grew by {grown} bytes");
    });
}

fn resident_bytes() -> u64 {
    let statm = std::fs::read_to_string("/proc/self/statm").unwrap();
    let pages: u64 = statm.split_ascii_whitespace().nth(1).unwrap().parse().unwrap();
    pages * rustix::param::page_size() as u64
}
