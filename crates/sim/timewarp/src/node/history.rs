//! What was executed and may yet be undone: a record for each event, chained per object.

use super::saving::Saving;
use super::slots::{NONE, Status};
use super::timing::Times;
use crate::cost::Cost;
use crate::{Fault, Model, VirtualTime};

/// How an event can be undone.
pub(super) enum Kept<S, U> {
    /// The state before it.
    Copy(S),
    /// What the handler returned.
    Record(U),
    /// Not by itself: by running what lies between the last copy and it again. (Or it changed
    /// nothing, being a fault.)
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
    pub outputs: Outputs,
    pub messages: u32,
    /// Sends made, dropped ones included.
    pub sent: u32,
    pub dropped: u32,
    /// What it adds to the run's digest, made while its messages are at hand.
    pub digest: u64,
    /// How often this place has been used: tells an old reference from a new one.
    pub generation: u32,
    /// Kept only because a later event's state is computed from here.
    pub committed: bool,
    pub kept: Kept<S, U>,
    /// What it counts for, bytes.
    cost: usize,
    pub rare: Option<Box<Rare>>,
}

/// Chains of the messages that an event sent.
#[derive(Clone, Copy)]
pub(super) struct Outputs {
    /// Within the node.
    pub locals: u32,
    /// To other nodes: the negative copies.
    pub remotes: u32,
}

impl Outputs {
    const NONE: Outputs = Outputs { locals: NONE, remotes: NONE };

    /// Where a message of that status belongs.
    #[inline]
    pub fn chain_of(&mut self, status: Status) -> &mut u32 {
        if status == Status::Copy { &mut self.remotes } else { &mut self.locals }
    }
}

/// What few events have.
#[derive(Default)]
pub(super) struct Rare {
    pub fault: Option<Fault>,
    pub lines: Vec<String>,
}

