//! Where the time between requests and answers went, by who asked whom.

use crate::asking::Asking;
use crate::families::Families;
use crate::stretches::{SERVICE, STRETCHES_AND_ELSEWHERE, known};
use record::{NULL, RecordError};
use stats::GroupDistribution;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use streams::SocketsFacts;
use streams::exchanges::{self, Exchange, STRETCHES};

/// Pairs that are told apart: those that come first.
const PAIRS_MAX: usize = 1024;
/// Exchanges that are shown one by one.
const SLOWEST: usize = 5;

/// The exchanges of a run.
#[derive(Default)]
pub struct Exchanges {
    /// By who asked and who answered: nodes, or families of processes.
    pub pairs: BTreeMap<(i64, i64), Ways>,
    /// Those of all others.
    pub untold: u64,
    /// The slowest of which both ends are known, slowest first.
    pub slowest: Vec<Slow>,
}

/// A slow exchange.
#[derive(Clone, Copy)]
pub struct Slow {
    pub exchange: Exchange,
    /// The other exchange on which the answerer spent most of the request's receive wait, and how
    /// much of it, ns.
    pub instead: Option<(Exchange, i64)>,
}

impl Slow {
    fn compare(&mut self, other: &Exchange) {
        let request = &self.exchange.request;
        if other.answer.src != self.exchange.answer.src || *other == self.exchange {
            return;
        }
        let ns = other.service_within((request.arrived_ns, request.taken_ns));
        if ns > self.instead.map_or(0, |(_, most)| most) {
            self.instead = Some((*other, ns));
        }
    }
}

/// Exchanges of which one process asked, and one answered.
#[derive(Default)]
pub struct Ways {
    pub count: u64,
    /// Of those with both ends known: from request ready to answer taken.
    pub whole: GroupDistribution,
    /// Each stretch where it is known: see [`known`].
    pub stretches: [GroupDistribution; STRETCHES_AND_ELSEWHERE],
    /// Of the services, how long the answerer had asked another itself and had no answer yet.
    pub asking: GroupDistribution,
    /// Exchanges in which the moment of an arrival is an estimate within its interval.
    pub estimated: u64,
}

impl Exchanges {
    /// Of the run at `run`.
    ///
    /// # Errors
    /// When a table is damaged.
    pub fn read(
        run: &Path,
        facts: &SocketsFacts,
        families: &Families,
    ) -> Result<Exchanges, RecordError> {
        let mut found = Exchanges::default();
        let nodes = facts.processes.iter().map(|process| process.node).chain(facts.outside);
        let answerers: BTreeSet<u32> =
            nodes.filter(|node| exchanges::has_answered(run, *node)).collect();
        let mut asked: BTreeMap<i64, Vec<(i64, i64)>> = BTreeMap::new();
        for answerer in &answerers {
            exchanges::each(run, *answerer, |one| {
                found.add(one, pair(families, one));
                let asker = u32::try_from(one.request.src);
                // Who asks itself, from one thread to another, waits for no other.
                let is_another = one.request.src != one.answer.src;
                let has_answered = asker.is_ok_and(|asker| answerers.contains(&asker));
                if is_another && has_answered && one.whole().is_some() {
                    let stretch = (one.request.ready_ns, one.answer.taken_ns);
                    asked.entry(one.request.src).or_default().push(stretch);
                }
            })?;
        }
        let asking: BTreeMap<i64, Asking> =
            asked.into_iter().map(|(node, stretches)| (node, Asking::of(stretches))).collect();
        for answerer in &answerers {
            exchanges::each(run, *answerer, |one| {
                found.add_meanwhile(one, pair(families, one), &asking);
            })?;
        }
        Ok(found)
    }

    fn add(&mut self, exchange: &Exchange, key: (i64, i64)) {
        if self.pairs.len() < PAIRS_MAX || self.pairs.contains_key(&key) {
            self.pairs.entry(key).or_default().add(exchange);
        } else {
            self.untold += 1;
        }
        self.keep_slow(exchange);
    }

    /// What an answerer did while it had a request: for the others that lay unread meanwhile, and
    /// what it asked itself. `asking` is of each that asked and answered.
    fn add_meanwhile(
        &mut self,
        exchange: &Exchange,
        key: (i64, i64),
        asking: &BTreeMap<i64, Asking>,
    ) {
        self.slowest.iter_mut().for_each(|slow| slow.compare(exchange));
        let Some(asking) = asking.get(&exchange.answer.src) else { return };
        let service = (exchange.request.taken_ns, exchange.answer.ready_ns);
        if let Some(ways) = self.pairs.get_mut(&key)
            && exchange.stretches()[SERVICE].is_some()
        {
            ways.asking.add(asking.within(service));
        }
    }

    fn keep_slow(&mut self, exchange: &Exchange) {
        let Some(whole) = exchange.whole() else { return };
        let is_slower = |other: &Slow| other.exchange.whole() >= Some(whole);
        let place = self.slowest.partition_point(is_slower);
        if place < SLOWEST {
            self.slowest.insert(place, Slow { exchange: *exchange, instead: None });
            self.slowest.truncate(SLOWEST);
        }
    }
}

impl Ways {
    fn add(&mut self, exchange: &Exchange) {
        self.count += 1;
        let errors = [exchange.request.arrived_error_ns, exchange.answer.arrived_error_ns];
        self.estimated += u64::from(errors.iter().any(|error| *error != NULL));
        if let Some(whole) = exchange.whole() {
            self.whole.add(whole);
        }
        for (all, one) in self.stretches.iter_mut().zip(known(exchange)) {
            one.into_iter().for_each(|ns| all.add(ns));
        }
    }

    /// The part of the time of all in which the answerer had asked another itself.
    pub fn asking_share(&self) -> Option<f64> {
        let whole = self.whole.moments().sum;
        (whole > 0).then(|| self.asking.moments().sum as f64 / whole as f64)
    }

    /// The parts of the time of all, where both ends are known.
    pub fn shares(&self) -> Option<[f64; STRETCHES]> {
        shares(&sums(self), self.whole.moments().sum)
    }
}

/// Who asked, and who answered.
fn pair(families: &Families, exchange: &Exchange) -> (i64, i64) {
    (families.key_of(exchange.request.src), families.key_of(exchange.answer.src))
}

/// The sum of each stretch, ns.
pub fn sums(ways: &Ways) -> [i128; STRETCHES] {
    std::array::from_fn(|at| ways.stretches[at].moments().sum)
}

/// Parts of a whole that they make up; `None` where they do not.
pub fn shares(sums: &[i128; STRETCHES], whole: i128) -> Option<[f64; STRETCHES]> {
    (whole > 0 && sums.iter().sum::<i128>() == whole)
        .then(|| sums.map(|sum| sum as f64 / whole as f64))
}
