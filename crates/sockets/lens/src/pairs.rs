//! Messages by who sent them and who took them.

use crate::families::Families;
use crate::unread::Unread;
use record::{Field, NULL};
use stats::{Columns, Tally, own};
use std::collections::BTreeMap;
use std::sync::Arc;

/// More pairs than this are not told apart: those that come first are.
const PAIRS_MAX: usize = 4096;

/// Messages from one node, or family of processes, to another.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Pair {
    pub messages: u64,
    pub bytes: u64,
    /// Time of the stages, and how many messages they are known of: send wait, transit, receive
    /// wait.
    pub stages: [(i64, u64); 3],
    /// The longest of each.
    pub longest: [i64; 3],
    /// What receivers did meanwhile.
    pub unread: Unread,
}

/// The tally of a thread.
#[derive(Debug, Default)]
pub struct Pairs {
    families: Arc<Families>,
    /// By source and destination.
    pub told: BTreeMap<(i64, i64), Pair>,
    /// Messages of all others.
    pub untold: u64,
}

impl Pair {
    fn merge(&mut self, other: &Pair) {
        self.messages += other.messages;
        self.bytes += other.bytes;
        for stage in 0..3 {
            self.stages[stage].0 += other.stages[stage].0;
            self.stages[stage].1 += other.stages[stage].1;
            self.longest[stage] = self.longest[stage].max(other.longest[stage]);
        }
        self.unread.merge(&other.unread);
    }
}

impl Pairs {
    /// With these families told of together.
    pub fn of(families: &Arc<Families>) -> Pairs {
        Pairs { families: Arc::clone(families), ..Pairs::default() }
    }

    fn pair(&mut self, key: (i64, i64)) -> Option<&mut Pair> {
        let has_room = self.told.len() < PAIRS_MAX || self.told.contains_key(&key);
        has_room.then(|| self.told.entry(key).or_default())
    }
}

impl Tally for Pairs {
    fn add_taken(&mut self, messages: &Columns) {
        for row in 0..messages.rows() {
            let get = |field| Some(messages.at(field, row)).filter(|value| *value != NULL);
            let (Some(src), Some(dst)) = (get(Field::Src), get(Field::Dst)) else { continue };
            let key = (self.families.key_of(src), self.families.key_of(dst));
            let Some(pair) = self.pair(key) else {
                self.untold += 1;
                continue;
            };
            pair.messages += 1;
            pair.bytes += get(Field::Bytes).unwrap_or(0) as u64;
            let stamps = [Field::ReadyNs, Field::SentNs, Field::ArrivedNs, Field::TakenNs].map(get);
            if let [.., Some(arrived), Some(taken)] = stamps {
                let [awaited, woken] = [Field::AwaitedNs, Field::WokenNs].map(get);
                pair.unread.add((arrived, taken), awaited, woken);
            }
            for stage in 0..3 {
                if let [Some(from), Some(to)] = [stamps[stage], stamps[stage + 1]] {
                    pair.stages[stage].0 += to - from;
                    pair.stages[stage].1 += 1;
                    pair.longest[stage] = pair.longest[stage].max(to - from);
                }
            }
        }
    }

    fn merge(&mut self, other: Box<dyn Tally>) {
        let other = own::<Pairs>(other);
        self.untold += other.untold;
        for (key, pair) in other.told {
            match self.pair(key) {
                Some(own) => own.merge(&pair),
                None => self.untold += pair.messages,
            }
        }
    }
}
