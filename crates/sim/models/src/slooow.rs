//! Slooow-like: one object a node, each of whose events leaves a state of 4 KiB, so that there is
//! much to collect.
//!
//! A memo of 1988 tells of a benchmark "Slooow" in one sentence: an object on each node, a GVT
//! interval of three seconds, and fossil collection that took 60 to 80 ms. Nothing else of it is
//! known, so this is a reconstruction of ours, not the program of 1988: an object counts, touches
//! its whole state, works for a while, and sends itself a message of 100 bytes for the next moment;
//! every tenth event also sends one to its neighbour.
//!
//! With `n` objects and stop time T there are n (T + 1) events and n (T + 1 + ⌊T / 10⌋) messages,
//! whatever the engine does.

mod recipe;

use crate::ModelError;
use crate::error::demand;
use crate::phold::spin;
use serde::{Deserialize, Serialize};
use timewarp::{Bundle, Context, Model, ObjectId, Tell, VirtualTime};

/// What a command line calls it.
pub const NAME: &str = "slooow";

/// Words of a state: 4 KiB.
const WORDS: usize = 512;
/// Bytes of a message.
const PAYLOAD_BYTES: usize = 100;
/// Every so many events one sends to its neighbour.
const NEIGHBOUR_EVERY: u32 = 10;
/// Most objects: as many as a run can have nodes.
const OBJECTS_MAX: u32 = 1024;
/// Latest stop time: a month of events of a millisecond.
const STOP_MAX: u32 = 2_592_000_000;

/// Parameters.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct SlooowOptions {
    /// Objects; one for each node.
    pub objects: u32,
    /// Simtime from which an event sends nothing.
    pub stop: u32,
    /// Steps of work in each event.
    pub work_steps: u32,
}

impl Default for SlooowOptions {
    fn default() -> SlooowOptions {
        SlooowOptions { objects: 2, stop: 30_000, work_steps: 0 }
    }
}

/// The model.
#[derive(Clone, Debug)]
pub struct Slooow {
    options: SlooowOptions,
}

/// State of an object.
#[derive(Debug, PartialEq, Eq)]
pub struct SlooowState {
    counter: u32,
    /// All of it changes in every event.
    touched: Box<[u64; WORDS]>,
    /// What the work came to.
    worked: u64,
}

impl Clone for SlooowState {
    fn clone(&self) -> SlooowState {
        SlooowState { touched: self.touched.clone(), ..*self }
    }

    /// Into the memory that is there.
    fn clone_from(&mut self, source: &SlooowState) {
        (self.counter, self.worked) = (source.counter, source.worked);
        *self.touched = *source.touched;
    }
}

/// What a message means: the object's next event, or a neighbour's greeting.
mod selector {
    pub const NEXT: i32 = 0;
    pub const NEIGHBOUR: i32 = 1;
}

impl Slooow {
    /// With these parameters.
    ///
    /// # Errors
    /// When there is no object, too many of them, or no such time.
    pub fn new(options: &SlooowOptions) -> Result<Slooow, ModelError> {
        let (objects, stop) = (options.objects, options.stop);
        demand((1..=OBJECTS_MAX).contains(&objects), "objects", objects, "give 1 to 1024")?;
        demand(stop <= STOP_MAX, "stop", stop, "give at most 2592000000")?;
        Ok(Slooow { options: options.clone() })
    }
}

/// Counter and object, big-endian, then zeros.
fn payload(counter: u32, object: ObjectId) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(PAYLOAD_BYTES);
    bytes.extend(counter.to_be_bytes());
    bytes.extend(object.0.to_be_bytes());
    bytes.resize(PAYLOAD_BYTES, 0);
    bytes
}

impl Model for Slooow {
    type State = SlooowState;
    type Payload = Vec<u8>;
    type Undo = ();

    fn objects(&self) -> u32 {
        self.options.objects
    }

    fn name(&self, object: ObjectId) -> String {
        format!("slow_{}", object.0)
    }

    fn kind(&self, _: ObjectId) -> &'static str {
        NAME
    }

    fn tells(&self) -> Vec<Tell<Vec<u8>>> {
        let tell = |object| Tell {
            receiver: ObjectId(object),
            receive: VirtualTime::at(0.0),
            selector: selector::NEXT,
            payload: Vec::new(),
        };
        (0..self.options.objects).map(tell).collect()
    }

    fn init(&self, object: ObjectId, _: &mut Context<'_, Vec<u8>>) -> SlooowState {
        SlooowState { counter: 0, touched: Box::new([0; WORDS]), worked: u64::from(object.0) }
    }

    fn event(
        &self,
        state: &mut SlooowState,
        _: Bundle<'_, Vec<u8>>,
        context: &mut Context<'_, Vec<u8>>,
    ) {
        state.counter = state.counter.wrapping_add(1);
        let counter = state.counter;
        state.touched.iter_mut().for_each(|word| *word = word.rotate_left(7) ^ u64::from(counter));
        state.worked = spin(state.worked, self.options.work_steps);
        let (now, object) = (context.now(), context.object());
        if now.simtime() >= f64::from(self.options.stop) {
            return;
        }
        context.send(object, now.after(1.0), selector::NEXT, payload(counter, object));
        if counter.is_multiple_of(NEIGHBOUR_EVERY) {
            let neighbour = ObjectId((object.0 + 1) % self.options.objects);
            context.send(neighbour, now.after(1.0), selector::NEIGHBOUR, payload(counter, object));
        }
    }

    fn state_heap_bytes(&self, _: &SlooowState) -> usize {
        WORDS * size_of::<u64>()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_has_a_hundred_bytes() {
        let bytes = payload(0x0102_0304, ObjectId(5));
        assert_eq!((&bytes[..8], bytes.len()), (&[1, 2, 3, 4, 0, 0, 0, 5][..], 100));
        assert!(bytes[8..].iter().all(|byte| *byte == 0));
    }

    #[test]
    fn there_is_an_object_and_not_too_many() {
        for objects in [0, 1025] {
            assert!(
                Slooow::new(&SlooowOptions { objects, ..Default::default() }).is_err(),
                "{objects}"
            );
        }
        assert!(Slooow::new(&SlooowOptions { stop: u32::MAX, ..Default::default() }).is_err());
    }

    #[test]
    fn copying_over_a_state_leaves_nothing_of_it() {
        let state =
            |n: u64| SlooowState { counter: n as u32, touched: Box::new([n; WORDS]), worked: n };
        let mut target = state(1);
        target.clone_from(&state(2));
        assert_eq!(target, state(2));
    }
}
