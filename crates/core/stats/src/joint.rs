//! The messages by node pair, kind and size at once: cells whose times add up to those of any
//! choice.
//!
//! Memory is bounded and what is left does not depend on the order of batches and of merging, as
//! what is given up rests on what came and not on when. Of the pairs those with the smallest keys
//! have cells of their own (see [`groups`](crate::groups)); the others share cells by kind and
//! size, so that choices of these stay complete. Sizes are told apart as long as there are few
//! combinations of kind and size, then by powers of two, then not at all.

mod shown;

use std::collections::{BTreeMap, BTreeSet};

use record::NULL;

use crate::columns::kind_of;
use crate::distribution::LogLinear;
use crate::groups::{Counted, Key};

/// Relative resolution of a cell's bins: 2^-SUB.
pub(crate) const SUB: u32 = 5;

/// Pairs that have cells of their own: as many as the table of pairs has groups.
const PAIRS: usize = 64;
/// Combinations of kind and size, at most. Enough for data and replies in each power of two up to
/// 4 MiB.
const KINDS_AND_SIZES: usize = 48;

/// What a cell's times are counted in.
type Times = LogLinear<SUB, SUB>;
/// Kind and key of the size.
type What = (i64, i64);
/// The cells of a pair.
type OfPair = BTreeMap<What, Box<JointCell>>;

/// What messages of a cell agree in; [`NULL`] where they lack it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Agreed {
    pub pair: Option<Key>,
    pub kind: i64,
    pub bytes: i64,
}

/// The cells.
#[derive(Clone, Debug)]
pub(crate) struct Joint {
    pairs_most: usize,
    step: SizeStep,
    /// By key: smallest and largest of the sizes.
    sizes: BTreeMap<i64, (i64, i64)>,
    seen: BTreeSet<What>,
    pairs: BTreeMap<Key, OfPair>,
    others: OfPair,
}

#[derive(Clone, Debug, Default)]
struct JointCell {
    messages: u64,
    /// Stages A to D.
    stages: [Times; 4],
}

/// How sizes are told apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum SizeStep {
    Each,
    PowersOfTwo,
    Together,
}

impl Default for Joint {
    fn default() -> Joint {
        Joint::new(PAIRS)
    }
}

impl Joint {
    fn new(pairs_most: usize) -> Joint {
        Joint {
            pairs_most,
            step: SizeStep::Each,
            sizes: BTreeMap::new(),
            seen: BTreeSet::new(),
            pairs: BTreeMap::new(),
            others: OfPair::new(),
        }
    }

    /// Take in `messages` messages that agree.
    pub fn add(&mut self, agreed: Agreed, messages: u64, counted: &Counted) {
        let cell = self.cell(agreed);
        cell.messages += messages;
        for (times, tally) in cell.stages.iter_mut().zip(counted) {
            if tally.moments().count > 0 {
                times.add_tally(tally);
            }
        }
    }

    /// The same of messages so few that their times, in stages A to D, are sooner counted one by
    /// one.
    pub fn add_few(
        &mut self,
        agreed: Agreed,
        messages: u64,
        counted: &Counted,
        stages: [&[i64]; 4],
    ) {
        let cell = self.cell(agreed);
        cell.messages += messages;
        let times = cell.stages.iter_mut().zip(stages).zip(counted);
        times.for_each(|((times, values), tally)| times.add_known(values, tally.moments()));
    }

    /// The same of messages that nobody else wants to have counted.
    pub fn add_values(&mut self, agreed: Agreed, messages: u64, stages: [&[i64]; 4]) {
        let cell = self.cell(agreed);
        cell.messages += messages;
        cell.stages.iter_mut().zip(stages).for_each(|(times, values)| times.add_slice(values));
    }

    /// Take in what `other` took in.
    pub fn merge(&mut self, mut other: Joint) {
        while self.step < other.step {
            self.coarsen();
        }
        while other.step < self.step {
            other.coarsen();
        }
        other.sizes.into_iter().for_each(|(key, ends)| widen(&mut self.sizes, key, ends));
        self.seen.append(&mut other.seen);
        for (pair, cells) in other.pairs {
            merge_cells(self.of_pair(pair), cells);
        }
        merge_cells(&mut self.others, other.others);
        self.coarsen_to_fit();
    }

