//! The decoders of what comes from outside, for the fuzz targets. Not part of the public interface.

use crate::cube::Shape;
use crate::cube::route::Route;
use crate::tcp::frame::{Frame, HEADER_BYTES};
use crate::tcp::inbox::{Framing, Inbox};

/// Feed a TCP stream to the frame decoder, cut into reads of at most `cut` bytes. Returns the payload bytes that came out.
pub fn frames(stream: &[u8], cut: usize) -> usize {
    const PAYLOAD_BYTES_MAX: usize = 1000;
    let framing = Framing::Headed { payload_bytes_max: PAYLOAD_BYTES_MAX };
    let mut inbox = Inbox::new(framing, 2 * (PAYLOAD_BYTES_MAX + HEADER_BYTES));
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

/// Decode a packet that came to node `me` of a cube of 16.
pub fn route(packet: &[u8], me: u16) {
    let shape = Shape { nodes: 16, packet_bytes: 100, fragment_bytes_max: 1000 };
    if let Ok((route, piece)) = Route::decode(packet, me % 16, &shape) {
        let again = [&route.encode()[..], piece].concat();
        assert_eq!(Route::decode(&again, me % 16, &shape), Ok((route, piece)));
    }
}
