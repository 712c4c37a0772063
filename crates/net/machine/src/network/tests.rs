mod plain;

use super::*;
use crate::{Topology, parse};
use plain::Seen;
use std::collections::HashMap;

const US: Time = 1_000_000;

fn machine(topology: Topology, more: &str) -> Machine {
    let text = format!(
        "name = \"test\"\nnodes = 8\ntopology = \"{}\"\n[processor]\nsend = \"0us\"\n\
        receive = \"0us\"\n[network]\nlatency = \"5us\"\nbandwidth = \"1MB/s\"\n{more}",
        topology.word()
    );
    parse("test", &text).unwrap()
}

/// When each of these messages (sent at, from, to, bytes) arrives, in µs; by message.
fn arrivals(machine: &Machine, sent: &[(Time, u16, u16, u64)], seed: u64) -> Vec<Time> {
    let mut network = Network::new(machine, 8, seed);
    let mut arrived = vec![0; sent.len()];
    let mut numbers = HashMap::new();
    let mut tell = |numbers: &HashMap<Message, usize>, when, happened| {
        if let Happened::Arrived(arrival) = happened {
            arrived[numbers[&arrival.message]] = when;
        }
    };
    for (number, (at, from, to, bytes)) in sent.iter().enumerate() {
        while network.next().is_some_and(|next| next <= *at) {
            network.play_next(&mut |when, what| tell(&numbers, when, what));
        }
        numbers.insert(network.send(*at, *from, *to, *bytes), number);
    }
    while network.play_next(&mut |when, what| tell(&numbers, when, what)) {}
    arrived.into_iter().map(|time| time / US).collect()
}

#[test]
fn an_empty_network_takes_its_latency_and_the_bytes_once() {
    // 100 B at 1 MB/s are 100 µs.
    let at = |topology, to| arrivals(&machine(topology, ""), &[(0, 0, to, 100)], 0)[0];
    for topology in [Topology::Switch, Topology::Bus, Topology::Mesh] {
        assert_eq!(at(topology, 3), 105, "{topology:?}");
    }
    // Two hops, each with all bytes.
    assert_eq!(at(Topology::Hypercube, 3), 210);
}

#[test]
fn links_take_what_the_size_of_the_message_says_not_of_the_packet() {
    let more = "packet = \"100B\"\ngap = [{ from = \"0B\", value = \"0us\" }, \
        { from = \"200B\", value = \"7us\" }]\n";
    let machine = machine(Topology::Mesh, more);
    let alone = |bytes| arrivals(&machine, &[(0, 0, 1, bytes)], 0)[0];
    assert_eq!([alone(100), alone(199), alone(200)], [105, 204, 219]);
}

#[test]
fn what_shares_a_link_waits_and_what_does_not_does_not() {
    let two = |topology, a: (u16, u16), b: (u16, u16)| {
        arrivals(&machine(topology, ""), &[(0, a.0, a.1, 100), (0, b.0, b.1, 100)], 0)
    };
    assert_eq!(two(Topology::Bus, (0, 1), (2, 3)), [105, 205]);
    assert_eq!(two(Topology::Switch, (0, 1), (2, 3)), [105, 105]);
    assert_eq!(two(Topology::Switch, (0, 1), (0, 3)), [105, 205], "the way out is one");
    assert_eq!(two(Topology::Switch, (0, 1), (2, 1)), [105, 205], "the way in is one");
    assert_eq!(two(Topology::Switch, (0, 1), (1, 0)), [105, 105], "both ways at once");
    assert_eq!(two(Topology::Mesh, (0, 1), (2, 1)), [105, 105]);
    assert_eq!(two(Topology::Hypercube, (0, 3), (1, 3)), [210, 105]);
}

#[test]
fn packets_of_a_long_message_overlap_on_their_way_through_a_cube() {
    let machine = machine(Topology::Hypercube, "packet = \"100B\"\n");
    // Ten packets over three links: the last leaves the first at 1000, and is 100 + 5 more on each.
    assert_eq!(arrivals(&machine, &[(0, 0, 7, 1000)], 0), [1000 + 5 + 2 * 105]);
}

