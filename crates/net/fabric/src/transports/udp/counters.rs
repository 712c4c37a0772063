//! What a node's datagrams did, counted; and when something was sent again.

use crate::spec::NodeId;
use crate::transport::{Happening, TransportReport};
use crate::transports::TransportCounter;
use record::Cause;

/// Most moments of sending again that are kept one by one; beyond, they are only counted.
const MOMENTS_MAX: usize = 16_384;

/// The counters of one node, over all its peers: a field and a line of [`COUNTERS`] each.
macro_rules! counts {
    ($($(#[$meaning:meta])* $name:ident: $words:literal, $if_any:literal;)*) => {
        /// Counts of one node, over all its peers.
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
        pub(crate) struct UdpCounts {
            $($(#[$meaning])* pub $name: u64,)*
        }

        /// What they are called.
        pub(crate) const COUNTERS: &[TransportCounter] = &[
            $(TransportCounter { name: stringify!($name), words: $words, if_any: $if_any },)*
        ];

        impl UdpCounts {
            /// In the order of [`COUNTERS`].
            fn values(&self) -> Vec<u64> {
                vec![$(self.$name,)*]
            }
        }
    };
}

counts! {
    /// Datagrams sent, those that faults swallowed among them.
    datagrams_sent: "datagrams sent", false;
    /// Datagrams received from peers.
    datagrams_received: "datagrams received", false;
    /// Of those sent: with an acknowledgement and no message.
    acknowledgements_sent: "datagrams sent only to acknowledge", false;
    /// Messages (fragments of large ones) sent again because a timer said so.
    resent_by_timer: "messages sent again by the timer", false;
    /// Messages (fragments) sent again because later ones had been acknowledged.
    resent_by_gap: "messages sent again because later ones had come", false;
    /// Messages (fragments) that had come before, and were removed.
    duplicates_removed: "duplicates removed", false;
    /// Messages (fragments) that came before an earlier one did.
    out_of_order: "messages came out of order", false;
    /// Messages (fragments) for which there was no room: the peer sent more than it was allowed to.
    beyond_room: "messages beyond the room that was granted", true;
    /// Datagrams that faults put in on purpose swallowed.
    swallowed: "datagrams swallowed by --udp-faults", true;
    /// Datagrams whose tag no peer can have made, or that were cut short.
    refused: "datagrams refused: not from a peer", true;
    /// Times that are not in `resent`.
    resent_not_kept: "retransmissions counted, but not recorded one by one", true;
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

/// What became of a node's datagrams.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct UdpReport {
    /// What was counted.
    pub counts: UdpCounts,
    /// When something was sent again: the first some thousands of times. Told by
    /// [`Transport::happenings`](crate::Transport::happenings).
    pub resent: Vec<Resent>,
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

    /// As it is told when the node ends.
    pub(crate) fn told(&self) -> TransportReport {
        let remarks = self.priorities.iter().map(|how| format!("priority: {how}")).collect();
        TransportReport { counts: self.counts.values(), remarks }
    }

    /// Something has been sent again.
    pub(crate) fn note(&mut self, moment: Resent) {
        if self.resent.len() < MOMENTS_MAX {
            self.resent.push(moment);
        } else {
            self.counts.resent_not_kept += 1;
        }
    }
}

#[cfg(test)]
impl UdpCounts {
    /// Messages sent again, for whatever reason.
    pub fn resent(&self) -> u64 {
        self.resent_by_timer + self.resent_by_gap
    }
}
