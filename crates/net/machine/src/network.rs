//! The network of a machine, event by event: packets wait for links, links take time, the far end
//! handles one packet at a time, lost packets come again, and messages of a pair arrive in the
//! order in which they were sent.
//!
//! A link serves packets in the order in which they come to it, so flows that share one share it
//! fairly, packet by packet. Through a switch a packet goes on as it comes in; in a hypercube it is
//! whole at each node before it goes on.
//!
//! Of a message's packets only the next one is in the queue: the others follow it at known times.
//! Who hears of arrivals only spares it more: a link that only the sender of a packet uses, and an
//! end that all packets come to over one link, serve in the order in which they are asked, so that
//! when they are done is known at once.

mod ends;
mod event;
mod links;
mod order;
mod way;

use crate::queue::Queue;
use crate::{Machine, Time, Topology};
use ends::{Ends, Losses};
use event::{Event, FREED, GOAL, HANDLED, LOST, Stage};
use links::Links;
use order::Order;
use way::{Way, Ways};

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

/// What is told of. Whoever hears of less than everything sends, from each node, in the order of
/// time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tells {
    /// All that happens, when it happens.
    Everything,
    /// Arrivals. Interrupts too, where packets cause any, and buffers may be heard of.
    Arrivals,
    /// Arrivals, as soon as it is certain when they will be.
    Ahead,
}

/// The network of a machine.
pub struct Network {
    links: Links,
    /// Where messages might overtake each other.
    order: Option<Order>,
    /// Of word that a message has come, which is short.
    latency: Time,
    packet_bytes: u64,
    ends: Ends,
    losses: Losses,
    events: Queue<Event>,
    next_event: u64,
    ways: Ways,
    course: Course,
}

/// Which events there are.
#[derive(Clone, Copy, Debug)]
struct Course {
    tells: Tells,
    /// First links are passed when a message is sent.
    ahead: bool,
    /// Packets are handled as soon as the last link takes them.
    handled_ahead: bool,
    /// The stage at which the packets of a message follow each other.
    first: Stage,
}

impl Course {
    fn of(tells: Tells, links: &Links, ends: &Ends, losses: &Losses) -> Course {
        let tells = match tells {
            _ if losses.share > 0.0 || ends.interrupt > 0 => Tells::Everything,
            tells => tells,
        };
        let ahead = tells != Tells::Everything && links.are_senders_own();
        let handled_ahead = ahead && links.are_takers_own();
        let first = match (ahead, handled_ahead) {
            (false, _) => 0,
            (true, true) => 1,
            (true, false) => GOAL,
        };
        Course { tells, ahead, handled_ahead, first }
    }
}

impl Network {
    /// The network of so many nodes of a machine. `seed` decides which packets are lost.
    pub fn new(machine: &Machine, nodes: u16, seed: u64) -> Network {
        Network::telling(Tells::Everything, machine, nodes, seed)
    }

    /// One that may tell less, sooner.
    pub fn telling(tells: Tells, machine: &Machine, nodes: u16, seed: u64) -> Network {
        // A program on three nodes of a cube uses three of four.
        let nodes = match machine.topology {
            Topology::Hypercube => nodes.next_power_of_two(),
            _ => nodes,
        };
        let links = Links::new(machine, nodes);
        let (ends, losses) = (Ends::new(machine, nodes), Losses::new(machine, seed));
        let course = Course::of(tells, &links, &ends, &losses);
        let may_overtake = course.tells == Tells::Everything || !links.keep_order();
        Network {
            links,
            order: may_overtake.then(Order::default),
            latency: machine.time("network.latency"),
            packet_bytes: machine.value("network.packet") as u64,
            ends,
            losses,
            events: Queue::new(),
            next_event: 0,
            ways: Ways::default(),
            course,
        }
    }

    /// Links from a node to another.
    pub fn links_between(&self, from: u16, to: u16) -> u8 {
        self.links.count(from, to)
    }

    /// A message goes into the network now, which is not before the last event that was played.
    pub fn send(&mut self, now: Time, from: u16, to: u16, bytes: u64) -> Message {
        let way = self.way(from, to, bytes);
        let message = self.ways.add(way);
        let mut event = Event::new(now, 0, self.next_event, self.course.first);
        self.next_event += u64::from(way.packets);
        if self.course.ahead {
            event.before = now;
            event.time = self.links.pass(now, &way, 0, way.takes(0)).at;
            self.links.follow(&way, way.rest_takes());
        }
        self.events.push(event.of(message, 0));
        message
    }

