//! Links, each with what it is busy with, and what packets take on them.

use super::{Arrived, Message, Way};
use crate::by_size::BySize;
use crate::pairs::Table;
use crate::{Machine, Time, Topology};

/// The links of a network.
pub(super) struct Links {
    nodes: u16,
    topology: Topology,
    stores: bool,
    /// Until when each link is busy; of a mesh, which has one for each pair, those that were used.
    busy_until: Vec<Time>,
    busy_in_mesh: Table<Time>,
    /// These by the size of the message that a packet is of.
    ps_per_byte: BySize<f64>,
    gap: BySize<Time>,
    latency: BySize<Time>,
    header_bytes: f64,
    /// What a link that was idle passes at once: it is busy with it all the same.
    burst: Time,
    hop: Time,
}

/// How a packet came over a link.
#[derive(Clone, Copy, Debug)]
pub(super) struct Passed {
    /// When it can take the next link, or is at its goal.
    pub at: Time,
    pub at_goal: bool,
}

impl Links {
    pub fn new(machine: &Machine, nodes: u16) -> Links {
        let topology = machine.topology;
        let flat = if topology == Topology::Mesh { 0 } else { topology.links(nodes) };
        Links {
            nodes,
            topology,
            stores: topology.stores(),
            busy_until: vec![0; flat],
            busy_in_mesh: Table::default(),
            ps_per_byte: BySize::per_byte(machine, "network.bandwidth"),
            gap: BySize::time(machine, "network.gap"),
            latency: BySize::time(machine, "network.latency"),
            header_bytes: machine.value("network.header"),
            burst: burst(machine),
            hop: machine.time("network.hop"),
        }
    }

    /// Links from a node to another.
    pub fn count(&self, from: u16, to: u16) -> u8 {
        self.topology.crossed(from, to)
    }

    /// A message that has come. There is no node where a packet rests in a switch.
    pub fn arrived(&self, message: Message, way: &Way) -> Arrived {
        let Way { from, to, packets, links, .. } = *way;
        Arrived { message, from, to, hops: if self.stores { links } else { 1 }, packets }
    }

    /// Whether messages of a pair that leave one after the other cannot overtake each other.
    pub fn keep_order(&self) -> bool {
        self.latency.is_one()
    }

    /// Whether nobody but a packet's sender uses the first link of its way.
    pub fn are_senders_own(&self) -> bool {
        matches!(self.topology, Topology::Switch | Topology::Mesh) && self.burst == 0
    }

    /// Whether all that comes to a node comes over one link, in the order in which that takes it.
    pub fn are_takers_own(&self) -> bool {
        self.topology == Topology::Switch
    }

    /// What a packet with such a payload, of a message of so many bytes, keeps a link busy.
    pub fn takes(&self, payload: u64, bytes: u64) -> Time {
        let on_wire = payload as f64 + self.header_bytes;
        self.gap.at(bytes) + (on_wire * self.ps_per_byte.at(bytes)) as Time
    }

    /// What a message of so many bytes is late for the wire's length.
    pub fn latency(&self, bytes: u64) -> Time {
        self.latency.at(bytes)
    }

    /// A packet wants the link after those that it has passed, and keeps it busy for so long. The
    /// wire's latency is counted once on the way through a switch: on the link to it.
    pub fn pass(&mut self, now: Time, way: &Way, passed: u8, takes: Time) -> Passed {
        let at_goal = passed + 1 == way.links;
        let burst = self.burst;
        let busy = self.busy(way, passed);
        // It may begin as soon as what is ahead of it is within the burst, and what of that is left
        // it is spared.
        let begin = now.max(busy.saturating_sub(burst));
        let credit = burst.min(begin + burst - *busy);
        *busy = begin.max(*busy) + takes;
        let takes = takes.saturating_sub(credit);
        let latency = if self.stores || passed == 0 { way.latency } else { 0 };
        let whole = if self.stores || at_goal { begin + takes } else { begin };
        let forwarding = if at_goal { 0 } else { self.hop };
        Passed { at: whole + latency + forwarding, at_goal }
    }

    /// The rest of a message follows its first packet onto its first link.
    pub fn follow(&mut self, way: &Way, takes: Time) {
        *self.busy(way, 0) += takes;
    }

    fn busy(&mut self, way: &Way, passed: u8) -> &mut Time {
        let link = self.topology.link(self.nodes, way.from, way.to, passed);
        match self.topology {
            Topology::Mesh => self.busy_in_mesh.entry(link as u64).or_default(),
            _ => &mut self.busy_until[link],
        }
    }
}

/// How long the bytes of a burst keep a link busy.
fn burst(machine: &Machine) -> Time {
    let bytes = machine.value("network.burst");
    (bytes * BySize::per_byte(machine, "network.bandwidth").at(bytes as u64)) as Time
}
