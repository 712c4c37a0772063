//! Entries beside calls: what a rank says of its communicators, of places in the program, of its
//! clock and of itself. Each is encoded and decoded here alone.

use super::{flags_of, head, kinds, site_flags};
use clock::{Exchange, Ticks};
use mpi_facts::RankFacts;

/// A communicator as a rank registered it: world ranks in the order of the group, all ones for a
/// process outside the world.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LocalGroup {
    /// Its number on this rank.
    pub id: u32,
    /// That of the communicator which it was made from.
    pub parent: u32,
    /// The ranks of the own group.
    pub local: Vec<u32>,
    /// Between groups those of the other one, else none.
    pub remote: Vec<u32>,
}

/// From whom a rank gets something in the collectives of neighbours of a communicator.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Neighbours {
    /// The communicator's number on this rank.
    pub id: u32,
    /// Ranks in it.
    pub sources: Vec<u32>,
}

/// Ranks that a rank has opened an epoch of a window for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WindowGroup {
    /// Its number on this rank, from 1 on.
    pub id: u32,
    /// World ranks; all ones for a process outside the world.
    pub ranks: Vec<u32>,
}

/// A place in the program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Site {
    /// Its number on this rank.
    pub id: u32,
    /// Where it is.
    pub location: Location,
}

/// Where a place is.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Location {
    /// In machine code.
    Code {
        /// The path of its file.
        object: String,
        /// Of the return address in that.
        offset: u64,
    },
    /// In source that an interpreter runs.
    Line {
        /// The source file, as the interpreter names it.
        file: String,
        /// The line.
        line: u32,
        /// The function that it is in.
        function: String,
    },
}

impl LocalGroup {
    /// Its entry.
    pub fn encode(&self) -> Vec<u64> {
        let members: Vec<u32> = self.local.iter().chain(&self.remote).copied().collect();
        let ranks = members.chunks(2).map(|two| halves(two[0], *two.get(1).unwrap_or(&0)));
        let sizes = halves(self.local.len() as u32, self.remote.len() as u32);
        entry(kinds::COMMUNICATOR, [halves(self.id, self.parent), sizes].into_iter().chain(ranks))
    }

    /// The group in a sound entry.
    pub fn decode(words: &[u64]) -> LocalGroup {
        let ((id, parent), (local, remote)) = (half(words[1]), half(words[2]));
        let (local, remote) = (local as usize, remote as usize);
        let member = |at: usize| (words[3 + at / 2] >> (at % 2 * 32)) as u32;
        LocalGroup {
            id,
            parent,
            local: (0..local).map(member).collect(),
            remote: (local..local + remote).map(member).collect(),
        }
    }
}

impl Neighbours {
    /// Their entry.
    pub fn encode(&self) -> Vec<u64> {
        numbered(kinds::NEIGHBOURS, self.id, &self.sources)
    }

    /// The neighbours in a sound entry.
    pub fn decode(words: &[u64]) -> Neighbours {
        let (id, sources) = of_numbered(words);
        Neighbours { id, sources }
    }
}

impl WindowGroup {
    /// Its entry.
    pub fn encode(&self) -> Vec<u64> {
        numbered(kinds::WINDOW_GROUP, self.id, &self.ranks)
    }

    /// The group in a sound entry.
    pub fn decode(words: &[u64]) -> WindowGroup {
        let (id, ranks) = of_numbered(words);
        WindowGroup { id, ranks }
    }
}

impl Site {
    /// The entry of a place in machine code; a path need not be text.
    pub fn encode(id: u32, offset: u64, object: &[u8]) -> Vec<u64> {
        let fixed = [halves(id, object.len() as u32), offset];
        entry(kinds::SITE, fixed.into_iter().chain(padded(object)))
    }

    /// The entry of a line of source; nothing of it need be text.
    pub fn encode_line(id: u32, line: u32, file: &[u8], function: &[u8]) -> Vec<u64> {
        let names = [file, function].join(&0);
        let mut words = Site::encode(id, line.into(), &names);
        words[0] = head(kinds::SITE, 0, 0, words.len() as u16, site_flags::LINE);
        words
    }

    /// The place in a sound entry.
    pub fn decode(words: &[u64]) -> Site {
        let (id, length) = half(words[1]);
        let path = bytes(&words[3..], length as usize);
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        let location = match flags_of(words[0]) & site_flags::LINE {
            0 => Location::Code { object: text(&path), offset: words[2] },
            _ => {
                let end = path.iter().position(|byte| *byte == 0).unwrap_or(path.len());
                let function = text(path.get(end + 1..).unwrap_or_default());
                Location::Line { file: text(&path[..end]), line: words[2] as u32, function }
            }
        };
        Site { id, location }
    }
}

/// What a rank says of itself as an entry.
pub fn encode_facts(facts: &RankFacts) -> Vec<u64> {
    let text = serde_json::to_vec(facts).expect("plain data is JSON");
    entry(kinds::FACTS, [text.len() as u64].into_iter().chain(padded(&text)))
}

/// What it said; `None` if the words, which are those of a sound entry, are no such thing.
pub fn decode_facts(words: &[u64]) -> Option<RankFacts> {
    serde_json::from_slice(&bytes(&words[2..], words[1] as usize)).ok()
}

/// A clock exchange that a rank began with rank `other`, as an entry.
pub fn encode_exchange(other: u32, exchange: &Exchange) -> Vec<u64> {
    let Exchange { local_sent, remote_received, remote_sent, local_received } = *exchange;
    let ticks = [local_sent, remote_received, remote_sent, local_received].map(|ticks| ticks.0);
    entry(kinds::EXCHANGE, [u64::from(other)].into_iter().chain(ticks))
}

