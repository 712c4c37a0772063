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

mod agenda;
mod arrivals;
mod cancel;
mod check;
mod collect;
mod execute;
mod gvt;
pub(crate) mod hand;
mod history;
mod links;
mod load;
mod migrate;
mod object;
mod optimism;
mod outbox;
mod pace;
mod parts;
mod passing;
mod relief;
mod residents;
mod rollback;
mod rounds;
mod saving;
mod select;
mod serials;
mod setup;
pub(crate) mod slots;
mod timing;
mod totals;

use crate::pending::Entry;
use crate::running::state_share;
use crate::{
    AckAt, Model, ObjectId, Options, Outcome, Packet, Parcel, Placement, RunError, VirtualTime,
    Watch,
};
use agenda::Agenda;
use collect::Collection;
use gvt::Gvt;
use hand::Hand;
use history::{Histories, Ran};
use links::Links;
use object::Object;
use object::rare_counters::RareCounters;
use outbox::Waiting;
use pace::Restraint;
use parts::Moving;
use relief::Budget;
use residents::Residents;
use setup::Setup;
use slots::{NONE, Slots};
use totals::Totals;

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

/// One node of an optimistic run. See the head of the file.
pub struct Node<'a, M: Model, W: Watch> {
    setup: Setup<'a, M>,
    watch: W,
    objects: Residents<M::State>,
    moving: Moving,
    slots: Slots<M::Payload>,
    agenda: Agenda,
    histories: Histories<M>,
    collection: Collection,
    links: Links<M::Payload, W::Stamp>,
    gvt: Gvt,
    budget: Budget,
    restraint: Restraint,
    hand: Hand<M::Payload>,
    totals: Totals,
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
            setup: Setup::new(model, placement, id, options),
            watch,
            objects: Residents::with_capacity(ids.len()),
            moving: Moving::new(placement, id, model.objects()),
            slots: Slots::new(),
            agenda: Agenda::new(),
            histories: Histories::new(),
            collection: Collection::default(),
            links: Links::new(placement.nodes(), options),
            gvt: Gvt::new(placement.nodes(), options.gvt_events),
            budget: Budget::new(options.memory_bytes),
            restraint: Restraint::new(&options.throttle),
            hand: Hand::default(),
            totals: Totals::new(),
            finished: false,
        };
        node.init_all(&ids)?;
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
        if self.links.acknowledges {
            self.acknowledge();
        }
        let Waiting { to, packet, made } = self.links.outbox.next(&mut self.totals.counters)?;
        if packet.is_counted() {
            self.gvt.sends(packet.send_time());
        }
        Some((to, Parcel { red: self.gvt.red(), packet }, made))
    }

    /// Leave acknowledging to the network. `true`: that is what is wanted, so the driver tells of
    /// the arrivals of packets that [are acknowledged](Packet::is_acknowledged), by
    /// [`Node::acknowledged`]. All nodes do so, or none.
    pub fn leave_acknowledging(&mut self) -> bool {
        let is_left = self.links.acknowledges && self.setup.options.ack_at == AckAt::Arrival;
        self.links.acknowledges &= !is_left;
        is_left
    }

    /// So many of the packets that have left have arrived at their nodes.
    pub fn acknowledged(&mut self, packets: u32) {
        self.links.outbox.acknowledged(packets);
    }

    /// Put a packet where it waits to leave.
    #[inline]
    fn post(&mut self, to: u16, packet: Packet<M::Payload>) {
        let made = self.watch.made();
        self.links.outbox.push(to, packet, made);
    }

    /// Compute GVT soon: its interval is over.
    pub fn ask_for_gvt(&mut self) {
        self.gvt.want();
    }

    /// Whether this node has lacked a core lately. With the next GVT all hear of it.
    pub fn lacks_core(&mut self, lacks: bool) {
        self.gvt.crowded = lacks;
    }

    /// Events executed until now, and of these undone.
    pub fn work_done(&self) -> (u64, u64) {
        (self.totals.started, self.totals.undone)
    }

    /// What is known to be GVT.
    pub fn gvt(&self) -> VirtualTime {
        self.gvt.now
    }

    /// Figures for a line of progress.
    pub fn status(&self) -> Status {
        Status {
            gvt: self.gvt.now,
            committed: self.totals.committed,
            executed: self.totals.started,
            memory: self.memory(),
            pending: self.agenda.pending.len(),
            uncommitted: self.collection.executed.len(),
            leaving: self.links.outbox.len(),
        }
    }

    /// Who is told what happens here.
    pub fn watch(&mut self) -> &mut W {
        &mut self.watch
    }

    /// What it came to. A run that was ended early gives what was committed until then.
    pub fn finish(mut self) -> (Outcome, W) {
        let mut outcome = self.totals.outcome();
        for index in self.objects.last_parts() {
            let share = state_share(self.objects.id(index), &self.objects[index].state);
            outcome.state_digest = outcome.state_digest.wrapping_add(share);
        }
        (outcome.objects, outcome.parts) = self.count_objects();
        outcome.load_cycles = self.moving.load.cycles;
        outcome.migrations = self.moving.load.migrations;
        self.totals.counters.gvt_rounds = self.gvt.rounds;
        self.totals.counters.memory_peak = self.budget.peak as u64;
        outcome.nodes = vec![(self.setup.id, self.totals.counters)];
        (outcome, self.watch)
    }

    /// Bytes that count against the budget.
    fn memory(&self) -> usize {
        self.slots.cost() + self.histories.cost() + self.budget.states
    }

    fn init_all(&mut self, ids: &[ObjectId]) -> Result<(), RunError> {
        let mut sends = Vec::new();
        for id in ids {
            let frame = self.setup.frame();
            let state = frame.init(*id, &mut self.hand.doings);
            if let Some(fault) = self.hand.doings.fault.take() {
                return Err(frame.error(*id, VirtualTime::NEGINF, fault));
            }
            let state = state.expect("an init section without a fault makes a state");
            let state_heap = self.setup.model.state_heap_bytes(&state);
            self.budget.states += size_of::<M::State>() + state_heap;
            let mut object = Object::new(state, state_heap);
            object.copying = self.histories.saving.copying(self.setup.model, *id);
            let index = self.objects.house(*id, object);
            sends.extend(self.hand.doings.sends.drain(..).map(|message| (index, message)));
        }
        // Once all are there: an init section may send to any object. What it sends is never
        // cancelled: no event stands behind it.
        sends.into_iter().for_each(|(index, message)| self.send_new(index, message, NONE));
        Ok(())
    }

    fn tell_all(&mut self) -> Result<(), RunError> {
        let frame = self.setup.frame();
        for message in frame.tells()? {
            if let Ok(index) = self.route(message.receiver, message.receive) {
                self.totals.tells += 1;
                self.object(index).received += 1;
                let slot = self.slots.add(message, slots::Status::Pending, 0, self.setup.id);
                self.enqueue(index, slot);
            }
        }
        Ok(())
    }

    #[inline]
    fn object(&mut self, index: u32) -> &mut Object<M::State> {
        &mut self.objects[index]
    }

    /// Put a message of this node's into the pending set.
    #[inline]
    fn enqueue(&mut self, index: u32, slot: u32) {
        let time = self.slots[slot].message.receive;
        self.agenda.pending.push(Entry { time, object: ObjectId(index), slot });
    }

    /// A message for an object of this node that its sender has just sent, or that has just come.
    /// Its object is asked for, and looked at a little later, when it is there.
    #[inline]
    fn deliver_soon(&mut self, index: u32, slot: u32) {
        memory::prefetch_for_writing(&self.objects[index]);
        self.agenda.incoming.push((index, slot));
    }

    /// Deliver what was to be delivered soon: before anything else happens to messages.
    #[inline]
    fn deliver_incoming(&mut self) {
        if self.agenda.incoming.is_empty() {
            return;
        }
        let mut incoming = std::mem::take(&mut self.agenda.incoming);
        for (index, slot) in incoming.drain(..) {
            self.deliver(index, slot);
        }
        self.agenda.incoming = incoming;
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
        self.moving.atlas.route(object, time)
    }

    /// Where to count what happens here to a message of, or for, an object.
    fn tally(&mut self, object: ObjectId, time: VirtualTime) -> &mut RareCounters {
        match self.route(object, time) {
            Ok(index) => &mut self.objects[index].rare,
            Err(_) => self.objects.apart(object),
        }
    }

    /// Another node speaks of this object: there must be one, and where nothing moves it must be
    /// here.
    #[inline]
    fn check_object(&self, from: u16, object: ObjectId) -> Result<(), RunError> {
        if self.moving.atlas.may_be_here(object, self.setup.may_move) {
            return Ok(());
        }
        let what = format!("a message for object {}, which does not live here", object.0);
        Err(protocol(from, what))
    }

    /// The number here of an object that another node says is here at this time.
    fn index_of(&self, from: u16, object: ObjectId, time: VirtualTime) -> Result<u32, RunError> {
        self.route(object, time).map_err(|_| {
            protocol(from, format!("a message for object {}, which is not here then", object.0))
        })
    }
}

fn protocol(node: u16, what: impl Into<String>) -> RunError {
    RunError::Protocol { node, what: what.into() }
}
