use super::settings::find_machine;
use crate::spec::{Spec, Topology, TransportSpec, Waiting};
use crate::{FabricError, Node, NodeOptions, Opening, Recording, RunKey, Wait, open};
use clock::Clock;
use record::Kind;
use std::time::Duration;

const PATIENCE: Duration = Duration::from_secs(1);

fn nodes(count: u16, machine: &str) -> Vec<Node> {
    let spec = Spec {
        nodes: count,
        transport: TransportSpec::simulated(&find_machine(machine).unwrap()),
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
