//! What a simulationist writes.

use crate::{Bundle, Context, ObjectId, Payload, VirtualTime};
use std::fmt::Debug;

/// A message that the configuration sends before the run.
#[derive(Clone, Debug)]
pub struct Tell<P> {
    /// Whom it is for.
    pub receiver: ObjectId,
    /// When it is to be handled.
    pub receive: VirtualTime,
    /// What the model means by it.
    pub selector: i32,
    /// What it carries.
    pub payload: P,
}

/// How an object's past is kept, so that events can be undone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum History {
    /// Copies of the state, as often as pays: nothing to write. At first there is one before every
    /// event. A driver that has given the engine a clock ([`Node::time_copies`](crate::Node)) has
    /// it measure copies, events and rollbacks, by [`Model::kind`]. Where copies take a good part
    /// of the time it tries to leave some out, and does so if that pays: what lies between two is
    /// run again when it is needed, with its sends held back. Without a clock, in simulated time,
    /// and with a bound on memory, a copy is made before every event.
    Auto,
    /// A copy of the state before every event: nothing to write, best for small states.
    Copy,
    /// What [`Model::event`] returned, given to [`Model::undo`]: best for large states of which an
    /// event changes little. (A copy is kept now and then as well, for an event that fails
    /// half-way.)
    Records,
    /// A copy before every so many events; what lies between is run again, with its sends held
    /// back.
    Snapshots {
        /// Events from one copy to the next, at least 1.
        every: u32,
    },
}

/// A simulation: objects that handle bundles of messages.
///
/// Everything that a handler may use is its object's state, the bundle, and constants of the model.
/// A handler must be a function of these: no clock, no address, no iteration over a hash map, no
/// shared memory. It may be run on input that never comes true and is then undone; a panic, a fault
/// or a bad send in such an event harms nobody.
///
/// A send goes strictly later than now. docs/TIMEWARP.md walks through a model and states the exact
/// contract.
pub trait Model: Sync {
    /// State of one object; an enum where objects are of several types. `Debug` must show all that
    /// matters: digests of states are made of it.
    type State: Clone + Debug + Send;
    /// What messages carry.
    type Payload: Payload;
    /// What undoes an event ([`History::Records`]); `()` otherwise.
    type Undo: Send;

    /// How many objects there are.
    fn objects(&self) -> u32;

    /// The unique name of an object.
    fn name(&self, object: ObjectId) -> String {
        object.0.to_string()
    }

    /// The type of an object, for tables.
    fn kind(&self, object: ObjectId) -> &'static str;

    /// The messages that the configuration sends, in its order.
    fn tells(&self) -> Vec<Tell<Self::Payload>> {
        Vec::new()
    }

    /// Make an object, at the beginning of time. May send.
    fn init(&self, object: ObjectId, context: &mut Context<'_, Self::Payload>) -> Self::State;

    /// Handle the bundle of `context.now()`.
    fn event(
        &self,
        state: &mut Self::State,
        bundle: Bundle<'_, Self::Payload>,
        context: &mut Context<'_, Self::Payload>,
    ) -> Self::Undo;

    /// Run once for every object at the end of time, with the messages that were sent to exactly
    /// [`VirtualTime::POSINF`], if any. May print, not send.
    fn term(
        &self,
        state: &mut Self::State,
        bundle: Bundle<'_, Self::Payload>,
        context: &mut Context<'_, Self::Payload>,
    ) {
        let _ = (state, bundle, context);
    }

    /// Take back the latest event ([`History::Records`]).
    fn undo(&self, state: &mut Self::State, undo: Self::Undo) {
        let _ = (state, undo);
        unreachable!("a model whose objects keep records must say how to undo them");
    }

    /// Where it stands: objects with close numbers have much to do with each other, and blocks of a
    /// placement are made of them. By default the order of creation.
    #[inline]
    fn standing(&self, object: ObjectId) -> u64 {
        u64::from(object.0)
    }

    /// How this object's past is kept: the same whenever it is asked.
    #[inline]
    fn history(&self, object: ObjectId) -> History {
        let _ = object;
        History::Auto
    }

    /// A state's bytes, for moving an object to another node; `None`: objects of this model do not
    /// move.
    fn state_bytes(&self, state: &Self::State) -> Option<Vec<u8>> {
        let _ = state;
        None
    }

    /// The state of `object` that [`Model::state_bytes`] wrote; `None` if these bytes cannot have
    /// come from it. They may be any.
    fn state_from_bytes(&self, object: ObjectId, bytes: &[u8]) -> Option<Self::State> {
        let _ = (object, bytes);
        None
    }

    /// Memory that a state holds outside itself, for the node's budget.
    #[inline]
    fn state_heap_bytes(&self, state: &Self::State) -> usize {
        let _ = state;
        0
    }
}
