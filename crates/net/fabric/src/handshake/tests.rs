use super::hello::MAGIC;
use super::*;
use proptest::prelude::*;
use std::thread;

const LIMIT: Duration = Duration::from_secs(10);

fn key() -> RunKey {
    RunKey::generate().unwrap()
}

fn client() -> Introduction {
    Introduction { role: Role::Client, purpose: Purpose::Data, node: 3, session: 7 }
}

fn server() -> Introduction {
    Introduction { role: Role::Server, node: 5, ..client() }
}

fn nonce(seed: u8) -> [u8; 32] {
    [seed; 32]
}

fn machine(key: &RunKey, who: Introduction, seed: u8) -> Handshake {
    Handshake::new(key, who, nonce(seed), format!("peer of {:?}", who.role))
}

/// Move bytes between two machines until nothing moves; every chunk of at most `chunk` bytes.
fn converse(a: &mut Handshake, b: &mut Handshake, chunk: usize) -> Vec<HandshakeError> {
    let mut errors = Vec::new();
    for _ in 0..4 {
        errors.extend(pass(a, b, chunk));
        errors.extend(pass(b, a, chunk));
    }
    errors
}

fn pass(from: &mut Handshake, to: &mut Handshake, chunk: usize) -> Option<HandshakeError> {
    for piece in from.outgoing().chunks(chunk) {
        let mut rest = piece;
        while !rest.is_empty() && to.wants() > 0 {
            match to.receive(rest) {
                Ok(taken) => rest = &rest[taken..],
                Err(error) => return Some(error),
            }
        }
    }
    None
}

#[test]
fn the_same_key_lets_both_in_and_names_them() {
    for chunk in [1, 7, 56, 1000] {
        let key = key();
        let (mut a, mut b) = (machine(&key, client(), 1), machine(&key, server(), 2));
        assert!(converse(&mut a, &mut b, chunk).is_empty());
        assert_eq!(a.finished(), Some(server()));
        assert_eq!(b.finished(), Some(client()));
    }
}

#[test]
fn different_keys_are_refused_on_both_sides() {
    let (mut a, mut b) = (machine(&key(), client(), 1), machine(&key(), server(), 2));
    let errors = converse(&mut a, &mut b, 100);
    assert_eq!(errors.len(), 2, "{errors:?}");
    assert!(
        errors.iter().all(|error| matches!(error, HandshakeError::WrongKey { .. })),
        "{errors:?}"
    );
    assert!(a.finished().is_none() && b.finished().is_none());
}

#[test]
fn a_server_that_lies_about_its_verdict_is_not_believed() {
    let mut a = machine(&key(), client(), 1);
    let fake = Hello { who: server(), nonce: nonce(2) }.encode();
    a.receive(&fake).unwrap();
    let mut verdict = [9; VERDICT_BYTES];
    verdict[0] = ACCEPTED;
    assert!(matches!(a.receive(&verdict), Err(HandshakeError::WrongKey { .. })));
}

#[test]
fn a_right_proof_under_a_refusal_is_no_welcome() {
    let key = key();
    let mut a = machine(&key, client(), 1);
    let mut b = machine(&key, server(), 2);
    b.receive(&a.outgoing()).unwrap();
    a.receive(&b.outgoing()).unwrap();
    b.receive(&a.outgoing()).unwrap();
    let mut verdict = b.outgoing();
    verdict[0] = REFUSED;
    assert!(matches!(a.receive(&verdict), Err(HandshakeError::WrongKey { .. })));
}

#[test]
fn a_server_proves_nothing_before_the_client_has() {
    let key = key();
    let mut b = machine(&key, server(), 2);
    assert!(b.outgoing().is_empty());
    b.receive(&machine(&key, client(), 1).outgoing()).unwrap();
    assert_eq!(b.outgoing(), Hello { who: server(), nonce: nonce(2) }.encode());
}

#[test]
fn replayed_client_messages_are_refused() {
    let key = key();
    let (mut a, mut b) = (machine(&key, client(), 1), machine(&key, server(), 2));
    let hello = a.outgoing();
    b.receive(&hello).unwrap();
    a.receive(&b.outgoing()).unwrap();
    let proof = a.outgoing();
    let mut again = machine(&key, server(), 2);
    again.receive(&hello).unwrap();
    assert!(
        again.receive(&proof).is_ok(),
        "the same server nonce would accept it: the test must see that"
    );

    let mut other = machine(&key, server(), 3);
    other.receive(&hello).unwrap();
    assert!(matches!(other.receive(&proof), Err(HandshakeError::WrongKey { .. })));
}

