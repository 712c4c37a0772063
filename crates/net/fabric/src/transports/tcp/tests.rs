//! Two ends over a real connection: the window, the stamps of several messages in one read, and
//! peers that talk nonsense.

use super::*;
use crate::handshake::{Introduction, Purpose, Role, authenticate};
use crate::key::RunKey;
use crate::spec::{Spec, Topology, TransportSpec, Waiting};
use clock::Clock;
use record::{ArrivedClock, How, Kind};
use std::io::Write;
use std::net::{TcpListener, TcpStream};

fn spec(listeners: &[TcpListener]) -> Spec {
    let peers = listeners.iter().map(|listener| listener.local_addr().unwrap()).collect();
    Spec {
        nodes: listeners.len() as u16,
        transport: TransportSpec { peers, ..TransportSpec::of(&TCP) },
        topology: Topology::Mesh,
        wait: Waiting::Blocking,
        peer_timeout_ms: 5000,
        path_room: None,
        plant: None,
    }
}

fn pair() -> (Tcp, Tcp) {
    let mut listeners: Vec<TcpListener> =
        (0..2).map(|_| TcpListener::bind("127.0.0.1:0").unwrap()).collect();
    let (spec, key) = (spec(&listeners), RunKey::generate().unwrap());
    let one = listeners.pop().unwrap();
    let zero = listeners.pop().unwrap();
    std::thread::scope(|scope| {
        let other = scope.spawn(|| end_of(&spec, 1, one, &key));
        (end_of(&spec, 0, zero, &key), other.join().unwrap())
    })
}

fn end_of(spec: &Spec, me: NodeId, listener: TcpListener, key: &RunKey) -> Tcp {
    let (listener, clock) = (Some(listener), Clock::best());
    connect(Opening { spec, hosted: &[me], key, listener, clock }).unwrap()
}

fn head(ready: u64, seq: u64) -> Head {
    Head { ready, sent: ABSENT, seq, kind: Kind::Data, flag: Flag::Last, batch: 1, in_flight: 0 }
}

fn send(end: &mut Tcp, to: NodeId, seq: u64, payload: &[u8]) -> Handed {
    let ready = end.observer.now();
    let handed = end.try_send(to, &mut head(ready, seq), payload).unwrap();
    end.flush().unwrap();
    handed
}

fn realtime_ns(end: &mut Tcp) -> u64 {
    let now = end.observer.now();
    end.observer.conversion.realtime_ns(now)
}

fn receive(end: &mut Tcp) -> Arrival {
    let deadline = Instant::now() + Duration::from_secs(5);
    loop {
        if let Some(arrival) = end.poll(u64::MAX).unwrap() {
            return arrival;
        }
        assert!(Instant::now() < deadline, "nothing comes");
        end.park(Duration::from_millis(20)).unwrap();
    }
}

#[test]
fn the_window_closes_at_its_bound_and_opens_again() {
    let (mut zero, mut one) = pair();
    let small =
        (0..).take_while(|seq| send(&mut zero, 1, *seq, b"8 bytes!") == Handed::Yes).count();
    assert_eq!((small as u32, zero.in_flight(1)), (WINDOW.messages, WINDOW.messages));
    for seq in 0..u64::from(WINDOW.messages) {
        assert_eq!(receive(&mut one).head.seq, seq);
    }
    let deadline = Instant::now() + Duration::from_secs(5);
    while send(&mut zero, 1, 0, &[1; WINDOW.fragment_bytes]) == Handed::Full {
        assert!(Instant::now() < deadline, "the window stays closed");
        zero.park(Duration::from_millis(20)).unwrap();
    }
    let large = 1
        + (0..)
            .take_while(|seq| send(&mut zero, 1, *seq, &[1; WINDOW.fragment_bytes]) == Handed::Yes)
            .count();
    assert_eq!(large, WINDOW.bytes as usize / (WINDOW.fragment_bytes + frame::HEADER_BYTES));
    // A full window is read to its end even if nobody takes it, so that acknowledgements behind it
    // are seen.
    for _ in 0..20 {
        one.check_peers().unwrap();
        std::thread::sleep(Duration::from_millis(2));
    }
    for _ in 0..large {
        receive(&mut one);
        assert_eq!(one.payload(), &[1; WINDOW.fragment_bytes]);
    }
}

