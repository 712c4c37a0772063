//! A pass over a run: one a thread, merged at the end.

use std::collections::BTreeMap;

use record::{Field, Kind};

use super::slices::TimeSlices;
use super::value::Followed;
use super::{FigureAgainst, FigureAsked, FigureQuantity};
use crate::analysis::Population;
use crate::columns::{Columns, kind_of};
use crate::distribution::{Distribution, GroupDistribution};
use crate::population::PopulationTally;

/// A group's number; of a pair source and destination, else one and 0.
pub type GroupKey = (i64, i64);

/// Groups told apart; messages of others are counted together.
const GROUPS_MOST: usize = 1024;
/// Values told apart of what a quantity is shown against.
const PLACES_MOST: usize = 1 << 14;

/// Gathers what a figure shows of a run.
#[derive(Clone, Debug)]
pub struct FigureGather {
    asked: FigureAsked,
    population: PopulationTally,
    /// Cycles of the run, and those of them that are taken.
    cycles: (u64, u64),
    taken: u64,
    groups: BTreeMap<GroupKey, FigureGroup>,
    others: FigureGroup,
    /// Messages whose group is not recorded.
    ungrouped: u64,
    followed: Followed,
    mask: Vec<bool>,
}

/// What was gathered of a group.
#[derive(Clone, Debug, Default)]
pub struct FigureGroup {
    /// Its messages.
    pub taken: u64,
    /// Those of which the quantity is known.
    pub values: Distribution,
    /// The values at each place of a numbered axis.
    pub places: BTreeMap<i64, GroupDistribution>,
    /// The values along the run.
    pub slices: TimeSlices,
}

impl FigureGather {
    /// Nothing yet.
    pub fn new(asked: FigureAsked) -> FigureGather {
        FigureGather {
            asked,
            population: PopulationTally::default(),
            cycles: (0, 0),
            taken: 0,
            groups: BTreeMap::new(),
            others: FigureGroup::default(),
            ungrouped: 0,
            followed: Followed::default(),
            mask: Vec::new(),
        }
    }

    /// Take in a batch of a launch, with the columns [`FIGURE_FIELDS`](super::FIGURE_FIELDS).
    pub fn add(&mut self, columns: &Columns, launch: u32) {
        self.followed.clear();
        let mut mask = std::mem::take(&mut self.mask);
        let selected = self.asked.filter.select(columns, &mut mask);
        for row in 0..columns.rows() {
            let is_chosen = selected.row(&mask, row);
            match kind_of(columns.at(Field::Kind, row)) {
                Kind::Cycle => self.add_cycle(columns, row, launch),
                kind if kind.is_interval() => {}
                _ => self.add_message(columns, row, launch, is_chosen),
            }
        }
        self.mask = mask;
    }

    /// Take in what another gathered of the same run.
    pub fn merge(&mut self, other: FigureGather) {
        self.population.merge(&other.population);
        self.cycles = (self.cycles.0 + other.cycles.0, self.cycles.1 + other.cycles.1);
        self.taken += other.taken;
        self.ungrouped += other.ungrouped;
        self.others.merge(other.others);
        for (key, group) in other.groups {
            self.group(key).merge(group);
        }
    }

    /// Which messages, of those that the run has.
    pub fn population(&self) -> Population {
        self.population.shown(&self.asked.filter)
    }

    /// What was asked for.
    pub fn asked(&self) -> &FigureAsked {
        &self.asked
    }

    /// Messages, or cycles, of the run, and those that the filter takes.
    pub fn counts(&self) -> (u64, u64) {
        match self.asked.what {
            FigureQuantity::Cycle => self.cycles,
            _ => (self.population().messages(), self.taken),
        }
    }

    /// Messages that are taken, and whose group is not recorded.
    pub fn ungrouped(&self) -> u64 {
        self.ungrouped
    }

    /// The groups, and what the messages of all further ones came to.
    pub fn groups(&self) -> (&BTreeMap<GroupKey, FigureGroup>, &FigureGroup) {
        (&self.groups, &self.others)
    }

    fn add_cycle(&mut self, columns: &Columns, row: usize, launch: u32) {
        let is_taken = self.asked.filter.takes_cycle(columns, row);
        self.cycles = (self.cycles.0 + 1, self.cycles.1 + u64::from(is_taken));
        if is_taken && self.asked.what == FigureQuantity::Cycle {
            self.add_row(columns, row, launch, None);
        }
    }

    fn add_message(&mut self, columns: &Columns, row: usize, launch: u32, is_taken: bool) {
        self.population.add_row(columns, row, is_taken);
        if self.asked.what == FigureQuantity::Cycle {
            return;
        }
        let against = self.asked.against;
        let follows = self.asked.what.follows() || against.is_some_and(FigureAgainst::follows);
        // What was served between two sends does not depend on which messages are looked at.
        let sent = if follows { self.followed.follow(columns, row) } else { None };
        if is_taken {
            self.taken += 1;
            self.add_row(columns, row, launch, sent);
        }
    }

    fn add_row(
        &mut self,
        columns: &Columns,
        row: usize,
        launch: u32,
        sent: Option<crate::sends::Sent>,
    ) {
        let FigureAsked { what, against, by, .. } = self.asked;
        let Some(key) = by.map_or(Some((0, 0)), |by| by.of(columns, row, launch)) else {
            self.ungrouped += 1;
            return;
        };
        let value = what.of(columns, row, sent);
        let place = against.and_then(|against| against.of(columns, row, sent));
        let group = self.group(key);
        group.taken += 1;
        let Some(value) = value else { return };
        match (against, place) {
            (None, _) => group.values.add(value),
            (Some(FigureAgainst::Time), Some(at)) => {
                group.values.add(value);
                group.slices.add(at, value);
            }
            (Some(_), Some(at)) if group.has_room(at) => {
                group.values.add(value);
                group.places.entry(at).or_default().add(value);
            }
            (Some(_), _) => {}
        }
    }

    fn group(&mut self, key: GroupKey) -> &mut FigureGroup {
        if self.groups.len() >= GROUPS_MOST && !self.groups.contains_key(&key) {
            return &mut self.others;
        }
        self.groups.entry(key).or_default()
    }
}

impl FigureGroup {
    /// Messages of which the quantity, or its place, is not known.
    pub fn lacking(&self) -> u64 {
        self.taken - self.values.count()
    }

    /// Take in what another took in.
    pub fn merge(&mut self, other: FigureGroup) {
        self.taken += other.taken;
        self.values.merge(&other.values);
        self.slices.merge(other.slices);
        for (at, of) in other.places {
            self.places.entry(at).or_default().merge(&of);
        }
    }

    fn has_room(&self, at: i64) -> bool {
        self.places.len() < PLACES_MOST || self.places.contains_key(&at)
    }
}
