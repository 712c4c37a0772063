//! Where a value lies along an axis.

use crate::chart::{Axis, Quantity};

/// An axis from its first to its last value; on a log axis these are powers of ten.
#[derive(Clone, Debug)]
pub(super) struct Scale {
    pub(super) log: bool,
    pub(super) from: f64,
    pub(super) to: f64,
    pub(super) of: Quantity,
    /// Names in the order of their places 0, 1, …; empty where the axis has numbers.
    pub(super) names: Vec<String>,
}

impl Scale {
    /// Where the value lies: 0 at the axis' begin, 1 at its end. What has no place on a log axis
    /// lies before its begin.
    pub(super) fn place(&self, value: f64) -> f64 {
        let at = match self.log {
            true if value <= 0.0 => return if self.from < self.to { -1.0 } else { 2.0 },
            true => value.log10(),
            false => value,
        };
        (at - self.from) / (self.to - self.from)
    }

    /// The least and the largest value seen, in that order.
    pub(super) fn ends(&self) -> (f64, f64) {
        let (low, high) = (self.from.min(self.to), self.from.max(self.to));
        if self.log { (10f64.powf(low), 10f64.powf(high)) } else { (low, high) }
    }

    /// The scale of `axis` over what lies between `seen`.
    pub(super) fn of(axis: &Axis, names: Vec<String>, seen: &Extent) -> Scale {
        let place = |value: f64| if axis.log { value.log10() } else { value };
        let (from, to) = match axis.range {
            Some((from, to)) if from != to => (place(from), place(to)),
            _ if !names.is_empty() => (-0.5, names.len() as f64 - 0.5),
            _ => seen.range(axis.log, axis.from_0),
        };
        let (from, to) = if axis.downwards { (to, from) } else { (from, to) };
        Scale { log: axis.log, from, to, of: axis.of, names }
    }
}

/// Where a name lies; names get their places as they come up.
pub(super) fn place_of(name: &str, names: &mut Vec<String>) -> Option<f64> {
    let at = names.iter().position(|known| known == name).unwrap_or_else(|| {
        names.push(name.to_owned());
        names.len() - 1
    });
    Some(at as f64)
}

/// What values there are along an axis.
#[derive(Debug, Default)]
pub(super) struct Extent {
    ends: Option<(f64, f64)>,
    least_above_0: Option<f64>,
    /// Bars stand on 0 and fill the axis from edge to edge, lines end at its ends, and marks need
    /// room.
    pub(super) stands_on_0: bool,
    pub(super) room: bool,
}

impl Extent {
    pub(super) fn add(&mut self, value: f64) {
        let (low, high) = self.ends.unwrap_or((value, value));
        self.ends = Some((low.min(value), high.max(value)));
        if value > 0.0 {
            self.least_above_0 = Some(self.least_above_0.map_or(value, |least| least.min(value)));
        }
    }

    fn range(&self, log: bool, to_zero: bool) -> (f64, f64) {
        let (low, high) = self.ends.unwrap_or((0.0, 1.0));
        if log {
            let low = self.least_above_0.unwrap_or(1.0).log10();
            let high = if high > 0.0 { high.log10() } else { low };
            let room = if self.room { (high - low) * 0.05 } else { 0.0 };
            return apart(low - room, high + room, 0.15);
        }
        let room = if self.room { (high - low) * 0.06 } else { 0.0 };
        let (mut from, mut to) = (low - room, high + room);
        if to_zero || self.stands_on_0 {
            (from, to) = (if low < 0.0 { from } else { 0.0 }, if high > 0.0 { to } else { 0.0 });
        }
        let half = if to.abs() > 0.0 { to.abs() * 0.05 } else { 0.5 };
        apart(from, to, half)
    }
}

/// Ends that differ, so that everything has a place.
fn apart(from: f64, to: f64, half: f64) -> (f64, f64) {
    if to - from > f64::EPSILON * to.abs() { (from, to) } else { (from - half, to + half) }
}
