//! One node of an optimistic run: a state machine, without threads, clock or sockets.
//!
//! ```text
//!  receive ──► arrivals ──► handle ──┬──► pending set ──► execute ──► history ──► collect (commit)
//!                                    │        ▲  ▲            │          │
//!                                    │        │  └─ messages ─┤          │
//!                                    └──► roll back ◄─────────┼──────────┘
//!                                             │ cancel        ▼
//!                                             └──────────► outbox ──► outgoing
//! ```
//!
//! Objects share one pending set. A message that comes too late undoes its receiver's events
//! ([`rollback`]); what they had sent is cancelled, at once or when the event, run again, has not
//! sent it again ([`cancel`]). Every piece of work is bounded: a step is one event, or some
//! cancellations, or the cancelling that one abandoned event calls for; there is no sweep through
//! all that an object had sent to itself. GVT ([`gvt`]) says what can no longer be undone; that is
//! committed in small steps between events ([`collect`]). When memory is short, [`relief`] makes
//! room.

mod arrivals;
mod cancel;
mod channel;
mod check;
mod collect;
mod execute;
mod gvt;
mod history;
mod load;
mod migrate;
mod object;
mod outbox;
mod pace;
mod parts;
mod passing;
mod relief;
mod rollback;
mod rounds;
mod select;
mod serials;
pub(crate) mod slots;
mod timing;

use crate::context::Doings;
use crate::pending::{Entry, Pending};
use crate::running::{Frame, state_share};
use crate::{
    Counters, Limits, Model, NodeCounters, ObjectId, Options, Outcome, Packet, Parcel, Placement,
    RunError, VirtualTime, Watch,
};
use arrivals::Arrivals;
use channel::Channel;
use collect::Collection;
use gvt::Gvt;
use history::{Histories, Ran};
use load::Load;
use object::Object;
use object::Rarely;
use outbox::{Outbox, Waiting};
use pace::Horizon;
use parts::{Atlas, Ended};
use passing::Passings;
use relief::Budget;
use slots::{NONE, Slots};
use std::collections::{BTreeMap, VecDeque};
use timing::Times;

/// How a node stands after some work.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Progress {
    /// There is more to do at once.
    Busy,
    /// There is nothing to do until a parcel comes or GVT advances.
    Waiting,
    /// The run is over here.
    Finished,
}

/// Figures for a line of progress.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Status {
    /// GVT.
    pub gvt: VirtualTime,
    /// Events committed.
    pub committed: u64,
    /// Events executed, those undone included.
    pub executed: u64,
    /// Bytes that count against the budget.
    pub memory: usize,
    /// Messages waiting to be handled.
    pub pending: usize,
    /// Events that wait for being committed, those included that were undone since the last look.
    pub uncommitted: usize,
    /// Messages waiting to leave.
    pub leaving: usize,
}

/// Where an object lives: on this node under a number, or on another node.
#[derive(Clone, Copy)]
struct Place(u32);

const ELSEWHERE: u32 = 1 << 31;
/// Beside `ELSEWHERE`: it depends on the time; the atlas knows.
const SPLIT: u32 = 1 << 30;

/// A node alone knows GVT for nothing: it commits while what it commits is still in the cache.
const GVT_EVENTS_ALONE: u32 = 256;

impl Place {
    const SPLIT: Place = Place(ELSEWHERE | SPLIT);

    /// Its number here, or else its node.
    #[inline]
    fn here(self) -> Result<u32, u16> {
        if self.0 & ELSEWHERE == 0 { Ok(self.0) } else { Err(self.0 as u16) }
    }

    #[inline]
    fn is_split(self) -> bool {
        self.0 & (ELSEWHERE | SPLIT) == ELSEWHERE | SPLIT
    }

    fn of(at: Result<u32, u16>) -> Place {
        Place(at.unwrap_or_else(|node| ELSEWHERE | u32::from(node)))
    }
}

