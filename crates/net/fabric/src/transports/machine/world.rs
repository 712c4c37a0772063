//! The simulated world: nodes with their times, the network with its events, and what happens next.

use crate::spec::{NodeId, PathRoom, Spec};
use crate::transport::{Arrival, Head};
use machine::{Happened, Machine, Message, Network, PS_PER_NS, Time};
use std::collections::{BTreeSet, VecDeque};

/// A message, on its way or arrived.
pub(super) struct Parcel {
    from: NodeId,
    head: Head,
    pub payload: Vec<u8>,
    arrived: Time,
    hops: u8,
    packets: u32,
    /// What its receipt counts for; 0: it has none.
    receipt: u32,
}

/// What the network carries.
enum UnderWay {
    Message(Parcel),
    /// Word that what counts for so much has arrived.
    Receipt(u32),
}

/// What wakes a sleeper before its time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Waking {
    /// A message or a receipt that arrives, or a buffer that becomes free.
    ByMessages,
    /// Nothing.
    ByTime,
}

/// When a sleeper woke.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Woken {
    pub at: Time,
    pub by_message: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    /// Its thread has not come yet.
    Absent,
    Runs,
    /// Waits for its turn, at the time by which it lies in `ready`.
    Ready(Time),
    /// The same, and a message makes that earlier.
    Sleeps(Time),
    Left,
    /// Ended without leaving.
    Dropped,
}

struct Seat {
    state: State,
    woken: Woken,
    inbox: VecDeque<Parcel>,
    /// Messages sent whose buffers are not free.
    unfinished: u32,
    /// What the network calls the one sent last.
    latest: Message,
    /// What the receipts count for that have come.
    receipts: u32,
    /// Towards whom it found no room.
    wants_room: Option<NodeId>,
    /// Interrupts not yet counted into its time.
    stolen: Time,
}

/// What is sent and not yet taken.
#[derive(Clone, Copy, Default)]
struct InFlight {
    messages: u32,
    bytes: u64,
}

/// A message of no bytes fills memory, too.
fn counted(bytes: u64) -> u64 {
    bytes.max(64)
}

pub(super) struct World {
    network: Network,
    buffers: u32,
    seats: Vec<Seat>,
    /// Those that wait, by time; nodes of one time by number.
    ready: BTreeSet<(Time, NodeId)>,
    absent: usize,
    under_way: Vec<Option<UnderWay>>,
    window: PathRoom,
    latency: Time,
    interrupt: Time,
    /// Sent and not yet taken, from × nodes + to.
    in_flight: Vec<InFlight>,
}

impl Parcel {
    pub fn new(from: NodeId, head: Head, payload: &[u8]) -> Parcel {
        Parcel {
            from,
            head,
            payload: payload.to_vec(),
            arrived: 0,
            hops: 0,
            packets: 0,
            receipt: 0,
        }
    }

    pub fn arrival(&self) -> Arrival {
        let arrived = self.arrived / PS_PER_NS;
        Arrival {
            arrived,
            arrived_ticks: arrived,
            hops: self.hops,
            packets: self.packets,
            ..Arrival::of_neighbour(self.from, self.head)
        }
    }
}

impl World {
    pub fn new(machine: &Machine, spec: &Spec, seed: u64) -> World {
        let nodes = spec.nodes;
        let seat = || Seat {
            state: State::Absent,
            woken: Woken { at: 0, by_message: false },
            inbox: VecDeque::new(),
            unfinished: 0,
            latest: 0,
            receipts: 0,
            wants_room: None,
            stolen: 0,
        };
        let count = usize::from(nodes);
        World {
            network: Network::new(machine, nodes, seed),
            buffers: machine.value("network.buffers") as u32,
            seats: (0..nodes).map(|_| seat()).collect(),
            ready: BTreeSet::new(),
            absent: count,
            under_way: Vec::new(),
            window: spec.path_room.unwrap_or(PathRoom {
                messages: u32::MAX,
                bytes: machine.value("network.window").min(f64::from(u32::MAX)) as u32,
            }),
            latency: machine.time("network.latency"),
            interrupt: machine.time("processor.interrupt"),
            in_flight: vec![InFlight::default(); count * count],
        }
    }

