//! The messages that a Time Warp run lives by, within a node and between nodes.
//!
//! An anti-message within a node is a function call and one between nodes is a race with the
//! message that it chases; a distribution of both together says nothing of either.

use record::{Field, Kind};
use stats::analysis::{Stage, Summary};
use stats::build::{GroupDistribution, STAGES, Stages, within_node};
use stats::{Columns, summary};

use crate::simulation::MessageGroup;

/// The kinds that are told apart; others are seen with all messages.
const KINDS: [Kind; 4] = [Kind::Event, Kind::Anti, Kind::Sendback, Kind::Gvt];
/// Each kind within a node, then between nodes.
const CLASSES: usize = 2 * KINDS.len();
const EVENTS_BETWEEN: usize = 1;

/// Messages by kind and place.
#[derive(Clone, Default)]
pub struct Traffic {
    counts: [u64; CLASSES],
    stages: Box<[[GroupDistribution; 4]; CLASSES]>,
    /// Used again from batch to batch.
    classes: Vec<Option<u8>>,
    lanes: [Vec<i64>; CLASSES],
    times: Stages,
}

impl Traffic {
    /// Take in messages. Costs a look at the kinds when they are of no simulation.
    pub fn add(&mut self, columns: &Columns) {
        if columns.shared(Field::Kind).is_some_and(|kind| place_of(kind).is_none()) {
            return;
        }
        self.classes.clear();
        self.classes.extend((0..columns.rows()).map(|row| class(columns, row)));
        if self.classes.iter().all(Option::is_none) {
            return;
        }
        self.classes.iter().flatten().for_each(|&class| self.counts[usize::from(class)] += 1);
        self.times.fill(columns);
        for (stage, times) in self.times.of.iter().enumerate() {
            self.lanes.iter_mut().for_each(Vec::clear);
            for (&class, &time) in self.classes.iter().zip(times) {
                if let Some(class) = class.filter(|_| time != record::NULL) {
                    self.lanes[usize::from(class)].push(time);
                }
            }
            for (distributions, lane) in self.stages.iter_mut().zip(&self.lanes) {
                distributions[stage].add_slice(lane);
            }
        }
    }

    /// Take in what `other` took in.
    pub fn merge(&mut self, other: &Traffic) {
        self.counts.iter_mut().zip(other.counts).for_each(|(mine, theirs)| *mine += theirs);
        let pairs = self.stages.iter_mut().flatten().zip(other.stages.iter().flatten());
        pairs.for_each(|(mine, theirs)| mine.merge(theirs));
    }

    /// The groups that have messages; so many event messages between nodes overtook.
    pub fn groups(&self, overtook: Option<u64>) -> Vec<MessageGroup> {
        let group = |class: usize| MessageGroup {
            kind: KINDS[class / 2],
            on_node: class.is_multiple_of(2),
            count: self.counts[class],
            stages: shown(&self.stages[class]),
            overtook: overtook.filter(|_| class == EVENTS_BETWEEN),
        };
        (0..CLASSES).filter(|&class| self.counts[class] > 0).map(group).collect()
    }
}

fn shown(stages: &[GroupDistribution; 4]) -> Vec<(Stage, Summary)> {
    let filled = STAGES.iter().zip(stages).filter(|(_, of)| of.count() > 0);
    filled.map(|(&stage, of)| (stage, summary(of))).collect()
}

fn place_of(kind: i64) -> Option<usize> {
    KINDS.iter().position(|known| *known as i64 == kind)
}

fn class(columns: &Columns, row: usize) -> Option<u8> {
    let kind = place_of(columns.at(Field::Kind, row))?;
    Some((2 * kind + usize::from(!within_node(columns, row))) as u8)
}
