//! Sending without waiting: for programs that must go on receiving while a path is full, because two nodes that both only wait
//! for room would wait for ever.

use super::Node;
use crate::error::FabricError;
use crate::spec::NodeId;
use crate::transport::{Flag, Handed, Head, Payload};
use clock::Ticks;
use record::{ABSENT, Kind};

/// A message that is being handed over without waiting, perhaps in several attempts.
#[derive(Clone, Copy, Debug)]
pub struct Letter {
    to: NodeId,
    kind: Kind,
    ready: u64,
    /// Payload bytes that have been handed over: more than none only in a message of several fragments.
    handed: usize,
}

impl Letter {
    /// For this node; it has been ready since then.
    pub fn new(to: NodeId, kind: Kind, ready: Ticks) -> Letter {
        Letter { to, kind, ready: ready.0, handed: 0 }
    }
}

impl Node {
    /// Hand a message over if there is room. On [`Handed::Full`] try again later with the same letter and payload, and
    /// hand nothing else to that node before it has gone: part of it may be on its way.
    ///
    /// # Errors
    /// When the node does not exist, or is lost.
    #[inline]
    pub fn try_send(&mut self, letter: &mut Letter, payload: &[u8]) -> Result<Handed, FabricError> {
        let Letter { to, kind, ready, .. } = *letter;
        let ready = if self.stamping { ready } else { ABSENT };
        if to == self.id {
            self.send_local(self.head(kind, ready, ABSENT, 1), Payload::Copied(payload))?;
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
            let mut head = Head { flag, ..self.head(kind, ready, ABSENT, 1) };
            let handed = self.transport.try_send(to, &mut head, Payload::Copied(fragment))?;
            self.transport.flush()?;
            if handed == Handed::Full {
                return Ok(Handed::Full);
            }
            letter.handed += fragment.len();
            if flag == Flag::Last {
                self.next_seq += 1;
                self.scribe.sending(to, &head, payload.len() as u64);
                return Ok(Handed::Yes);
            }
        }
    }

    /// See whether a peer is gone without good-bye. Waiting does this by itself; a program that only polls must ask now
    /// and then.
    ///
    /// # Errors
    /// [`FabricError::PeerLost`] names it.
    pub fn look_after_peers(&mut self) -> Result<(), FabricError> {
        self.check_peers()
    }
}
