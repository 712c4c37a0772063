//! A figure by the size of a message, ready to be looked up for each.

use crate::{Machine, Time, picoseconds};

/// Values, each for messages from a size on; the first from 0.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct BySize<T> {
    first: T,
    larger: Vec<(u64, T)>,
}

impl<T: Copy> BySize<T> {
    /// What it is for so many bytes.
    pub fn at(&self, bytes: u64) -> T {
        self.larger.iter().rev().find(|piece| piece.0 <= bytes).map_or(self.first, |piece| piece.1)
    }

    /// Whether it is the same for all sizes.
    pub fn is_one(&self) -> bool {
        self.larger.is_empty()
    }

    fn of(machine: &Machine, name: &str, made: impl Fn(f64) -> T) -> BySize<T> {
        let larger = machine.constants.get(name).map_or(&[][..], |constant| &constant.larger);
        BySize {
            first: made(machine.value(name)),
            larger: larger.iter().map(|one| (one.from, made(one.figure.value))).collect(),
        }
    }
}

impl BySize<Time> {
    /// Of a time.
    pub fn time(machine: &Machine, name: &str) -> BySize<Time> {
        BySize::of(machine, name, picoseconds)
    }
}

impl BySize<f64> {
    /// Picoseconds a byte, of a rate.
    pub fn per_byte(machine: &Machine, name: &str) -> BySize<f64> {
        BySize::of(machine, name, |rate| 1e12 / rate)
    }
}
