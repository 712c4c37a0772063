//! What is gathered of all of a run's messages, whichever of them the analysis is about: how many
//! there are of each kind, and the sends of each pair in their order.

use crate::analysis::Population;
use crate::columns::Columns;
use crate::filter::{Filter, Taken};
use crate::population::PopulationTally;
use crate::sends::{LastSends, SendContext, Sends};

/// All that was gathered of all messages.
#[derive(Default)]
pub(crate) struct Whole {
    pub sends: Sends,
    population: PopulationTally,
}

impl Whole {
    /// Take in messages, of which those in `mask` are `taken`.
    pub fn add(
        &mut self,
        columns: &Columns,
        taken: Taken,
        mask: &[bool],
        context: SendContext,
        last_sends: &mut LastSends,
    ) {
        self.population.add_all(columns);
        let of_interest = |row: usize| taken.row(mask, row);
        self.sends.add(columns, of_interest, context, last_sends);
    }

    /// Take in those of them that the analysis is about.
    pub fn add_taken(&mut self, columns: &Columns) {
        self.population.add_taken(columns);
    }

    /// Take in what `other` took in.
    pub fn merge(&mut self, other: &Whole) {
        self.sends.merge(&other.sends);
        self.population.merge(&other.population);
    }

    /// How many messages there are, and how many of them the analysis is about.
    pub fn population(&self, filter: &Filter) -> Population {
        self.population.shown(filter)
    }
}
