//! Connections that do not belong to the run.

use crate::table::{Carrier, Fabric, PATIENCE, open_one, options, payload, take_in_time};
use clock::Clock;
use fabric::{FabricError, Node, Opening, Recording, RunKey, Spec, Waiting, open};
use record::Kind;
use std::io::{Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::time::{Duration, Instant};

fn pair() -> (Spec, Vec<TcpListener>) {
    let listeners: Vec<TcpListener> =
        (0..2).map(|_| TcpListener::bind("127.0.0.1:0").unwrap()).collect();
    let peers: Vec<SocketAddr> =
        listeners.iter().map(|listener| listener.local_addr().unwrap()).collect();
    (Fabric::mesh(Carrier::Tcp, 2, Waiting::Blocking).prepared(peers).0, listeners)
}

/// Noise, silence and a connection that is closed at once come before the peer does: all are
/// refused, the peer is not.
#[test]
fn strangers_are_refused_and_the_others_go_on() {
    let (spec, mut listeners) = pair();
    let (key, address) = (RunKey::generate().unwrap(), listeners[1].local_addr().unwrap());
    let listener = listeners.pop();
    std::thread::scope(|scope| {
        let (spec, key) = (&spec, &key);
        let second = scope.spawn(move || {
            let mut node =
                Node::new(open_one(spec, key, 1, listener), options(spec, 1, Recording::Off));
            assert_eq!(take_in_time(&mut node).payload, payload(0, 1, 0, 50));
            let begun = Instant::now();
            node.close().unwrap();
            // The other lives on, and has ended its stream all the same.
            assert!(begun.elapsed() < PATIENCE / 2, "{:?}", begun.elapsed());
        });
        drop(TcpStream::connect(address).unwrap());
        let _silent = TcpStream::connect(address).unwrap();
        let mut noisy = TcpStream::connect(address).unwrap();
        noisy
            .write_all(
                b"GET / HTTP/1.1\r\nHost: here\r\n\r\n and then a lot of noise to fill a hello",
            )
            .unwrap();
        noisy.set_read_timeout(Some(PATIENCE)).unwrap();
        // It is hung up on, and learns nothing.
        assert_eq!(noisy.read(&mut [0; 100]).unwrap_or(0), 0);
        let mut node =
            Node::new(open_one(spec, key, 0, listeners.pop()), options(spec, 0, Recording::Off));
        node.send(1, Kind::Data, &payload(0, 1, 0, 50)).unwrap();
        node.close().unwrap();
        second.join().unwrap();
    });
}

#[test]
fn a_wrong_key_is_refused_by_both_in_a_clear_line() {
    let (spec, listeners) = pair();
    let spec = Spec { peer_timeout_ms: 1500, ..spec };
    let failures: Vec<String> = std::thread::scope(|scope| {
        let spec = &spec;
        let open_with_own_key = |(id, listener)| {
            scope.spawn(move || {
                let key = RunKey::generate().unwrap();
                let clock = Clock::best();
                let opening =
                    Opening { spec, hosted: &[id], key: &key, listener: Some(listener), clock };
                match open(opening) {
                    Ok(_) => panic!("it was let in"),
                    Err(error) => error.to_string(),
                }
            })
        };
        let handles: Vec<_> = (0..).zip(listeners).map(open_with_own_key).collect();
        handles.into_iter().map(|handle| handle.join().unwrap()).collect()
    });
    assert!(failures.iter().all(|line| line.contains("run key")), "{failures:?}");
    assert!(failures[1].contains("node 0"), "{failures:?}");
}

#[test]
fn a_peer_that_never_comes_is_named() {
    let (spec, mut listeners) = pair();
    let spec = Spec { peer_timeout_ms: 300, ..spec };
    let key = RunKey::generate().unwrap();
    let opening = Opening {
        spec: &spec,
        hosted: &[1],
        key: &key,
        listener: listeners.pop(),
        clock: Clock::best(),
    };
    match open(opening) {
        Err(FabricError::PeerLost { node: 0, .. }) => {}
        Err(other) => panic!("{other}"),
        Ok(_) => panic!("nobody was there"),
    }
    // The other way round: it listens, but nobody answers.
    let opening =
        Opening { spec: &spec, hosted: &[0], key: &key, listener: None, clock: Clock::best() };
    let begin = std::time::Instant::now();
    assert!(open(opening).is_err());
    assert!(begin.elapsed() < Duration::from_secs(5));
}