/// One node of an optimistic run. See the head of the file.
pub struct Node<'a, M: Model, W: Watch> {
    model: &'a M,
    id: u16,
    nodes: u16,
    limits: Limits,
    options: Options,
    watch: W,
    places: Vec<Place>,
    /// The numbers of this node's objects in the model.
    ids: Vec<ObjectId>,
    objects: Vec<Object<M::State>>,
    slots: Slots<M::Payload>,
    histories: Histories<M>,
    /// Messages about to be delivered, with the numbers of their objects.
    incoming: Vec<(u32, u32)>,
    pending: Pending,
    /// What was executed and is not committed, in order of execution; some of it has been undone.
    executed: VecDeque<Ran>,
    collection: Collection,
    times: Times,
    /// Annihilated messages whose entries are still in the pending set.
    dead: usize,
    /// Messages to be cancelled.
    cancels: VecDeque<u32>,
    /// Entries of objects that may not run now.
    held: Vec<Entry>,
    /// Objects that wait for GVT because a message of theirs came back.
    returned: Vec<u32>,
    anything_held: bool,
    /// Whether options make it necessary to look at what is first before it runs.
    is_careful: bool,
    /// Whether objects may move between nodes.
    may_move: bool,
    /// Whether what throttling goes by is kept up.
    is_paced: bool,
    channels: Vec<Channel>,
    arrivals: Arrivals<M::Payload>,
    outbox: Outbox<M::Payload, W::Stamp>,
    load: Load,
    /// Where objects are that have moved.
    atlas: Atlas,
    /// Parts of objects here whose later parts are elsewhere.
    ended: Vec<Ended>,
    /// Messages passed on that may yet be cancelled or come back.
    passings: Passings,
    /// Places of objects that are free.
    vacant: Vec<u32>,
    /// What objects counted here that are not here any more, and what concerns them that met its
    /// end here.
    gone: BTreeMap<ObjectId, Counters>,
    apart: BTreeMap<ObjectId, Rarely>,
    /// From here on what is first is looked at before it runs.
    look_from: VirtualTime,
    gvt: Gvt,
    budget: Budget,
    horizon: Horizon,
    /// Slots of the bundle at hand.
    bundle: Vec<u32>,
    doings: Doings<M::Payload>,
    scratch: Vec<u8>,
    counters: NodeCounters,
    started: u64,
    /// Events executed since the last GVT round, and how many of them call for one.
    since_round: u32,
    gvt_events: u32,
    committed: u64,
    final_time: f64,
    trace_digest: u64,
    tells: u64,
    finished: bool,
}

