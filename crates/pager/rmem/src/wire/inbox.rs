//! What has come over a connection and has not been read yet.

use super::{FRAME_BYTES_MAX, HEADER_BYTES, Header, Sender, WireError};

/// Most bytes that one receive takes.
pub(crate) const RECEIVE_BYTES: usize = 256 << 10;
/// Of the buffer. A frame that has come in part is moved to its beginning when it is full: the
/// longer it is, the less often.
const BUFFER_BYTES: usize = 1 << 20;

/// A buffer that whole frames are read from in place. It has room for a receive whenever no whole
/// frame is left in it.
pub(crate) struct Inbox {
    buffer: Vec<u8>,
    start: usize,
    end: usize,
}

impl Inbox {
    pub fn new() -> Inbox {
        Inbox { buffer: vec![0; BUFFER_BYTES], start: 0, end: 0 }
    }

    /// Where the next [`RECEIVE_BYTES`] go.
    #[inline]
    pub fn room(&mut self) -> &mut [u8] {
        if self.buffer.len() - self.end < RECEIVE_BYTES {
            self.buffer.copy_within(self.start..self.end, 0);
            (self.start, self.end) = (0, self.end - self.start);
        }
        &mut self.buffer[self.end..][..RECEIVE_BYTES]
    }

    /// So many bytes have been put into the room.
    #[inline]
    pub fn filled(&mut self, bytes: usize) {
        self.end += bytes;
    }

    /// Whether the beginning of a frame waits for its rest.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.start == self.end
    }

    /// The next whole frame.
    #[inline]
    pub fn next(&mut self, sender: Sender) -> Result<Option<(Header, &[u8])>, WireError> {
        let waiting = &self.buffer[self.start..self.end];
        let Some(header) = Header::decode(waiting, sender)? else {
            self.rewind();
            return Ok(None);
        };
        let whole = HEADER_BYTES + header.length as usize;
        if waiting.len() < whole {
            return Ok(None);
        }
        let body = self.start + HEADER_BYTES..self.start + whole;
        self.start += whole;
        Ok(Some((header, &self.buffer[body])))
    }

    /// An empty buffer is filled from its beginning: nothing needs to be moved then.
    #[inline]
    fn rewind(&mut self) {
        if self.is_empty() {
            (self.start, self.end) = (0, 0);
        }
    }
}

const _: () = assert!(BUFFER_BYTES >= RECEIVE_BYTES + FRAME_BYTES_MAX);
