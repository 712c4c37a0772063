//! What a node's datagrams did, counted; and when something was sent again.

use crate::spec::NodeId;
use crate::transport::Happening;
use record::Cause;
use serde::{Deserialize, Serialize};

/// Most moments of sending again that are kept one by one; beyond, they are only counted.
const MOMENTS_MAX: usize = 16_384;

/// Counts of one node, over all its peers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct UdpCounts {
    /// Datagrams sent, those that faults swallowed among them.
    pub datagrams_sent: u64,
    /// Datagrams received from peers.
    pub datagrams_received: u64,
    /// Of those sent: with an acknowledgement and no message.
    pub acknowledgements_sent: u64,
    /// Messages (fragments of large ones) sent again because a timer said so.
    pub resent_by_timer: u64,
    /// Messages (fragments) sent again because later ones had been acknowledged.
    pub resent_by_gap: u64,
    /// Messages (fragments) that had come before, and were removed.
    pub duplicates_removed: u64,
    /// Messages (fragments) that came before an earlier one did.
    pub out_of_order: u64,
    /// Messages (fragments) for which there was no room: the peer sent more than it was allowed to.
    pub beyond_room: u64,
    /// Datagrams that faults put in on purpose swallowed.
    pub swallowed: u64,
    /// Datagrams whose tag no peer can have made, or that were cut short.
    pub refused: u64,
}

/// A moment at which messages were sent again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Resent {
    /// When, in the node's ticks.
    pub at: u64,
    /// To whom.
    pub peer: NodeId,
    /// Messages (fragments of large ones).
    pub messages: u32,
}

/// What a node tells of its datagrams when it ends.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct UdpReport {
    /// What was counted.
    pub counts: UdpCounts,
    /// When something was sent again: the first some thousands of times. Told by
    /// [`Transport::happenings`](crate::Transport::happenings).
    #[serde(skip)]
    pub(crate) resent: Vec<Resent>,
    /// Times that are not in `resent`.
    pub resent_not_kept: u64,
    /// What was done about priorities.
    pub priorities: Vec<String>,
}

impl Resent {
    /// As it is told.
    pub(crate) fn happening(&self) -> Happening {
        Happening {
            cause: Cause::Resent,
            from: self.at,
            to: self.at,
            amount: i64::from(self.messages),
        }
    }
}

impl UdpReport {
    /// Of nothing yet.
    pub(crate) fn new() -> UdpReport {
        UdpReport { resent: Vec::with_capacity(MOMENTS_MAX), ..UdpReport::default() }
    }

    /// Something has been sent again.
    pub(crate) fn note(&mut self, moment: Resent) {
        if self.resent.len() < MOMENTS_MAX {
            self.resent.push(moment);
        } else {
            self.resent_not_kept += 1;
        }
    }
}

impl UdpCounts {
    /// Messages sent again, for whatever reason.
    pub fn resent(&self) -> u64 {
        self.resent_by_timer + self.resent_by_gap
    }
}
