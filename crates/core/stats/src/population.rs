//! How many messages there are, by kind and place, and how many of them the analysis is about.

use record::{Field, Kind};

use crate::analysis::{Population, PopulationGroup};
use crate::columns::Columns;
use crate::columns::kind_of;
use crate::filter::{Filter, within_node};

/// Counts by kind, between nodes and within one.
#[derive(Clone, Debug, Default)]
pub(crate) struct PopulationTally {
    all: [[u64; 2]; Kind::ALL.len()],
    taken: [[u64; 2]; Kind::ALL.len()],
}

impl PopulationTally {
    /// Take in messages of the run, whichever they are.
    pub fn add_all(&mut self, columns: &Columns) {
        count(&mut self.all, columns);
    }

    /// Take in those of them that the analysis is about.
    pub fn add_taken(&mut self, columns: &Columns) {
        count(&mut self.taken, columns);
    }

    /// Take in one message, which the analysis is about or not.
    pub fn add_row(&mut self, columns: &Columns, row: usize, is_taken: bool) {
        let kind = kind_of(columns.at(Field::Kind, row)) as usize;
        let (src, dst) = (columns.at(Field::Src, row), columns.at(Field::Dst, row));
        let place = usize::from(within_node(src, dst));
        self.all[kind][place] += 1;
        self.taken[kind][place] += u64::from(is_taken);
    }

    /// Take in what `other` took in.
    pub fn merge(&mut self, other: &PopulationTally) {
        for (mine, theirs) in [(&mut self.all, &other.all), (&mut self.taken, &other.taken)] {
            let pairs = mine.iter_mut().flatten().zip(theirs.iter().flatten());
            pairs.for_each(|(mine, theirs)| *mine += theirs);
        }
    }

    /// The kinds and places that have messages.
    pub fn shown(&self, filter: &Filter) -> Population {
        let group = |(kind, within_node): (Kind, bool)| PopulationGroup {
            kind,
            within_node,
            messages: self.all[kind as usize][usize::from(within_node)],
            taken: self.taken[kind as usize][usize::from(within_node)],
        };
        let groups =
            Kind::ALL.into_iter().flat_map(|kind| [(kind, false), (kind, true)]).map(group);
        Population {
            filter: filter.clone(),
            groups: groups.filter(|group| group.messages > 0).collect(),
        }
    }
}

fn count(counts: &mut [[u64; 2]; Kind::ALL.len()], columns: &Columns) {
    let rows = columns.rows();
    let place = |row| within_node(columns.at(Field::Src, row), columns.at(Field::Dst, row));
    let shared_place = columns.shared(Field::Src).zip(columns.shared(Field::Dst));
    match (columns.shared(Field::Kind), shared_place) {
        (Some(kind), Some((src, dst))) => {
            counts[kind_of(kind) as usize][usize::from(within_node(src, dst))] += rows as u64;
        }
        (Some(kind), None) => {
            let within = (0..rows).filter(|&row| place(row)).count() as u64;
            let counts = &mut counts[kind_of(kind) as usize];
            counts[1] += within;
            counts[0] += rows as u64 - within;
        }
        (None, _) => {
            for row in 0..rows {
                counts[kind_of(columns.at(Field::Kind, row)) as usize][usize::from(place(row))] +=
                    1;
            }
        }
    }
}
