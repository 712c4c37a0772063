//! What happened on each node, and when: what the watcher saw, and the node's own work.

use std::collections::{BTreeMap, BTreeSet};

use record::{Cause, CauseSpan, Kind, NodeCauses};

use crate::account::{Timed, place};
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
    /// By their earliest begins.
    spans: Vec<Timed>,
    /// The longest of them: how far back one can begin that reaches a moment.
    longest_ns: i64,
    /// Their mean length, ns, and how many there are in a nanosecond of the time looked at.
    mean_ns: f64,
    per_ns: f64,
    /// The time looked at.
    length_ns: i64,
    /// Whether it is known how long they took: their amounts.
    timed: bool,
}

/// How a message's time meets a thing.
pub(super) struct Meeting {
    /// Time of it that lies within the message's, or that it may have cost the message, ns; `None`
    /// for what is only counted.
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

    /// Shorter pieces are not kept.
    pub fn least_ns(&self) -> i64 {
        self.least_ns
    }

    /// What was kept, in no order.
    pub fn into_pieces(self) -> Vec<(Place, Kind, (i64, i64))> {
        self.pieces
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
                let spans =
                    of.entry(What::Cause(span.cause)).or_default().entry(place).or_default();
                spans.timed = span.cause.is_time();
                spans.spans.push(if spans.timed { Timed::of(span) } else { counted(span) });
            }
        }
        for (place, kind, (from, to)) in work.pieces.iter().copied() {
            let spans = of.entry(What::Work(kind)).or_default().entry(place).or_default();
            spans.timed = true;
            spans.spans.push(Timed { begin: from, from, to, amount: to.saturating_sub(from) });
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
    !cause.is_background() && !cause.is_before()
}

/// Of what is only counted the span is all that is known.
fn counted(span: &CauseSpan) -> Timed {
    Timed { begin: span.from_ns, from: span.from_ns, to: span.to_ns, amount: 0 }
}

impl Spans {
    fn settle(&mut self, length_ns: i64) {
        self.length_ns = length_ns;
        self.spans.sort_unstable();
        let lengths = self.spans.iter().map(|span| span.to.saturating_sub(span.begin));
        self.longest_ns = lengths.clone().max().unwrap_or(0);
        self.mean_ns =
            lengths.map(|length| length as f64).sum::<f64>() / self.spans.len().max(1) as f64;
        self.per_ns = self.spans.len() as f64 / (length_ns.max(1) as f64);
    }

    /// Only those that are long enough to matter: that took at least `ns`, where it is known how
    /// long they took.
    pub fn at_least(&self, ns: i64) -> Spans {
        let spans =
            self.spans.iter().filter(|span| !self.timed || span.amount >= ns).copied().collect();
        let mut kept = Spans { spans, timed: self.timed, ..Spans::default() };
        kept.settle(self.length_ns);
        kept
    }

    /// How likely a time of this length, at random, meets one of them.
    pub fn chance(&self, length_ns: i64) -> f64 {
        1.0 - (-self.per_ns * (length_ns as f64 + self.mean_ns)).exp()
    }

    /// Whether one of them meets the time from `from` to `to`.
    pub fn meet(&self, from: i64, to: i64) -> Option<Meeting> {
        let first =
            self.spans.partition_point(|span| span.begin < from.saturating_sub(self.longest_ns));
        let near = self.spans[first..].iter().take_while(|span| span.begin <= to);
        let reaching: Vec<Timed> =
            near.filter(|span| span.to >= from && span.from <= to).copied().collect();
        if reaching.is_empty() {
            return None;
        }
        let covered = || place(reaching, (from, to)).iter().map(|(from, to)| to - from).sum();
        Some(Meeting { covered_ns: self.timed.then(covered) })
    }
}