/// The one stamp of a read is the last message's; the others are told with their bounds, after they
/// were sent.
#[test]
fn messages_read_together_are_bracketed_but_for_the_last() {
    let (mut zero, mut one) = pair();
    // The kernel begins to take stamps a moment after it was asked to.
    for seq in 0..50 {
        send(&mut zero, 1, seq, b"warm-up!");
        std::thread::sleep(Duration::from_millis(1));
        receive(&mut one);
    }
    let mut bounds = Vec::new();
    for seq in 50..54 {
        let before = realtime_ns(&mut one);
        send(&mut zero, 1, seq, b"8 bytes!");
        bounds.push((before, realtime_ns(&mut one)));
        std::thread::sleep(Duration::from_millis(2));
    }
    for (number, (before, after)) in bounds.into_iter().enumerate() {
        let Arrival { arrived, error_ns, how, clock, .. } = receive(&mut one);
        assert_eq!(clock, ArrivedClock::Kernel);
        assert_eq!(how, if number == 3 { How::Observed } else { How::Bracketed });
        // Conversions between the two clocks are good to some microseconds.
        let slack = 20_000 + error_ns;
        assert!(
            arrived + slack >= before && arrived <= after + slack,
            "{number}: {before} {arrived} {after} ± {error_ns}"
        );
        assert!(number != 3 || error_ns == 0);
        assert!(
            number == 3 || error_ns > 500_000,
            "{number}: milliseconds passed, the bracket is {error_ns} ns"
        );
    }
}

/// Messages that were not recorded at their source get no stamps here.
#[test]
fn unrecorded_messages_carry_no_stamps() {
    let (mut zero, mut one) = pair();
    zero.try_send(1, &mut head(ABSENT, 0), b"x").unwrap();
    zero.flush().unwrap();
    let arrival = receive(&mut one);
    assert_eq!((arrival.arrived, arrival.head.sent), (ABSENT, ABSENT));
}

/// Where the kernel has no stamp, as in its first moments, the reader's clock is looked at,
/// whatever came before.
#[test]
fn a_recorded_message_after_an_unrecorded_one_has_an_arrival_without_the_kernel_too() {
    let (mut zero, mut one) = pair();
    crate::transports::sockets::stamp::disable(one.links[0].stream()).unwrap();
    for seq in 0..5 {
        zero.try_send(1, &mut head(ABSENT, seq), b"x").unwrap();
        zero.flush().unwrap();
        assert_eq!(receive(&mut one).arrived, ABSENT);
        send(&mut zero, 1, seq, b"y");
        let arrival = receive(&mut one);
        assert_eq!(arrival.clock, ArrivedClock::Receiver);
        assert!(arrival.head.sent <= arrival.arrived && arrival.arrived != ABSENT, "{arrival:?}");
    }
}

/// An acknowledgement comes by itself when nothing goes the other way, and not for every message.
#[test]
fn what_is_owed_is_told_after_a_while() {
    let (mut zero, mut one) = pair();
    for seq in 0..10 {
        send(&mut zero, 1, seq, b"8 bytes!");
        receive(&mut one);
    }
    std::thread::sleep(Duration::from_millis(3));
    one.park(Duration::from_millis(1)).unwrap();
    zero.park(Duration::from_millis(100)).unwrap();
    assert_eq!(zero.in_flight(1), 0);
}

/// A member of the run that sends what is no frame: what it had sent before is delivered, then it
/// is named.
#[test]
fn garbage_is_named_after_what_came_before_it() {
    let listeners: Vec<TcpListener> =
        (0..2).map(|_| TcpListener::bind("127.0.0.1:0").unwrap()).collect();
    let (spec, key) = (spec(&listeners), RunKey::generate().unwrap());
    let [_, one]: [TcpListener; 2] = listeners.try_into().unwrap();
    let addresses = spec.transport.peers.clone();
    let mut end = std::thread::scope(|scope| {
        let end = scope.spawn(|| end_of(&spec, 1, one, &key));
        let deadline = Instant::now() + Duration::from_secs(5);
        let meeting = Meeting {
            me: 0,
            spec: &spec,
            peers: &addresses,
            key: &key,
            clock: &Clock::best(),
            deadline,
        };
        let mut stream = TcpStream::connect(addresses[1]).unwrap();
        let (role, purpose, node) = (Role::Client, Purpose::Data, 0);
        let ours = Introduction { role, purpose, node, session: meeting.session() };
        authenticate(&mut stream, addresses[1], &key, ours, Duration::from_secs(5)).unwrap();
        meeting.compare_clocks(&mut stream).unwrap();
        let good = frame::Frame { head: Some(head(1, 7)), len: 4, taken: frame::Taken::default() };
        stream.write_all(&[&good.encode()[..], b"good", &[0xee; 100]].concat()).unwrap();
        (end.join().unwrap(), stream)
    });
    assert_eq!(receive(&mut end.0).head.seq, 7);
    let deadline = Instant::now() + Duration::from_secs(5);
    let error = loop {
        match end.0.poll(u64::MAX).and_then(|_| end.0.check_peers()) {
            Err(error) => break error,
            Ok(()) => assert!(Instant::now() < deadline, "no error"),
        }
    };
    assert!(matches!(error, FabricError::Garbage { node: 0, .. }), "{error}");
    assert!(end.0.try_send(0, &mut head(1, 0), b"x").is_err());
}
