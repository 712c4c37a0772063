//! The slices of a timeline, cut to what the run has of it: what rates are worked out of.

use crate::timeline::{Slice, Timeline};

/// A slice, or two taken together.
#[derive(Clone, Copy, Debug)]
pub struct Stretch<T> {
    /// Where it begins.
    pub from_ns: i64,
    /// Where it ends.
    pub to_ns: i64,
    /// What it took in.
    pub held: T,
}

impl<T: Slice> Timeline<T> {
    /// All slices without gaps, cut to the span from the `first` to the `last` moment. A first or
    /// last one that is then less than half of a slice joins its neighbour: a rate over so short a
    /// time would show its chance, not the run's course.
    pub fn stretches(&self, (first, last): (i64, i64)) -> Vec<Stretch<T>> {
        let length = self.length() as f64 / 1e9;
        let cut = |(from, length, held): (i64, i64, &T)| {
            let to_ns = from.saturating_add(length).min(last.saturating_add(1));
            Stretch {
                from_ns: from.max(first.min(to_ns.saturating_sub(1))),
                to_ns,
                held: held.clone(),
            }
        };
        let mut stretches: Vec<Stretch<T>> = self.slices().map(cut).collect();
        let short = |stretch: &Stretch<T>| stretch.seconds() < length / 2.0;
        if stretches.len() > 1 && short(&stretches[0]) {
            let joined = stretches.remove(0);
            stretches[0].join(&joined);
        }
        if stretches.len() > 1 && stretches.last().is_some_and(short) {
            let joined = stretches.pop();
            stretches
                .last_mut()
                .into_iter()
                .zip(joined)
                .for_each(|(stretch, joined)| stretch.join(&joined));
        }
        stretches
    }
}

impl<T: Slice> Stretch<T> {
    /// How long it is.
    pub fn seconds(&self) -> f64 {
        between(self.from_ns, self.to_ns) / 1e9
    }

    fn join(&mut self, other: &Stretch<T>) {
        self.from_ns = self.from_ns.min(other.from_ns);
        self.to_ns = self.to_ns.max(other.to_ns);
        self.held.merge(&other.held);
    }
}

/// From one moment to a later one, ns. In 64 bits without a sign: damaged stamps may lie further
/// apart than `i64` reaches.
pub fn between(from: i64, to: i64) -> f64 {
    to.wrapping_sub(from) as u64 as f64
}
