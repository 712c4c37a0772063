//! What a transport must do: move fragments between nodes, in order per pair, without loss, in
//! bounded memory.

use crate::error::FabricError;
use crate::spec::NodeId;
use clock::Ticks;
use record::{ABSENT, ArrivedClock, Cause, How, Kind};
use serde::{Deserialize, Serialize};
use std::time::Duration;

/// What travels with a fragment. Stamps are raw ticks of the source node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Head {
    /// The application had called send.
    pub ready: u64,
    /// Just before the transport was given it. The transport fills it in once there is room, unless
    /// it already says what a reading now would say: the sender stamped `ready` this very moment
    /// and nothing lay in between.
    pub sent: u64,
    /// Number of the message at its source.
    pub seq: u64,
    /// What the message is for.
    pub kind: Kind,
    /// What the fragment is to the fabric.
    pub flag: Flag,
    /// Messages handed over in the same call.
    pub batch: u16,
    /// Messages on their way to the destination when this one was sent. The transport fills it in.
    pub in_flight: u32,
}

/// What a fragment is to the fabric.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Flag {
    /// A whole message, or the last fragment of one.
    Last = 0,
    /// More fragments of this message follow.
    More = 1,
    /// The sender has sent its last message to this node.
    Bye = 2,
    /// A step of the hypercube's closing barrier, between neighbours.
    Barrier = 3,
}

/// Whether a fragment was handed over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Handed {
    /// It is on its way (or waits for [`Transport::flush`]).
    Yes,
    /// No room now; nothing was taken.
    Full,
}

/// What a node's transport counted, told when the node ends.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct TransportReport {
    /// In the order of its row's [`counters`](crate::TransportKind::counters).
    pub counts: Vec<u64>,
    /// What else is worth a line.
    pub remarks: Vec<String>,
}

/// A fragment that has come. Its payload stays readable through [`Transport::payload`] until the
/// next poll.
#[derive(Clone, Copy, Debug)]
pub struct Arrival {
    /// Who sent the message (not who forwarded it).
    pub from: NodeId,
    /// What travelled with it.
    pub head: Head,
    /// When the network layer had it, on the clock that `clock` names; [`record::ABSENT`] if
    /// unrecorded.
    pub arrived: u64,
    /// Whose clock that is.
    pub clock: ArrivedClock,
    /// How that is known.
    pub how: How,
    /// Half-width of a bracketed arrival, ns.
    pub error_ns: u64,
    /// The arrival in the receiver's ticks, as well as it can be told at once: for the queue gauge
    /// only.
    pub arrived_ticks: u64,
    /// The arrival was read off the receiver's clock in this very poll, so it is the time of taking
    /// as well.
    pub just_now: bool,
    /// Links crossed.
    pub hops: u8,
    /// Packets that carried the message (1 on a mesh).
    pub packets: u32,
}

/// Something that happened in a transport, in the node's ticks. The first some thousands are kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Happening {
    /// What.
    pub cause: Cause,
    /// Its begin.
    pub from: u64,
    /// Its end.
    pub to: u64,
    /// In the unit of the cause.
    pub amount: i64,
}

/// A way for messages between this node and the others. One per node; never shared.
///
/// A transport keeps the order of each pair, loses and repeats nothing, and holds a bounded amount:
/// when there is no room it says [`Handed::Full`]. Fragments are at most
/// [`Transport::fragment_bytes_max`] long; the node splits and joins.
pub trait Transport: Send {
    /// Hand over one fragment. On [`Handed::Yes`] `head.sent` and `head.in_flight` have been filled
    /// in.
    fn try_send(
        &mut self,
        to: NodeId,
        head: &mut Head,
        payload: &[u8],
    ) -> Result<Handed, FabricError>;

    /// Let the peers see what was handed over: the end of a call that sends one or several
    /// messages.
    fn flush(&mut self) -> Result<(), FabricError>;