#[test]
fn flows_that_share_a_link_get_equal_parts_of_it() {
    let machine = machine(Topology::Switch, "packet = \"100B\"\n");
    let arrived = arrivals(&machine, &[(0, 0, 2, 10_000), (0, 1, 2, 10_000)], 0);
    assert!(arrived.iter().all(|at| (19_900..=20_005).contains(at)), "{arrived:?}");
}

#[test]
fn the_far_end_handles_one_packet_at_a_time() {
    let machine = machine(Topology::Mesh, "handler = \"750us\"\n");
    let sent: Vec<_> = (1..5).map(|from| (0, from, 0, 10)).collect();
    assert_eq!(arrivals(&machine, &sent, 0), [765, 1515, 2265, 3015]);
}

#[test]
fn a_lost_packet_comes_later_and_keeps_the_order() {
    let machine = machine(Topology::Mesh, "loss = 0.2\nresend = \"1ms\"\n");
    let sent: Vec<_> = (0..200).map(|number| (number * 200 * US, 0, 1, 10)).collect();
    let arrived = arrivals(&machine, &sent, 7);
    assert!(arrived.windows(2).all(|pair| pair[0] <= pair[1]));
    let late = sent.iter().zip(&arrived).filter(|(sent, at)| **at > sent.0 / US + 500).count();
    assert!((30..150).contains(&late), "{late} of 200 are late");
    assert_eq!(arrived, arrivals(&machine, &sent, 7), "the same seed loses the same packets");
    assert_ne!(arrived, arrivals(&machine, &sent, 8));
}

proptest::proptest! {
    /// Whatever is sent arrives, not before the wire allows, in the order of its pair.
    #[test]
    fn nothing_is_lost_or_too_early(
        topology in 0usize..4,
        sent in proptest::collection::vec((0u64..1000, 0u16..8, 0u16..8, 0u64..5000), 1..60),
    ) {
        let machine = machine(Topology::ALL[topology], "packet = \"512B\"\nheader = \"20B\"\n");
        let mut sent: Vec<_> = sent.into_iter().filter(|message| message.1 != message.2)
            .map(|(at, from, to, bytes)| (at * US, from, to, bytes)).collect();
        sent.sort();
        let arrived = arrivals(&machine, &sent, 0);
        for ((at, from, to, bytes), came) in sent.iter().zip(&arrived) {
            proptest::prop_assert!(*came >= at / US + bytes + 5);
            let later = sent.iter().zip(&arrived).filter(|(other, _)| {
                (other.1, other.2) == (*from, *to) && other.0 > *at
            });
            proptest::prop_assert!(later.into_iter().all(|(_, at)| at >= came));
        }
    }
}

#[test]
fn a_burst_passes_at_once_and_is_earned_again_at_the_rate() {
    // A byte takes 1 µs; the first 300 of an idle link take none, and 5 µs are latency.
    let machine = machine(Topology::Mesh, "burst = \"300B\"\n");
    assert_eq!(arrivals(&machine, &[(0, 0, 1, 200)], 0), [5]);
    assert_eq!(arrivals(&machine, &[(0, 0, 1, 1000)], 0), [705]);
    let at_once = [(0, 0, 1, 200), (0, 0, 1, 200), (0, 0, 1, 200), (0, 0, 2, 100)];
    assert_eq!(arrivals(&machine, &at_once, 0), [5, 105, 305, 5]);
    // 50 µs later 50 bytes are earned; after a second no more than the burst.
    let later = [(0, 0, 1, 300), (50 * US, 0, 1, 200), (1_000_000 * US, 0, 1, 400)];
    assert_eq!(arrivals(&machine, &later, 0), [5, 205, 1_000_105]);
}

