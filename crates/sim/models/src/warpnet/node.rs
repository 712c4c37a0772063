//! What a network node does with a message.

use super::model::Warpnet;
use super::packet::NetworkPacket;
use super::path::first_hop;
use super::payload::WarpnetPayload;
use super::state::NodeState;
use super::{CREATE, PACKET};

/// Where a handler's messages go: an engine's context, or a plain loop's queue.
pub(crate) trait Outgoing {
    /// Send, to be handled at this simtime.
    fn post(&mut self, receiver: u32, time: i32, selector: i32, payload: WarpnetPayload);

    /// This event must not come true.
    fn refuse(&mut self, reason: &str);
}

/// A network node while it handles a bundle.
pub(super) struct Visit<'a, O> {
    pub model: &'a Warpnet,
    pub state: &'a mut NodeState,
    pub node: usize,
    pub now: i32,
    pub out: &'a mut O,
}

impl<O: Outgoing> Visit<'_, O> {
    /// Count the bundle, and know what is known of the own lines. Once a bundle is enough: nothing
    /// in it lowers these values.
    #[inline]
    pub fn begin(&mut self) {
        self.state.counts.events += 1;
        self.state.currencies_mut()[self.node] = self.now;
        for load in &mut self.state.loads_mut()[self.model.network.lines_of(self.node)] {
            *load = (*load).max(self.now);
        }
    }

    /// Handle one message.
    #[inline]
    pub fn handle(&mut self, payload: &WarpnetPayload) {
        match payload {
            WarpnetPayload::Begin => {
                self.out.refuse("a network node was told to begin the simulation")
            }
            WarpnetPayload::Create => {
                self.state.counts.creates += 1;
                let packet = self.create();
                self.process(packet);
            }
            WarpnetPayload::Packet(packet) => {
                self.state.counts.packets += 1;
                self.process(*packet);
            }
            WarpnetPayload::Update(body) => {
                self.state.counts.updates += 1;
                self.merge(body.numbers());
            }
        }
    }

    /// Make a packet, and order the next one.
    fn create(&mut self) -> NetworkPacket {
        let own = self.model.network.nodes[self.node];
        let size = self.state.draw(own.max_packet_size);
        let here = self.node as u16;
        let destination = self.draw_destination();
        self.state.packets_created += 1;
        if self.state.packets_created < self.model.options.packets_per_node {
            let next = self.now + self.state.draw(own.creation_delay);
            self.out.post(self.node as u32, next, CREATE, WarpnetPayload::Create);
        }
        NetworkPacket {
            creator: here,
            created: self.now,
            size,
            next: here,
            last: here,
            destination,
        }
    }

    /// Any other node. The generator goes through all its states, so this ends.
    fn draw_destination(&mut self) -> u16 {
        loop {
            let drawn = self.state.draw(self.model.network.nodes() as i32) - 1;
            if drawn as usize != self.node {
                return drawn as u16;
            }
        }
    }

    #[inline]
    fn process(&mut self, packet: NetworkPacket) {
        if usize::from(packet.last) != self.node {
            self.check(&packet);
        }
        if usize::from(packet.destination) == self.node {
            self.state.counts.arrived += 1;
        } else {
            self.forward(packet);
        }
    }

    /// Tell the node that the packet comes from, if by this node's picture it should have gone
    /// another way.
    fn check(&mut self, packet: &NetworkPacket) {
        let best = self.first_hop(packet.last.into(), packet.destination.into());
        if best != self.node {
            self.send_update(packet.last);
        }
    }

    fn forward(&mut self, packet: NetworkPacket) {
        let next = self.first_hop(self.node, packet.destination.into());
        let network = &self.model.network;
        let Some(line) =
            network.lines_of(self.node).find(|line| usize::from(network.lines[*line].to) == next)
        else {
            unreachable!("the first hop is along a line of the node")
        };
        let send_time = i32::from(network.lines[line].send_time);
        let load = &mut self.state.loads_mut()[line];
        let wait = (*load - self.now).max(0);
        let arrival = self.now + wait + send_time;
        *load = arrival;
        self.state.counts.wait_total += wait as u64;
        self.state.counts.packets_sent += 1;
        let packet = NetworkPacket { last: self.node as u16, next: next as u16, ..packet };
        self.out.post(next as u32, arrival, PACKET, WarpnetPayload::Packet(packet));
    }

    #[inline]
    fn first_hop(&mut self, from: usize, to: usize) -> usize {
        self.state.counts.searches += 1;
        first_hop(&self.model.network, self.state.loads(), self.now, from, to)
    }
}
