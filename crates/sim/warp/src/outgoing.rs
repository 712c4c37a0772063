//! What waits to be handed to the fabric: for every node the frame that is being packed, and frames
//! that found no room.
//!
//! Handing over never waits. Two nodes that both send much and both wait for room would wait for
//! ever; so what finds no room stays here, and the driver goes on receiving, but runs no events
//! while there is too much of it.

use crate::frame::Packer;
use crate::witness::Witness;
use clock::Ticks;
use fabric::{FabricError, Handed, Letter, LookCost, NodeId, PathRoom, Topology, TransportKind};
use record::{ABSENT, Kind};
use std::collections::VecDeque;
use timewarp::{Parcel, Payload};

/// A frame is handed over when it is this long.
const FRAME_BYTES: usize = 6 << 10;
/// No events are run while more than this waits for room.
const BACKLOG_BYTES: usize = 1 << 20;
/// Memory of all paths between nodes that share memory. A path is used from one end to the other,
/// so it is to stay in caches; what finds no room waits here.
const PATHS_BYTES: u32 = 4 << 20;
/// Used memory that is kept for the next frames.
const SPARE_FRAMES: usize = 64;

/// How much the paths between the nodes of a simulation hold, where that is not left to the fabric.
pub fn path_room(nodes: u16, transport: &TransportKind, topology: Topology) -> Option<PathRoom> {
    const FEW: u32 = 12;
    let paths = u32::from(nodes) * u32::from(nodes.saturating_sub(1));
    let in_memory = transport.look == LookCost::Memory && transport.clock.is_none();
    if paths <= FEW || !in_memory || topology != Topology::Mesh {
        return None;
    }
    let bytes = 1 << (PATHS_BYTES / paths).clamp(8 << 10, 1 << 20).ilog2();
    Some(PathRoom { messages: (bytes / 64).min(1024), bytes })
}

/// Everything that is to leave a node.
pub(crate) struct Outgoing {
    lanes: Vec<Lane>,
    /// Since when the oldest unfinished frame has been packed; `u64::MAX`: none is.
    packing_since: u64,
    backlog_bytes: usize,
    spare: Vec<Vec<u8>>,
    /// Whether the fabric acknowledges, on arrival.
    pub receipts: bool,
}

#[derive(Default)]
struct Lane {
    packer: Packer,
    /// The stamp of the first parcel of the frame being packed.
    ready: u64,
    /// Of its parcels, those to be acknowledged, if the fabric does that.
    unacknowledged: u32,
    waiting: VecDeque<Waiting>,
}

struct Waiting {
    letter: Letter,
    frame: Vec<u8>,
}

impl Outgoing {
    pub fn new(nodes: u16, receipts: bool) -> Outgoing {
        let lanes = (0..nodes).map(|_| Lane::default()).collect();
        Outgoing { lanes, packing_since: u64::MAX, backlog_bytes: 0, spare: Vec::new(), receipts }
    }

    /// Whether so much waits for room that no more should be made.
    #[inline]
    pub fn is_backed_up(&self) -> bool {
        self.backlog_bytes > BACKLOG_BYTES
    }

    /// Whether everything has been handed over.
    pub fn is_empty(&self) -> bool {
        self.backlog_bytes == 0 && self.packing_since == u64::MAX
    }

    /// The node that something waits for.
    pub fn held_up_by(&self) -> Option<NodeId> {
        (0..).zip(&self.lanes).find(|(_, lane)| !lane.waiting.is_empty()).map(|(node, _)| node)
    }

    /// Pack a parcel, with the moment at which it was made where stamps are wanted; hand the frame
    /// over if that fills it.
    #[inline]
    pub fn put<P: Payload>(
        &mut self,
        fabric: &mut fabric::Node,
        witness: &mut impl Witness,
        to: NodeId,
        parcel: &Parcel<P>,
        ready: Option<u64>,
        now: u64,
    ) -> Result<(), FabricError> {
        let lane = &mut self.lanes[usize::from(to)];
        if lane.packer.parcels() == 0 {
            lane.ready = ready.unwrap_or(ABSENT);
            self.packing_since = self.packing_since.min(now);
        }
        lane.packer.add(parcel, ready);
        if self.receipts {
            lane.unacknowledged += u32::from(parcel.packet.is_acknowledged());
        }
        if lane.packer.len() < FRAME_BYTES {
            return Ok(());
        }
        self.seal(to, witness);
        self.hand_over(fabric, to)
    }

    /// Hand over what is being packed, however little, if it has been packed for longer than
    /// `patience`.
    #[inline]
    pub fn flush(
        &mut self,
        fabric: &mut fabric::Node,
        witness: &mut impl Witness,
        now: u64,
        patience: u64,
    ) -> Result<(), FabricError> {
        if self.packing_since == u64::MAX || now.saturating_sub(self.packing_since) < patience {
            return Ok(());
        }
        self.packing_since = u64::MAX;
        for to in 0..self.lanes.len() as NodeId {
            if self.lanes[usize::from(to)].packer.parcels() > 0 {
                self.seal(to, witness);
                self.hand_over(fabric, to)?;
            }
        }
        Ok(())
    }

    /// Try again with what found no room; whether anything has gone.
    pub fn retry(&mut self, fabric: &mut fabric::Node) -> Result<bool, FabricError> {
        let before = self.backlog_bytes;
        if before > 0 {
            (0..self.lanes.len() as NodeId).try_for_each(|to| self.hand_over(fabric, to))?;
        }
        Ok(self.backlog_bytes < before)
    }

    /// Tell everybody that this node has failed; what was to leave it no longer matters.
    pub fn abort(nodes: u16, me: NodeId) -> Outgoing {
        let mut outgoing = Outgoing::new(nodes, false);
        for to in (0..nodes).filter(|to| *to != me) {
            outgoing.wait_for_room(to, Outgoing::letter(to, ABSENT), Packer::abort());
        }
        outgoing
    }

    #[inline]
    fn seal(&mut self, to: NodeId, witness: &mut impl Witness) {
        let next = Packer::with_memory(self.spare.pop().unwrap_or_default());
        let lane = &mut self.lanes[usize::from(to)];
        let packed = std::mem::replace(&mut lane.packer, next);
        let first_number = witness.numbers(packed.parcels());
        let unacknowledged = std::mem::take(&mut lane.unacknowledged);
        let letter = Outgoing::letter(to, lane.ready).with_receipt(unacknowledged);
        self.wait_for_room(to, letter, packed.seal(first_number));
    }

    #[inline]
    fn letter(to: NodeId, ready: u64) -> Letter {
        Letter::new(to, Kind::Event, Ticks(ready))
    }

    #[inline]
    fn wait_for_room(&mut self, to: NodeId, letter: Letter, frame: Vec<u8>) {
        self.backlog_bytes += frame.len();
        self.lanes[usize::from(to)].waiting.push_back(Waiting { letter, frame });
    }

    #[inline]
    fn hand_over(&mut self, fabric: &mut fabric::Node, to: NodeId) -> Result<(), FabricError> {
        let waiting = &mut self.lanes[usize::from(to)].waiting;
        while let Some(Waiting { letter, frame }) = waiting.front_mut() {
            if fabric.try_send(letter, frame)? == Handed::Full {
                return Ok(());
            }
            self.backlog_bytes -= frame.len();
            if let Some(Waiting { frame, .. }) = waiting.pop_front()
                && self.spare.len() < SPARE_FRAMES
            {
                self.spare.push(frame);
            }
        }
        Ok(())
    }
}
