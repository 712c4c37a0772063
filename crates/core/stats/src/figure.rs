//! What a figure shows of a run: one quantity of the messages that a filter takes, in groups.
//!
//! A pass over the run gathers a distribution for each group or, where the quantity is shown
//! against another one, for each of its values. Drawing is the caller's business.

mod gather;
mod named;
mod slices;
mod value;

pub use gather::{FigureGather, FigureGroup, GroupKey};
pub use named::{FigureAgainst, FigureBy, FigureQuantity};
pub use slices::TimeSlices;

use record::Field;

use crate::filter::Filter;

/// What is gathered.
#[derive(Clone, Debug, PartialEq)]
pub struct FigureAsked {
    /// Of each message.
    pub what: FigureQuantity,
    /// Against what; nothing for a distribution.
    pub against: Option<FigureAgainst>,
    /// In which groups.
    pub by: Option<FigureBy>,
    /// Which messages; its cut is settled.
    pub filter: Filter,
}

/// The columns that a figure needs.
pub const FIGURE_FIELDS: [Field; 14] = [
    Field::Kind,
    Field::Src,
    Field::Dst,
    Field::Hops,
    Field::Bytes,
    Field::Packets,
    Field::ReadyNs,
    Field::SentNs,
    Field::ArrivedNs,
    Field::TakenNs,
    Field::Seq,
    Field::InFlight,
    Field::QueueLength,
    Field::OnNodeWaited,
];
