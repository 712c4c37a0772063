//! What was executed and may yet be undone: a record for each event, chained per object.

use super::slots::NONE;
use crate::cost::Cost;
use crate::{Fault, Model, VirtualTime};

/// How an event can be undone.
pub(super) enum Kept<S, U> {
    /// The state before it.
    Copy(S),
    /// What the handler returned.
    Record(U),
    /// Not by itself: by running what lies between the last copy and it again. (Or it changed nothing, being a fault.)
    Nothing,
}

/// An executed event.
pub(super) struct Done<S, U> {
    pub time: VirtualTime,
    /// Whose, as this node counts its objects.
    pub object: u32,
    /// The event before it of the same object.
    pub older: u32,
    /// The event after it of the same object.
    pub newer: u32,
    /// Chain of the messages that it handled, in canonical order.
    pub inputs: u32,
    /// Chain of the messages that it sent within the node.
    pub locals: u32,
    /// Chain of the negative copies of those that it sent to other nodes.
    pub remotes: u32,
    pub messages: u32,
    /// Sends made, dropped ones included.
    pub sent: u32,
    pub dropped: u32,
    /// How often this place has been used: tells an old reference from a new one.
    pub generation: u32,
    /// Kept only because a later event's state is computed from here.
    pub committed: bool,
    pub kept: Kept<S, U>,
    pub rare: Option<Box<Rare>>,
}

/// What few events have.
#[derive(Default)]
pub(super) struct Rare {
    pub fault: Option<Fault>,
    pub lines: Vec<String>,
}

impl<S, U> Done<S, U> {
    fn new(time: VirtualTime, object: u32, kept: Kept<S, U>) -> Done<S, U> {
        Done {
            time,
            object,
            older: NONE,
            newer: NONE,
            inputs: NONE,
            locals: NONE,
            remotes: NONE,
            messages: 0,
            sent: 0,
            dropped: 0,
            generation: 0,
            committed: false,
            kept,
            rare: None,
        }
    }

    /// Whether the handler failed, and so changed nothing and sent nothing.
    pub fn has_fault(&self) -> bool {
        self.rare.as_ref().is_some_and(|rare| rare.fault.is_some())
    }
}

/// A reference to an executed event, in order of execution.
#[derive(Clone, Copy)]
pub(super) struct Ran {
    pub time: VirtualTime,
    pub done: u32,
    pub generation: u32,
}

/// All records of a node.
pub(super) struct Histories<M: Model> {
    records: Vec<Done<M::State, M::Undo>>,
    free: Vec<u32>,
    /// States whose memory can be used again.
    spare: Vec<M::State>,
    cost: Cost,
}

/// States kept for their memory.
const SPARE_MAX: usize = 1024;

impl<M: Model> Histories<M> {
    pub fn new() -> Histories<M> {
        Histories { records: Vec::new(), free: Vec::new(), spare: Vec::new(), cost: Cost::default() }
    }

    /// Bytes of all records and the states in them.
    pub fn cost(&self) -> usize {
        self.cost.bytes()
    }

    /// A copy of a state, in used memory where there is some.
    #[inline]
    pub fn copy(&mut self, state: &M::State) -> M::State {
        if !std::mem::needs_drop::<M::State>() {
            return state.clone();
        }
        match self.spare.pop() {
            Some(mut copy) => {
                copy.clone_from(state);
                copy
            }
            None => state.clone(),
        }
    }

    /// A state is not needed any more.
    #[inline]
    pub fn give_back(&mut self, state: M::State) {
        if std::mem::needs_drop::<M::State>() && self.spare.len() < SPARE_MAX {
            self.spare.push(state);
        }
    }

    /// Add the latest record of an object; it has sent nothing yet.
    #[inline]
    pub fn add(&mut self, model: &M, time: VirtualTime, object: u32, kept: Kept<M::State, M::Undo>) -> Ran {
        self.cost.add(record_bytes(model, &kept));
        let Some(at) = self.free.pop() else {
            self.records.push(Done::new(time, object, kept));
            return Ran { time, done: (self.records.len() - 1) as u32, generation: 0 };
        };
        // Field by field: a record made elsewhere and moved here would be written twice.
        let record = &mut self.records[at as usize];
        (record.time, record.object, record.kept) = (time, object, kept);
        (record.older, record.newer, record.inputs) = (NONE, NONE, NONE);
        (record.locals, record.remotes) = (NONE, NONE);
        record.committed = false;
        Ran { time, done: at, generation: record.generation }
    }

    /// Forget a record; what it kept is returned.
    #[inline]
    pub fn remove(&mut self, model: &M, at: u32) -> Kept<M::State, M::Undo> {
        let record = &mut self.records[at as usize];
        let kept = std::mem::replace(&mut record.kept, Kept::Nothing);
        record.generation = record.generation.wrapping_add(1);
        record.rare = None;
        self.cost.take(record_bytes(model, &kept));
        self.free.push(at);
        kept
    }

    /// Take out what a record kept, which stays otherwise.
    pub fn take_kept(&mut self, model: &M, at: u32) -> Kept<M::State, M::Undo> {
        let kept = std::mem::replace(&mut self.records[at as usize].kept, Kept::Nothing);
        self.cost.take(record_bytes(model, &kept));
        self.cost.add(record_bytes(model, &Kept::Nothing));
        kept
    }

    /// Whether the event referred to is still there.
    #[inline]
    pub fn is_current(&self, ran: &Ran) -> bool {
        self.records[ran.done as usize].generation == ran.generation
    }
}

/// What a record counts for.
fn record_bytes<M: Model>(model: &M, kept: &Kept<M::State, M::Undo>) -> usize {
    let heap = match kept {
        Kept::Copy(state) => model.state_heap_bytes(state),
        Kept::Record(_) | Kept::Nothing => 0,
    };
    size_of::<Done<M::State, M::Undo>>() + size_of::<Ran>() + heap
}

impl<M: Model> std::ops::Index<u32> for Histories<M> {
    type Output = Done<M::State, M::Undo>;

    #[inline]
    fn index(&self, at: u32) -> &Self::Output {
        &self.records[at as usize]
    }
}

impl<M: Model> std::ops::IndexMut<u32> for Histories<M> {
    #[inline]
    fn index_mut(&mut self, at: u32) -> &mut Self::Output {
        &mut self.records[at as usize]
    }
}
