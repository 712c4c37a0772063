//! What is handed over but not yet written to one connection: bounded, written in batches.
//!
//! Small frames are gathered and leave with one system call per flush. A large payload is written
//! straight from the caller's memory, behind what was gathered, and only what the kernel does not
//! take at once is copied.

use rustix::net::{SendAncillaryBuffer, SendFlags, send, sendmsg};
use std::io::{self, ErrorKind, IoSlice};
use std::net::TcpStream;

/// Payloads from this size on are written from where they are.
const DIRECT_BYTES: usize = 16 << 10;
/// Bytes gathered before the outbox is full.
const GATHERED_BYTES_MAX: usize = 256 << 10;

/// Where the bytes go: a socket that is never waited for, or a test's.
pub(crate) trait Wire {
    /// Write some of the parts, without waiting.
    fn write(&mut self, parts: &[IoSlice<'_>]) -> io::Result<usize>;
}

/// The sending side of a connection.
#[derive(Default)]
pub(crate) struct Outbox {
    buffer: Vec<u8>,
    written: usize,
}

impl Outbox {
    /// Bytes that wait.
    #[inline]
    pub fn pending(&self) -> usize {
        self.buffer.len() - self.written
    }

    /// Whether one more frame may be put in.
    #[inline]
    pub fn has_room(&self) -> bool {
        self.pending() < GATHERED_BYTES_MAX
    }

    /// Put in a frame. Large payloads are written at once as far as the kernel takes them.
    #[inline]
    pub fn put(&mut self, header: &[u8], payload: &[u8], wire: &mut impl Wire) -> io::Result<()> {
        if payload.len() >= DIRECT_BYTES {
            return self.put_direct(header, payload, wire);
        }
        self.buffer.extend_from_slice(header);
        self.buffer.extend_from_slice(payload);
        Ok(())
    }

    /// Write what waits, once. `true`: all of it went.
    #[inline]
    pub fn write(&mut self, wire: &mut impl Wire) -> io::Result<bool> {
        if self.pending() == 0 {
            return Ok(true);
        }
        let bytes = write_some(wire, &[IoSlice::new(&self.buffer[self.written..])])?;
        self.went(bytes);
        Ok(self.pending() == 0)
    }

    fn put_direct(
        &mut self,
        header: &[u8],
        payload: &[u8],
        wire: &mut impl Wire,
    ) -> io::Result<()> {
        let waiting = self.pending();
        let parts = [
            IoSlice::new(&self.buffer[self.written..]),
            IoSlice::new(header),
            IoSlice::new(payload),
        ];
        let bytes = write_some(wire, &parts)?;
        self.went(bytes.min(waiting));
        let bytes = bytes - bytes.min(waiting);
        self.buffer.extend_from_slice(&header[bytes.min(header.len())..]);
        self.buffer.extend_from_slice(&payload[bytes.saturating_sub(header.len())..]);
        Ok(())
    }

    #[inline]
    fn went(&mut self, bytes: usize) {
        self.written += bytes;
        if self.written == self.buffer.len() {
            self.buffer.clear();
            self.written = 0;
        } else if self.written > GATHERED_BYTES_MAX {
            self.buffer.drain(..self.written);
            self.written = 0;
        }
    }
}

/// Zero when the kernel has no room.
#[inline]
fn write_some(wire: &mut impl Wire, parts: &[IoSlice<'_>]) -> io::Result<usize> {
    match wire.write(parts) {
        Err(error) if matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::Interrupted) => {
            Ok(0)
        }
        other => other,
    }
}

/// A socket that is written without waiting and without SIGPIPE.
pub(crate) struct Socket<'a>(pub &'a TcpStream);

impl Wire for Socket<'_> {
    #[inline]
    fn write(&mut self, parts: &[IoSlice<'_>]) -> io::Result<usize> {
        let flags = SendFlags::DONTWAIT | SendFlags::NOSIGNAL;
        let result = match parts {
            [part] => send(self.0, part, flags),
            _ => sendmsg(self.0, parts, &mut SendAncillaryBuffer::default(), flags),
        };
        Ok(result?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Takes as many bytes a call as the script says; zero means no room.
    struct Scripted<'a> {
        out: Vec<u8>,
        script: std::iter::Cycle<std::slice::Iter<'a, usize>>,
    }

    impl Wire for Scripted<'_> {
        fn write(&mut self, parts: &[IoSlice<'_>]) -> io::Result<usize> {
            let all: Vec<u8> = parts.iter().flat_map(|part| part.iter().copied()).collect();
            match (*self.script.next().unwrap()).min(all.len()) {
                0 => Err(ErrorKind::WouldBlock.into()),
                bytes => {
                    self.out.extend_from_slice(&all[..bytes]);
                    Ok(bytes)
                }
            }
        }
    }

    proptest! {
        #[test]
        fn short_writes_lose_and_repeat_nothing(
            sizes in prop::collection::vec(
                prop_oneof![0usize..100, DIRECT_BYTES - 2..DIRECT_BYTES + 5000], 1..20),
            script in prop::collection::vec(0usize..20_000, 1..20), flush: bool,
        ) {
            prop_assume!(script.iter().any(|bytes| *bytes > 0));
            let mut wire = Scripted { out: Vec::new(), script: script.iter().cycle() };
            let (mut outbox, mut expected) = (Outbox::default(), Vec::new());
            for (k, size) in sizes.iter().enumerate() {
                let payload: Vec<u8> = (0..*size).map(|i| (i * 3 + k) as u8).collect();
                let header = [k as u8; 5];
                expected.extend_from_slice(&header);
                expected.extend_from_slice(&payload);
                outbox.put(&header, &payload, &mut wire).unwrap();
                if flush {
                    outbox.write(&mut wire).unwrap();
                }
            }
            while !outbox.write(&mut wire).unwrap() {}
            prop_assert_eq!(wire.out, expected);
        }
    }
}