impl<S, U> Done<S, U> {
    fn new(time: VirtualTime, object: u32) -> Done<S, U> {
        Done {
            time,
            object,
            older: NONE,
            newer: NONE,
            inputs: NONE,
            outputs: Outputs::NONE,
            messages: 0,
            sent: 0,
            dropped: 0,
            digest: 0,
            generation: 0,
            committed: false,
            kept: Kept::Nothing,
            cost: 0,
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
///
/// States are large and copied at every event, so a copy is made where it stays: in the record,
/// over what the place kept before it was last freed, whose memory is used again.
pub(super) struct Histories<M: Model> {
    records: Vec<Done<M::State, M::Undo>>,
    free: Vec<u32>,
    cost: Cost,
    pub times: Times,
    pub saving: Saving,
}

/// A free place keeps the memory of a state that holds at most so many bytes. Larger ones cost more
/// to copy than to allocate, and every place would come to hold one.
const SPARE_BYTES_MAX: usize = 4096;

impl<M: Model> Histories<M> {
    pub fn new() -> Histories<M> {
        Histories {
            records: Vec::new(),
            free: Vec::new(),
            cost: Cost::default(),
            times: Times::none(),
            saving: Saving::new(),
        }
    }

    /// Bytes of all records and the states in them.
    pub fn cost(&self) -> usize {
        self.cost.bytes()
    }

    /// Begin the record of an event that is about to be executed: it has sent nothing yet. What it
    /// keeps is to be said next.
    #[inline]
    pub fn begin(&mut self, time: VirtualTime, object: u32) -> Ran {
        let Some(at) = self.free.pop() else {
            self.records.push(Done::new(time, object));
            return Ran { time, done: (self.records.len() - 1) as u32, generation: 0 };
        };
        // Field by field: a record made elsewhere and moved here would be written twice.
        let record = &mut self.records[at as usize];
        (record.time, record.object) = (time, object);
        (record.older, record.newer, record.inputs) = (NONE, NONE, NONE);
        record.outputs = Outputs::NONE;
        record.committed = false;
        Ran { time, done: at, generation: record.generation }
    }

    /// The record keeps a copy of this state.
    #[inline]
    pub fn keep_copy(&mut self, model: &M, at: u32, state: &M::State) {
        let heap = match &mut self.records[at as usize].kept {
            Kept::Copy(copy) => {
                copy.clone_from(state);
                model.state_heap_bytes(copy)
            }
            kept => {
                *kept = Kept::Copy(state.clone());
                model.state_heap_bytes(state)
            }
        };
        self.charge(at, heap);
    }

    /// The record keeps nothing, or what its handler will return.
    #[inline]
    pub fn keep_no_copy(&mut self, at: u32) {
        self.records[at as usize].kept = Kept::Nothing;
        self.charge(at, 0);
    }

    #[inline]
    fn charge(&mut self, at: u32, heap: usize) {
        let cost = size_of::<Done<M::State, M::Undo>>() + size_of::<Ran>() + heap;
        self.cost.add(cost);
        self.records[at as usize].cost = cost;
    }

    /// Forget a record.
    #[inline]
    pub fn remove(&mut self, at: u32) {
        let record = &mut self.records[at as usize];
        record.generation = record.generation.wrapping_add(1);
        record.rare = None;
        self.cost.take(record.cost);
        if record.cost > size_of::<Done<M::State, M::Undo>>() + SPARE_BYTES_MAX {
            self.give_memory_back(at);
        }
        self.free.push(at);
    }

    /// Apart from what happens to most records, which stays short enough to be inlined so.
    #[cold]
    fn give_memory_back(&mut self, at: u32) {
        self.records[at as usize].kept = Kept::Nothing;
    }

    /// Whether the event referred to is still there.
    #[inline]
    pub fn is_current(&self, ran: &Ran) -> bool {
        self.records[ran.done as usize].generation == ran.generation
    }
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Bundle, Context, ObjectId};

    /// Objects whose states are only memory.
    struct Heaps;

    impl Model for Heaps {
        type State = Vec<u8>;
        type Payload = ();
        type Undo = ();

        fn objects(&self) -> u32 {
            1
        }

        fn kind(&self, _: ObjectId) -> &'static str {
            "heap"
        }

        fn init(&self, _: ObjectId, _: &mut Context<'_, ()>) -> Vec<u8> {
            Vec::new()
        }

        fn event(&self, _: &mut Vec<u8>, _: Bundle<'_, ()>, _: &mut Context<'_, ()>) {}

        fn state_heap_bytes(&self, state: &Vec<u8>) -> usize {
            state.capacity()
        }
    }

    fn keep(histories: &mut Histories<Heaps>, bytes: usize) -> u32 {
        let ran = histories.begin(VirtualTime::at(1.0), 0);
        histories.keep_copy(&Heaps, ran.done, &vec![7; bytes]);
        ran.done
    }

    fn capacity(histories: &Histories<Heaps>, at: u32) -> usize {
        match &histories[at].kept {
            Kept::Copy(state) => state.capacity(),
            _ => 0,
        }
    }

    #[test]
    fn a_place_keeps_the_memory_of_a_small_state_and_gives_that_of_a_large_one_back() {
        let mut histories = Histories::<Heaps>::new();
        let small = keep(&mut histories, 100);
        histories.remove(small);
        assert_eq!((histories.cost(), capacity(&histories, small)), (0, 100));
        assert_eq!(keep(&mut histories, 50), small, "its place is used again");
        assert!(matches!(&histories[small].kept, Kept::Copy(state) if *state == [7; 50]));
        assert_eq!(capacity(&histories, small), 100);
        histories.remove(small);
        let large = keep(&mut histories, SPARE_BYTES_MAX + 1);
        assert!(histories.cost() > SPARE_BYTES_MAX);
        histories.remove(large);
        assert_eq!((histories.cost(), capacity(&histories, large)), (0, 0));
    }

    #[test]
    fn a_record_without_a_copy_has_none_from_before() {
        let mut histories = Histories::<Heaps>::new();
        let copied = keep(&mut histories, 10);
        histories.remove(copied);
        let ran = histories.begin(VirtualTime::at(2.0), 0);
        histories.keep_no_copy(ran.done);
        assert!(ran.done == copied && matches!(histories[copied].kept, Kept::Nothing));
        assert_eq!(ran.generation, 1);
    }
}