    /// How sizes are told apart so far.
    pub fn step(&self) -> SizeStep {
        self.step
    }

    /// Know of a size that lies within a cell's messages but is not the one it was added with.
    pub fn note_size(&mut self, bytes: i64) {
        widen(&mut self.sizes, self.step.key(bytes), (bytes, bytes));
    }

    fn cell(&mut self, agreed: Agreed) -> &mut JointCell {
        let kind = if agreed.kind == NULL { NULL } else { kind_of(agreed.kind) as i64 };
        let what = self.note(kind, agreed.bytes);
        let cells = match agreed.pair {
            Some(pair) => self.of_pair(pair),
            None => &mut self.others,
        };
        cells.entry(what).or_default()
    }

    /// The key of a size, in this kind of messages, that is now known.
    fn note(&mut self, kind: i64, bytes: i64) -> What {
        self.note_size(bytes);
        if self.seen.insert((kind, self.step.key(bytes))) {
            self.coarsen_to_fit();
        }
        (kind, self.step.key(bytes))
    }

    fn coarsen_to_fit(&mut self) {
        while self.seen.len() > KINDS_AND_SIZES && self.step < SizeStep::Together {
            self.coarsen();
        }
    }

    /// Tell sizes apart less finely.
    fn coarsen(&mut self) {
        self.step = match self.step {
            SizeStep::Each => SizeStep::PowersOfTwo,
            SizeStep::PowersOfTwo | SizeStep::Together => SizeStep::Together,
        };
        let sizes = std::mem::take(&mut self.sizes);
        let keys: BTreeMap<i64, i64> =
            sizes.iter().map(|(key, (smallest, _))| (*key, self.step.key(*smallest))).collect();
        sizes.iter().for_each(|(key, ends)| widen(&mut self.sizes, keys[key], *ends));
        self.seen = self.seen.iter().map(|(kind, size)| (*kind, keys[size])).collect();
        for cells in self.pairs.values_mut().chain([&mut self.others]) {
            for ((kind, size), cell) in std::mem::take(cells) {
                cells.entry((kind, keys[&size])).or_default().merge(&cell);
            }
        }
    }

    /// Give no more than so many pairs cells of their own.
    fn keep_pairs(&mut self, most: usize) {
        self.pairs_most = most;
        while self.pairs.len() > most {
            self.evict();
        }
    }

    /// The cells of a pair: its own, or those of the others.
    fn of_pair(&mut self, pair: Key) -> &mut OfPair {
        let full = self.pairs.len() >= self.pairs_most && !self.pairs.contains_key(&pair);
        if full && self.pairs.last_key_value().is_none_or(|(last, _)| pair > *last) {
            return &mut self.others;
        }
        if full {
            self.evict();
        }
        self.pairs.entry(pair).or_default()
    }

    fn evict(&mut self) {
        if let Some((_, cells)) = self.pairs.pop_last() {
            merge_cells(&mut self.others, cells);
        }
    }
}

impl JointCell {
    fn merge(&mut self, other: &JointCell) {
        self.messages += other.messages;
        self.stages.iter_mut().zip(&other.stages).for_each(|(mine, theirs)| mine.merge(theirs));
    }
}

impl SizeStep {
    /// What sizes that are not told apart have in common.
    #[inline]
    pub fn key(self, bytes: i64) -> i64 {
        match self {
            _ if bytes < 0 => NULL,
            SizeStep::Each => bytes,
            SizeStep::PowersOfTwo => i64::from(64 - bytes.leading_zeros()),
            SizeStep::Together => 0,
        }
    }
}

fn widen(sizes: &mut BTreeMap<i64, (i64, i64)>, key: i64, (low, high): (i64, i64)) {
    let ends = sizes.entry(key).or_insert((low, high));
    *ends = (ends.0.min(low), ends.1.max(high));
}

fn merge_cells(mine: &mut OfPair, theirs: OfPair) {
    for (what, cell) in theirs {
        mine.entry(what).or_default().merge(&cell);
    }
}

#[cfg(test)]
mod tests;
