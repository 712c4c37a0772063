//! Room for messages on their way, where senders need it.

use crate::{Flow, Parcel};
use machine::{Machine, Table, pair};

/// What is sent and not done with.
pub(super) struct Room {
    flow: Flow,
    buffers: u32,
    window: u64,
    /// Messages of a node whose buffers are not free.
    unfinished: Vec<u32>,
    /// Bytes sent and not taken, by pair.
    in_flight: Table<u64>,
}

/// A message of no bytes fills memory, too.
fn counted(parcel: Parcel) -> u64 {
    parcel.bytes.max(64)
}

impl Room {
    pub fn new(machine: &Machine, nodes: u16, flow: Flow) -> Room {
        Room {
            flow,
            buffers: machine.value("network.buffers") as u32,
            window: machine.value("network.window") as u64,
            unfinished: vec![0; usize::from(nodes)],
            in_flight: Table::default(),
        }
    }

    /// Whether a message may go. One that is larger than the window goes alone.
    pub fn has(&self, parcel: Parcel) -> bool {
        if self.flow == Flow::Eager {
            return true;
        }
        let in_flight = self.in_flight.get(&pair(parcel.from, parcel.to)).copied().unwrap_or(0);
        in_flight < self.window && self.unfinished[usize::from(parcel.from)] < self.buffers
    }

    /// A message goes, if it may.
    pub fn take(&mut self, parcel: Parcel) -> bool {
        let may = self.has(parcel);
        if may && self.flow != Flow::Eager {
            let pair = pair(parcel.from, parcel.to);
            *self.in_flight.entry(pair).or_default() += counted(parcel);
            self.unfinished[usize::from(parcel.from)] += 1;
        }
        may
    }

    /// One was taken; who may have waited for that.
    pub fn taken(&mut self, parcel: Parcel) -> Option<u16> {
        if self.flow == Flow::Eager {
            return None;
        }
        let bytes = self.in_flight.get_mut(&pair(parcel.from, parcel.to))?;
        *bytes -= counted(parcel);
        Some(parcel.from)
    }

    /// A buffer of a node is free.
    pub fn freed(&mut self, node: u16) {
        let unfinished = &mut self.unfinished[usize::from(node)];
        *unfinished = unfinished.saturating_sub(1);
    }
}
