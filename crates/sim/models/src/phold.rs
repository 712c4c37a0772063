//! PHOLD, the synthetic load with which simulation engines are compared.
//!
//! A fixed population of messages. Each event makes of every message that it handles one new
//! message, `lookahead` plus an exponential delay later, for an object of another group with
//! probability `remote`, else for itself (as the PHOLD that comes with ROSS does it). An event does
//! nothing else unless it is given `work_steps`.
//!
//! Source: R. Fujimoto, Performance of Time Warp under synthetic workloads, SCS Multiconference on
//! Distributed Simulation, 1990.

mod load;
mod options;
mod recipe;

pub use options::{PholdOptions, Undoing};

use crate::ModelError;
use load::Load;
use std::fmt;
use timewarp::{Bundle, Context, History, Model, ObjectId, Random, VirtualTime};

/// What a command line calls it.
pub const NAME: &str = "phold";

/// The model.
#[derive(Clone, Debug)]
pub struct Phold {
    options: PholdOptions,
    /// Objects that a remote message from one of them does not go to: its group, or itself when
    /// there is one group.
    block: u32,
}

/// State of an object.
#[derive(PartialEq, Eq)]
pub struct PholdState {
    random: Random,
    /// First object of its group, or itself: kept here because a division costs more than four
    /// bytes.
    home: u32,
    events: u32,
    /// What the work came to, and bytes that it carries.
    load: Load,
}

impl Clone for PholdState {
    #[inline]
    fn clone(&self) -> PholdState {
        PholdState { load: self.load.clone(), ..*self }
    }

    #[inline]
    fn clone_from(&mut self, other: &PholdState) {
        self.load.clone_from(&other.load);
        let PholdState { random, home, events, load: _ } = *other;
        (self.random, self.home, self.events) = (random, home, events);
    }
}

/// Digests are made of it: without bytes to carry it is what it was before there were any.
impl fmt::Debug for PholdState {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut shown = f.debug_struct("PholdState");
        shown.field("random", &self.random).field("home", &self.home);
        shown.field("events", &self.events).field("worked", &self.load.worked());
        if !self.load.bytes().is_empty() {
            shown.field("carries", &format_args!("{}", self.load.shown_bytes()));
        }
        shown.finish()
    }
}

/// What takes an event back.
#[derive(Clone, Copy, Debug)]
pub struct PholdUndo {
    random: Random,
    worked: u64,
}

/// Where the next message goes, and after what delay.
pub(crate) struct Next {
    pub receiver: u32,
    pub delay: f64,
}

impl Phold {
    /// With these parameters.
    ///
    /// # Errors
    /// The first parameter that makes no sense.
    pub fn new(options: &PholdOptions) -> Result<Phold, ModelError> {
        options.check()?;
        let block = if options.groups == 1 { 1 } else { options.objects / options.groups };
        Ok(Phold { options: options.clone(), block })
    }

    pub(crate) fn state(&self, object: u32) -> PholdState {
        let random = Random::new(self.options.seed, u64::from(object));
        let (home, load) = (object / self.block * self.block, Load::new(self.options.state));
        PholdState { random, home, events: 0, load }
    }

    #[inline]
    pub(crate) fn delay(&self, state: &mut PholdState) -> f64 {
        self.options.lookahead + state.random.exponential(self.options.mean)
    }

    /// What becomes of one message.
    #[inline]
    pub(crate) fn next(&self, state: &mut PholdState, object: u32) -> Next {
        let delay = self.delay(state);
        Next { receiver: self.receiver(state, object), delay }
    }

    #[inline]
    fn receiver(&self, state: &mut PholdState, object: u32) -> u32 {
        // Drawn even when the answer is certain, so that runs differ in nothing else.
        if state.random.uniform() >= self.options.remote {
            return object;
        }
        let drawn = state.random.below(u64::from(self.options.objects - self.block)) as u32;
        if drawn < state.home { drawn } else { drawn + self.block }
    }

    /// Count the event and do its work.
    #[inline]
    pub(crate) fn work(&self, state: &mut PholdState) {
        state.load.change(state.events);
        state.events += 1;
        if self.options.work_steps > 0 {
            state.load.work(spin(state.load.worked(), self.options.work_steps));
        }
    }
}

impl Model for Phold {
    type State = PholdState;
    type Payload = ();
    type Undo = PholdUndo;

    fn objects(&self) -> u32 {
        self.options.objects
    }

