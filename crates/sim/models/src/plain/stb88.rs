//! STB88 as a heap and a loop.

use super::letter::{Letter, next_bundle};
use crate::Stb88;
use crate::stb88::{Outgoing, Stb88Payload};
use crate::{ModelError, Scenario, Stb88Options};
use std::collections::BinaryHeap;
use timewarp::Payload;

/// Run STB88 up to and including this time, ticks. Returns events and messages.
///
/// # Errors
/// Something that must hold does not (`options.watch`).
pub fn stb88_plain(
    scenario: Scenario,
    options: &Stb88Options,
    end: i32,
) -> Result<(u64, u64), ModelError> {
    let model = Stb88::new(scenario, options);
    let objects = model.scenario().objects().len() as u32;
    let mut states: Vec<_> = (0..objects).map(|object| model.state(object)).collect();
    let mut queue = Queue { waiting: BinaryHeap::new(), end, refused: None };
    for &(receiver, time) in model.starts() {
        queue.post(receiver, time, Stb88Payload::Start);
    }
    let (mut events, mut messages) = (0, 0);
    let mut bundle = Vec::new();
    while let Some(key) = next_bundle(&mut queue.waiting, &mut bundle) {
        if bundle.len() > 1 {
            bundle.sort_by(Payload::order);
        }
        events += 1;
        messages += bundle.len() as u64;
        let (object, now) = (key as u32, ((key >> 32) as u32 ^ SIGN) as i32);
        model.handle(&mut states[object as usize], (object, now), bundle.iter(), &mut queue);
        bundle.clear();
    }
    match queue.refused {
        None => Ok((events, messages)),
        Some(reason) => Err(ModelError::parameter("watch", options.watch, reason)),
    }
}

/// Turns the order of signed numbers into that of unsigned ones.
const SIGN: u32 = 1 << 31;

struct Queue {
    /// By time and receiver as one number.
    waiting: BinaryHeap<Letter<u64, Stb88Payload>>,
    end: i32,
    refused: Option<String>,
}

impl Outgoing for Queue {
    #[inline]
    fn post(&mut self, receiver: u32, time: i32, payload: Stb88Payload) {
        if time <= self.end {
            let key = u64::from(time as u32 ^ SIGN) << 32 | u64::from(receiver);
            self.waiting.push(Letter { key, content: payload });
        }
    }

    fn refuse(&mut self, reason: &str) {
        self.refused.get_or_insert(reason.into());
        self.waiting.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::TheatreOptions;
    use timewarp::{Limits, Unwatched, sequential};

    #[test]
    fn it_counts_what_the_engine_counts() {
        for (seed, end) in [(1, 30_000), (2, 3_000)] {
            let scenario =
                Scenario::generate(&TheatreOptions { corps: 4, seed, ..Default::default() })
                    .unwrap();
            let options = Stb88Options { watch: true };
            let limits = Limits { cutoff: f64::from(end), ..Limits::default() };
            let model = Stb88::new(scenario.clone(), &options);
            let total = sequential::run(&model, &limits, &mut Unwatched).unwrap().total();
            assert_eq!(
                stb88_plain(scenario, &options, end).unwrap(),
                (total.events, total.messages)
            );
            assert!(total.events > 100);
        }
    }
}
