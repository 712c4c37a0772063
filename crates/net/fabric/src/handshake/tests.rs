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

/// With an ephemeral key that the seed makes.
fn machine(keys: impl Into<KeyRing>, who: Introduction, seed: u8) -> Handshake {
    Handshake::with(keys, who, format!("peer of {:?}", who.role), Some(&[seed; 32])).unwrap()
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
    for chunk in [1, 7, HELLO_BYTES, 1000] {
        let key = key();
        let (mut a, mut b) = (machine(&key, client(), 1), machine(&key, server(), 2));
        assert!(converse(&mut a, &mut b, chunk).is_empty());
        assert_eq!(a.finished(), Some(server()));
        assert_eq!(b.finished(), Some(client()));
        let [mut a, mut b] = [a, b].map(|end| end.into_proved().unwrap().session);
        let (mut sealed, mut plain) = ([0; 21], [0; 21]);
        assert_eq!(a.seal(b"words", &mut sealed), Ok(21));
        assert_eq!(b.open(&sealed, &mut plain), Ok(5), "the same keys");
        assert_eq!(&plain[..5], b"words");
        assert_eq!(b.open(&sealed, &mut plain), Err(Unopened), "repeated");
    }
}

#[test]
fn different_keys_are_refused_on_both_sides() {
    let (mut a, mut b) = (machine(key(), client(), 1), machine(key(), server(), 2));
    let errors = converse(&mut a, &mut b, 100);
    assert_eq!(errors.len(), 2, "{errors:?}");
    assert!(
        errors.iter().all(|error| matches!(error, HandshakeError::WrongKey { .. })),
        "{errors:?}"
    );
    assert!(a.finished().is_none() && b.finished().is_none());
}

#[test]
fn a_server_with_several_keys_lets_in_whoever_holds_one() {
    let keys: Vec<RunKey> = (0..KeyRing::MOST).map(|_| key()).collect();
    let ring = KeyRing::new(keys.clone()).unwrap();
    for key in &keys {
        let (mut a, mut b) = (machine(key, client(), 1), machine(ring.clone(), server(), 2));
        assert!(converse(&mut a, &mut b, 100).is_empty());
        let [a, b] = [a, b].map(|end| end.into_proved().unwrap());
        assert_eq!((a.who, b.who, &a.key, &b.key), (server(), client(), key, key));
    }
    let (mut a, mut b) = (machine(key(), client(), 1), machine(ring, server(), 2));
    let errors = converse(&mut a, &mut b, 100);
    let refused = |error| matches!(error, &HandshakeError::WrongKey { .. });
    assert!(errors.len() == 2 && errors.iter().all(refused), "{errors:?}");
}

#[test]
fn a_key_that_was_taken_away_opens_nothing_more_and_ends_nothing() {
    let (old, new) = (key(), key());
    let ring = KeyRing::new(vec![new.clone(), old.clone()]).unwrap();
    let (mut a, mut b) = (machine(&old, client(), 1), machine(ring.clone(), server(), 2));
    let (mut late, mut waits) = (machine(&old, client(), 3), machine(ring.clone(), server(), 4));
    assert!(pass(&mut a, &mut b, 100).is_none());
    ring.replace(vec![new]).unwrap();
    assert!(converse(&mut b, &mut a, 100).is_empty());
    assert!(a.finished().is_some() && b.finished().is_some(), "it had shown the key before");
    let refused = pass(&mut late, &mut waits, 100);
    assert!(matches!(refused, Some(HandshakeError::WrongKey { .. })), "{refused:?}");
}

#[test]
fn a_server_without_the_key_is_not_believed() {
    // It has heard the client's hello, and answers as well as it can.
    let mut a = machine(key(), client(), 1);
    let mut noise = session::begin(&key(), Role::Server, None).unwrap();
    let _ = noise.read_message(&a.outgoing()[HEAD_BYTES..], &mut [0; 100]);
    let mut answer = hello::head(Role::Server).to_vec();
    answer.resize(HELLO_BYTES, 7);
    assert!(matches!(a.receive(&answer), Err(HandshakeError::WrongKey { .. })));
}

#[test]
fn a_welcome_that_is_not_sealed_is_none() {
    let key = key();
    let (mut a, mut b) = (machine(&key, client(), 1), machine(&key, server(), 2));
    b.receive(&a.outgoing()).unwrap();
    a.receive(&b.outgoing()).unwrap();
    assert!(a.finished().is_none(), "the server may yet refuse it");
    b.receive(&a.outgoing()).unwrap();
    let mut welcome = b.outgoing();
    welcome[3] ^= 1;
    assert!(matches!(a.receive(&welcome), Err(HandshakeError::WrongKey { .. })));
}

