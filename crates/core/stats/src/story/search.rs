//! Finding the message that a story is about.

use record::{Field, Kind, NULL};

use std::cmp::Reverse;

use super::row::STAMPS;
use crate::analysis::Stage;
use crate::columns::Columns;
use crate::filter::Filter;

/// Which message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wanted {
    /// The slowest ones.
    Slowest {
        /// How many, at least 1.
        count: usize,
        /// In which stage.
        by: Stage,
    },
    /// This one.
    Named {
        launch: u32,
        /// Node that sent it.
        src: u32,
        /// Its number there.
        seq: u64,
    },
    /// The message of a simulation from one object to another for a virtual time.
    Event {
        /// Object that sent it.
        from: i64,
        /// Object that it was for.
        to: i64,
        /// Its virtual receive time, by its bits.
        receive: u64,
    },
}

impl Wanted {
    /// The columns that finding it needs.
    pub fn fields(self) -> Vec<Field> {
        let objects = [Field::SrcObject, Field::DstObject, Field::VirtualReceive];
        let is_event = matches!(self, Wanted::Event { .. });
        STAMPS.into_iter().chain(is_event.then_some(objects).into_iter().flatten()).collect()
    }
}

/// Where a message is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Found {
    pub launch: u32,
    /// The caller's number of the chunk.
    pub chunk: usize,
    /// Row of the chunk.
    pub row: usize,
}

/// The slower first; identity makes the order total.
type Rank = (i64, Reverse<(u32, i64, i64)>);

/// Looks through a run for messages.
#[derive(Clone, Debug)]
pub struct Search {
    wanted: Wanted,
    filter: Filter,
    /// Best first.
    found: Vec<(Rank, Found)>,
    messages: u64,
}

impl Search {
    /// Nothing seen yet. The slowest are looked for among the messages that `filter` takes; a
    /// message that is named is found whatever it is.
    pub fn new(wanted: Wanted, filter: Filter) -> Search {
        Search { wanted, filter, found: Vec::new(), messages: 0 }
    }

    /// Take in a chunk, with the columns [`Wanted::fields`].
    pub fn add(&mut self, launch: u32, chunk: usize, columns: &Columns) {
        for row in 0..columns.rows() {
            let is_named = matches!(self.wanted, Wanted::Named { .. } | Wanted::Event { .. });
            let is_chosen = is_named || self.filter.takes(columns, row);
            if columns.is_interval(row) || !is_chosen {
                continue;
            }
            self.messages += 1;
            let Some(time) = self.time_of(launch, columns, row) else { continue };
            let name = (launch, columns.at(Field::Src, row), columns.at(Field::Seq, row));
            self.offer((time, Reverse(name)), Found { launch, chunk, row });
        }
    }

    /// Take in what `other` took in.
    pub fn merge(&mut self, other: Search) {
        self.messages += other.messages;
        other.found.into_iter().for_each(|(rank, found)| self.offer(rank, found));
    }

    /// What it looks for.
    pub fn wanted(&self) -> Wanted {
        self.wanted
    }

    /// Messages that were seen and could be the wanted one.
    pub fn messages(&self) -> u64 {
        self.messages
    }

    /// What was found, slowest first.
    pub fn found(&self) -> Vec<Found> {
        self.found.iter().map(|(_, found)| *found).collect()
    }

