//! Where the time between requests and answers went, by who asked whom.

use crate::asking::Asking;
use crate::stretches::SERVICE;
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
    /// By who asked and who answered.
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
    /// Each stretch where it is known.
    pub stretches: [GroupDistribution; STRETCHES],
    /// From when the request was sent to when the answer arrived, where nothing between the two is
    /// known.
    pub elsewhere: GroupDistribution,
    /// Of the services, how long the answerer waited for an answer itself.
    pub asking: GroupDistribution,
    /// Exchanges in which the moment of an arrival is an estimate within its interval.
    pub estimated: u64,
}

impl Exchanges {
    /// Of the run at `run`.
    ///
    /// # Errors
    /// When a table is damaged.
    pub fn read(run: &Path, facts: &SocketsFacts) -> Result<Exchanges, RecordError> {
        let mut found = Exchanges::default();
        let nodes = facts.processes.iter().map(|process| process.node).chain(facts.outside);
        for node in nodes.clone() {
            exchanges::each(run, node, |exchange| found.add(exchange))?;
        }
        found.add_asking(run)?;
        let slowest = &mut found.slowest;
        let is_answerer =
            |node: &u32| slowest.iter().any(|slow| slow.exchange.answer.src == i64::from(*node));
        let answerers: Vec<u32> = nodes.filter(is_answerer).collect();
        for node in answerers {
            exchanges::each(run, node, |other| {
                slowest.iter_mut().for_each(|slow| slow.compare(other));
            })?;
        }
        Ok(found)
    }

    fn add(&mut self, exchange: &Exchange) {
        let key = (exchange.request.src, exchange.answer.src);
        if self.pairs.len() < PAIRS_MAX || self.pairs.contains_key(&key) {
            self.pairs.entry(key).or_default().add(exchange);
        } else {
            self.untold += 1;
        }
        self.keep_slow(exchange);
    }

    /// Find out what answerers asked while they had a request.
    fn add_asking(&mut self, run: &Path) -> Result<(), RecordError> {
        let answerers: BTreeSet<i64> = self.pairs.keys().map(|(_, answerer)| *answerer).collect();
        let asked = |node: &i64| self.pairs.keys().any(|(asker, _)| asker == node);
        let both: Vec<i64> = answerers.iter().copied().filter(asked).collect();
        let read = |node: i64, take: &mut dyn FnMut(&Exchange)| match u32::try_from(node) {
            Ok(node) => exchanges::each(run, node, take),
            Err(_) => Ok(()),
        };
        for node in both {
            let mut stretches = Vec::new();
            for answerer in &answerers {
                read(*answerer, &mut |one| {
                    let stretch = (one.request.ready_ns, one.answer.taken_ns);
                    if one.request.src == node && one.whole().is_some() {
                        stretches.push(stretch);
                    }
                })?;
            }
            let asking = Asking::of(stretches);
            read(node, &mut |one| {
                let ways = self.pairs.get_mut(&(one.request.src, node));
                let service = (one.request.taken_ns, one.answer.ready_ns);
                if let (Some(ways), Some(_)) = (ways, one.stretches()[SERVICE]) {
                    ways.asking.add(asking.within(service));
                }
            })?;
        }
        Ok(())
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
        let (request, answer) = (&exchange.request, &exchange.answer);
        let stamps = [request.sent_ns, answer.arrived_ns];
        if request.taken_ns == NULL && stamps.iter().all(|at| *at != NULL) {
            self.elsewhere.add(answer.arrived_ns - request.sent_ns);
        }
        if let Some(whole) = exchange.whole() {
            self.whole.add(whole);
        }
        for (all, one) in self.stretches.iter_mut().zip(exchange.stretches()) {
            one.into_iter().for_each(|ns| all.add(ns));
        }
    }

    /// The part of the time of all in which the answerer waited for an answer itself.
    pub fn asking_share(&self) -> Option<f64> {
        let whole = self.whole.moments().sum;
        (whole > 0).then(|| self.asking.moments().sum as f64 / whole as f64)
    }

    /// The parts of the time of all, where both ends are known.
    pub fn shares(&self) -> Option<[f64; STRETCHES]> {
        shares(&sums(self), self.whole.moments().sum)
    }
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