/// A machine of figures that make things happen at the same moment.
fn coincident(topology: Topology, draws: &[usize]) -> Machine {
    let rows: [(&str, &[f64]); 9] = [
        ("network.latency", &[0.0, 1000.0, 5000.0]),
        ("network.bandwidth", &[1e9, 1e8, 3.7e9]),
        ("network.packet", &[1e15, 512.0, 100.0]),
        ("network.header", &[0.0, 20.0]),
        ("network.gap", &[0.0, 1000.0]),
        ("network.hop", &[0.0, 500.0]),
        ("network.handler", &[0.0, 1000.0, 77.0]),
        ("processor.interrupt", &[0.0, 0.0, 0.0, 100.0]),
        ("network.loss", &[0.0, 0.0, 0.0, 0.2]),
    ];
    let mut machine = machine(topology, "resend = \"50us\"\n");
    for ((name, values), draw) in rows.into_iter().zip(draws) {
        machine = machine.with(name, values[draw % values.len()]);
    }
    if draws[9].is_multiple_of(3) {
        let latency = crate::Constant::of(1000.0).and_from(700, crate::Constant::of(3000.0));
        machine.constants.insert("network.latency".into(), latency);
    }
    machine
}

/// What is seen of messages, sent in order of time, and of how many packets each was.
fn seen(
    mut network: Network,
    sent: &[(Time, u16, u16, u64)],
) -> (Vec<(Time, Seen)>, HashMap<usize, u32>) {
    let (mut seen, mut packets) = (Vec::new(), HashMap::new());
    let mut numbers: HashMap<Message, usize> = HashMap::new();
    let mut play = |network: &mut Network, numbers: &HashMap<Message, usize>| {
        network.play_next(&mut |when, happened| {
            let what = match happened {
                Happened::Interrupted { node, .. } => Seen::Interrupted { node },
                Happened::Freed { node } => Seen::Freed { node },
                Happened::Arrived(arrived) => {
                    let message = numbers[&arrived.message];
                    packets.insert(message, arrived.packets);
                    Seen::Arrived { message }
                }
            };
            seen.push((when, what));
        })
    };
    for (number, (at, from, to, bytes)) in sent.iter().enumerate() {
        while network.next().is_some_and(|next| next <= *at) {
            play(&mut network, &numbers);
        }
        numbers.insert(network.send(*at, *from, *to, *bytes), number);
    }
    while play(&mut network, &numbers) {}
    (seen, packets)
}

proptest::proptest! {
    /// Whatever is decided ahead, and however little is told: the same happens at the same moments.
    #[test]
    fn it_is_the_plain_network(
        topology in 0usize..4,
        draws in proptest::collection::vec(0usize..12, 10),
        sent in proptest::collection::vec((0u64..20, 0u16..8, 0u16..8, 0u64..1500), 1..80),
        seed in 0u64..100,
    ) {
        let machine = coincident(Topology::ALL[topology], &draws);
        let mut sent: Vec<_> = sent.into_iter().filter(|message| message.1 != message.2)
            .map(|(at, from, to, bytes)| (at * US / 2, from, to, bytes)).collect();
        sent.sort_by_key(|(at, ..)| *at);
        let (mut network, mut expected) = (plain::Plain::new(&machine, 8, seed), Vec::new());
        for (at, from, to, bytes) in &sent {
            while network.next().is_some_and(|next| next <= *at) {
                network.play_next(&mut expected);
            }
            network.send(*at, *from, *to, *bytes);
        }
        while network.next().is_some() {
            network.play_next(&mut expected);
        }
        let network_of = |tells| Network::telling(tells, &machine, 8, seed);
        let (all, packets) = seen(network_of(Tells::Everything), &sent);
        proptest::prop_assert_eq!(&all, &expected);
        let as_many = packets.iter().all(|(message, count)| network.packets(*message) == *count);
        proptest::prop_assert!(as_many);
        let arrivals = |all: Vec<(Time, Seen)>| -> Vec<(Time, Seen)> {
            all.into_iter().filter(|(_, what)| matches!(what, Seen::Arrived { .. })).collect()
        };
        let expected = arrivals(expected);
        proptest::prop_assert_eq!(&arrivals(seen(network_of(Tells::Arrivals), &sent).0), &expected);
        let sorted = |mut all: Vec<(Time, Seen)>| { all.sort(); all };
        let ahead = arrivals(seen(network_of(Tells::Ahead), &sent).0);
        proptest::prop_assert_eq!(sorted(ahead), sorted(expected));
    }
}