    /// Whether nothing can happen before the running node's time.
    pub fn is_first(&self, me: NodeId, now: Time) -> bool {
        let after = |time: Time| time > now;
        self.seats[usize::from(me)].state == State::Runs
            && self
                .ready
                .first()
                .is_none_or(|(time, node)| after(*time) || (*time == now && *node > me))
            && self.network.next().is_none_or(after)
    }

    /// A node waits for its turn at its time.
    pub fn ready(&mut self, me: NodeId, now: Time) {
        self.come(me);
        self.wait(me, State::Ready(now), now);
    }

    /// A node sleeps. `false`: what would wake it is there already.
    pub fn sleeps(&mut self, me: NodeId, now: Time, until: Time, waking: Waking) -> bool {
        self.come(me);
        let seat = &mut self.seats[usize::from(me)];
        let wakes = waking == Waking::ByMessages;
        if wakes && (!seat.inbox.is_empty() || seat.receipts > 0) {
            return false;
        }
        let wanted = seat.wants_room.filter(|_| wakes);
        if wanted.is_some_and(|to| self.has_room(me, to)) {
            return false;
        }
        let seat = &mut self.seats[usize::from(me)];
        seat.woken = Woken { at: now, by_message: false };
        self.wait(me, if wakes { State::Sleeps(until) } else { State::Ready(until) }, until);
        true
    }

    fn come(&mut self, me: NodeId) {
        if self.seats[usize::from(me)].state == State::Absent {
            self.absent -= 1;
        }
    }

    fn wait(&mut self, me: NodeId, state: State, until: Time) {
        self.seats[usize::from(me)].state = state;
        self.ready.insert((until, me));
    }

    /// Play what comes before the first node's time, and let that node run. `None`: none can.
    pub fn next_to_run(&mut self) -> Option<NodeId> {
        if self.absent > 0 {
            return None;
        }
        loop {
            let first = *self.ready.first()?;
            if self.network.next().is_none_or(|next| next > first.0) {
                self.ready.pop_first();
                let seat = &mut self.seats[usize::from(first.1)];
                seat.state = State::Runs;
                seat.woken.at = first.0;
                return Some(first.1);
            }
            self.play_next();
        }
    }

    fn play_next(&mut self) {
        let mut told: Vec<(Time, Happened)> = Vec::new();
        self.network.play_next(&mut |when, happened| told.push((when, happened)));
        let mut arrived: Vec<(Time, machine::Arrived, UnderWay)> = Vec::new();
        for (when, happened) in told {
            match happened {
                Happened::Interrupted { node, takes } => {
                    self.seats[usize::from(node)].stolen += takes;
                }
                Happened::Arrived(it) => {
                    let what = self.under_way[it.message as usize].take();
                    arrived.extend(what.map(|what| (when, it, what)));
                }
                Happened::Freed { node } => {
                    let seat = &mut self.seats[usize::from(node)];
                    seat.unfinished -= 1;
                    if seat.wants_room.is_some() {
                        self.wake(node, when, false);
                    }
                }
            }
        }
        // Only now: a receipt may be given the number of any of them.
        for (when, it, what) in arrived {
            self.arrive(when, &it, what);
        }
    }

    fn arrive(&mut self, when: Time, arrived: &machine::Arrived, what: UnderWay) {
        let machine::Arrived { to, hops, packets, .. } = *arrived;
        let seat = &mut self.seats[usize::from(to)];
        match what {
            UnderWay::Message(parcel) => {
                let (from, receipt) = (parcel.from, parcel.receipt);
                seat.inbox.push_back(Parcel { arrived: when, hops, packets, ..parcel });
                if receipt > 0 {
                    // The interrupt routine sends it, whatever the node is at.
                    self.put(when + self.interrupt, to, from, 0, UnderWay::Receipt(receipt));
                }
            }
            UnderWay::Receipt(counts) => seat.receipts += counts,
        }
        self.wake(to, when, true);
    }

    fn wake(&mut self, node: NodeId, when: Time, by_message: bool) {
        let seat = &mut self.seats[usize::from(node)];
        if let State::Sleeps(until) = seat.state {
            self.ready.remove(&(until, node));
            // It may have gone to sleep at a moment that the network had not reached.
            let at = when.max(seat.woken.at);
            seat.woken = Woken { at, by_message };
            seat.state = State::Ready(at);
            self.ready.insert((at, node));
        }
    }

    pub fn runs(&self, me: NodeId) -> bool {
        self.seats[usize::from(me)].state == State::Runs
    }

