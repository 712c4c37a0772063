//! The cells as they are shown: few enough for a page.

use std::collections::{BTreeMap, BTreeSet};

use record::NULL;

use super::{Joint, JointCell, SizeStep, Times, What};
use crate::analysis::{Binned, FacetCell, Facets, Stage};
use crate::columns::kind_of;
use crate::filter::Span;
use crate::groups::Key;
use crate::stages::STAGES;

/// Counts in all bins of all cells, at most: a page carries each in about two bytes.
const COUNTS: usize = 80_000;
/// Pairs below which sizes are given up before further pairs are.
const PAIRS_LEAST: usize = 8;

impl Joint {
    /// The cells of the stages that say something; pairs and sizes are told apart as far as a page
    /// has room for it.
    pub fn shown(&mut self, says: impl Fn(Stage) -> bool) -> Facets {
        self.shown_within(COUNTS, says)
    }

    pub(super) fn shown_within(&mut self, most: usize, says: impl Fn(Stage) -> bool) -> Facets {
        while self.counts() > most && (self.step < SizeStep::Together || !self.pairs.is_empty()) {
            let pairs = self.pairs.len();
            match self.step {
                SizeStep::Each => self.coarsen(),
                _ if pairs > PAIRS_LEAST => self.keep_pairs(pairs / 2),
                SizeStep::PowersOfTwo => self.coarsen(),
                SizeStep::Together => self.keep_pairs(pairs / 2),
            }
        }
        self.facets(says)
    }

    fn counts(&self) -> usize {
        let times = self.cells().flat_map(|(.., cell)| &cell.stages);
        times.map(|times| times.whole_counters().count()).sum()
    }

    fn cells(&self) -> impl Iterator<Item = (Option<Key>, What, &JointCell)> {
        let own = self.pairs.iter().map(|(pair, cells)| (Some(*pair), cells));
        let all = own.chain([(None, &self.others)]);
        all.flat_map(|(pair, cells)| cells.iter().map(move |(what, cell)| (pair, *what, &**cell)))
    }

    fn facets(&self, says: impl Fn(Stage) -> bool) -> Facets {
        let known = |(src, dst): Key| Some((u32::try_from(src).ok()?, u32::try_from(dst).ok()?));
        let pairs: Vec<(u32, u32)> = self.pairs.keys().filter_map(|pair| known(*pair)).collect();
        let kinds = places(self.seen.iter().map(|(kind, _)| *kind));
        let sizes = places(self.sizes.keys().copied());
        let ends = self.bin_ends();
        let bins = places(ends.keys().copied());
        let stages = |cell: &JointCell| {
            let all = STAGES.into_iter().zip(&cell.stages);
            let filled = all.filter(|(stage, times)| times.count() > 0 && says(*stage));
            filled.map(|(stage, times)| (stage, binned(times, &bins))).collect()
        };
        let cell = |(pair, (kind, size), cell): (Option<Key>, What, &JointCell)| FacetCell {
            of: [
                pair.and_then(known).and_then(|pair| pairs.binary_search(&pair).ok()),
                kinds.get(&kind).copied(),
                sizes.get(&size).copied(),
            ],
            messages: cell.messages,
            stages: stages(cell),
        };
        let span = |key: &i64| {
            let (from, to) = self.sizes[key];
            Span { from: from.unsigned_abs(), to: to.unsigned_abs() }
        };
        Facets {
            cells: self.cells().map(cell).collect(),
            kinds: kinds.keys().map(|code| kind_of(*code)).collect(),
            sizes: sizes.keys().map(span).collect(),
            bins: ends.into_iter().collect(),
            pairs,
        }
    }

    /// The bins that took something, by their lower ends.
    fn bin_ends(&self) -> BTreeMap<i64, i64> {
        let times = self.cells().flat_map(|(.., cell)| &cell.stages);
        times.flat_map(Times::whole_counters).map(|bin| (bin.low, bin.high)).collect()
    }
}

/// The place of each key among all that are known.
fn places(keys: impl Iterator<Item = i64>) -> BTreeMap<i64, usize> {
    let known: BTreeSet<i64> = keys.filter(|key| *key != NULL).collect();
    known.into_iter().enumerate().map(|(at, key)| (key, at)).collect()
}

fn binned(times: &Times, bins: &BTreeMap<i64, usize>) -> Binned {
    let counters = times.whole_counters();
    Binned {
        min_ns: times.moments().min,
        max_ns: times.moments().max,
        counts: counters.map(|bin| (bins[&bin.low], bin.count)).collect(),
    }
}
