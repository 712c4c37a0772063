//! What a node hands to MPI: small messages whole, large payloads apart from their headers, each
//! kind from buffers of its own, so that a few large ones take no room from the many small ones.

use super::link::{POST_BYTES, TAG_ACKNOWLEDGE, TAG_FRAME, TAG_PAYLOAD, TOGETHER_BYTES_MAX};
use super::outbox::Outbox;
use super::raw::Channel;
use crate::error::FabricError;
use crate::transports::tcp::frame::HEADER_BYTES;
use std::ffi::c_int;

/// Messages in buffers of ours that have not left yet, in all.
const SMALL_MAX: usize = 512;
const LARGE_MAX: usize = 16;

/// All that has not left this node yet.
pub(super) struct Outgoing {
    small: Outbox,
    large: Outbox,
}

impl Outgoing {
    pub fn new(fragment_bytes: usize) -> Outgoing {
        Outgoing {
            small: Outbox::new(POST_BYTES, SMALL_MAX),
            large: Outbox::new(fragment_bytes, LARGE_MAX),
        }
    }

    /// Whether a payload of so many bytes can be handed over now; asks MPI if need be.
    #[inline(always)]
    pub fn has_room(&mut self, bytes: usize) -> Result<bool, FabricError> {
        Ok(self.small.has_room()? && (bytes <= TOGETHER_BYTES_MAX || self.large.has_room()?))
    }

    /// Hand over a fragment that there is room for.
    #[inline(always)]
    pub fn send(
        &mut self,
        channel: &Channel,
        to: c_int,
        header: &[u8; HEADER_BYTES],
        payload: &[u8],
    ) -> Result<(), FabricError> {
        if payload.len() <= TOGETHER_BYTES_MAX {
            return self.small.send(channel, to, TAG_FRAME, header, payload);
        }
        self.small.send(channel, to, TAG_FRAME, header, &[])?;
        self.large.send(channel, to, TAG_PAYLOAD, &[], payload)
    }

    /// Hand over an acknowledgement, for which there is room as for an empty payload.
    #[inline]
    pub fn acknowledge(
        &mut self,
        channel: &Channel,
        to: c_int,
        header: &[u8; HEADER_BYTES],
    ) -> Result<(), FabricError> {
        self.small.send(channel, to, TAG_ACKNOWLEDGE, header, &[])
    }

    /// Take back the buffers of small messages that have left.
    #[inline]
    pub fn reclaim_small(&mut self) -> Result<(), FabricError> {
        self.small.reclaim()
    }

    /// Take back all buffers that have left.
    pub fn reclaim(&mut self) -> Result<(), FabricError> {
        self.small.reclaim()?;
        self.large.reclaim()
    }

    /// Whether everything has left, as far as is known.
    pub fn is_empty(&self) -> bool {
        self.small.is_empty() && self.large.is_empty()
    }
}
