//! What passes from requests to their answers.

use super::case::{Case, Served};
use predict::Stamps;
use sockets_lens::Asked;
use std::collections::{BTreeMap, HashMap};

const PS_PER_NS: u64 = 1000;

/// Who asked whom, and what that took, ns, the least first.
pub struct Latency {
    pub asker: u16,
    pub answerer: u16,
    pub ns: Vec<u64>,
}

/// What requests and answers take while a program is played.
pub struct Latencies<'a> {
    asked: &'a [Asked],
    /// By the message that ends a request, or an answer: when it was ready, or taken, ps.
    ready: HashMap<u32, u64>,
    taken: HashMap<u32, u64>,
}

impl<'a> Latencies<'a> {
    pub fn of(case: &'a Case) -> Latencies<'a> {
        let asked = case.served().map_or(&[][..], |served| &served.asked);
        let requests = asked.iter().map(|one| (one.request, 0)).collect();
        let answers = asked.iter().map(|one| (one.answer, 0)).collect();
        Latencies { asked, ready: requests, taken: answers }
    }

    /// A message was taken.
    pub fn took(&mut self, message: u32, at: Stamps) {
        if let Some(ready) = self.ready.get_mut(&message) {
            *ready = at.ready;
        }
        if let Some(taken) = self.taken.get_mut(&message) {
            *taken = at.taken;
        }
    }

    /// Of all that asked and answered.
    pub fn all(self) -> Vec<Latency> {
        let took = |one: &Asked| {
            let (ready, taken) = (self.ready[&one.request], self.taken[&one.answer]);
            taken.saturating_sub(ready) / PS_PER_NS + one.writing_ns
        };
        by_pair(self.asked, took)
    }
}

/// What was recorded.
pub fn recorded(served: &Served) -> Vec<Latency> {
    by_pair(&served.asked, |one| one.recorded_ns)
}

fn by_pair(asked: &[Asked], took: impl Fn(&Asked) -> u64) -> Vec<Latency> {
    let mut pairs: BTreeMap<(u16, u16), Vec<u64>> = BTreeMap::new();
    for one in asked {
        pairs.entry((one.asker, one.answerer)).or_default().push(took(one));
    }
    let sorted = |((asker, answerer), mut ns): ((u16, u16), Vec<u64>)| {
        ns.sort_unstable();
        Latency { asker, answerer, ns }
    };
    pairs.into_iter().map(sorted).collect()
}

/// A quantile of sorted values.
pub fn quantile(sorted: &[u64], p: f64) -> Option<u64> {
    let rank = (p * sorted.len() as f64).ceil() as usize;
    sorted.get(rank.clamp(1, sorted.len().max(1)) - 1).copied()
}
