//! Sending without waiting: for programs that must go on receiving while a path is full, because
//! two nodes that both only wait for room would wait for ever.

use super::{Message, Node, Wait};
use crate::error::FabricError;
use crate::spec::NodeId;
use crate::transport::{Flag, Handed, Head};
use clock::Ticks;
use record::{ABSENT, Kind};
use std::time::Duration;

/// Longest wait for a message between two attempts to hand one over.
const MOMENT: Duration = Duration::from_micros(50);

/// A message, or several of one call, that is being handed over without waiting, perhaps in several
/// attempts.
#[derive(Clone, Copy, Debug)]
pub struct Letter {
    to: NodeId,
    kind: Kind,
    ready: u64,
    /// Messages of the call.
    batch: u16,
    /// Of these, handed over.
    gone: usize,
    /// Payload bytes of the next that have been handed over: more than none only in a message of
    /// several fragments.
    handed: usize,
    /// What its arrival counts for.
    receipt: u32,
}

impl Letter {
    /// For this node; it has been ready since then.
    pub fn new(to: NodeId, kind: Kind, ready: Ticks) -> Letter {
        Letter { to, kind, ready: ready.0, batch: 1, gone: 0, handed: 0, receipt: 0 }
    }

    /// The arrival of each of its messages is to count for so much in [`Node::receipts`].
    pub fn with_receipt(self, counts: u32) -> Letter {
        Letter { receipt: counts, ..self }
    }
}

impl Node {
    /// Hand a message over if there is room. On [`Handed::Full`] try again later with the same
    /// letter and payload, and hand nothing else to that node before it has gone: part of it may be
    /// on its way.
    ///
    /// # Errors
    /// When the node does not exist, or is lost.
    #[inline]
    pub fn try_send(&mut self, letter: &mut Letter, payload: &[u8]) -> Result<Handed, FabricError> {
        let handed = self.put(letter, payload)?;
        self.transport.flush()?;
        Ok(handed)
    }

    /// Send several messages in one call, and take what comes while there is no room. Between nodes
    /// that send to each other more than a path holds, and only waited for room, nothing would
    /// move. `took` is given each message that is taken.
    ///
    /// # Errors
    /// As [`Node::send_batch`], and what taking a message may fail with.
    pub fn send_batch_taking(
        &mut self,
        letter: Letter,
        payloads: &[&[u8]],
        mut took: impl FnMut(Message<'_>),
    ) -> Result<(), FabricError> {
        let batch = u16::try_from(payloads.len()).unwrap_or(u16::MAX);
        let mut letter = Letter { batch, ..letter };
        if self.put_all(&mut letter, payloads)? == Handed::Yes {
            return Ok(());
        }
        let mut deadline = self.after(self.peer_timeout);
        loop {
            let before = (letter.gone, letter.handed);
            match self.receive(Wait::Until(self.after(MOMENT))) {
                Ok(Some(message)) => took(message),
                // Who has said good-bye still takes.
                Ok(None) | Err(FabricError::Closed) => {}
                Err(error) => return Err(error),
            }
            if self.put_all(&mut letter, payloads)? == Handed::Yes {
                return Ok(());
            }
            if before != (letter.gone, letter.handed) {
                deadline = self.after(self.peer_timeout);
            } else if self.clock.now() > deadline {
                return Err(self.stalled(letter.to, "we wait to send it a message"));
            }
        }
    }

    /// Hand over what there is room for.
    fn put_all(&mut self, letter: &mut Letter, payloads: &[&[u8]]) -> Result<Handed, FabricError> {
        let mut handed = Handed::Yes;
        while handed == Handed::Yes && letter.gone < payloads.len() {
            handed = self.put(letter, payloads[letter.gone])?;
        }
        self.transport.flush()?;
        Ok(handed)
    }

    /// Hand over the next message of a letter, without waking anybody.
    #[inline]
    fn put(&mut self, letter: &mut Letter, payload: &[u8]) -> Result<Handed, FabricError> {
        let Letter { to, kind, ready, batch, .. } = *letter;
        let ready = if self.stamping { ready } else { ABSENT };
        if to == self.id {
            self.send_local(self.head(kind, ready, ABSENT, batch), payload)?;
            self.receipts += letter.receipt;
            letter.gone += 1;
            return Ok(Handed::Yes);
        }
        if to >= self.nodes {
            return Err(FabricError::NoSuchNode { node: to, last: self.nodes - 1 });
        }
        let most = self.transport.fragment_bytes_max();
        loop {
            let rest = &payload[letter.handed..];
            let (fragment, flag) =
                if rest.len() > most { (&rest[..most], Flag::More) } else { (rest, Flag::Last) };
            let mut head = Head { flag, ..self.head(kind, ready, ABSENT, batch) };
            if self.transport.try_send(to, &mut head, fragment)? == Handed::Full {
                return Ok(Handed::Full);
            }
            letter.handed += fragment.len();
            if flag == Flag::Last {
                (letter.gone, letter.handed) = (letter.gone + 1, 0);
                self.next_seq += 1;
                if letter.receipt > 0 {
                    self.transport.ask_for_receipt(to, letter.receipt);
                }
                return Ok(Handed::Yes);
            }
        }
    }

    /// See whether a peer is gone without good-bye. Waiting does this by itself; a program that
    /// only polls must ask now and then.
    ///
    /// # Errors
    /// [`FabricError::PeerLost`] names it.
    pub fn look_after_peers(&mut self) -> Result<(), FabricError> {
        self.check_peers()
    }
}
