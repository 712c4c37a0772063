//! What there is to choose from: said where a choice leaves nothing.

use std::collections::BTreeMap;

use record::{Field, Kind, NULL};

use crate::columns::Columns;
use crate::columns::kind_of;
use crate::filter::within_node;

/// Values told apart in each column, the smallest of them.
const VALUES_MOST: usize = 64;

/// The values that messages have in the columns that a [`Filter`](crate::Filter) looks at, each
/// with the number of messages.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Census {
    /// By kind, and whether within a node.
    pub kinds: BTreeMap<(Kind, bool), u64>,
    /// By links crossed.
    pub hops: BTreeMap<u64, u64>,
    /// By packets that carried them.
    pub packets: BTreeMap<u64, u64>,
    /// By source and destination; the first 64.
    pub pairs: BTreeMap<(u64, u64), u64>,
    /// Smallest and largest payload.
    pub bytes: Option<(u64, u64)>,
}

impl Census {
    /// Take in what `other` took in.
    pub fn merge(&mut self, other: Census) {
        let Census { kinds, hops, packets, pairs, bytes } = other;
        kinds.into_iter().for_each(|(kind, n)| *self.kinds.entry(kind).or_default() += n);
        hops.into_iter().for_each(|(hops, n)| count(&mut self.hops, hops, n));
        packets.into_iter().for_each(|(packets, n)| count(&mut self.packets, packets, n));
        pairs.into_iter().for_each(|(pair, n)| count(&mut self.pairs, pair, n));
        self.take_size(bytes);
    }

    fn take_size(&mut self, theirs: Option<(u64, u64)>) {
        self.bytes = match (self.bytes, theirs) {
            (Some(mine), Some(theirs)) => Some((mine.0.min(theirs.0), mine.1.max(theirs.1))),
            (mine, theirs) => mine.or(theirs),
        };
    }

    /// Take in a batch with the columns [`FILTER_FIELDS`](crate::FILTER_FIELDS); rows that are no
    /// messages are passed over.
    pub fn add(&mut self, columns: &Columns) {
        for row in 0..columns.rows() {
            let at = |field| Some(columns.at(field, row)).filter(|&value| value != NULL);
            let number = |field| at(field).and_then(|value| u64::try_from(value).ok());
            let kind = kind_of(columns.at(Field::Kind, row));
            if kind.is_interval() {
                continue;
            }
            let (src, dst) = (columns.at(Field::Src, row), columns.at(Field::Dst, row));
            *self.kinds.entry((kind, within_node(src, dst))).or_default() += 1;
            number(Field::Hops).iter().for_each(|&hops| count(&mut self.hops, hops, 1));
            number(Field::Packets).iter().for_each(|&n| count(&mut self.packets, n, 1));
            let pair = number(Field::Src).zip(number(Field::Dst));
            pair.iter().for_each(|&pair| count(&mut self.pairs, pair, 1));
            self.take_size(number(Field::Bytes).map(|bytes| (bytes, bytes)));
        }
    }
}

fn count<K: Ord>(counts: &mut BTreeMap<K, u64>, key: K, messages: u64) {
    *counts.entry(key).or_default() += messages;
    if counts.len() > VALUES_MOST {
        counts.pop_last();
    }
}