/// The exchange in a sound entry, and with whom it was.
pub fn decode_exchange(words: &[u64]) -> (u32, Exchange) {
    let exchange = Exchange {
        local_sent: Ticks(words[2]),
        remote_received: Ticks(words[3]),
        remote_sent: Ticks(words[4]),
        local_received: Ticks(words[5]),
    };
    (words[1] as u32, exchange)
}

/// Whether an entry that is no call has the length that it says.
pub fn is_sound(words: &[u64]) -> bool {
    let Some(&first) = words.first() else { return false };
    let (kind, length) = super::kind_and_words(first);
    if length != words.len() {
        return false;
    }
    match (kind, length) {
        (kinds::COMMUNICATOR, 3..) => {
            let (local, remote) = half(words[2]);
            length == 3 + (local as usize + remote as usize).div_ceil(2)
        }
        (kinds::SITE, 3..) => length == 3 + (half(words[1]).1 as usize).div_ceil(8),
        (kinds::FACTS, 2..) => words[1] <= 1 << 20 && length == 2 + (words[1] as usize).div_ceil(8),
        (kinds::EXCHANGE, 6) => true,
        (kinds::NEIGHBOURS | kinds::WINDOW_GROUP, 2..) => {
            length == 2 + (half(words[1]).1 as usize).div_ceil(2)
        }
        _ => false,
    }
}

fn entry(kind: u8, words: impl Iterator<Item = u64>) -> Vec<u64> {
    let mut entry = vec![0];
    entry.extend(words);
    entry[0] = head(kind, 0, 0, entry.len() as u16, 0);
    entry
}

/// Ranks under a number.
fn numbered(kind: u8, id: u32, ranks: &[u32]) -> Vec<u64> {
    let words = ranks.chunks(2).map(|two| halves(two[0], *two.get(1).unwrap_or(&0)));
    entry(kind, [halves(id, ranks.len() as u32)].into_iter().chain(words))
}

fn of_numbered(words: &[u64]) -> (u32, Vec<u32>) {
    let (id, count) = half(words[1]);
    let rank = |at: usize| (words[2 + at / 2] >> (at % 2 * 32)) as u32;
    (id, (0..count as usize).map(rank).collect())
}

fn halves(low: u32, high: u32) -> u64 {
    u64::from(low) | u64::from(high) << 32
}

fn half(word: u64) -> (u32, u32) {
    (word as u32, (word >> 32) as u32)
}

/// Bytes as words, padded with zeros.
fn padded(bytes: &[u8]) -> impl Iterator<Item = u64> + '_ {
    bytes.chunks(8).map(|bytes| {
        let mut word = [0; 8];
        word[..bytes.len()].copy_from_slice(bytes);
        u64::from_le_bytes(word)
    })
}

fn bytes(words: &[u64], length: usize) -> Vec<u8> {
    let mut bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
    bytes.truncate(length);
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn what_is_registered_comes_back(
            id: u32, parent: u32, offset: u64, object in ".{0,40}",
            local in prop::collection::vec(any::<u32>(), 0..9),
            remote in prop::collection::vec(any::<u32>(), 0..9),
            group_ranks in prop::collection::vec(any::<u32>(), 0..9),
        ) {
            let group = LocalGroup { id, parent, local, remote };
            let words = group.encode();
            prop_assert!(is_sound(&words) && !is_sound(&words[..words.len() - 1]));
            prop_assert_eq!(LocalGroup::decode(&words), group);
            let group = WindowGroup { id, ranks: group_ranks };
            let words = group.encode();
            prop_assert!(is_sound(&words) && !is_sound(&words[..words.len() - 1]));
            prop_assert_eq!(WindowGroup::decode(&words), group);
            let words = Site::encode(id, offset, object.as_bytes());
            prop_assert!(is_sound(&words) && !is_sound(&words[..words.len() - 1]));
            let location = Location::Code { object, offset };
            prop_assert_eq!(Site::decode(&words), Site { id, location });
        }

        #[test]
        fn a_line_of_source_comes_back(
            id: u32, line: u32, file in "[^\0]{0,40}", function in "[^\0]{0,20}",
        ) {
            let words = Site::encode_line(id, line, file.as_bytes(), function.as_bytes());
            prop_assert!(is_sound(&words) && !is_sound(&words[..words.len() - 1]));
            let location = Location::Line { file, line, function };
            prop_assert_eq!(Site::decode(&words), Site { id, location });
        }
    }

    #[test]
    fn a_line_without_a_function_is_read_all_the_same() {
        let mut words = Site::encode(3, 41, b"heat.py");
        words[0] |= u64::from(site_flags::LINE) << 48;
        let (file, function) = ("heat.py".to_owned(), String::new());
        assert_eq!(Site::decode(&words).location, Location::Line { file, line: 41, function });
    }

    #[test]
    fn facts_and_exchanges_come_back() {
        let facts = RankFacts { size: 3, ..RankFacts::default() };
        let words = encode_facts(&facts);
        assert!(is_sound(&words));
        assert_eq!(decode_facts(&words), Some(facts));
        let [local_sent, remote_received, remote_sent, local_received] = [1, 2, 3, 4].map(Ticks);
        let exchange = Exchange { local_sent, remote_received, remote_sent, local_received };
        let words = encode_exchange(7, &exchange);
        assert!(is_sound(&words) && words.len() == 6);
        assert_eq!(decode_exchange(&words).0, 7);
        assert_eq!(encode_exchange(7, &decode_exchange(&words).1), words);
    }
}
