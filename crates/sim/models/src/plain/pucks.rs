//! Pucks as a heap and a loop. What waits in the heap is small and names a place where its message
//! lies.

use super::letter::{Letter, next_bundle};
use crate::ModelError;
use crate::pucks::{Outgoing, Pucks, PucksPayload, PucksState, Scenario};
use std::collections::BinaryHeap;
use timewarp::{Model, Payload, VirtualTime};

/// Run pucks up to and including this simtime. Returns events and messages.
///
/// # Errors
/// What must not come true in an event.
pub fn pucks_plain(scenario: Scenario, end: f64) -> Result<(u64, u64), ModelError> {
    let model = Pucks::new(scenario);
    let mut states: Vec<PucksState> =
        (0..model.objects()).map(|object| model.state(object)).collect();
    let mut queue = Queue { end, ..Queue::default() };
    for tell in model.tells() {
        queue.post(tell.receiver.0, tell.receive, tell.selector, tell.payload);
    }
    let (mut events, mut messages) = (0, 0);
    let (mut bundle, mut places) = (Vec::new(), Vec::new());
    while let Some((time, object)) = next_bundle(&mut queue.waiting, &mut places) {
        bundle.extend(places.iter().map(|place| queue.letters[*place as usize].clone()));
        bundle.sort_by(|(a, x), (b, y)| a.cmp(b).then_with(|| x.order(y)));
        queue.free.append(&mut places);
        events += 1;
        messages += bundle.len() as u64;
        let handled = bundle.iter().map(|(selector, payload)| (*selector, payload));
        model.handle(&mut states[object as usize], (object, time), handled, &mut queue);
        bundle.clear();
    }
    match queue.refused {
        None => Ok((events, messages)),
        Some(reason) => Err(ModelError::Data { place: "the scenario".into(), reason }),
    }
}

#[derive(Default)]
struct Queue {
    /// By when and for whom: where the message lies.
    waiting: BinaryHeap<Letter<(VirtualTime, u32), u32>>,
    letters: Vec<(i32, PucksPayload)>,
    free: Vec<u32>,
    end: f64,
    refused: Option<String>,
}

impl Outgoing for Queue {
    #[inline]
    fn post(&mut self, receiver: u32, receive: VirtualTime, selector: i32, payload: PucksPayload) {
        if receive.simtime() > self.end {
            return;
        }
        let letter = (selector, payload);
        let place = match self.free.pop() {
            Some(place) => {
                self.letters[place as usize] = letter;
                place
            }
            None => {
                self.letters.push(letter);
                (self.letters.len() - 1) as u32
            }
        };
        self.waiting.push(Letter { key: (receive, receiver), content: place });
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
    fn it_counts_what_the_engine_counts() {
        let scenario = Scenario::generate(&Default::default()).unwrap();
        let limits = Limits { cutoff: 30.0, ..Limits::default() };
        let model = Pucks::new(scenario.clone());
        let total = sequential::run(&model, &limits, &mut Unwatched).unwrap().total();
        assert_eq!(pucks_plain(scenario, 30.0).unwrap(), (total.events, total.messages));
    }
}
