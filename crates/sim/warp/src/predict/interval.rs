//! The interval of a prediction: the same program played again with costs drawn from the recording
//! and figures drawn from the machine's ranges.

use super::event_times::EventTimes;
use crate::EventCosts;
use ::predict::{DRAWS, drawn_machine};
use fabric::Machine;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use timewarp::{ObjectId, Random, VirtualTime};

/// Streams of a draw's random numbers.
const PACE: u64 = 1 << 40;

/// Which of the plays of a prediction: the recording as it is, or one that is drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Draw {
    /// Every event takes what it took.
    AsRecorded,
    /// Costs of each object's events are drawn from all of them, the pace from stretches of the
    /// recording.
    Drawn {
        /// The seed of the prediction.
        seed: u64,
        /// Which draw: 1 is the first.
        number: u32,
    },
}

impl Draw {
    /// All plays of a prediction that leaves something to chance.
    pub fn all(seed: u64) -> impl Iterator<Item = Draw> {
        let drawn = (1..=DRAWS).map(move |number| Draw::Drawn { seed, number });
        std::iter::once(Draw::AsRecorded).chain(drawn)
    }

    fn random(self, stream: u64) -> Option<Random> {
        match self {
            Draw::AsRecorded => None,
            Draw::Drawn { seed, number } => Some(Random::new(seed, stream + u64::from(number))),
        }
    }

    /// The pace of this play.
    pub(crate) fn pace(self, times: Option<&EventTimes>) -> f64 {
        match (self.random(PACE), times) {
            (Some(mut random), Some(times)) => times.any_pace(&mut random),
            _ => 1.0,
        }
    }

    /// The machine of this play: each figure with a range is somewhere in it.
    pub(crate) fn machine(self, machine: &Machine) -> Machine {
        match self {
            Draw::AsRecorded => machine.clone(),
            Draw::Drawn { seed, number } => drawn_machine(machine, seed, number),
        }
    }
}

/// Recorded costs, as they are or drawn.
pub(crate) struct RecordedCosts {
    times: Arc<EventTimes>,
    draw: Draw,
    /// ns on a processor of speed 1 for each recorded ns.
    scale: f64,
    not_recorded: AtomicU64,
}

impl RecordedCosts {
    /// Of a recording on a processor of this speed.
    pub fn new(times: Arc<EventTimes>, draw: Draw, speed: f64) -> RecordedCosts {
        let scale = draw.pace(Some(&times)) * speed;
        RecordedCosts { times, draw, scale, not_recorded: AtomicU64::new(0) }
    }

    /// How often an event was asked for that was not recorded, and took the mean of its object.
    pub fn not_recorded(&self) -> u64 {
        self.not_recorded.load(Ordering::Relaxed)
    }
}

impl EventCosts for RecordedCosts {
    fn event_ns(&self, object: ObjectId, time: VirtualTime) -> u64 {
        let took = self.times.of_event(object, time);
        if took.is_none() {
            self.not_recorded.fetch_add(1, Ordering::Relaxed);
        }
        let took = match self.draw.random(0) {
            None => took.unwrap_or_else(|| self.times.mean_of(object.0)),
            Some(mut drawn) => {
                // The same event draws the same however often it is executed.
                let event = drawn.bits() ^ time.simtime().to_bits();
                let mut random = Random::new(event, u64::from(object.0));
                self.times.any_of(object, &mut random)
            }
        };
        (took * self.scale).round() as u64
    }
}

#[cfg(test)]
mod tests {
    use super::super::event_times::Execution;
    use super::*;

    fn times() -> Arc<EventTimes> {
        let of = |at: u64| Execution {
            object: (at % 2) as u32,
            simtime: at as f64,
            begin: at as i64,
            ns: if at.is_multiple_of(2) { 100 } else { 1000 + at },
        };
        Arc::new(EventTimes::of((0..200).map(of).collect()))
    }

    #[test]
    fn costs_are_the_recorded_ones_or_drawn_from_those_of_their_object() {
        let of = |costs: &RecordedCosts, object, at: f64| {
            costs.event_ns(ObjectId(object), VirtualTime::at(at))
        };
        let plain = RecordedCosts::new(times(), Draw::AsRecorded, 2.0);
        assert_eq!([of(&plain, 0, 8.0), of(&plain, 1, 9.0)], [200, 2018], "at speed 2");
        assert_eq!((of(&plain, 0, 0.5), plain.not_recorded()), (200, 1), "the mean of its object");
        let drawn = |number| {
            let costs = RecordedCosts::new(times(), Draw::Drawn { seed: 7, number }, 1.0);
            let even = of(&costs, 0, 8.0) as f64;
            assert!((90.0..110.0).contains(&even), "{even}: all of object 0 took 100");
            (0..50).map(|at| of(&costs, 1, f64::from(at * 2 + 1))).collect::<Vec<u64>>()
        };
        assert_eq!(drawn(1), drawn(1));
        assert_ne!(drawn(1), drawn(2));
        assert!(drawn(1).iter().all(|ns| (900..1400).contains(ns)));
    }

    #[test]
    fn figures_of_a_machine_stay_within_their_ranges() {
        let machine = fabric::find_machine("mark3").unwrap();
        assert_eq!(Draw::AsRecorded.machine(&machine), machine);
        let drawn = Draw::Drawn { seed: 1, number: 3 }.machine(&machine);
        assert_ne!(drawn, machine);
        for (name, constant) in &drawn.constants {
            let [low, high] = constant.range.unwrap_or([constant.value; 2]);
            assert!((low..=high).contains(&constant.value), "{name}");
        }
    }
}