    /// What the row is ranked by; `None`: it is not wanted, or lacks a stamp.
    fn time_of(&self, launch: u32, columns: &Columns, row: usize) -> Option<i64> {
        let (end, begin) = match self.wanted {
            Wanted::Event { from, to, receive } => {
                let is_event = columns.at(Field::Kind, row) == Kind::Event as i64;
                let same = columns.at(Field::SrcObject, row) == from
                    && columns.at(Field::DstObject, row) == to
                    && columns.at(Field::VirtualReceive, row) as u64 == receive;
                if !(is_event && same) {
                    return None;
                }
                (Field::TakenNs, Field::ReadyNs)
            }
            Wanted::Named { launch: in_launch, src, seq } => {
                let same = in_launch == launch
                    && columns.at(Field::Src, row) == i64::from(src)
                    && u64::try_from(columns.at(Field::Seq, row)) == Ok(seq);
                return same.then_some(0);
            }
            Wanted::Slowest { by, .. } => match by {
                Stage::EndToEnd => (Field::TakenNs, Field::ReadyNs),
                Stage::SendWait => (Field::SentNs, Field::ReadyNs),
                Stage::Transit => (Field::ArrivedNs, Field::SentNs),
                Stage::ReceiveWait => (Field::TakenNs, Field::ArrivedNs),
            },
        };
        let (end, begin) = (columns.at(end, row), columns.at(begin, row));
        (end != NULL && begin != NULL).then(|| end.saturating_sub(begin))
    }

    fn offer(&mut self, rank: Rank, found: Found) {
        let most = match self.wanted {
            Wanted::Slowest { count, .. } => count.max(1),
            Wanted::Named { .. } | Wanted::Event { .. } => 1,
        };
        if self.found.len() >= most && self.found.last().is_some_and(|(least, _)| rank <= *least) {
            return;
        }
        let at = self.found.partition_point(|(other, _)| *other > rank);
        self.found.insert(at, (rank, found));
        self.found.truncate(most);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use record::Values;

    const SEQ: [i64; 5] = [0, 1, 2, 3, 4];
    const KIND: [i64; 5] = [0, 0, Kind::Gvt as i64, Kind::Execution as i64, 0];
    const TAKEN: [i64; 5] = [10, 30, 99, 1000, NULL];

    fn columns() -> Columns<'static> {
        Columns::new(5)
            .with(Field::Seq, Values::Each(&SEQ))
            .with(Field::Src, Values::Constant(3))
            .with(Field::Kind, Values::Each(&KIND))
            .with(Field::ReadyNs, Values::Constant(0))
            .with(Field::TakenNs, Values::Each(&TAKEN))
    }

    fn rows(wanted: Wanted) -> Vec<usize> {
        rows_of(wanted, Filter::all(), 4)
    }

    fn rows_of(wanted: Wanted, filter: Filter, messages: u64) -> Vec<usize> {
        let mut search = Search::new(wanted, filter);
        search.add(0, 0, &columns());
        assert_eq!(search.messages(), messages);
        search.found().into_iter().map(|found| found.row).collect()
    }

    #[test]
    fn the_slowest_are_those_of_the_messages_chosen() {
        let slowest = |count| Wanted::Slowest { count, by: Stage::EndToEnd };
        assert_eq!(rows(slowest(9)), [2, 1, 0]);
        assert_eq!(rows_of(slowest(9), Filter::default(), 3), [1, 0]);
        assert_eq!(rows_of(Wanted::Named { launch: 0, src: 3, seq: 2 }, Filter::default(), 4), [2]);
        assert_eq!(rows(Wanted::Slowest { count: 1, by: Stage::Transit }), [0; 0]);
    }

    #[test]
    fn a_name_finds_its_message_and_no_work() {
        assert_eq!(rows(Wanted::Named { launch: 0, src: 3, seq: 4 }), [4]);
        assert_eq!(rows(Wanted::Named { launch: 0, src: 3, seq: 3 }), [0; 0]);
        assert_eq!(rows(Wanted::Named { launch: 1, src: 3, seq: 4 }), [0; 0]);
    }

    #[test]
    fn merging_in_any_order_finds_the_same() {
        let wanted = Wanted::Slowest { count: 3, by: Stage::EndToEnd };
        let part = |launch| {
            let mut part = Search::new(wanted, Filter::default());
            part.add(launch, launch as usize, &columns());
            part
        };
        let (mut one, mut other) = (part(0), part(1));
        one.merge(part(1));
        other.merge(part(0));
        assert_eq!(one.found(), other.found());
        assert_eq!(
            one.found().iter().map(|f| (f.launch, f.row)).collect::<Vec<_>>(),
            [(0, 1), (1, 1), (0, 0)]
        );
    }
}
