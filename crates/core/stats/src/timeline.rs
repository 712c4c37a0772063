//! A few hundred slices of a timeline whose length is not known beforehand.
//!
//! Slices are a power of two of nanoseconds long. When a moment lies beyond the slices that there
//! may be, their length doubles and neighbours join. Slices begin at multiples of their length, so
//! two timelines' slices always nest and the order of moments does not matter.

use std::collections::VecDeque;

/// The shortest slice: 2^10 ns.
const SHORTEST: u32 = 10;

/// What a slice holds.
pub trait Slice: Clone + Default {
    /// Take in what `other` took in.
    fn merge(&mut self, other: &Self);

    /// Whether it took nothing in.
    fn is_empty(&self) -> bool;
}

/// The timeline in slices.
#[derive(Clone, Debug)]
pub struct Timeline<T> {
    /// Slices at most; a long run has between half of these and all.
    most: i64,
    shift: u32,
    /// Number of the first slice: it begins at `first << shift`.
    first: i64,
    slices: VecDeque<T>,
}

impl<T: Slice> Timeline<T> {
    /// No slices yet, `most` at most.
    pub fn new(most: i64) -> Timeline<T> {
        Timeline { most, shift: SHORTEST, first: 0, slices: VecDeque::new() }
    }

    /// See that there are slices from `low` to `high`, doubling their length as often as that
    /// takes.
    #[inline]
    pub fn cover(&mut self, low: i64, high: i64) {
        let end = self.first + self.slices.len() as i64;
        if self.number(low) < self.first || self.number(high) >= end {
            self.reach(low, high);
        }
    }

    #[cold]
    fn reach(&mut self, low: i64, high: i64) {
        loop {
            let (mut first, mut last) = (low >> self.shift, high >> self.shift);
            if !self.slices.is_empty() {
                first = first.min(self.first);
                last = last.max(self.first + self.slices.len() as i64 - 1);
            }
            if last - first < self.most {
                return self.extend(first, last);
            }
            self.double();
        }
    }

    /// The number of the slice that `at` lies in, as slices are now.
    #[inline]
    pub fn number(&self, at: i64) -> i64 {
        at >> self.shift
    }

    /// How long a slice is, as slices are now, ns.
    pub fn length(&self) -> i64 {
        1 << self.shift
    }

    /// The slice that `at` lies in.
    #[inline]
    pub fn at(&mut self, at: i64) -> &mut T {
        let inside = |timeline: &Self| {
            let slice = timeline.number(at).wrapping_sub(timeline.first);
            usize::try_from(slice).ok().filter(|slice| *slice < timeline.slices.len())
        };
        if inside(self).is_none() {
            self.cover(at, at);
        }
        let slice = (self.number(at) - self.first) as usize;
        &mut self.slices[slice]
    }

    /// Take in what `other`, with as many slices at most, took in.
    pub fn merge(&mut self, other: &Timeline<T>) {
        let Some(last) = other.slices.len().checked_sub(1) else { return };
        let begin = other.first << other.shift;
        let end =
            ((other.first + last as i64) << other.shift).saturating_add((1 << other.shift) - 1);
        self.cover(begin, end);
        while self.shift < other.shift {
            self.double();
        }
        for (at, theirs) in other.slices.iter().enumerate().filter(|(_, slice)| !slice.is_empty()) {
            let slice = (other.first + at as i64) >> (self.shift - other.shift);
            self.slices[(slice - self.first) as usize].merge(theirs);
        }
    }

    /// Every slice, the empty ones too: its begin and length, ns, and what it holds.
    pub fn slices(&self) -> impl Iterator<Item = (i64, i64, &T)> {
        self.slices
            .iter()
            .zip(self.first..)
            .map(|(slice, number)| (number << self.shift, 1 << self.shift, slice))
    }

    fn extend(&mut self, first: i64, last: i64) {
        if self.slices.is_empty() {
            self.first = first;
        }
        while self.first > first {
            self.slices.push_front(T::default());
            self.first -= 1;
        }
        self.slices.resize((last - first + 1) as usize, T::default());
    }

    fn double(&mut self) {
        let mut joined = VecDeque::new();
        let first = self.first >> 1;
        for (slice, number) in self.slices.drain(..).zip(self.first..) {
            match joined.get_mut(((number >> 1) - first) as usize) {
                None => joined.push_back(slice),
                Some(neighbour) => T::merge(neighbour, &slice),
            }
        }
        (self.slices, self.first, self.shift) = (joined, first, self.shift + 1);
    }
}
