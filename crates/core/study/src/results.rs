//! What became of a contestant's launches.

use stats::speedup::{Estimate, ratio, typical};
use std::time::Duration;

/// One launch that ended well.
#[derive(Clone, Debug, PartialEq)]
pub struct Launch<T> {
    /// From 1.
    pub round: u32,
    /// Unix time.
    pub begun: Duration,
    /// What it gave.
    pub outcome: T,
}

/// One that did not.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failure {
    /// The launch, as its folder is called.
    pub name: String,
    /// In a line.
    pub why: String,
}

/// All launches of a contestant, in the order of their rounds.
#[derive(Clone, Debug, PartialEq)]
pub struct Results<T> {
    /// Those that ended well.
    pub launches: Vec<Launch<T>>,
    /// Those that did not.
    pub failures: Vec<Failure>,
}

impl<T> Default for Results<T> {
    fn default() -> Results<T> {
        Results { launches: Vec::new(), failures: Vec::new() }
    }
}

/// Of launches whose beginnings do not matter, one a round.
impl<T> FromIterator<T> for Results<T> {
    fn from_iter<I: IntoIterator<Item = T>>(outcomes: I) -> Results<T> {
        let begun = Duration::ZERO;
        let launch = |(round, outcome)| Launch { round, begun, outcome };
        let launches = (1..).zip(outcomes).map(launch).collect();
        Results { launches, failures: Vec::new() }
    }
}

impl<T> Results<T> {
    /// What the launches gave, without those that failed.
    pub fn outcomes(&self) -> impl Iterator<Item = &T> {
        self.launches.iter().map(|launch| &launch.outcome)
    }

    /// A figure's mean over launches; NaN without any.
    pub fn mean(&self, figure: impl Fn(&T) -> f64) -> f64 {
        self.outcomes().map(figure).sum::<f64>() / self.launches.len() as f64
    }

    /// A time's geometric mean over launches with its interval, as [`typical`] has it.
    pub fn typical(&self, time: impl Fn(&T) -> f64) -> Option<Estimate> {
        typical(&self.outcomes().map(time).collect::<Vec<_>>())
    }

    /// How many times as long a launch of this takes as one of `other`, as [`ratio`] has it.
    pub fn ratio(&self, other: &Results<T>, time: impl Fn(&T) -> f64) -> Option<Estimate> {
        let times = |of: &Results<T>| of.outcomes().map(&time).collect::<Vec<_>>();
        ratio(&times(self), &times(other))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(times: &[f64]) -> Results<f64> {
        times.iter().copied().collect()
    }

    #[test]
    fn intervals_are_over_launches() {
        let (long, short) = (of(&[2.0, 2.1, 1.9]), of(&[1.0, 1.05, 0.95]));
        let found = long.ratio(&short, |time| *time).expect("both were measured");
        let (low, high) = found.interval.expect("three launches of each");
        assert!(low < 2.0 && 2.0 < high && (found.value - 2.0).abs() < 1e-9, "{found:?}");
        assert!(of(&[1.0, 1.0]).typical(|time| *time).is_some_and(|it| it.interval.is_err()));
        assert_eq!(of(&[]).typical(|time| *time), None);
        assert_eq!(long.mean(|time| *time), 2.0);
    }
}
