//! Messages of a node to itself: only `ready` and `taken` exist.

use super::{Body, Message, Node};
use crate::error::FabricError;
use crate::transport::{Arrival, Head};
use clock::Ticks;
use record::ABSENT;

/// Messages to itself that a node holds before `send` refuses.
const LOCAL_MAX: usize = 1 << 16;

impl Node {
    pub(super) fn send_local(&mut self, head: Head, payload: &[u8]) -> Result<(), FabricError> {
        if self.local.len() >= LOCAL_MAX {
            return Err(self.stalled(self.id, "it sends to itself without receiving"));
        }
        self.local.push_back((Head { sent: ABSENT, ..head }, payload.to_vec()));
        self.next_seq += 1;
        Ok(())
    }

    /// A message within the node: only `ready` and `taken` exist.
    pub(super) fn take_local(&mut self) -> Option<Message<'_>> {
        let (head, bytes) = self.local.pop_front()?;
        let arrival = Arrival { hops: 0, packets: 0, ..Arrival::of_neighbour(self.id, head) };
        let taken = self.scribe.taking(&arrival, bytes.len() as u64, self.clock);
        let Head { ready, seq, kind, .. } = head;
        Some(Message {
            from: self.id,
            kind,
            seq,
            ready: Ticks(ready),
            taken: Ticks(taken),
            stamps: self.scribe.stamps(),
            body: Body::Own(bytes),
        })
    }
}