#[test]
fn replayed_server_messages_are_refused() {
    let key = key();
    let (mut a, mut b) = (machine(&key, client(), 1), machine(&key, server(), 2));
    b.receive(&a.outgoing()).unwrap();
    let hello = b.outgoing();
    a.receive(&hello).unwrap();
    b.receive(&a.outgoing()).unwrap();
    let verdict = b.outgoing();
    let mut other = machine(&key, client(), 4);
    other.receive(&hello).unwrap();
    assert!(matches!(other.receive(&verdict), Err(HandshakeError::WrongKey { .. })));
}

#[test]
fn our_own_words_sent_back_are_refused() {
    let key = key();
    let mut a = machine(&key, client(), 1);
    let hello = a.outgoing();
    assert!(matches!(a.receive(&hello), Err(HandshakeError::Reflected { .. })));

    // With the role altered the echoed nonce still shows it, and with that altered the label of the
    // proof does.
    let mut a = machine(&key, client(), 1);
    let echo = Hello { who: server(), nonce: nonce(1) };
    assert!(matches!(a.receive(&echo.encode()), Err(HandshakeError::Reflected { .. })));
    let mut a = machine(&key, client(), 1);
    a.outgoing();
    a.receive(&Hello { who: server(), nonce: nonce(2) }.encode()).unwrap();
    let proof = a.outgoing();
    let verdict = [&[ACCEPTED], &proof[..]].concat();
    assert!(matches!(a.receive(&verdict), Err(HandshakeError::WrongKey { .. })));
}

#[test]
fn an_altered_hello_spoils_the_proof() {
    let key = key();
    for changed in [Introduction { node: 4, ..client() }, client()] {
        let (mut a, mut b) = (machine(&key, client(), 1), machine(&key, server(), 2));
        a.outgoing();
        b.receive(&Hello { who: changed, nonce: nonce(1) }.encode()).unwrap();
        a.receive(&b.outgoing()).unwrap();
        assert_eq!(b.receive(&a.outgoing()).is_ok(), changed == client());
    }
}

#[test]
fn another_purpose_or_session_is_named_on_both_sides() {
    let key = key();
    let other_session = Introduction { session: 8, ..client() };
    let other_purpose = Introduction { purpose: Purpose::Control, ..client() };
    let (mut a, mut b) = (machine(&key, other_session, 1), machine(&key, server(), 2));
    let errors = converse(&mut a, &mut b, 100);
    assert!(
        errors.len() == 2
            && errors.iter().all(|e| matches!(e, HandshakeError::OtherSession { .. }))
    );
    let (mut a, mut b) = (machine(&key, other_purpose, 1), machine(&key, server(), 2));
    let errors = converse(&mut a, &mut b, 100);
    assert!(
        errors.len() == 2
            && errors.iter().all(|e| matches!(e, HandshakeError::OtherPurpose { .. }))
    );
}

#[test]
fn foreign_bytes_are_known_at_once() {
    let mut b = machine(&key(), server(), 2);
    let error = b.receive(b"GET / HTTP/1.1\r\n").unwrap_err();
    assert!(error.to_string().contains("GET / HTTP/1.1"), "{error}");
    assert!(matches!(error, HandshakeError::Foreign { .. }));
    assert!(matches!(
        machine(&key(), server(), 2).receive(b"\x16"),
        Err(HandshakeError::Foreign { .. })
    ));
    assert_eq!(b.wants(), 0);
}

#[test]
fn another_version_and_another_length_are_named() {
    let good = Hello { who: client(), nonce: nonce(1) }.encode();
    let mut newer = good;
    newer[8] = 9;
    let error = machine(&key(), server(), 2).receive(&newer[..12]).unwrap_err();
    assert!(matches!(error, HandshakeError::OtherVersion { theirs: 9, .. }), "{error}");
    let mut longer = good;
    longer[10..12].copy_from_slice(&u16::MAX.to_le_bytes());
    let error = machine(&key(), server(), 2).receive(&longer[..12]).unwrap_err();
    assert!(matches!(error, HandshakeError::BadLength { claimed_bytes: 65535, .. }), "{error}");
    for (at, what) in [(12, "role"), (13, "purpose")] {
        let mut odd = good;
        odd[at] = 77;
        let error = machine(&key(), server(), 2).receive(&odd).unwrap_err();
        assert!(error.to_string().contains(what), "{error}");
    }
}

