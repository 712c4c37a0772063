//! The decoders of what comes from outside, for the fuzz targets. Not part of the public interface.

use crate::cube::Shape;
use crate::cube::route::Route;
use crate::transport::{Flag, Head};
use crate::transports::tcp::frame::{Frame, HEADER_BYTES};
use crate::transports::tcp::inbox::Inbox;
use crate::transports::udp::counters::UdpReport;
use crate::transports::udp::datagram::{Reader, TagKey};
use crate::transports::udp::options::UdpOptions;
use crate::transports::udp::pair::{Pair, PairKeys, Setup};
use crate::transports::udp::timing::Times;

/// Feed a TCP stream to the frame decoder, cut into reads of at most `cut` bytes. Returns the
/// payload bytes that came out.
pub fn frames(stream: &[u8], cut: usize) -> usize {
    const PAYLOAD_BYTES_MAX: usize = 1000;
    let mut inbox = Inbox::new(PAYLOAD_BYTES_MAX, 2 * (PAYLOAD_BYTES_MAX + HEADER_BYTES));
    let (mut rest, mut bytes_out) = (stream, 0);
    while !rest.is_empty() {
        let room = inbox.room();
        let bytes = room.len().min(cut.max(1)).min(rest.len());
        assert!(bytes > 0, "an inbox that is taken from always has room");
        room[..bytes].copy_from_slice(&rest[..bytes]);
        rest = &rest[bytes..];
        let checked = inbox.commit(bytes, None);
        while inbox.next().is_some() {
            bytes_out += inbox.payload().len();
        }
        if checked.is_err() {
            break;
        }
    }
    assert!(bytes_out <= stream.len());
    bytes_out
}

/// Decode one header and encode it again: what is believed must come out as it was.
pub fn frame(header: &[u8]) {
    if let Ok(Some(frame)) = Frame::decode(header, 1000) {
        assert_eq!(Frame::decode(&frame.encode(), 1000), Ok(Some(frame)));
    }
}

/// Read a datagram whose tag has been found right. Returns the payload bytes that came out.
pub fn datagram(bytes: &[u8]) -> usize {
    let Ok(mut reader) = Reader::new(bytes) else { return 0 };
    let mut bytes_out = 0;
    while let Ok(Some(unit)) = reader.next() {
        bytes_out += unit.payload.len();
    }
    assert!(bytes_out <= bytes.len());
    bytes_out
}

/// Give datagrams of any contents, under the right tag, to the state of a pair that has sent
/// something: it may refuse them, and must neither fail nor deliver more than came.
pub fn pair(datagrams: &[Vec<u8>]) {
    let keys = PairKeys { ours: TagKey([1; 16]), theirs: TagKey([2; 16]) };
    let times = Times { period: None, first: 2000, least: 200, most: 200_000 };
    let options = UdpOptions { max_acks: 4, datagram_bytes: 60_000, ..UdpOptions::default() };
    let mut pair = Pair::new(Setup { peer: 1, options, times, keys, acks_every: 4, now: 0 });
    let (mut report, mut out) = (UdpReport::default(), Vec::new());
    let (mut given, mut taken) = (0, 0);
    for (now, bytes) in (0u64..).zip(datagrams) {
        let head = Head {
            ready: 1,
            sent: 2,
            seq: now,
            kind: record::Kind::Data,
            flag: Flag::Last,
            batch: 1,
            in_flight: 0,
        };
        if pair.has_room() {
            pair.put(&head, b"something");
        }
        while pair.transmit(now, false, &mut out, &mut report) {}
        let mut datagram = [&[0; 8], &bytes[..]].concat();
        keys.theirs.seal(&mut datagram);
        given += datagram.len();
        if pair.receive(&datagram, None, now, &mut report).is_err() {
            break;
        }
        while pair.next().is_some() {
            taken += pair.payload().len();
        }
    }
    assert!(taken <= given && pair.in_flight() <= 4);
}

/// Decode a packet that came to node `me` of a cube of 16.
pub fn route(packet: &[u8], me: u16) {
    let shape = Shape { nodes: 16, packet_bytes: 100, fragment_bytes_max: 1000 };
    if let Ok((route, piece)) = Route::decode(packet, me % 16, &shape) {
        let again = [&route.encode()[..], piece].concat();
        assert_eq!(Route::decode(&again, me % 16, &shape), Ok((route, piece)));
    }
}