#[test]
fn a_server_proves_nothing_before_the_client_has() {
    let key = key();
    let mut b = machine(&key, server(), 2);
    assert!(b.outgoing().is_empty());
    let mut forged = machine(&key, client(), 1).outgoing();
    *forged.last_mut().unwrap() ^= 1;
    assert!(matches!(b.receive(&forged), Err(HandshakeError::WrongKey { .. })));
    let refusal = b.outgoing();
    assert_eq!(refusal[..HEAD_BYTES], hello::head(Role::Server));
    assert!(refusal[HEAD_BYTES..].iter().all(|byte| *byte == 0), "nothing of its key");
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
        "the same ephemeral key would accept it: the test must see that"
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
    let welcome = b.outgoing();
    let mut other = machine(&key, client(), 4);
    assert!(matches!(other.receive(&hello), Err(HandshakeError::WrongKey { .. })));
    let mut same = machine(&key, client(), 1);
    same.receive(&hello).unwrap();
    assert!(
        same.receive(&welcome).is_ok(),
        "the same ephemeral key would accept it: the test must see that"
    );
}

#[test]
fn our_own_words_sent_back_are_refused() {
    let key = key();
    let mut a = machine(&key, client(), 1);
    let hello = a.outgoing();
    assert!(matches!(a.receive(&hello), Err(HandshakeError::Reflected { .. })));

    // With the role altered the echoed key still shows it.
    let mut a = machine(&key, client(), 1);
    let mut echo = a.outgoing();
    echo[..HEAD_BYTES].copy_from_slice(&hello::head(Role::Server));
    assert!(matches!(a.receive(&echo), Err(HandshakeError::Reflected { .. })));

    // And its own proof is none of the server's.
    let (mut a, mut b) = (machine(&key, client(), 1), machine(&key, server(), 2));
    b.receive(&a.outgoing()).unwrap();
    a.receive(&b.outgoing()).unwrap();
    let proof = a.outgoing();
    assert!(matches!(a.receive(&proof), Err(HandshakeError::WrongKey { .. })));
}

#[test]
fn an_altered_hello_is_worth_nothing() {
    let key = key();
    for at in HEAD_BYTES..HELLO_BYTES {
        let (mut a, mut b) = (machine(&key, client(), 1), machine(&key, server(), 2));
        let mut hello = a.outgoing();
        hello[at] ^= 1;
        let error = b.receive(&hello).unwrap_err();
        assert!(matches!(error, HandshakeError::WrongKey { .. }), "byte {at}: {error}");
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
    let mut b = machine(key(), server(), 2);
    let error = b.receive(b"GET / HTTP/1.1\r\n").unwrap_err();
    assert!(error.to_string().contains("GET / HTTP/1.1"), "{error}");
    assert!(matches!(error, HandshakeError::Foreign { .. }));
    assert!(matches!(
        machine(key(), server(), 2).receive(b"\x16"),
        Err(HandshakeError::Foreign { .. })
    ));
    assert_eq!(b.wants(), 0);
}

#[test]
fn another_version_and_another_length_are_named() {
    let key = key();
    let good = machine(&key, client(), 1).outgoing();
    let mut newer = good.clone();
    newer[8] = 9;
    let error = machine(&key, server(), 2).receive(&newer[..12]).unwrap_err();
    assert!(matches!(error, HandshakeError::OtherVersion { theirs: 9, .. }), "{error}");
    let mut longer = good.clone();
    longer[10..12].copy_from_slice(&u16::MAX.to_le_bytes());
    let error = machine(&key, server(), 2).receive(&longer[..12]).unwrap_err();
    assert!(matches!(error, HandshakeError::BadLength { claimed_bytes: 65535, .. }), "{error}");
    let mut odd = good;
    odd[12] = 77;
    let error = machine(&key, server(), 2).receive(&odd).unwrap_err();
    assert!(error.to_string().contains("role"), "{error}");
    let error = Introduction::decode(Role::Client, &[77; INTRODUCTION_BYTES], "peer").unwrap_err();
    assert!(error.to_string().contains("purpose"), "{error}");
}

proptest! {
    #[test]
    fn no_bytes_make_it_panic_or_let_a_stranger_in(
        bytes in proptest::collection::vec(any::<u8>(), 0..200), as_client: bool,
        honest_prefix in 0..=HELLO_BYTES,
    ) {
        let ours = if as_client { client() } else { server() };
        let key = RunKey::generate().unwrap();
        let mut handshake = machine(&key, ours, 1);
        // The honest words of a client whose key is the same, and of a server whose key is not.
        let mut input = machine(&key, client(), 9).outgoing();
        if as_client {
            input[..HEAD_BYTES].copy_from_slice(&hello::head(Role::Server));
        }
        input.truncate(honest_prefix);
        input.extend_from_slice(&bytes);
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
            assert_eq!(
                authenticate(&mut stream, peer, &key, server(), LIMIT).unwrap().who,
                client()
            );
            stream.write_all(b"data").unwrap();
        });
        let mut stream = TcpStream::connect(address).unwrap();
        assert_eq!(
            authenticate(&mut stream, address, &key, client(), LIMIT).unwrap().who,
            server()
        );
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
    assert!(matches!(error, HandshakeError::Truncated { missing_bytes: 64, .. }), "{error}");
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
    let hello = machine(key(), client(), 1).outgoing();
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
