//! What happened on each node, and when: what the watcher saw, and the node's own work.

use std::collections::{BTreeMap, BTreeSet};

use record::{Cause, Kind, NodeCauses};

use crate::analysis::What;

/// A node of a launch.
pub(super) type Place = (u32, u32);

/// Pieces of work that are kept; when there are more, shorter ones go.
const WORK_MOST: usize = 1 << 18;

/// Work of nodes that the run recorded, the longest pieces of it.
#[derive(Clone, Debug)]
pub(super) struct Work {
    least_ns: i64,
    pieces: Vec<(Place, Kind, (i64, i64))>,
}

/// Everything that could go with a slow message.
pub(super) struct Beside {
    of: BTreeMap<What, BTreeMap<Place, Spans>>,
}

/// One thing on one node.
#[derive(Debug, Default)]
pub(super) struct Spans {
    /// Begin, end and amount, by begin.
    spans: Vec<(i64, i64, i64)>,
    /// The longest of them: how far back one can begin that reaches a moment.
    longest_ns: i64,
    /// Their mean length, ns, and how many there are in a nanosecond of the time looked at.
    mean_ns: f64,
    per_ns: f64,
    /// The time looked at.
    length_ns: i64,
    /// Whether the amount is the time that was lost (the span says only when, about).
    amount_is_time: bool,
    /// Whether the span is exactly the time that was lost.
    exact: bool,
}

/// How a message's time meets a thing.
pub(super) struct Meeting {
    /// Time of it that lies within the message's, or that it may have cost the message, ns; `None` for what is only counted.
    pub covered_ns: Option<i64>,
}

impl Work {
    pub fn new(least_ns: i64) -> Work {
        Work { least_ns, pieces: Vec::new() }
    }

    pub fn add(&mut self, place: Place, kind: Kind, span: (i64, i64)) {
        if span.1.saturating_sub(span.0) >= self.least_ns {
            self.pieces.push((place, kind, span));
            self.thin();
        }
    }

    pub fn merge(&mut self, other: Work) {
        self.least_ns = self.least_ns.max(other.least_ns);
        self.pieces.extend(other.pieces);
        self.keep_long();
        self.thin();
    }

    fn thin(&mut self) {
        while self.pieces.len() > WORK_MOST {
            self.least_ns = (2 * self.least_ns).max(1);
            self.keep_long();
        }
    }

    fn keep_long(&mut self) {
        let least_ns = self.least_ns;
        self.pieces.retain(|(_, _, (from, to))| to.saturating_sub(*from) >= least_ns);
    }
}

impl Beside {
    /// Of a run whose launches lasted from and to these moments.
    pub fn new(causes: &[NodeCauses], work: &Work, launches: &BTreeMap<u32, (i64, i64)>) -> Beside {
        let mut of: BTreeMap<What, BTreeMap<Place, Spans>> = BTreeMap::new();
        for node in causes {
            let place = (node.launch, node.node);
            for span in node.spans.iter().filter(|span| goes_with_messages(span.cause)) {
                let spans = of.entry(What::Cause(span.cause)).or_default().entry(place).or_default();
                spans.spans.push((span.from_ns, span.to_ns, span.amount));
                spans.amount_is_time = span.cause.is_time();
                spans.exact = matches!(span.cause, Cause::Watcher | Cause::Planted);
            }
        }
        for (place, kind, (from, to)) in &work.pieces {
            let spans = of.entry(What::Work(*kind)).or_default().entry(*place).or_default();
            spans.spans.push((*from, *to, 0));
            spans.exact = true;
        }
        for (place, spans) in of.values_mut().flatten() {
            let length = launches.get(&place.0).map_or(0, |(begin, end)| end - begin);
            spans.settle(length);
        }
        Beside { of }
    }

    /// How many different things there are.
    pub fn kinds(&self) -> usize {
        self.of.len()
    }

    /// Each thing, with its spans by node.
    pub fn things(&self) -> impl Iterator<Item = (What, &BTreeMap<Place, Spans>)> {
        self.of.iter().map(|(what, of)| (*what, of))
    }

    /// Nodes on which anything at all was looked for.
    pub fn places(&self) -> BTreeSet<Place> {
        self.of.values().flat_map(BTreeMap::keys).copied().collect()
    }
}

fn goes_with_messages(cause: Cause) -> bool {
    cause != Cause::Watched && !cause.is_before()
}

impl Spans {
    fn settle(&mut self, length_ns: i64) {
        self.length_ns = length_ns;
        self.spans.sort_unstable();
        let lengths = self.spans.iter().map(|(from, to, _)| to - from);
        self.longest_ns = lengths.clone().max().unwrap_or(0);
        self.mean_ns = lengths.map(|length| length as f64).sum::<f64>() / self.spans.len().max(1) as f64;
        self.per_ns = self.spans.len() as f64 / (length_ns.max(1) as f64);
    }

    /// Only those that are long enough to matter: that took at least `ns`, where it is known how long they took.
    pub fn at_least(&self, ns: i64) -> Spans {
        let took = |span: &&(i64, i64, i64)| match (self.exact, self.amount_is_time) {
            (true, _) => span.1 - span.0 >= ns,
            (false, true) => span.2 >= ns,
            (false, false) => true,
        };
        let spans = self.spans.iter().filter(took).copied().collect();
        let mut kept =
            Spans { spans, amount_is_time: self.amount_is_time, exact: self.exact, ..Spans::default() };
        kept.settle(self.length_ns);
        kept
    }

    /// How likely a time of this length, at random, meets one of them.
    pub fn chance(&self, length_ns: i64) -> f64 {
        1.0 - (-self.per_ns * (length_ns as f64 + self.mean_ns)).exp()
    }

    /// Whether one of them meets the time from `from` to `to`.
    pub fn meet(&self, from: i64, to: i64) -> Option<Meeting> {
        let first = self.spans.partition_point(|span| span.0 < from.saturating_sub(self.longest_ns));
        let reaching =
            self.spans[first..].iter().take_while(|span| span.0 <= to).filter(|span| span.1 >= from);
        let (mut met, mut covered) = (false, 0_i64);
        for &(begin, end, amount) in reaching {
            met = true;
            covered += if self.exact { end.min(to) - begin.max(from) } else { amount };
        }
        let timed = self.exact || self.amount_is_time;
        met.then(|| Meeting { covered_ns: timed.then(|| covered.min(to - from)) })
    }
}