    fn way(&mut self, from: u16, to: u16, bytes: u64) -> Way {
        let full = self.packet_bytes;
        let (packets, payload) = match bytes.div_ceil(full) {
            0 | 1 => (1, bytes),
            packets => (packets, full),
        };
        let takes = self.links.takes(payload, bytes);
        let last = bytes - (packets - 1) * full;
        Way {
            from,
            to,
            links: self.links.count(from, to),
            packets: packets as u32,
            missing: packets as u32,
            turn: self.order.as_mut().map_or(0, |order| order.sent(from, to)),
            takes,
            last_takes: if last == payload { takes } else { self.links.takes(last, bytes) },
            latency: self.links.latency(bytes),
        }
    }

    /// When something happens next.
    pub fn next(&self) -> Option<Time> {
        self.events.first().map(|event| event.time)
    }

    /// Play the next event, and tell of it what nodes see. `false`: there is none.
    pub fn play_next(&mut self, tell: &mut impl FnMut(Time, Happened)) -> bool {
        let Some(event) = self.events.first().copied() else { return false };
        match self.follower(event) {
            Some(next) => self.events.replace_first(next),
            None => {
                self.events.pop();
            }
        }
        match event.stage() {
            GOAL => self.come(event.time, event, tell),
            HANDLED => self.handled(event, tell),
            FREED => tell(event.time, Happened::Freed { node: event.message as u16 }),
            LOST => self.pass(event, 0, tell),
            passed => self.pass(event, passed, tell),
        }
        true
    }

    /// The next packet of a message is as far as this one.
    fn follower(&mut self, event: Event) -> Option<Event> {
        if event.stage() != self.course.first {
            return None;
        }
        let way = self.ways.at(event.message);
        if event.packet + 1 == way.packets {
            return None;
        }
        let later = match self.course {
            Course { ahead: false, .. } => 0,
            // It comes to the second link so much later as it came to the first.
            Course { handled_ahead: true, .. } => way.takes,
            _ => way.takes(event.packet + 1),
        };
        Some(event.follower(later))
    }

    /// A packet takes its next link as soon as that is free.
    fn pass(&mut self, event: Event, passed: u8, tell: &mut impl FnMut(Time, Happened)) {
        let way = *self.ways.at(event.message);
        let next = self.links.pass(event.time, &way, passed, way.takes(event.packet));
        if next.at_goal && self.course.handled_ahead {
            self.come(next.at, event, tell);
        } else {
            let stage = if next.at_goal { GOAL } else { passed + 1 };
            self.at(next.at, event.time, stage, event);
        }
    }

    fn come(&mut self, now: Time, event: Event, tell: &mut impl FnMut(Time, Happened)) {
        if self.losses.next() {
            self.at(now + self.losses.resend, now, LOST, event);
            return;
        }
        let way = self.ways.at(event.message);
        if self.ends.interrupt > 0 {
            tell(now, Happened::Interrupted { node: way.to, takes: self.ends.interrupt });
        }
        let done = self.ends.handle(now, way.to);
        if self.course.tells == Tells::Everything {
            self.at(done, now, HANDLED, event);
            return;
        }
        // An end is done with packets in the order in which they came.
        way.missing -= 1;
        if way.missing > 0 {
            return;
        }
        let at_once = self.course.ahead && !self.course.handled_ahead && self.ends.handler == 0;
        if at_once || self.course.tells == Tells::Ahead {
            self.arrive(done, event.message, tell);
        } else {
            self.at(done, now, HANDLED, event);
        }
    }

    fn handled(&mut self, event: Event, tell: &mut impl FnMut(Time, Happened)) {
        let Event { time: now, message, .. } = event;
        if self.course.tells != Tells::Everything {
            self.arrive(now, message, tell);
            return;
        }
        let way = self.ways.at(message);
        way.missing -= 1;
        if way.missing > 0 {
            return;
        }
        let Way { from, links, .. } = *way;
        self.arrive(now, message, tell);
        // The far end says so; that takes the way back.
        let freed = now + self.latency * Time::from(links);
        self.at(freed, now, FREED, event.of(Message::from(from), 0));
    }

    /// A message has come whole, and with it those that waited for their turn.
    fn arrive(&mut self, now: Time, message: Message, tell: &mut impl FnMut(Time, Happened)) {
        let Some(order) = &mut self.order else {
            let way = self.ways.end(message);
            tell(now, Happened::Arrived(self.links.arrived(message, &way)));
            return;
        };
        let Way { from, to, turn, .. } = *self.ways.at(message);
        order.came(from, to, turn, message);
        while let Some(message) = order.next(from, to) {
            let way = self.ways.end(message);
            tell(now, Happened::Arrived(self.links.arrived(message, &way)));
        }
    }

    fn at(&mut self, when: Time, before: Time, stage: Stage, event: Event) {
        let before = if self.course.ahead { before } else { 0 };
        let next = Event::new(when, before, self.next_event, stage);
        self.events.push(next.of(event.message, event.packet));
        self.next_event += 1;
    }
}

#[cfg(test)]
mod tests;