impl<'a, M: Model, W: Watch> Node<'a, M, W> {
    /// Make this node's objects and send them the configuration's messages.
    ///
    /// # Errors
    /// When an init section fails, or model and options do not fit together.
    pub fn new(
        model: &'a M,
        placement: &Placement,
        id: u16,
        options: &Options,
        watch: W,
    ) -> Result<Node<'a, M, W>, RunError> {
        options.check()?;
        let ids: Vec<ObjectId> = placement.objects_of(id).collect();
        let mut node = Node {
            model,
            id,
            nodes: placement.nodes(),
            limits: Limits { cutoff: options.cutoff, ..Limits::default() },
            options: options.clone(),
            watch,
            places: places(placement, id, model.objects()),
            objects: Vec::with_capacity(ids.len()),
            ids,
            slots: Slots::new(),
            histories: Histories::new(),
            incoming: Vec::new(),
            pending: Pending::new(),
            executed: VecDeque::new(),
            collection: Collection::default(),
            times: Times::none(),
            dead: 0,
            cancels: VecDeque::new(),
            held: Vec::new(),
            returned: Vec::new(),
            anything_held: false,
            is_careful: options.are_careful(),
            may_move: options.may_move(),
            is_paced: options.throttle != crate::Throttle::Never,
            channels: (0..placement.nodes()).map(|_| Channel::default()).collect(),
            arrivals: Arrivals::new(options.search),
            outbox: Outbox::new(options.max_acks, options.max_neg_acks),
            load: Load::default(),
            atlas: Atlas::default(),
            ended: Vec::new(),
            passings: Passings::default(),
            vacant: Vec::new(),
            gone: BTreeMap::new(),
            apart: BTreeMap::new(),
            look_from: VirtualTime::POSINF,
            gvt: Gvt::new(placement.nodes()),
            budget: Budget::new(options.memory_bytes),
            horizon: Horizon::default(),
            bundle: Vec::new(),
            doings: Doings::default(),
            scratch: Vec::new(),
            counters: NodeCounters::default(),
            started: 0,
            since_round: 0,
            gvt_events: match options.gvt_events {
                u32::MAX => u32::MAX,
                events if placement.nodes() == 1 => events.min(GVT_EVENTS_ALONE),
                events => events,
            },
            committed: 0,
            final_time: VirtualTime::NEGINF.simtime(),
            trace_digest: 0,
            tells: 0,
            finished: false,
        };
        node.init_all()?;
        node.tell_all()?;
        Ok(node)
    }

    /// A parcel has come from another node.
    ///
    /// # Errors
    /// When it cannot have come from a node of this run.
    #[inline]
    pub fn receive(&mut self, from: u16, parcel: Parcel<M::Payload>) -> Result<(), RunError> {
        if parcel.packet.is_counted() {
            self.gvt.receives(parcel.red);
        }
        self.arrive(from, parcel.packet)
    }

    /// Work: at most so many steps.
    ///
    /// # Errors
    /// When a committed event has a fault, or not even what is committed fits into memory.
    #[inline]
    pub fn run(&mut self, steps: u32) -> Result<Progress, RunError> {
        for _ in 0..steps {
            match self.step()? {
                Progress::Busy => {}
                other => return Ok(other),
            }
        }
        Ok(Progress::Busy)
    }

    /// The next parcel that may leave, for whom, and when it was made: it may have had to wait
    /// here.
    #[inline]
    pub fn outgoing(&mut self) -> Option<(u16, Parcel<M::Payload>, W::Stamp)> {
        if self.outbox.is_bounded() {
            self.acknowledge();
        }
        let Waiting { to, packet, made } = self.outbox.next(&mut self.counters)?;
        if packet.is_counted() {
            self.gvt.sends(packet.send_time());
        }
        Some((to, Parcel { red: self.gvt.red(), packet }, made))
    }

    /// Put a packet where it waits to leave.
    #[inline]
    fn post(&mut self, to: u16, packet: Packet<M::Payload>) {
        let made = self.watch.now();
        self.outbox.push(to, packet, made);
    }

    /// Compute GVT soon: its interval is over.
    pub fn ask_for_gvt(&mut self) {
        self.gvt.want();
    }

    /// What is known to be GVT.
    pub fn gvt(&self) -> VirtualTime {
        self.gvt.now
    }

    /// Figures for a line of progress.
    pub fn status(&self) -> Status {
        Status {
            gvt: self.gvt.now,
            committed: self.committed,
            executed: self.started,
            memory: self.memory(),
            pending: self.pending.len(),
            uncommitted: self.executed.len(),
            leaving: self.outbox.len(),
        }
    }

    /// Who is told what happens here.
    pub fn watch(&mut self) -> &mut W {
        &mut self.watch
    }

    /// What it came to. A run that was ended early gives what was committed until then.
    pub fn finish(mut self) -> (Outcome, W) {
        let mut outcome = Outcome {
            tells: self.tells,
            final_time: self.final_time,
            trace_digest: self.trace_digest,
            ..Outcome::default()
        };
        for index in self.last_parts() {
            let share = state_share(self.ids[index as usize], &self.objects[index as usize].state);
            outcome.state_digest = outcome.state_digest.wrapping_add(share);
        }
        (outcome.objects, outcome.parts) = self.count_objects();
        outcome.load_cycles = self.load.cycles;
        outcome.migrations = self.load.migrations;
        self.counters.gvt_rounds = self.gvt.rounds;
        self.counters.memory_peak = self.budget.peak as u64;
        outcome.nodes = vec![(self.id, self.counters)];
        (outcome, self.watch)
    }

    /// Bytes that count against the budget.
    fn memory(&self) -> usize {
        self.slots.cost() + self.histories.cost() + self.budget.states
    }

    fn init_all(&mut self) -> Result<(), RunError> {
        for (index, id) in (0u32..).zip(self.ids.clone()) {
            let frame = Frame {
                model: self.model,
                objects: self.places.len() as u32,
                limits: &self.limits,
            };
            let state = frame.init(id, &mut self.doings);
            if let Some(fault) = self.doings.fault.take() {
                return Err(frame.error(id, VirtualTime::NEGINF, fault));
            }
            let state = state.expect("an init section without a fault makes a state");
            let state_heap = self.model.state_heap_bytes(&state);
            self.budget.states += size_of::<M::State>() + state_heap;
            self.objects.push(Object::new(state, state_heap));
            let sends = std::mem::take(&mut self.doings.sends);
            // What an init section sends is never cancelled: no event stands behind it.
            for message in sends {
                self.send_new(index, message, NONE);
            }
        }
        Ok(())
    }

    fn tell_all(&mut self) -> Result<(), RunError> {
        let frame =
            Frame { model: self.model, objects: self.places.len() as u32, limits: &self.limits };
        for message in frame.tells()? {
            if let Ok(index) = self.places[message.receiver.index()].here() {
                self.tells += 1;
                self.object(index).received += 1;
                let slot = self.slots.add(message, slots::Status::Pending, 0, self.id);
                self.enqueue(index, slot);
            }
        }
        Ok(())
    }

    #[inline]
    fn object(&mut self, index: u32) -> &mut Object<M::State> {
        &mut self.objects[index as usize]
    }

    /// Put a message of this node's into the pending set.
    #[inline]
    fn enqueue(&mut self, index: u32, slot: u32) {
        let time = self.slots[slot].message.receive;
        self.pending.push(Entry { time, object: ObjectId(index), slot });
    }

    /// A message for an object of this node that its sender has just sent, or that has just come.
    /// Its object is asked for, and looked at a little later, when it is there.
    #[inline]
    fn deliver_soon(&mut self, index: u32, slot: u32) {
        memory::prefetch_for_writing(&self.objects[index as usize]);
        self.incoming.push((index, slot));
    }

    /// Deliver what was to be delivered soon: before anything else happens to messages.
    #[inline]
    fn deliver_incoming(&mut self) {
        if self.incoming.is_empty() {
            return;
        }
        let mut incoming = std::mem::take(&mut self.incoming);
        for (index, slot) in incoming.drain(..) {
            self.deliver(index, slot);
        }
        self.incoming = incoming;
    }

    #[inline]
    fn deliver(&mut self, index: u32, slot: u32) {
        let receive = self.slots[slot].message.receive;
        let object = self.object(index);
        object.received += 1;
        if receive <= object.now {
            self.roll_back(index, receive);
        }
        self.enqueue(index, slot);
    }

    /// Who has to do with a virtual time of an object: its number here, or the node that is known
    /// to have that part of it.
    #[inline]
    fn route(&self, object: ObjectId, time: VirtualTime) -> Result<u32, u16> {
        let place = self.places[object.index()];
        match place.here() {
            Err(_) if place.is_split() => self.atlas.find(object, time),
            known => known,
        }
    }

    /// Where to count what happens here to a message of, or for, an object.
    fn tally(&mut self, object: ObjectId, time: VirtualTime) -> &mut Rarely {
        match self.route(object, time) {
            Ok(index) => &mut self.objects[index as usize].rare,
            Err(_) => self.apart.entry(object).or_default(),
        }
    }

    /// Another node speaks of this object: there must be one, and where nothing moves it must be
    /// here.
    #[inline]
    fn check_object(&self, from: u16, object: ObjectId) -> Result<(), RunError> {
        match self.places.get(object.index()) {
            Some(place) if place.here().is_ok() || self.may_move => Ok(()),
            _ => Err(protocol(
                from,
                format!("a message for object {}, which does not live here", object.0),
            )),
        }
    }

    /// The number here of an object that another node says is here at this time.
    fn index_of(&self, from: u16, object: ObjectId, time: VirtualTime) -> Result<u32, RunError> {
        self.route(object, time).map_err(|_| {
            protocol(from, format!("a message for object {}, which is not here then", object.0))
        })
    }
}

fn places(placement: &Placement, id: u16, objects: u32) -> Vec<Place> {
    let mut next = 0..;
    let place = |object| match placement.node_of(ObjectId(object)) {
        node if node == id => Place(next.next().unwrap_or_default()),
        node => Place(ELSEWHERE | u32::from(node)),
    };
    (0..objects).map(place).collect()
}

fn protocol(node: u16, what: impl Into<String>) -> RunError {
    RunError::Protocol { node, what: what.into() }
}
