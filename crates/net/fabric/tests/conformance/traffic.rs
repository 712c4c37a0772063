//! Order, loss, doubles, sizes, batches.

use crate::table::{Fabric, Random, payload, take_in_time};
use fabric::{FabricError, Node, NodeId, Wait, Waiting};
use record::Kind;

const SEED: u64 = 20_240_611;

fn others(node: &Node) -> Vec<NodeId> {
    (0..node.nodes()).filter(|other| *other != node.id()).collect()
}

/// How large message `number` of a pair is: mostly small, sometimes several packets, seldom several
/// fragments.
fn size(from: NodeId, to: NodeId, number: u64) -> usize {
    let mut random = Random(SEED ^ (u64::from(from) << 40) ^ (u64::from(to) << 20) ^ number);
    match random.below(100) {
        0..80 => random.below(40) as usize,
        80..98 => random.below(5_000) as usize,
        _ => random.below(200_000) as usize,
    }
}

/// Every node sends to every other in seeded order and takes what comes in between.
pub fn everything_comes_once_and_in_order(fabric: &Fabric) {
    let each = if fabric.nodes > 4 { 60 } else { 200 };
    fabric.run(|node| {
        let (me, all) = (node.id(), others(node));
        let mut random = Random(SEED + u64::from(me));
        let mut sent = vec![0u64; usize::from(node.nodes())];
        let mut got = vec![0u64; usize::from(node.nodes())];
        let mut left: Vec<NodeId> =
            all.iter().flat_map(|to| std::iter::repeat_n(*to, each)).collect();
        while !left.is_empty() {
            let to = left.swap_remove(random.below(left.len() as u64) as usize);
            let number = sent[usize::from(to)];
            sent[usize::from(to)] += 1;
            node.send(to, Kind::Data, &payload(me, to, number, size(me, to, number))).unwrap();
            for _ in 0..random.below(3) {
                if let Some(message) = node.receive(Wait::Poll).unwrap() {
                    check(me, &mut got, message.from, message.payload());
                }
            }
        }
        while got.iter().sum::<u64>() < (all.len() * each) as u64 {
            let message = take_in_time(node);
            check(me, &mut got, message.from, &message.payload);
        }
        assert!(all.iter().all(|from| got[usize::from(*from)] == each as u64), "{got:?}");
    });
}

/// A message must be the one that is due from its sender.
fn check(me: NodeId, got: &mut [u64], from: NodeId, bytes: &[u8]) {
    let number = &mut got[usize::from(from)];
    let due = payload(from, me, *number, size(from, me, *number));
    assert!(bytes == due, "message {number} from {from} to {me} is not the one due");
    *number += 1;
}

/// Sizes around every limit that a transport may have, up to 64 MiB on meshes.
pub fn sizes_from_nothing_to_many_fragments(fabric: &Fabric) {
    let limits = [0, 1, 7, 8, 9, 63, 64, 65, 999, 1000, 1001, 4095, 4096, 4097];
    let large = [
        (64 << 10) - 1,
        64 << 10,
        (64 << 10) + 1,
        (128 << 10) - 1,
        128 << 10,
        (128 << 10) + 1,
        (1 << 20) + 1,
    ];
    let huge = match fabric.wait {
        _ if fabric.is_troubled() => 2 << 20,
        _ if fabric.is_simulated() || fabric.is_cube() || fabric.is_udp() => 3 << 20,
        Waiting::Polling => 64 << 20,
        _ => 3 << 20,
    };
    let sizes: Vec<usize> = limits.into_iter().chain(large).chain([huge]).collect();
    let last = fabric.nodes - 1;
    fabric.run(|node| match node.id() {
        0 => {
            for (number, size) in sizes.iter().enumerate() {
                node.send(last, Kind::Data, &payload(0, last, number as u64, *size)).unwrap();
            }
        }
        me if me == last => {
            for (number, size) in sizes.iter().enumerate() {
                let message = take_in_time(node);
                let due = payload(0, me, number as u64, *size);
                assert_eq!(message.payload.len(), *size);
                assert!(message.payload == due, "{size} bytes came changed");
            }
        }
        _ => {}
    });
}

/// One node after the other sends to all others, who take: no transport needs to hold what nobody
/// takes.
fn in_turns(
    fabric: &Fabric,
    count: u64,
    bytes: impl Fn(u64) -> usize + Sync,
    send: impl Fn(&mut Node, NodeId, &[Vec<u8>]) + Sync,
) {
    fabric.run(|node| {
        let me = node.id();
        let mut got = vec![0; usize::from(node.nodes())];
        for turn in 0..node.nodes() {
            if turn == me {
                for to in others(node) {
                    let payloads: Vec<Vec<u8>> =
                        (0..count).map(|number| payload(me, to, number, bytes(number))).collect();
                    send(node, to, &payloads);
                }
                continue;
            }
            while got[usize::from(turn)] < count {
                let message = take_in_time(node);
                let number = &mut got[usize::from(message.from)];
                assert!(message.payload == payload(message.from, me, *number, bytes(*number)));
                *number += 1;
            }
        }
        assert!(others(node).iter().all(|from| got[usize::from(*from)] == count), "{got:?}");
    });
}

pub fn a_batch_comes_whole(fabric: &Fabric) {
    in_turns(
        fabric,
        300,
        |number| (number % 90) as usize,
        |node, to, payloads| {
            let parts: Vec<&[u8]> = payloads.iter().map(Vec::as_slice).collect();
            node.send_batch(to, Kind::Data, &parts).unwrap();
        },
    );
}

pub fn a_node_sends_to_itself(fabric: &Fabric) {
    fabric.run(|node| {
        let me = node.id();
        for number in 0..20 {
            node.send(me, Kind::Event, &payload(me, me, number, 30)).unwrap();
        }
        for number in 0..20 {
            let message = node.receive(Wait::Poll).unwrap().expect("it is here already");
            assert_eq!((message.from, message.kind), (me, Kind::Event));
            assert_eq!(message.payload(), payload(me, me, number, 30));
        }
        let beyond = node.nodes();
        assert!(matches!(node.send(beyond, Kind::Data, b""), Err(FabricError::NoSuchNode { .. })));
    });
}

/// The first node takes until nothing can come any more; the others say what they have and leave.
pub fn leaving_in_good_order_ends_the_receiving(fabric: &Fabric) {
    const EACH: u64 = 50;
    fabric.run(|node| {
        let me = node.id();
        if me != 0 {
            for number in 0..EACH {
                node.send(0, Kind::Data, &payload(me, 0, number, 100)).unwrap();
            }
            return;
        }
        // Everybody else waits in closing for this node's good-bye, but its own have come.
        let mut got = 0;
        loop {
            match node.receive(Wait::Forever) {
                Ok(Some(_)) => got += 1,
                Ok(None) => {}
                Err(FabricError::Closed) => break,
                Err(error) => panic!("{error}"),
            }
        }
        assert_eq!(got, EACH * u64::from(node.nodes() - 1));
    });
}
