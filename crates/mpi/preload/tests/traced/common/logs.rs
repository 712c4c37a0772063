//! Reading the logs of a run, finished or not.

use calls::entry::{self, CALL_WORDS, Call, Completion, Known, flags, kinds};
use calls::list::NAMES;
use mpi_facts::RankFacts;
use std::path::Path;

/// What one rank has left.
pub struct Log {
    pub calls: Vec<(Call, Vec<Completion>)>,
    pub communicators: usize,
    pub exchanges: usize,
    pub facts: RankFacts,
    /// The call in which it ended.
    pub pending: Option<Call>,
    ns_per_tick: f64,
}

impl Log {
    /// The log of `rank`.
    pub fn of(run: &Path, rank: u32) -> Log {
        let stem = run.join("live").join(format!("launch-0-node-{rank}"));
        let words = |ending: &str| -> Vec<u64> {
            let bytes = std::fs::read(stem.with_extension(ending)).unwrap_or_default();
            bytes.chunks_exact(8).map(|word| u64::from_le_bytes(word.try_into().unwrap())).collect()
        };
        let (log, tail) = (words("calls"), words("tail"));
        let mut entries = log[8..].to_vec();
        let mut behind: &[u64] = &[];
        if !tail.is_empty() {
            entries.truncate(tail[2] as usize);
            let used = 8 + tail[3] as usize;
            entries.extend(&tail[8..used]);
            behind = &tail[used..];
        }
        let mut log = Log {
            calls: Vec::new(),
            communicators: 0,
            exchanges: 0,
            facts: RankFacts::default(),
            pending: None,
            ns_per_tick: sheet(&stem.with_extension("json")).quality.ns_per_tick,
        };
        let known = log.read(&entries);
        log.pending = pending_of(behind, &known);
        log
    }

    /// Nanoseconds in so many ticks.
    pub fn ns(&self, ticks: u64) -> f64 {
        ticks as f64 * self.ns_per_tick
    }

    /// What may come again behind them.
    fn read(&mut self, entries: &[u64]) -> Known {
        let (mut at, mut known) = (0, Known::default());
        while at < entries.len() {
            let (kind, length) = entry::kind_and_words(entries[at]);
            let words = &entries[at..at + length];
            match kind {
                kinds::CALL => {
                    let (call, rest) = entry::decode(words).expect("a whole call");
                    self.calls.push((call, entry::completions(rest).collect()));
                    known.ended(call.exit);
                    let (mut fixed, said) = ([0; CALL_WORDS], words.len() - rest.len());
                    fixed[..said].copy_from_slice(&words[..said]);
                    let done = rest.chunks_exact(3).map(|one| [one[0], one[1], one[2]]);
                    known.remember(&fixed, done);
                }
                kinds::AGAIN | kinds::NEXT => {
                    let mut whole = Vec::new();
                    assert!(known.whole(words, &mut whole), "one like it came before");
                    known.came(words[0], whole[2]);
                    let (call, rest) = entry::decode(&whole).expect("a whole call");
                    self.calls.push((call, entry::completions(rest).collect()));
                }
                kinds::PIECE => assert!(known.begin_piece(words)),
                kinds::COMMUNICATOR => self.communicators += 1,
                kinds::EXCHANGE => self.exchanges += 1,
                kinds::FACTS => {
                    self.facts = entry::decode_facts(words).expect("facts are JSON");
                }
                kinds::SITE | kinds::NEIGHBOURS | kinds::WINDOW_GROUP => {}
                other => panic!("an entry of kind {other}"),
            }
            at += length;
        }
        known
    }

    /// Calls of one function; the other messages of a call do not count.
    pub fn count(&self, name: &str) -> usize {
        self.named(name).filter(|(call, _)| call.flags & flags::CONTINUED == 0).count()
    }

    pub fn named(&self, name: &str) -> impl Iterator<Item = &(Call, Vec<Completion>)> {
        let operation = NAMES.iter().position(|one| *one == name).expect("in the list");
        self.calls.iter().filter(move |(call, _)| usize::from(call.operation) == operation)
    }

    pub fn with(&self, flag: u16) -> usize {
        self.calls.iter().filter(|(call, _)| call.flags & flag != 0).count()
    }

    pub fn completions(&self) -> impl Iterator<Item = &Completion> {
        self.calls.iter().flat_map(|(_, done)| done)
    }

    pub fn requests_begun(&self) -> Vec<u32> {
        let begins =
            |call: &&Call| call.request != 0 && call.flags & (flags::SENDS | flags::RECEIVES) != 0;
        self.calls.iter().map(|(call, _)| call).filter(begins).map(|call| call.request).collect()
    }
}

fn sheet(path: &Path) -> record::NodeSheet {
    record::NodeSheet::parse(&std::fs::read(path).unwrap(), path).unwrap()
}

fn pending_of(words: &[u64], known: &Known) -> Option<Call> {
    let (kind, length) = entry::kind_and_words(*words.first()?);
    let words = &words[..length];
    let mut whole = words.to_vec();
    match kind {
        kinds::CALL => {}
        kinds::AGAIN => assert!(known.whole(words, &mut whole), "one like it came before"),
        _ => return None,
    }
    Some(entry::decode(&whole).expect("a whole call").0).filter(|call| call.exit == 0)
}
