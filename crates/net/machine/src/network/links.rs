//! Links, each with what it is busy with, and the routes over them.

use super::{Packet, Way};
use crate::by_size::BySize;
use crate::{Machine, Time, Topology};

/// The links of a network.
pub(super) struct Links {
    nodes: u16,
    stores: bool,
    /// Until when each link is busy.
    busy_until: Vec<Time>,
    /// Those from a node to another, by from × nodes + to; empty until asked for.
    routes: Vec<Vec<u32>>,
    topology: Topology,
    /// These by the size of the message that a packet is of.
    ps_per_byte: BySize<f64>,
    gap: BySize<Time>,
    latency: BySize<Time>,
    header_bytes: f64,
    hop: Time,
}

/// How a packet came over a link.
pub(super) struct Passed {
    /// When it can take the next link, or is at its goal.
    pub next: Time,
    /// When its last byte is there.
    pub whole: Time,
}

impl Links {
    pub fn new(machine: &Machine, nodes: u16) -> Links {
        let topology = machine.topology;
        Links {
            nodes,
            stores: topology.stores(),
            busy_until: vec![0; topology.links(nodes)],
            routes: vec![Vec::new(); usize::from(nodes) * usize::from(nodes)],
            topology,
            ps_per_byte: BySize::per_byte(machine, "network.bandwidth"),
            gap: BySize::time(machine, "network.gap"),
            latency: BySize::time(machine, "network.latency"),
            header_bytes: machine.value("network.header"),
            hop: machine.time("network.hop"),
        }
    }

    /// Links from a node to another.
    pub fn count(&mut self, from: u16, to: u16) -> u8 {
        self.route(from, to).len() as u8
    }

    /// What so many links are as hops: there is no node where a packet rests in a switch.
    pub fn hops(&self, links: u8) -> u8 {
        if self.stores { links } else { 1 }
    }

    /// A packet wants the link after those that it has passed. The wire's latency is counted once
    /// on the way through a switch: on the link to it.
    pub fn pass(&mut self, now: Time, way: &Way, packet: &Packet) -> Passed {
        let on_wire = packet.bytes as f64 + self.header_bytes;
        let (gap, latency) = (self.gap.at(way.bytes), self.latency.at(way.bytes));
        let takes = gap + (on_wire * self.ps_per_byte.at(way.bytes)) as Time;
        let (passed, route) = (packet.passed, self.route(way.from, way.to));
        let (link, last) = (route[usize::from(passed)], usize::from(passed) + 1 == route.len());
        let busy = &mut self.busy_until[link as usize];
        let begin = now.max(*busy);
        if self.stores || last {
            // Its last byte may still be on its way to where this link begins.
            let end = (begin + takes).max(packet.whole);
            *busy = end;
            let latency = if self.stores || route_is_short(passed) { latency } else { 0 };
            let forwarding = if last { 0 } else { self.hop };
            let whole = end + latency;
            return Passed { next: whole + forwarding, whole };
        }
        *busy = begin + takes;
        Passed { next: begin + latency + self.hop, whole: begin + takes + latency + self.hop }
    }

    fn route(&mut self, from: u16, to: u16) -> &'_ [u32] {
        let at = usize::from(from) * usize::from(self.nodes) + usize::from(to);
        if self.routes[at].is_empty() {
            self.routes[at] = self.topology.route(self.nodes, from, to);
        }
        &self.routes[at]
    }
}

/// A route of one link has its latency on that; one through a switch had it before.
fn route_is_short(passed: u8) -> bool {
    passed == 0
}