proptest! {
    #[test]
    fn no_bytes_make_it_panic_or_let_a_stranger_in(
        bytes in proptest::collection::vec(any::<u8>(), 0..200), as_client: bool, honest_prefix in 0usize..=56,
    ) {
        let ours = if as_client { client() } else { server() };
        let theirs = if as_client { server() } else { client() };
        let mut input = Hello { who: theirs, nonce: nonce(9) }.encode()[..honest_prefix].to_vec();
        input.extend_from_slice(&bytes);
        let mut handshake = machine(&RunKey::generate().unwrap(), ours, 1);
        let mut rest = &input[..];
        while !rest.is_empty() && handshake.wants() > 0 {
            match handshake.receive(rest) {
                Ok(taken) => rest = &rest[taken..],
                Err(_) => break,
            }
        }
        prop_assert!(handshake.finished().is_none());
    }
}

fn pair() -> (UnixStream, UnixStream) {
    UnixStream::pair().unwrap()
}

#[test]
fn over_sockets_both_are_let_in_and_later_bytes_are_left_alone() {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    let key = key();
    thread::scope(|scope| {
        scope.spawn(|| {
            let (mut stream, peer) = listener.accept().unwrap();
            assert_eq!(authenticate(&mut stream, peer, &key, server(), LIMIT).unwrap(), client());
            stream.write_all(b"data").unwrap();
        });
        let mut stream = TcpStream::connect(address).unwrap();
        assert_eq!(authenticate(&mut stream, address, &key, client(), LIMIT).unwrap(), server());
        let mut after = String::new();
        stream.read_to_string(&mut after).unwrap();
        assert_eq!(after, "data");
        assert_eq!(stream.read_timeout().unwrap(), None);
    });
}

#[test]
fn over_sockets_a_wrong_key_is_named_with_the_address_on_both_sides() {
    let (mut a, mut b) = pair();
    thread::scope(|scope| {
        let served =
            scope.spawn(move || authenticate(&mut b, "10.0.0.7:1", &key(), server(), LIMIT));
        let error = authenticate(&mut a, "10.0.0.8:2", &key(), client(), LIMIT).unwrap_err();
        assert!(
            matches!(&error, HandshakeError::WrongKey { peer } if peer == "10.0.0.8:2"),
            "{error}"
        );
        let error = served.join().unwrap().unwrap_err();
        assert!(
            matches!(&error, HandshakeError::WrongKey { peer } if peer == "10.0.0.7:1"),
            "{error}"
        );
    });
}

#[test]
fn a_peer_that_hangs_up_is_truncated() {
    let (mut a, mut b) = pair();
    b.write_all(&MAGIC).unwrap();
    drop(b);
    let error = authenticate(&mut a, "peer", &key(), server(), LIMIT).unwrap_err();
    assert!(matches!(error, HandshakeError::Truncated { missing_bytes: 48, .. }), "{error}");
}

#[test]
fn a_silent_peer_meets_the_deadline() {
    let (mut a, _silent) = pair();
    let begun = Instant::now();
    let error =
        authenticate(&mut a, "peer", &key(), server(), Duration::from_millis(50)).unwrap_err();
    assert!(matches!(error, HandshakeError::Timeout { .. }), "{error}");
    assert!(begun.elapsed() >= Duration::from_millis(45));
}

#[test]
fn a_peer_that_drips_bytes_meets_the_same_deadline() {
    let (mut a, mut b) = pair();
    let hello = Hello { who: client(), nonce: nonce(1) }.encode();
    let dripping = thread::spawn(move || {
        for byte in hello {
            if b.write_all(&[byte]).is_err() {
                return;
            }
            thread::sleep(Duration::from_millis(20));
        }
    });
    let begun = Instant::now();
    let error =
        authenticate(&mut a, "peer", &key(), server(), Duration::from_millis(200)).unwrap_err();
    assert!(matches!(error, HandshakeError::Timeout { .. }), "{error}");
    assert!(
        begun.elapsed() < Duration::from_millis(1000),
        "every byte must not begin the deadline anew"
    );
    drop(a);
    dripping.join().unwrap();
}
