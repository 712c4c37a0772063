//! What has been handed to MPI and not yet left: a bounded number of messages, each in a buffer
//! that MPI may still read.

use super::raw::{Buffer, Channel, Transfer};
use crate::error::FabricError;
use std::collections::VecDeque;
use std::ffi::c_int;

/// Buffers of one size, used again and again.
pub(super) struct Outbox {
    bytes: usize,
    most: usize,
    made: usize,
    idle: Vec<Buffer>,
    busy: VecDeque<Transfer>,
}

impl Outbox {
    /// At most `most` messages of at most `bytes` at a time. Buffers are made when they are first
    /// needed.
    pub fn new(bytes: usize, most: usize) -> Outbox {
        Outbox { bytes, most, made: 0, idle: Vec::new(), busy: VecDeque::with_capacity(most) }
    }

    /// Whether a message can be handed over now; asks MPI if need be.
    #[inline(always)]
    pub fn has_room(&mut self) -> Result<bool, FabricError> {
        if !self.idle.is_empty() {
            return Ok(true);
        }
        self.reclaim()?;
        if self.idle.is_empty() && self.made < self.most {
            self.idle.push(Buffer::new(self.bytes));
            self.made += 1;
        }
        Ok(!self.idle.is_empty())
    }

    /// Hand over a message: a header and what follows it. There must be room.
    #[inline(always)]
    pub fn send<const N: usize>(
        &mut self,
        channel: &Channel,
        to: c_int,
        tag: c_int,
        header: &[u8; N],
        payload: &[u8],
    ) -> Result<(), FabricError> {
        let Some(mut buffer) = self.idle.pop() else { return Ok(()) };
        let len = N + payload.len();
        let bytes = &mut buffer.bytes_mut()[..len];
        bytes[..N].copy_from_slice(header);
        bytes[N..].copy_from_slice(payload);
        self.busy.push_back(Transfer::send(channel, buffer, len, to, tag)?);
        Ok(())
    }

    /// Take back what has left. One that has not is asked again last: a slow peer must not hold up
    /// the others' buffers.
    #[inline]
    pub fn reclaim(&mut self) -> Result<(), FabricError> {
        for _ in 0..self.busy.len() {
            let Some(mut first) = self.busy.pop_front() else { break };
            if first.has_ended()? {
                self.idle.extend(first.into_buffer());
            } else {
                self.busy.push_back(first);
                if !self.idle.is_empty() {
                    break;
                }
            }
        }
        Ok(())
    }

    /// Whether everything has left, as far as is known.
    pub fn is_empty(&self) -> bool {
        self.busy.is_empty()
    }
}
