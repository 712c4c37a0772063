//! The network of a machine, event by event: packets wait for links, links take time, the far end
//! handles one packet at a time, lost packets come again, and messages of a pair arrive in the
//! order in which they were sent.
//!
//! A link serves packets in the order in which they come to it, so flows that share one share it
//! fairly, packet by packet. Through a switch a packet goes on as it comes in; in a hypercube it is
//! whole at each node before it goes on.

mod links;
mod order;

use crate::{Machine, Time, Topology};
use links::{Links, Passed};
use order::Order;
use rand::RngExt;
use rand::SeedableRng;
use rand_pcg::Pcg64Mcg;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// A message under way: a number that comes back when it arrives, and may then be another's.
pub type Message = u32;

/// What happened at a moment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Happened {
    /// A packet came to a node, whose processor was interrupted for so long.
    Interrupted { node: u16, takes: Time },
    /// A message has come whole.
    Arrived(Arrived),
    /// A message that this node had sent needs its buffer no longer.
    Freed { node: u16 },
}

/// A message that has come whole.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Arrived {
    pub message: Message,
    pub from: u16,
    pub to: u16,
    /// Links crossed by each packet, those to and from a switch counted as one.
    pub hops: u8,
    pub packets: u32,
}

/// The network of a machine.
pub struct Network {
    links: Links,
    order: Order,
    /// Of word that a message has come, which is short.
    latency: Time,
    handler: Time,
    interrupt: Time,
    loss: f64,
    resend: Time,
    packet_bytes: u64,
    /// Until when each node's receiving end is busy.
    handling_until: Vec<Time>,
    events: BinaryHeap<Reverse<(Time, u64, Event)>>,
    /// Of the next event: those of one moment happen in the order in which they were decided.
    next_event: u64,
    ways: Vec<Way>,
    free_ways: Vec<Message>,
    random: Pcg64Mcg,
}

/// A message on its way.
#[derive(Clone, Copy, Debug, Default)]
struct Way {
    from: u16,
    to: u16,
    bytes: u64,
    packets: u32,
    /// Packets that have not been handled yet.
    missing: u32,
    /// Its number among those of its pair.
    turn: u64,
    links: u8,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Event {
    /// A packet wants its next link.
    Link(Packet),
    /// A packet is at its goal.
    Goal(Packet),
    /// A packet has been handled there.
    Handled(Packet),
    /// A message's buffer is free.
    Freed(u16),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Packet {
    message: Message,
    bytes: u64,
    /// Links behind it.
    passed: u8,
    /// When its last byte has come to where it is: it may be passed on before.
    whole: Time,
}

impl Network {
    /// The network of so many nodes of a machine. `seed` decides which packets are lost.
    pub fn new(machine: &Machine, nodes: u16, seed: u64) -> Network {
        // A program on three nodes of a cube uses three of four.
        let nodes = match machine.topology {
            Topology::Hypercube => nodes.next_power_of_two(),
            _ => nodes,
        };
        Network {
            links: Links::new(machine, nodes),
            order: Order::new(nodes),
            latency: machine.time("network.latency"),
            handler: machine.time("network.handler"),
            interrupt: machine.time("processor.interrupt"),
            loss: machine.value("network.loss"),
            resend: machine.time("network.resend"),
            packet_bytes: machine.value("network.packet") as u64,
            handling_until: vec![0; usize::from(nodes)],
            events: BinaryHeap::new(),
            next_event: 0,
            ways: Vec::new(),
            free_ways: Vec::new(),
            random: Pcg64Mcg::seed_from_u64(seed),
        }
    }

    /// A message goes into the network now, which is not before the last event that was played.
    pub fn send(&mut self, now: Time, from: u16, to: u16, bytes: u64) -> Message {
        let packets = bytes.div_ceil(self.packet_bytes).max(1);
        let links = self.links.count(from, to);
        let turn = self.order.sent(from, to);
        let count = packets as u32;
        let way = Way { from, to, bytes, packets: count, missing: count, turn, links };
        let message = match self.free_ways.pop() {
            Some(message) => {
                self.ways[message as usize] = way;
                message
            }
            None => {
                self.ways.push(way);
                self.ways.len() as Message - 1
            }
        };
        for number in 0..packets {
            let bytes = (bytes - number * self.packet_bytes).min(self.packet_bytes);
            self.at(now, Event::Link(Packet { message, bytes, passed: 0, whole: now }));
        }
        message
    }

    /// When something happens next.
    pub fn next(&self) -> Option<Time> {
        self.events.peek().map(|Reverse((time, ..))| *time)
    }

    /// Play the next event, and tell of it what nodes see. `false`: there is none.
    pub fn play_next(&mut self, tell: &mut impl FnMut(Time, Happened)) -> bool {
        let Some(Reverse((now, _, event))) = self.events.pop() else { return false };
        match event {
            Event::Link(packet) => self.pass(now, packet),
            Event::Goal(packet) => self.come(now, packet, tell),
            Event::Handled(packet) => self.handled(now, packet, tell),
            Event::Freed(node) => tell(now, Happened::Freed { node }),
        }
        true
    }

    /// A packet takes its next link as soon as that is free.
    fn pass(&mut self, now: Time, packet: Packet) {
        let way = self.ways[packet.message as usize];
        let Passed { next, whole } = self.links.pass(now, &way, &packet);
        let packet = Packet { passed: packet.passed + 1, whole, ..packet };
        let event =
            if packet.passed == way.links { Event::Goal(packet) } else { Event::Link(packet) };
        self.at(next, event);
    }

    fn come(&mut self, now: Time, packet: Packet, tell: &mut impl FnMut(Time, Happened)) {
        if self.loss > 0.0 && self.random.random::<f64>() < self.loss {
            let again = now + self.resend;
            self.at(again, Event::Link(Packet { passed: 0, whole: again, ..packet }));
            return;
        }
        let node = self.ways[packet.message as usize].to;
        if self.interrupt > 0 {
            tell(now, Happened::Interrupted { node, takes: self.interrupt });
        }
        let busy = &mut self.handling_until[usize::from(node)];
        *busy = now.max(*busy) + self.handler;
        let done = *busy;
        self.at(done, Event::Handled(packet));
    }

    fn handled(&mut self, now: Time, packet: Packet, tell: &mut impl FnMut(Time, Happened)) {
        let way = &mut self.ways[packet.message as usize];
        way.missing -= 1;
        if way.missing > 0 {
            return;
        }
        let Way { from, to, turn, .. } = *way;
        self.order.came(from, to, turn, packet.message);
        while let Some(message) = self.order.next(from, to) {
            let Way { packets, links, .. } = self.ways[message as usize];
            let hops = self.links.hops(links);
            self.free_ways.push(message);
            tell(now, Happened::Arrived(Arrived { message, from, to, hops, packets }));
        }
        // The far end says so; that takes the way back.
        self.at(now + self.latency * Time::from(packet.passed), Event::Freed(from));
    }

    fn at(&mut self, when: Time, event: Event) {
        self.events.push(Reverse((when, self.next_event, event)));
        self.next_event += 1;
    }
}

#[cfg(test)]
mod tests;
