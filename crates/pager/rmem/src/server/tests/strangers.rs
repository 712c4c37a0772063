//! What must be refused, and must harm nobody.

use super::*;
use crate::wire::channel::Channel;
use crate::wire::inbox::Inbox;
use crate::wire::request::put_start;
use crate::wire::{HEADER_BYTES, Header, Kind, Sender, VERSION};
use fabric::{HandshakeError, Introduction, Purpose, Role, authenticate};
use std::io::{ErrorKind, Read, Write};

/// A connection that has proved that it holds the key, on which anything may be sent.
fn raw(running: &Running) -> TcpStream {
    let mut stream = TcpStream::connect(running.address()).unwrap();
    let ours = Introduction {
        role: Role::Client,
        purpose: Purpose::Pages,
        node: Introduction::NO_NODE,
        session: 0,
    };
    authenticate(&mut stream, "server", &running.key, ours, DEADLINE).unwrap();
    stream.set_read_timeout(Some(DEADLINE)).unwrap();
    stream
}

/// The same, ready for requests.
fn greeted(running: &Running) -> TcpStream {
    let stream = raw(running);
    let mut start = Vec::new();
    put_start(&mut start, VERSION, false);
    start.extend_from_slice(&Header::new(Kind::Who, 1, 0).encode());
    let (mut channel, mut inbox) = (Channel::new(stream.try_clone().unwrap()), Inbox::new());
    channel.send_whole(&start, DEADLINE).unwrap();
    loop {
        match inbox.next(Sender::Server).unwrap() {
            Some((header, _)) if header.kind == Kind::Greeting => break,
            Some(_) => {}
            None => assert!(channel.receive_waiting(&mut inbox).unwrap()),
        }
    }
    stream
}

/// All that comes until the server closes the connection.
fn until_closed(mut stream: TcpStream) -> Vec<u8> {
    let mut bytes = Vec::new();
    match stream.read_to_end(&mut bytes) {
        Ok(_) => bytes,
        Err(error) if error.kind() == ErrorKind::ConnectionReset => bytes,
        Err(error) => panic!("the server left the connection open: {error}"),
    }
}

#[test]
fn another_key_is_refused() {
    let running = Running::start(8, |_| {});
    let error = Link::connect(&running.address(), &RunKey::generate().unwrap(), false, DEADLINE)
        .err()
        .unwrap();
    assert!(matches!(error, LinkError::Handshake(HandshakeError::WrongKey { .. })), "{error}");
    running.until("count", |summary| summary.strangers.total() == 1 && summary.clients == 0);
    running.assert_unharmed();
}

#[test]
fn a_proof_for_another_purpose_is_worth_nothing() {
    let running = Running::start(8, |_| {});
    for purpose in [Purpose::Data, Purpose::Control] {
        let mut stream = TcpStream::connect(running.address()).unwrap();
        let ours =
            Introduction { role: Role::Client, purpose, node: Introduction::NO_NODE, session: 0 };
        assert!(authenticate(&mut stream, "server", &running.key, ours, DEADLINE).is_err());
    }
    running.until("count", |summary| summary.strangers.total() == 2 && summary.clients == 0);
    running.assert_unharmed();
}

#[test]
fn foreign_bytes_are_refused() {
    let running = Running::start(8, |_| {});
    let garbage: Vec<u8> = (0..5000u32).map(|i| (i * i % 253) as u8).collect();
    for bytes in [&b"GET / HTTP/1.1\r\nHost: pages\r\n\r\n"[..], &garbage, b"", b"four"] {
        let mut stream = TcpStream::connect(running.address()).unwrap();
        stream.set_read_timeout(Some(DEADLINE)).unwrap();
        // The server may have hung up before all of it is written.
        let _ = stream.write_all(bytes);
        let _ = stream.shutdown(Shutdown::Write);
        assert_eq!(until_closed(stream), [0; 0], "a server says nothing to strangers");
    }
    running.until("count", |summary| summary.strangers.total() == 4);
    running.assert_unharmed();
}

#[test]
fn frames_that_lie_are_refused() {
    let running = Running::start(8, |_| {});
    let mut long = Header::new(Kind::Write, 1, 1).encode();
    long[4..8].copy_from_slice(&u32::MAX.to_le_bytes());
    let mut many = Header::new(Kind::Read, 1, 1).encode();
    many[2..4].copy_from_slice(&65u16.to_le_bytes());
    let twice = Header::new(Kind::Who, 1, 0).encode();
    for frame in [long, many, twice, [0xff; HEADER_BYTES]] {
        let mut stream = greeted(&running);
        stream.write_all(&frame).unwrap();
        let said = until_closed(stream);
        assert_eq!(said.first(), Some(&(Kind::Refused as u8)), "{said:?}");
    }
    running.until("count", |summary| summary.broken_rules == 4);
    running.assert_unharmed();
}

