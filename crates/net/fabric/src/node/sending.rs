//! Handing messages over: in fragments where they are large, waiting where there is no room.

use super::Node;
use crate::error::FabricError;
use crate::spec::NodeId;
use crate::transport::{Flag, Handed, Head};
use record::ABSENT;

/// Largest message: what the record's byte column is checked for.
const MESSAGE_BYTES_MAX: u64 = (1 << 40) - 1;

impl Node {
    #[inline]
    pub(super) fn hand_over(
        &mut self,
        to: NodeId,
        head: Head,
        payload: &[u8],
    ) -> Result<u64, FabricError> {
        self.queue_one(to, head, payload)?;
        self.transport.flush()?;
        Ok(head.seq)
    }

    #[inline]
    pub(super) fn queue_one(
        &mut self,
        to: NodeId,
        head: Head,
        payload: &[u8],
    ) -> Result<(), FabricError> {
        if to == self.id {
            return self.send_local(head, payload);
        }
        if to >= self.nodes {
            return Err(FabricError::NoSuchNode { node: to, last: self.nodes - 1 });
        }
        if payload.len() > self.transport.fragment_bytes_max() {
            self.send_in_fragments(to, head, payload)?;
        } else {
            self.hand_over_fragment(to, head, payload)?;
        }
        self.next_seq += 1;
        Ok(())
    }

    fn send_in_fragments(
        &mut self,
        to: NodeId,
        head: Head,
        payload: &[u8],
    ) -> Result<(), FabricError> {
        if payload.len() as u64 > MESSAGE_BYTES_MAX {
            return Err(FabricError::TooLarge {
                bytes: payload.len() as u64,
                limit: MESSAGE_BYTES_MAX,
            });
        }
        let (mut fresh, stale) = (Some(head), Head { sent: ABSENT, ..head });
        let mut fragments = payload.chunks(self.transport.fragment_bytes_max()).peekable();
        while let Some(fragment) = fragments.next() {
            let flag = if fragments.peek().is_some() { Flag::More } else { Flag::Last };
            let head = Head { flag, ..fresh.take().unwrap_or(stale) };
            self.hand_over_fragment(to, head, fragment)?;
            // What waits for room is this very message: it may have to be seen before there is any.
            self.transport.flush()?;
        }
        Ok(())
    }

    /// Hand one fragment to the transport, waiting for room.
    #[inline]
    pub(super) fn hand_over_fragment(
        &mut self,
        to: NodeId,
        mut head: Head,
        payload: &[u8],
    ) -> Result<(), FabricError> {
        match self.transport.try_send(to, &mut head, payload)? {
            Handed::Yes => Ok(()),
            Handed::Full => self.wait_for_room(to, head, payload),
        }
    }

    #[cold]
    fn wait_for_room(
        &mut self,
        to: NodeId,
        mut head: Head,
        payload: &[u8],
    ) -> Result<(), FabricError> {
        self.transport.flush()?;
        head.sent = ABSENT;
        let deadline = self.after(self.peer_timeout);
        let mut looks = 0;
        while self.transport.try_send(to, &mut head, payload)? == Handed::Full {
            looks += 1;
            if !self.pause(&mut looks, deadline)? {
                continue;
            }
            if self.clock.now() > deadline {
                return Err(self.stalled(to, "we wait to send it a message"));
            }
        }
        Ok(())
    }
}
