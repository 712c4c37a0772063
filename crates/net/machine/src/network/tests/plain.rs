//! The plainest network that there can be: every packet an event at each link, at its goal and when
//! it is handled, all of them in one sorted map, by time and then in the order of decisions.

use super::*;
use crate::by_size::BySize;
use std::collections::{BTreeMap, HashMap};

#[derive(Clone, Copy, PartialEq, Eq)]
enum Event {
    Link(Packet),
    Goal(Packet),
    Handled(Packet),
    Freed(u16),
}

#[derive(Clone, Copy, PartialEq, Eq)]
struct Packet {
    message: usize,
    bytes: u64,
    passed: u8,
    /// When its last byte has come to where it is.
    whole: Time,
}

struct Sent {
    pair: (u16, u16),
    bytes: u64,
    packets: u32,
    missing: u32,
    turn: usize,
}

/// What happened to which message, sent as the how-manieth.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Seen {
    Interrupted { node: u16 },
    Arrived { message: usize },
    Freed { node: u16 },
}

pub struct Plain {
    machine: Machine,
    nodes: u16,
    ps_per_byte: BySize<f64>,
    gap: BySize<Time>,
    latency: BySize<Time>,
    busy: HashMap<usize, Time>,
    handling: HashMap<u16, Time>,
    events: BTreeMap<(Time, u64), Event>,
    decided: u64,
    sent: Vec<Sent>,
    turns: HashMap<(u16, u16), (usize, usize)>,
    waiting: HashMap<((u16, u16), usize), usize>,
    losses: Losses,
}

impl Plain {
    pub fn new(machine: &Machine, nodes: u16, seed: u64) -> Plain {
        Plain {
            machine: machine.clone(),
            nodes,
            ps_per_byte: BySize::per_byte(machine, "network.bandwidth"),
            gap: BySize::time(machine, "network.gap"),
            latency: BySize::time(machine, "network.latency"),
            busy: HashMap::new(),
            handling: HashMap::new(),
            events: BTreeMap::new(),
            decided: 0,
            sent: Vec::new(),
            turns: HashMap::new(),
            waiting: HashMap::new(),
            losses: Losses::new(machine, seed),
        }
    }

    pub fn send(&mut self, now: Time, from: u16, to: u16, bytes: u64) {
        let full = self.machine.value("network.packet") as u64;
        let packets = bytes.div_ceil(full).max(1);
        let (next, _) = self.turns.entry((from, to)).or_default();
        *next += 1;
        let (turn, count) = (*next - 1, packets as u32);
        let message = self.sent.len();
        self.sent.push(Sent { pair: (from, to), bytes, packets: count, missing: count, turn });
        for number in 0..packets {
            let bytes = (bytes - number * full).min(full);
            self.at(now, Event::Link(Packet { message, bytes, passed: 0, whole: now }));
        }
    }

    pub fn next(&self) -> Option<Time> {
        self.events.keys().next().map(|(time, _)| *time)
    }

    pub fn play_next(&mut self, seen: &mut Vec<(Time, Seen)>) {
        let Some(((now, _), event)) = self.events.pop_first() else { return };
        match event {
            Event::Link(packet) => self.pass(now, packet),
            Event::Goal(packet) => self.come(now, packet, seen),
            Event::Handled(packet) => self.handled(now, packet, seen),
            Event::Freed(node) => seen.push((now, Seen::Freed { node })),
        }
    }

    fn pass(&mut self, now: Time, packet: Packet) {
        let Sent { pair: (from, to), bytes, .. } = self.sent[packet.message];
        let (topology, passed) = (self.machine.topology, packet.passed);
        let on_wire = packet.bytes as f64 + self.machine.value("network.header");
        let takes = self.gap.at(bytes) + (on_wire * self.ps_per_byte.at(bytes)) as Time;
        let link = topology.link(self.nodes, from, to, passed);
        let last = passed + 1 == topology.crossed(from, to);
        let (latency, hop) = (self.latency.at(bytes), self.machine.time("network.hop"));
        let busy = self.busy.entry(link).or_default();
        let begin = now.max(*busy);
        let (next, whole) = if topology.stores() || last {
            let end = (begin + takes).max(packet.whole);
            *busy = end;
            let whole = end + if topology.stores() || passed == 0 { latency } else { 0 };
            (whole + if last { 0 } else { hop }, whole)
        } else {
            *busy = begin + takes;
            (begin + latency + hop, begin + takes + latency + hop)
        };
        let packet = Packet { passed: passed + 1, whole, ..packet };
        self.at(next, if last { Event::Goal(packet) } else { Event::Link(packet) });
    }

    fn come(&mut self, now: Time, packet: Packet, seen: &mut Vec<(Time, Seen)>) {
        if self.losses.next() {
            let again = now + self.losses.resend;
            self.at(again, Event::Link(Packet { passed: 0, whole: again, ..packet }));
            return;
        }
        let node = self.sent[packet.message].pair.1;
        if self.machine.time("processor.interrupt") > 0 {
            seen.push((now, Seen::Interrupted { node }));
        }
        let busy = self.handling.entry(node).or_default();
        *busy = now.max(*busy) + self.machine.time("network.handler");
        let done = *busy;
        self.at(done, Event::Handled(packet));
    }

    fn handled(&mut self, now: Time, packet: Packet, seen: &mut Vec<(Time, Seen)>) {
        let sent = &mut self.sent[packet.message];
        sent.missing -= 1;
        if sent.missing > 0 {
            return;
        }
        let pair = sent.pair;
        self.waiting.insert((pair, sent.turn), packet.message);
        let (_, next) = self.turns.entry(pair).or_default();
        while let Some(message) = self.waiting.remove(&(pair, *next)) {
            *next += 1;
            seen.push((now, Seen::Arrived { message }));
        }
        let back = self.machine.time("network.latency") * Time::from(packet.passed);
        self.at(now + back, Event::Freed(pair.0));
    }

    fn at(&mut self, when: Time, event: Event) {
        self.events.insert((when, self.decided), event);
        self.decided += 1;
    }

    pub fn packets(&self, message: usize) -> u32 {
        self.sent[message].packets
    }
}