    /// Look once, without waiting. The fragment of the poll before is released. `spinning_since` is
    /// the tick at which the node began to look without pause, or `u64::MAX` if it has only now
    /// come to look: what was published later than that arrived just now, what was published
    /// earlier had been waiting.
    fn poll(&mut self, spinning_since: u64) -> Result<Option<Arrival>, FabricError>;

    /// The payload of the fragment that the last poll returned.
    fn payload(&self) -> &[u8];

    /// Sleep until something may have come or room may have been made, or for `timeout`. May wake
    /// early.
    fn park(&mut self, timeout: Duration) -> Result<(), FabricError>;

    /// Look after the peers: an error names one that is gone without [`Flag::Bye`]. Called now and
    /// then while waiting; what such a peer had sent is delivered first.
    fn check_peers(&mut self) -> Result<(), FabricError>;

    /// Stop or resume taking fragments from one peer (a forwarding node that has no room for more).
    fn pause(&mut self, from: NodeId, paused: bool);

    /// Messages on their way to `to`, as this node knows it.
    fn in_flight(&mut self, to: NodeId) -> u32;

    /// Whether it tells a sender when a message has arrived, whatever the receiver's program does.
    fn gives_receipts(&self) -> bool {
        false
    }

    /// The message that was handed over last, to `to`, counts for so much once it has arrived.
    /// Asked only where there are receipts.
    fn ask_for_receipt(&mut self, to: NodeId, counts: u32) {
        let _ = (to, counts);
    }

    /// What the messages count for whose receipts have come since the last call.
    fn receipts(&mut self) -> u32 {
        0
    }

    /// Longest payload of a fragment, bytes.
    fn fragment_bytes_max(&self) -> usize;

    /// The node computes for so long, where time is simulated. Elsewhere computing takes its time.
    fn spend(&mut self, ns: u64) {
        let _ = ns;
    }

    /// Sleep until then, whatever comes, where time is simulated. `false`: it passes by itself, and
    /// the caller waits.
    fn rest(&mut self, until: Ticks) -> bool {
        let _ = until;
        false
    }

    /// Pass the time of looking in vain at once, where time is simulated: until then, or until
    /// something comes. Elsewhere looking takes its time.
    fn skip_looks(&mut self, until: Ticks) {
        let _ = until;
    }

    /// Say that this node leaves in good order. Called once, after the last flush.
    fn leave(&mut self);

    /// What happened in it that may have held messages up. Asked for once, after
    /// [`Transport::leave`] and before [`Transport::report`].
    fn happenings(&mut self) -> Vec<Happening> {
        Vec::new()
    }

    /// What it counted, if its row has counters. Asked for once, after [`Transport::leave`].
    fn report(&mut self) -> Option<TransportReport> {
        None
    }

    /// Steps that closing needs beyond good-byes, once all have been said: `true` when done.
    fn settle(&mut self) -> Result<bool, FabricError> {
        Ok(true)
    }
}

impl Head {
    /// Of what carries no message.
    #[inline]
    pub(crate) fn control(flag: Flag) -> Head {
        let kind = Kind::Other;
        Head { ready: ABSENT, sent: ABSENT, seq: 0, kind, flag, batch: 1, in_flight: 0 }
    }
}

impl Arrival {
    /// A fragment from a direct neighbour, before anything is known of when it came.
    #[inline]
    pub(crate) fn of_neighbour(from: NodeId, head: Head) -> Arrival {
        Arrival {
            from,
            head,
            arrived: ABSENT,
            clock: ArrivedClock::Receiver,
            how: How::Observed,
            error_ns: 0,
            arrived_ticks: ABSENT,
            just_now: false,
            hops: 1,
            packets: 1,
        }
    }
}

impl Flag {
    /// The flag with this code, if there is one.
    pub fn from_code(code: u8) -> Option<Flag> {
        [Flag::Last, Flag::More, Flag::Bye, Flag::Barrier].get(usize::from(code)).copied()
    }
}
