//! What was sampled beside a message, thing by thing.

use super::fact::{Beside, Fact};

/// A thing that took less than this part of a time is not told of it.
const TOLD: f64 = 0.1;
/// A thing that took less than this part of the message's life has no lane.
const SHOWN: f64 = 0.02;

/// One thing, and when it was sampled.
struct Thing<'a> {
    what: &'a str,
    spans: Vec<&'a Beside>,
}

/// The things that took a good part of a time, those that took most of it first.
pub(super) fn told(beside: &[Beside], time: (i64, i64)) -> Vec<Fact> {
    let of_ns = time.1.saturating_sub(time.0);
    let taken = |thing: Thing<'_>| (thing.what.to_owned(), thing.took_of(time));
    let mut told: Vec<(String, i64)> = things(beside).into_iter().map(taken).collect();
    told.retain(|(_, ns)| *ns > 0 && *ns as f64 >= TOLD * of_ns as f64);
    told.sort_by_key(|(_, ns)| -ns);
    told.into_iter().map(|(what, ns)| Fact::Beside { what, ns, of_ns }).collect()
}

/// What took more than a moment of the message's life, and when.
pub(super) fn shown(beside: &[Beside], life: (i64, i64)) -> Vec<(String, Vec<(i64, i64)>)> {
    let long = SHOWN * life.1.saturating_sub(life.0) as f64;
    let things = things(beside).into_iter().filter(|thing| thing.took_of(life) as f64 >= long);
    things.map(|thing| (thing.what.to_owned(), thing.within(life))).collect()
}

fn things(beside: &[Beside]) -> Vec<Thing<'_>> {
    let mut things: Vec<Thing<'_>> = Vec::new();
    for span in beside {
        match things.iter_mut().find(|thing| thing.what == span.what) {
            Some(thing) => thing.spans.push(span),
            None => things.push(Thing { what: &span.what, spans: vec![span] }),
        }
    }
    things
}

impl Thing<'_> {
    /// How much of a time it took, as far as its samples tell.
    fn took_of(&self, (from, to): (i64, i64)) -> i64 {
        let common = |span: &Beside| span.to_ns.min(to).saturating_sub(span.from_ns.max(from)).max(0);
        let took = |span: &&Beside| {
            let common = common(span);
            span.amount_ns.map_or(common, |amount| amount.min(common))
        };
        self.spans.iter().map(took).sum()
    }

    /// When it was, within a time.
    fn within(&self, (from, to): (i64, i64)) -> Vec<(i64, i64)> {
        let clip = |span: &&Beside| {
            let (begin, end) = (span.from_ns.max(from), span.to_ns.min(to));
            (begin <= end).then_some((begin, end))
        };
        let mut spans: Vec<(i64, i64)> = self.spans.iter().filter_map(clip).collect();
        spans.sort_unstable();
        spans
    }
}
