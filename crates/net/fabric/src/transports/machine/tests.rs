use super::settings::find_machine;
use crate::spec::{Spec, Topology, TransportSpec, Waiting};
use crate::{
    FabricError, Handed, Letter, Node, NodeOptions, Opening, Recording, RunKey, Wait, open,
};
use clock::{Clock, Ticks};
use machine::Machine;
use record::{ABSENT, Kind};
use std::time::Duration;

const PATIENCE: Duration = Duration::from_secs(1);

fn nodes(count: u16, machine: &str) -> Vec<Node> {
    nodes_of(count, &find_machine(machine).unwrap())
}

fn nodes_of(count: u16, machine: &Machine) -> Vec<Node> {
    let spec = Spec {
        nodes: count,
        transport: TransportSpec::simulated(machine),
        topology: Topology::Mesh,
        wait: Waiting::Blocking,
        peer_timeout_ms: PATIENCE.as_millis() as u64,
        path_room: None,
        plant: None,
    };
    let (key, clock) = (RunKey::generate().unwrap(), Clock::simulated());
    let hosted: Vec<u16> = (0..count).collect();
    let opening = Opening { spec: &spec, hosted: &hosted, key: &key, listener: None, clock };
    let options = |id| NodeOptions {
        id,
        nodes: count,
        clock,
        recording: Recording::Off,
        wait: Waiting::Blocking,
        peer_timeout: PATIENCE,
    };
    open(opening)
        .unwrap()
        .into_iter()
        .zip(0..)
        .map(|(end, id)| Node::new(end, options(id)))
        .collect()
}

/// Run a node of each program; what each came to.
fn play<T: Send>(nodes: Vec<Node>, program: impl Fn(Node) -> T + Sync) -> Vec<T> {
    std::thread::scope(|scope| {
        let start = |node| scope.spawn(|| program(node));
        let threads: Vec<_> = nodes.into_iter().map(start).collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).collect()
    })
}

#[test]
fn a_node_that_ends_without_a_word_is_missed_after_what_it_sent() {
    let ended = play(nodes(3, "myrinet"), |mut node| {
        if node.id() == 1 {
            node.send(0, Kind::Data, b"last").unwrap();
            return None;
        }
        let mut taken = 0;
        loop {
            match node.receive(Wait::Forever) {
                Ok(Some(_)) => taken += 1,
                Ok(None) => {}
                Err(error) => return Some((taken, error)),
            }
        }
    });
    for (node, end) in ended.into_iter().enumerate().filter(|(node, _)| *node != 1) {
        let (taken, error) = end.unwrap();
        assert_eq!(taken, usize::from(node == 0));
        let FabricError::PeerLost { node: lost, .. } = error else { panic!("{error}") };
        // Node 0 ends then, too, and node 2 may miss either.
        assert!(lost == 1 || (node == 2 && lost == 0), "node {node} misses node {lost}");
    }
}

#[test]
fn a_silent_peer_is_named_when_the_time_out_has_passed_in_simulated_time() {
    let real = std::time::Instant::now();
    let ended = play(nodes(2, "mark3"), |mut node| {
        if node.id() == 1 {
            let later = node.after(Duration::from_secs(3600));
            assert!(node.rest(later) && node.clock().now() >= later);
            return None;
        }
        Some(node.receive(Wait::Expecting(1)).err().unwrap())
    });
    assert!(matches!(ended[0], Some(FabricError::Stalled { node: 1, .. })), "{ended:?}");
    assert!(real.elapsed() < Duration::from_secs(60), "an hour passes at once");
}

#[test]
fn computing_takes_what_it_is_said_to_and_holds_messages_up() {
    let took = play(nodes(2, "myrinet"), |mut node| {
        let begin = node.clock().now();
        if node.id() == 0 {
            node.send(1, Kind::Data, b"now").unwrap();
        } else {
            node.spend(10_000_000);
            node.receive(Wait::Expecting(0)).unwrap().unwrap();
        }
        let took = node.ns_between(begin, node.clock().now());
        node.close().unwrap();
        took
    });
    // Ten of the timer's interrupts, 85 µs each, and the receiving.
    assert!((10_850_000..=11_000_000).contains(&took[1]), "{took:?}");
}