    fn kind(&self, _: ObjectId) -> &'static str {
        NAME
    }

    fn init(&self, object: ObjectId, context: &mut Context<'_, ()>) -> PholdState {
        let mut state = self.state(object.0);
        for _ in 0..self.options.start {
            let first = VirtualTime::at(self.delay(&mut state));
            context.send(object, first, 0, ());
        }
        state
    }

    #[inline]
    fn event(
        &self,
        state: &mut PholdState,
        bundle: Bundle<'_, ()>,
        context: &mut Context<'_, ()>,
    ) -> PholdUndo {
        let undo = PholdUndo { random: state.random, worked: state.load.worked() };
        let (object, now) = (context.object().0, context.now());
        for _ in bundle.iter() {
            let next = self.next(state, object);
            context.send(ObjectId(next.receiver), now.after(next.delay), 0, ());
        }
        self.work(state);
        undo
    }

    #[inline]
    fn undo(&self, state: &mut PholdState, undo: PholdUndo) {
        state.random = undo.random;
        state.load.work(undo.worked);
        state.events -= 1;
        state.load.change_back(state.events);
    }

    #[inline]
    fn history(&self, _: ObjectId) -> History {
        match self.options.undo {
            Undoing::Auto => History::Auto,
            Undoing::Copy => History::Copy,
            Undoing::Records => History::Records,
            Undoing::Snapshots { every } => History::Snapshots { every },
        }
    }

    /// 36 bytes: the generator, the group's first object, events, what the work came to. Then those
    /// that it carries.
    fn state_bytes(&self, state: &PholdState) -> Option<Vec<u8>> {
        let [key, counter] = state.random.words();
        let words = [key, counter, state.load.worked(), u64::from(state.home)];
        let words = words.into_iter().flat_map(u64::to_be_bytes);
        let fixed = words.chain(state.events.to_be_bytes());
        Some(fixed.chain(state.load.bytes().iter().copied()).collect())
    }

    fn state_from_bytes(&self, object: ObjectId, bytes: &[u8]) -> Option<PholdState> {
        let (words, rest) = bytes.split_first_chunk::<32>()?;
        let (events, carried) = rest.split_first_chunk::<4>()?;
        let word = |at: usize| words[at * 8..].first_chunk().map(|word| u64::from_be_bytes(*word));
        let home = u32::try_from(word(3)?).ok()?;
        let fits = home == object.0 / self.block * self.block
            && carried.len() == self.options.state as usize;
        fits.then_some(PholdState {
            random: Random::from_words([word(0)?, word(1)?]),
            home,
            events: u32::from_be_bytes(*events),
            load: Load::of(word(2)?, carried),
        })
    }

    #[inline]
    fn state_heap_bytes(&self, state: &PholdState) -> usize {
        state.load.heap_bytes()
    }
}

/// So many steps of a mix, each of which needs the result of the one before it: about the same time
/// on every run, and nothing that a compiler can leave out, because the result is part of the
/// state. Public so that a program can time how many steps a microsecond of work is.
#[inline(never)]
pub fn spin(seed: u64, steps: u32) -> u64 {
    (0..steps).fold(seed, |mixed, step| {
        let next = (mixed ^ u64::from(step)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        next ^ (next >> 32)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn a_remote_message_leaves_its_group(groups in 1u32..6, size in 2u32..6, seed: u64) {
            let objects = groups * size;
            let options =
                PholdOptions { objects, groups, remote: 1.0, seed, ..Default::default() };
            let model = Phold::new(&options).unwrap();
            for object in 0..options.objects {
                let mut state = model.state(object);
                for _ in 0..20 {
                    let to = model.next(&mut state, object).receiver;
                    prop_assert!(to < options.objects && to != object);
                    prop_assert!(groups == 1 || to / size != object / size);
                }
            }
        }
    }

    #[test]
    fn remote_receivers_are_uniform() {
        let options = PholdOptions { objects: 8, groups: 4, remote: 1.0, ..Default::default() };
        let model = Phold::new(&options).unwrap();
        let mut state = model.state(3);
        let mut counts = [0; 8];
        (0..60_000).for_each(|_| counts[model.next(&mut state, 3).receiver as usize] += 1);
        assert_eq!(counts[2..4], [0, 0]);
        assert!(
            counts.iter().all(|count| *count == 0 || (9_500..10_500).contains(count)),
            "{counts:?}"
        );
    }

    #[test]
    fn work_depends_on_every_step() {
        assert_eq!(spin(7, 0), 7);
        assert_eq!(spin(spin(7, 1), 0), spin(7, 1));
        assert_ne!(spin(7, 1000), spin(7, 1001));
        assert_ne!(spin(7, 1000), spin(8, 1000));
    }
}
