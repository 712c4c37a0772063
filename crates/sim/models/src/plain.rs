//! The same models without an engine: a heap and a loop. The floor that benchmarks compare with.
//!
//! Nothing here can be undone, watched, bounded or shared out; models and results are those of the
//! engine's sequential run, which the tests compare.

mod letter;
mod pucks;
mod stb88;

pub use pucks::pucks_plain;
pub use stb88::stb88_plain;

use crate::phold::{Phold, PholdState};
use crate::warpnet::{Outgoing, Warpnet, WarpnetPayload};
use crate::{ModelError, Network, PholdOptions, WarpnetOptions};
use letter::{Letter, next_bundle};
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use timewarp::{Model, Payload};

/// Run PHOLD up to and including this simtime. Returns the number of events, and a sum over them
/// that depends on all.
///
/// # Errors
/// A parameter that makes no sense.
pub fn phold_plain(options: &PholdOptions, end: f64) -> Result<(u64, u64), ModelError> {
    let model = Phold::new(options)?;
    let mut states: Vec<PholdState> =
        (0..options.objects).map(|object| model.state(object)).collect();
    let mut pending = BinaryHeap::with_capacity(states.len() * options.start as usize);
    for object in 0..options.objects {
        for _ in 0..options.start {
            let first = model.delay(&mut states[object as usize]);
            pending.push(Reverse((Key::of(first), object)));
        }
    }
    let (mut events, mut checksum) = (0, 0u64);
    while let Some(&Reverse((time, object))) = pending.peek() {
        if time.0 > Key::of(end).0 {
            break;
        }
        events += 1;
        checksum = checksum.wrapping_mul(31).wrapping_add(time.0 ^ u64::from(object));
        let state = &mut states[object as usize];
        // Messages for one object and one time make one event.
        while let Some(mut top) = pending.peek_mut().filter(|top| top.0 == (time, object)) {
            let next = model.next(state, object);
            *top = Reverse((Key::of(time.simtime() + next.delay), next.receiver));
        }
        model.work(state);
    }
    Ok((events, checksum))
}

/// A simtime that is not negative, as a number that orders like it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Key(u64);

impl Key {
    fn of(simtime: f64) -> Key {
        Key(simtime.to_bits())
    }

    fn simtime(self) -> f64 {
        f64::from_bits(self.0)
    }
}

/// Run warpnet to its end. Returns events and messages.
///
/// # Errors
/// A parameter that makes no sense; a network so busy that simtime outgrows the fields that carry
/// it.
pub fn warpnet_plain(network: Network, options: &WarpnetOptions) -> Result<(u64, u64), ModelError> {
    let model = Warpnet::new(network, options)?;
    let mut states: Vec<_> = (0..model.objects()).map(|object| model.state(object)).collect();
    let mut queue = Queue::default();
    let (first, time) = model.first();
    queue.post(first, time, 0, WarpnetPayload::Begin);
    let (mut events, mut messages) = (0, 0);
    let mut bundle = Vec::new();
    while let Some(key) = next_bundle(&mut queue.waiting, &mut bundle) {
        bundle.sort_by(Payload::order);
        events += 1;
        messages += bundle.len() as u64;
        let (object, now) = (key as u32, (key >> 32) as i32);
        model.handle(&mut states[object as usize], (object, now), bundle.iter(), &mut queue);
        bundle.clear();
    }
    match queue.refused {
        None => Ok((events, messages)),
        Some(reason) => {
            Err(ModelError::parameter("packets_per_node", options.packets_per_node, reason))
        }
    }
}

#[derive(Default)]
struct Queue {
    /// By simtime and receiver as one number.
    waiting: BinaryHeap<Letter<u64, WarpnetPayload>>,
    refused: Option<String>,
}

impl Outgoing for Queue {
    #[inline]
    fn post(&mut self, receiver: u32, time: i32, _: i32, payload: WarpnetPayload) {
        self.waiting
            .push(Letter { key: (time as u64) << 32 | u64::from(receiver), content: payload });
    }

    fn refuse(&mut self, reason: &str) {
        self.refused.get_or_insert(reason.into());
        self.waiting.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use timewarp::{Limits, Unwatched, sequential};

    #[test]
    fn phold_counts_what_the_engine_counts() {
        for (remote, groups, start) in [(0.25, 1, 1), (1.0, 4, 3), (0.0, 1, 2)] {
            let options = PholdOptions { objects: 64, remote, groups, start, ..Default::default() };
            let limits = Limits { cutoff: 100.0, ..Default::default() };
            let outcome =
                sequential::run(&Phold::new(&options).unwrap(), &limits, &mut Unwatched).unwrap();
            let (events, checksum) = phold_plain(&options, 100.0).unwrap();
            assert_eq!(events, outcome.total().events);
            assert_ne!(
                phold_plain(&PholdOptions { seed: 2, ..options }, 100.0).unwrap().1,
                checksum
            );
        }
    }

    #[test]
    fn warpnet_counts_what_the_engine_counts() {
        let network = Network::generate(&Default::default()).unwrap();
        let options = WarpnetOptions { packets_per_node: 3, ..Default::default() };
        let model = Warpnet::new(network.clone(), &options).unwrap();
        let total = sequential::run(&model, &Limits::default(), &mut Unwatched).unwrap().total();
        assert_eq!(warpnet_plain(network, &options).unwrap(), (total.events, total.messages));
    }

    #[test]
    fn a_run_beyond_15_bits_is_refused() {
        let network = Network::generate(&Default::default()).unwrap();
        let (nodes, mut lines) = network.rows();
        lines.iter_mut().for_each(|line| line.initial_load = 32_767);
        let network = Network::new(&nodes, &lines).unwrap();
        let options = WarpnetOptions::default();
        let error = warpnet_plain(network, &options).unwrap_err().to_string();
        assert!(error.contains("beyond 32767"), "{error}");
    }
}