/// Looking again and again and passing that time at once come to the same.
#[test]
fn looks_in_vain_may_be_skipped() {
    let machine = find_machine("mark3").unwrap().with("processor.look", 700.0);
    let looked = [false, true].map(|skips| {
        play(nodes_of(2, &machine), move |mut node| {
            if node.id() == 0 {
                node.spend(3_000_000);
                node.send(1, Kind::Data, b"now").unwrap();
            } else {
                let until = node.after(Duration::from_millis(50));
                while node.receive(Wait::Poll).unwrap().is_none() {
                    if skips {
                        node.skip_looks(until);
                    }
                }
            }
            let found = node.clock().now();
            let later = node.after(Duration::from_millis(2));
            while node.id() == 1 && node.clock().now() < later {
                let _ = node.receive(Wait::Poll);
                if skips {
                    node.skip_looks(later);
                }
            }
            node.close().unwrap();
            (found, node.clock().now() >= later)
        })
    });
    assert_eq!(looked[0], looked[1]);
    assert!(looked[0][1].0.0 > 3_000_000, "{looked:?}");
}

/// Hand over a message whose arrival counts for so much.
fn send_counting(node: &mut Node, counts: u32, payload: &[u8]) {
    let mut letter = Letter::new(1, Kind::Data, Ticks(ABSENT)).with_receipt(counts);
    assert_eq!(node.try_send(&mut letter, payload).unwrap(), Handed::Yes);
}

#[test]
fn the_interrupt_routine_of_a_busy_node_sends_the_receipt() {
    const BUSY_NS: u64 = 20_000_000;
    const INTERRUPT_NS: u64 = 100_000;
    let machine = find_machine("mark3").unwrap().with("processor.interrupt", INTERRUPT_NS as f64);
    let took = play(nodes_of(2, &machine), |mut node| {
        let begin = node.clock().now();
        let mut took = 0;
        if node.id() == 0 {
            send_counting(&mut node, 3, b"");
            assert_eq!(node.receipts(), 0, "it is on its way");
            let later = node.after(Duration::from_millis(15));
            assert!(node.receive(Wait::Until(later)).unwrap().is_none());
            took = node.ns_between(begin, node.clock().now());
            assert_eq!([node.receipts(), node.receipts()], [3, 0]);
        } else {
            node.spend(BUSY_NS);
            assert!(node.receive(Wait::Poll).unwrap().is_some());
            took += node.ns_between(begin, node.clock().now());
        }
        node.close().unwrap();
        took
    });
    // There, in µs: 150 for sending, 10.7 for the header, 10 for latency, 750 for the handler,
    // and the interrupt. Back: the same without sending, and the interrupt of this processor;
    // and the looks at the network in between.
    let way = 2 * (10_666 + 10_000 + 750_000 + INTERRUPT_NS) + 150_000;
    assert!((way..way + 100_000).contains(&took[0]), "{took:?}, not {way}");
    // The good-bye interrupts as well.
    let busy = BUSY_NS + 2 * INTERRUPT_NS + 150_000;
    assert!((busy..busy + 1000).contains(&took[1]), "{took:?}, not {busy}");
}

/// Also where messages come together, because one before them had to be sent again.
#[test]
fn every_message_that_asks_for_a_receipt_has_one() {
    const MESSAGES: u32 = 200;
    let machine = find_machine("mark3").unwrap();
    let machine = machine.with("network.loss", 0.2).with("network.resend", 5e6);
    let counted = play(nodes_of(2, &machine), |mut node| {
        let mut counted = 0;
        if node.id() == 0 {
            for number in 0..MESSAGES {
                send_counting(&mut node, 1 + number % 2, &number.to_le_bytes());
            }
            while counted < MESSAGES * 3 / 2 {
                let later = node.after(PATIENCE);
                assert!(node.receive(Wait::Until(later)).unwrap().is_none());
                let come = node.receipts();
                assert!(come > 0, "{counted} have come");
                counted += come;
            }
        } else {
            for number in 0..MESSAGES {
                let message = node.receive(Wait::Expecting(0)).unwrap().unwrap();
                assert_eq!(message.payload(), number.to_le_bytes());
            }
        }
        node.close().unwrap();
        counted
    });
    assert_eq!(counted, [MESSAGES * 3 / 2, 0]);
}