#[test]
fn a_frame_cut_short_harms_nobody() {
    let running = Running::start(8, |_| {});
    let frame = Header::new(Kind::Write, 1, 1).encode();
    for bytes in [1, HEADER_BYTES - 1, HEADER_BYTES] {
        let mut stream = greeted(&running);
        stream.write_all(&frame[..bytes]).unwrap();
        drop(stream);
    }
    running.until("end", |summary| summary.clients == 3 && summary.clients_now == 0);
    assert_eq!(running.server.summary().granted_pages, 0);
    running.assert_unharmed();
}

#[test]
fn a_client_that_stops_in_a_frame_is_cut_off() {
    let running = Running::start(8, |options| options.patience = Duration::from_millis(100));
    let mut stream = greeted(&running);
    stream.write_all(&Header::new(Kind::Write, 1, 1).encode()).unwrap();
    until_closed(stream);
    running.until("count", |summary| summary.too_slow == 1);
    running.assert_unharmed();
}

#[test]
fn a_client_that_does_not_read_is_cut_off() {
    let running = Running::start(64, |options| options.patience = Duration::from_millis(100));
    let mut client = running.client(false);
    client.reserve(64);
    let wanted: Vec<(u64, u32)> = (0..64).map(|slot| (slot, slot as u32)).collect();
    // Far more answers than the buffers of two sockets hold.
    (0..400).for_each(|_| client.link.read(&wanted));
    client.link.flush(1).unwrap();
    running.until("count", |summary| summary.too_slow == 1 && summary.clients_now == 0);
    assert_eq!(running.server.summary().granted_pages, 0);
    running.assert_unharmed();
}

/// Far more connections that say nothing than the server has places for: clients come in as if
/// there were none.
#[test]
fn a_crowd_that_says_nothing_keeps_nobody_out() {
    let running = Running::start(8, |_| {});
    let crowd: Vec<_> = (0..300).map(|_| TcpStream::connect(running.address()).unwrap()).collect();
    running.assert_unharmed();
    drop(crowd);
    running.until("count", |summary| summary.strangers.total() == 300);
}

#[test]
fn clients_beyond_the_bound_are_turned_away() {
    let running = Running::start(8, |options| options.clients_max = 1);
    let first = running.client(false);
    let error = Link::connect(&running.address(), &running.key, false, DEADLINE).err().unwrap();
    assert!(matches!(error, LinkError::Refused { .. }), "{error}");
    assert!(error.to_string().contains("name another server"), "{error}");
    drop(first);
    running.until("place", |summary| summary.clients_now == 0);
    running.assert_unharmed();
}

#[test]
fn a_server_that_wants_encryption_takes_nothing_else() {
    let running = Running::start(8, |options| options.require_encryption = true);
    let error = Link::connect(&running.address(), &running.key, false, DEADLINE).err().unwrap();
    assert!(error.to_string().contains("--encrypt"), "{error}");
    assert_eq!(running.client(true).reserve(1), (1, Shortage::None));
    running.until("the count", |summary| summary.turned_away == 1);
}

#[test]
fn another_version_is_named() {
    let running = Running::start(8, |_| {});
    let mut stream = raw(&running);
    let mut start = Vec::new();
    put_start(&mut start, VERSION + 1, false);
    stream.write_all(&start).unwrap();
    let said = until_closed(stream);
    assert_eq!(said[..HEADER_BYTES], Header::new(Kind::Refused, 1, 0).encode());
    assert_eq!(said[HEADER_BYTES], crate::wire::answer::Refusal::Version as u8);
}

#[test]
fn a_server_that_answers_nothing_is_given_up() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap().to_string();
    let key = RunKey::generate().unwrap();
    let error = Link::connect(&address, &key, false, Duration::from_millis(100)).err().unwrap();
    assert!(matches!(error, LinkError::Handshake(HandshakeError::Timeout { .. })), "{error}");
    drop(listener);
    let error = Link::connect(&address, &key, false, DEADLINE).err().unwrap();
    assert!(matches!(error, LinkError::Unreachable { .. }), "{error}");
}