    pub fn woken(&self, me: NodeId) -> Woken {
        self.seats[usize::from(me)].woken
    }

    /// By how much the node was interrupted since it was asked last.
    pub fn stolen(&mut self, me: NodeId) -> Time {
        std::mem::take(&mut self.seats[usize::from(me)].stolen)
    }

    /// Messages on their way to `to` if the node may send another one.
    pub fn room(&mut self, me: NodeId, to: NodeId) -> Option<u32> {
        let has_room = self.has_room(me, to);
        self.seats[usize::from(me)].wants_room = (!has_room).then_some(to);
        has_room.then(|| self.in_flight(me, to))
    }

    fn has_room(&self, me: NodeId, to: NodeId) -> bool {
        let InFlight { messages, bytes } = self.in_flight[self.pair(me, to)];
        let PathRoom { messages: messages_max, bytes: bytes_max } = self.window;
        // One that is larger than the window goes alone.
        let fits = messages < messages_max && bytes < u64::from(bytes_max);
        fits && self.seats[usize::from(me)].unfinished < self.buffers
    }

    pub fn in_flight(&self, me: NodeId, to: NodeId) -> u32 {
        self.in_flight[self.pair(me, to)].messages
    }

    /// A message goes into the network at this time, which may lie ahead.
    pub fn send(&mut self, at: Time, to: NodeId, parcel: Parcel) {
        let (from, bytes) = (parcel.from, parcel.payload.len() as u64);
        let pair = self.pair(from, to);
        self.in_flight[pair].messages += 1;
        self.in_flight[pair].bytes += counted(bytes);
        self.seats[usize::from(from)].latest =
            self.put(at, from, to, bytes, UnderWay::Message(parcel));
    }

    fn put(&mut self, at: Time, from: NodeId, to: NodeId, bytes: u64, what: UnderWay) -> Message {
        self.seats[usize::from(from)].unfinished += 1;
        let message = self.network.send(at, from, to, bytes);
        let place = message as usize;
        if self.under_way.len() <= place {
            self.under_way.resize_with(place + 1, || None);
        }
        self.under_way[place] = Some(what);
        message
    }

    /// The message that the node sent last, and that cannot have arrived since, is to have a
    /// receipt.
    pub fn ask_for_receipt(&mut self, me: NodeId, counts: u32) {
        let latest = self.seats[usize::from(me)].latest;
        if let Some(UnderWay::Message(parcel)) = &mut self.under_way[latest as usize] {
            parcel.receipt = counts;
        }
    }

    pub fn receipts(&mut self, me: NodeId) -> u32 {
        std::mem::take(&mut self.seats[usize::from(me)].receipts)
    }

    pub fn take(&mut self, me: NodeId, now: Time) -> Option<Parcel> {
        let parcel = self.seats[usize::from(me)].inbox.pop_front()?;
        let pair = self.pair(parcel.from, me);
        self.in_flight[pair].messages -= 1;
        self.in_flight[pair].bytes -= counted(parcel.payload.len() as u64);
        if self.seats[usize::from(parcel.from)].wants_room == Some(me) {
            // The sender hears of it by a message of the network's own.
            self.wake(parcel.from, now + self.latency, false);
        }
        Some(parcel)
    }

    pub fn dropped(&self, me: NodeId) -> Option<NodeId> {
        let inbox = &self.seats[usize::from(me)].inbox;
        let gone = |node: &NodeId| self.seats[usize::from(*node)].state == State::Dropped;
        let unread = |node: NodeId| {
            self.in_flight(node, me) > 0 || inbox.iter().any(|parcel| parcel.from == node)
        };
        (0..self.seats.len() as NodeId).find(|node| gone(node) && !unread(*node))
    }

    /// The node will not run again; who runs then, if it ran.
    pub fn leave(&mut self, me: NodeId, in_order: bool) -> Option<NodeId> {
        self.come(me);
        let seat = &mut self.seats[usize::from(me)];
        let ran = matches!(seat.state, State::Runs | State::Absent);
        if let State::Ready(at) | State::Sleeps(at) = seat.state {
            self.ready.remove(&(at, me));
        }
        seat.state = if in_order { State::Left } else { State::Dropped };
        if ran { self.next_to_run() } else { None }
    }

    fn pair(&self, from: NodeId, to: NodeId) -> usize {
        usize::from(from) * self.seats.len() + usize::from(to)
    }
}
