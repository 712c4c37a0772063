//! Cubes over rings in one thread: every step is taken by the test, so nothing depends on timing.

use super::*;
use crate::spec::{TransportSpec, Waiting};
use crate::transports::{THREAD, thread};
use clock::Clock;
use record::{ABSENT, Kind};

fn cube(nodes: u16, packet_bytes: u32) -> Vec<Cube> {
    let spec = Spec {
        nodes,
        transport: TransportSpec::of(&THREAD),
        topology: Topology::Hypercube { packet_bytes },
        wait: Waiting::Polling,
        path_room: None,
        peer_timeout_ms: 1000,
        plant: None,
    };
    let links = thread::connect(&spec, Clock::best()).unwrap();
    (0..).zip(links).map(|(me, links)| Cube::new(Box::new(links), me, &spec)).collect()
}

fn head(seq: u64) -> Head {
    Head {
        ready: Clock::best().now().0,
        sent: ABSENT,
        seq,
        kind: Kind::Data,
        flag: Flag::Last,
        batch: 1,
        in_flight: 0,
    }
}

fn send(from: &mut Cube, to: NodeId, seq: u64, payload: &[u8]) -> Handed {
    let handed = from.try_send(to, &mut head(seq), payload).unwrap();
    from.flush().unwrap();
    handed
}

/// Let the nodes look in turn, until `at` gets something.
fn next_at(cube: &mut [Cube], at: usize) -> Arrival {
    for _ in 0..1000 {
        for (node, end) in cube.iter_mut().enumerate() {
            if let Some(arrival) = end.poll(u64::MAX).unwrap() {
                assert_eq!(node, at, "a message for {at} came out at {node}");
                return arrival;
            }
        }
    }
    panic!("nothing comes to node {at}");
}

#[test]
fn a_message_crosses_every_differing_dimension_in_packets() {
    let mut cube = cube(8, 100);
    let payload: Vec<u8> = (0..950).map(|i| (i % 251) as u8).collect();
    let mut sending = head(4);
    assert_eq!(cube[0].try_send(7, &mut sending, &payload).unwrap(), Handed::Yes);
    let arrival = next_at(&mut cube, 7);
    assert_eq!((arrival.from, arrival.hops, arrival.packets, arrival.head.seq), (0, 3, 10, 4));
    assert_eq!(cube[7].payload(), payload);
    // The stamps of sending are the source's, not those of a node in between.
    assert_eq!((arrival.head.ready, arrival.head.sent), (sending.ready, sending.sent));
    assert!(arrival.arrived > sending.sent);
    send(&mut cube[2], 3, 0, b"");
    let arrival = next_at(&mut cube, 3);
    assert_eq!((arrival.hops, arrival.packets, cube[3].payload().len()), (1, 1, 0));
}

#[test]
fn what_finds_no_room_is_held_in_bounds_and_nothing_is_lost() {
    let mut cube = cube(4, 1000);
    // Nodes 1 and 3 do not look: node 0's link to 1 fills. Then 1 looks, and its link to 3 fills.
    let mut sent = 0;
    for _ in 0..20_000 {
        if send(&mut cube[0], 3, sent, &sent.to_le_bytes()) == Handed::Yes {
            sent += 1;
        }
        assert!(cube[1].poll(u64::MAX).unwrap().is_none());
    }
    assert!((100..20_000).contains(&sent), "{sent} messages are on their way");
    assert!(cube[1].held.iter().flatten().count() == 1, "one packet is held, and its link paused");
    assert_eq!(cube[0].in_flight(3), sent as u32);
    for seq in 0..sent {
        assert_eq!(next_at(&mut cube, 3).head.seq, seq);
        assert_eq!(cube[3].payload(), seq.to_le_bytes());
    }
    for _ in 0..1000 {
        assert!(cube.iter_mut().all(|end| end.poll(u64::MAX).unwrap().is_none()));
    }
    assert!(cube[0].in_flight(3) < TELL_EVERY, "the destination tells what it has taken");
}

#[test]
fn a_node_that_waits_to_send_forwards_and_keeps_what_is_for_itself() {
    let mut cube = cube(4, 1000);
    let mut filled = 0;
    while send(&mut cube[1], 3, filled, &[0; 900]) == Handed::Yes {
        filled += 1;
    }
    // Node 1 only tries to send from now on.
    let kept =
        (0..500).filter(|seq| send(&mut cube[0], 1, *seq, b"for one") == Handed::Yes).count();
    assert_eq!(send(&mut cube[1], 3, filled, &[0; 900]), Handed::Full);
    assert!(!cube[1].waiting.is_empty() && cube[1].waiting.len() <= WAITING_MAX);
    for seq in 0..kept as u64 {
        let arrival = cube[1].poll(u64::MAX).unwrap().expect("it is here already");
        assert_eq!((arrival.from, arrival.head.seq, arrival.just_now), (0, seq, false));
        assert_eq!(cube[1].payload(), b"for one");
    }
}

#[test]
fn a_lost_node_is_named_by_all() {
    let mut cube = cube(8, 100);
    drop(cube.pop());
    let mut named = vec![false; 7];
    for _ in 0..20 {
        for (node, end) in cube.iter_mut().enumerate() {
            for error in [end.poll(u64::MAX).err(), end.check_peers().err()].into_iter().flatten() {
                assert!(matches!(error, FabricError::PeerLost { node: 7, .. }), "{node}: {error}");
                named[node] = true;
            }
        }
    }
    assert_eq!(named, [true; 7]);
    let sent = cube[0].try_send(7, &mut head(0), b"x");
    assert!(matches!(sent, Err(FabricError::PeerLost { node: 7, .. })));
    assert_eq!(send(&mut cube[0], 6, 0, b"others go on"), Handed::Yes);
}

#[test]
fn nobody_has_settled_before_the_last_has_begun() {
    let mut cube = cube(8, 100);
    for _ in 0..50 {
        for end in &mut cube[..7] {
            assert!(!end.settle().unwrap());
            end.poll(u64::MAX).unwrap();
        }
    }
    let mut settled = [false; 8];
    for _ in 0..50 {
        for (end, settled) in cube.iter_mut().zip(&mut settled) {
            *settled |= end.settle().unwrap();
            end.poll(u64::MAX).unwrap();
        }
    }
    assert_eq!(settled, [true; 8]);
}
