//! Stages A to D of each message of a batch, from its stamps.

use record::{Field, NULL, Values};

use crate::analysis::Stage;
use crate::columns::Columns;
use crate::compare::Measured;

/// Stages in the order of their letters.
pub const STAGES: [Stage; 4] =
    [Stage::EndToEnd, Stage::SendWait, Stage::Transit, Stage::ReceiveWait];

/// Stages A to D, one value a row; [`NULL`] where a stamp is missing.
#[derive(Clone, Debug, Default)]
pub struct Stages {
    /// A: `taken − ready`; B: `sent − ready`; C: `arrived − sent`; D: `taken − arrived`.
    pub of: [Vec<i64>; 4],
    /// Whether every row has all four.
    pub complete: bool,
}

/// Which stamp each stage ends with, and which it begins with.
const SPANS: [(Field, Field); 4] = [
    (Field::TakenNs, Field::ReadyNs),
    (Field::SentNs, Field::ReadyNs),
    (Field::ArrivedNs, Field::SentNs),
    (Field::TakenNs, Field::ArrivedNs),
];

/// The stamp that a stage ends with, and the one that it begins with; a cycle is as long as its
/// row.
pub(crate) fn stamps_of(stage: Measured) -> (Field, Field) {
    match stage {
        Measured::EndToEnd | Measured::Cycle => SPANS[0],
        Measured::SendWait => SPANS[1],
        Measured::Transit => SPANS[2],
        Measured::ReceiveWait => SPANS[3],
    }
}

impl Stages {
    /// Compute the stages of `columns` in place of those computed before.
    pub fn fill(&mut self, columns: &Columns) {
        self.complete = [Field::ReadyNs, Field::SentNs, Field::ArrivedNs, Field::TakenNs]
            .iter()
            .all(|&field| stamped(columns, field));
        for (stage, (end, begin)) in self.of.iter_mut().zip(SPANS) {
            stage.clear();
            match (columns.column(end), columns.column(begin)) {
                (Values::Each(end), Values::Each(begin)) if self.complete => {
                    // Stamps lie within ± 146 years of the run's begin, so that this cannot
                    // overflow for any that a clock made; for a damaged one it must not panic.
                    stage
                        .extend(end.iter().zip(begin).map(|(end, begin)| end.wrapping_sub(*begin)));
                }
                _ => stage.extend(
                    (0..columns.rows())
                        .map(|row| difference(columns.at(end, row), columns.at(begin, row))),
                ),
            }
        }
    }
}

fn stamped(columns: &Columns, field: Field) -> bool {
    match columns.column(field) {
        Values::Absent => false,
        Values::Constant(value) => value != NULL,
        // Not `all`, whose early exit keeps the compiler from vectorising.
        Values::Each(each) => !each.iter().fold(false, |missing, &value| missing | (value == NULL)),
    }
}

fn difference(end: i64, begin: i64) -> i64 {
    if end == NULL || begin == NULL { NULL } else { end.wrapping_sub(begin) }
}
