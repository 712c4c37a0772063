//! What a figure's quantity is of one message, and where it lies on its axis.

use std::collections::HashMap;

use record::{Field, NULL};

use super::{FigureAgainst, FigureBy, FigureQuantity, GroupKey};
use crate::columns::Columns;
use crate::compare::Measured;
use crate::filter::RankKey;
use crate::sends::{Send, Sent};

/// The last send of each pair of nodes in a batch.
#[derive(Clone, Debug, Default)]
pub(super) struct Followed {
    last: HashMap<(i64, i64), Send>,
}

impl Followed {
    /// Another batch begins, and what lies between is not known.
    pub(super) fn clear(&mut self) {
        self.last.clear();
    }

    /// Since the send before it of its pair.
    pub(super) fn follow(&mut self, columns: &Columns, row: usize) -> Option<Sent> {
        let at = |field| columns.at(field, row);
        let send = Send { sent: at(Field::SentNs), in_flight: at(Field::InFlight) };
        if send.sent == NULL {
            return None;
        }
        let before = self.last.insert((at(Field::Src), at(Field::Dst)), send)?;
        Some(before.until(send))
    }
}

impl FigureQuantity {
    /// Whether the sends before it must be followed.
    pub(super) fn follows(self) -> bool {
        use FigureQuantity::{Interval, PerServed, Served};
        matches!(self, Interval | PerServed | Served)
    }

    /// Of the message in this row; `None` where it is not known.
    pub(super) fn of(self, columns: &Columns, row: usize, sent: Option<Sent>) -> Option<i64> {
        use FigureQuantity as Q;
        match self {
            Q::EndToEnd => time(Measured::EndToEnd, columns, row),
            Q::SendWait => time(Measured::SendWait, columns, row),
            Q::Transit => time(Measured::Transit, columns, row),
            Q::ReceiveWait => time(Measured::ReceiveWait, columns, row),
            Q::Cycle => time(Measured::Cycle, columns, row),
            Q::Interval => sent.map(|sent| sent.interval),
            Q::PerServed => sent.and_then(|sent| sent.per_served()),
            Q::Served => sent.and_then(|sent| sent.served),
            Q::QueueLength => known(columns, Field::QueueLength, row),
            Q::InFlight => known(columns, Field::InFlight, row),
            Q::OnNodeWaited => known(columns, Field::OnNodeWaited, row),
            Q::Packets => known(columns, Field::Packets, row),
            Q::Hops => known(columns, Field::Hops, row),
            Q::Bytes => known(columns, Field::Bytes, row),
        }
    }
}

impl FigureAgainst {
    /// Whether the sends before it must be followed.
    pub(super) fn follows(self) -> bool {
        self == FigureAgainst::Served
    }

    /// Where the message in this row lies.
    pub(super) fn of(self, columns: &Columns, row: usize, sent: Option<Sent>) -> Option<i64> {
        match self {
            FigureAgainst::Served => sent.and_then(|sent| sent.served),
            FigureAgainst::Bytes => known(columns, Field::Bytes, row),
            FigureAgainst::Hops => known(columns, Field::Hops, row),
            FigureAgainst::Packets => known(columns, Field::Packets, row),
            FigureAgainst::QueueLength => known(columns, Field::QueueLength, row),
            FigureAgainst::Time => known(columns, Field::ReadyNs, row),
        }
    }
}

impl FigureBy {
    /// The group of the message in this row; `None` where that is not recorded.
    pub(super) fn of(self, columns: &Columns, row: usize, launch: u32) -> Option<GroupKey> {
        let one = |field| known(columns, field, row).map(|value| (value, 0));
        match self {
            FigureBy::Hops => one(Field::Hops),
            FigureBy::Packets => one(Field::Packets),
            FigureBy::Bytes => one(Field::Bytes),
            FigureBy::Kind => one(Field::Kind),
            FigureBy::Pair => known(columns, Field::Src, row).zip(known(columns, Field::Dst, row)),
            FigureBy::Launch => Some((i64::from(launch), 0)),
            FigureBy::Run => Some((0, 0)),
        }
    }
}

fn time(stage: Measured, columns: &Columns, row: usize) -> Option<i64> {
    RankKey::of(stage, columns, row).map(|key| key.ns)
}

fn known(columns: &Columns, field: Field, row: usize) -> Option<i64> {
    Some(columns.at(field, row)).filter(|value| *value != NULL)
}
