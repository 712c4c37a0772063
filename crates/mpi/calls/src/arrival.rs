//! When a message had arrived, and how well that is known.
//!
//! No MPI library tells. What is known is an interval that gets narrower with every fact, and the
//! stamp is a point in it with the distance to its farther end as its error. Where nobody saw it,
//! the point is the likeliest, sent + the usual transit of that size and protocol, as far as the
//! facts allow: half of a long bracket would be time that nothing speaks for.
//!
//! 1. **Facts.** It had not arrived before it was sent, nor before the last poll that did not find
//!    it began, nor, if the send was a rendezvous, before the receive was posted. It had arrived
//!    when the call that found it (a probe, or the one that took it) returned.
//! 2. **Observed.** If that call was entered before the message can have been there, the rank was
//!    blocked in MPI for it, and the call returned on its arrival: it arrived at the call's exit
//!    less what such a call takes when the message is there already (*overhead*). Only if the call
//!    completed no other receive, and if the message was not on its way for unusually long: then
//!    either the network was slow or the receiver was not running, which the stamps cannot tell
//!    apart, and the facts are all there is (not even what the quickest message seen took: this one
//!    may have been quicker).
//! 3. **Modelled.** Otherwise it was on its way for as long as observed messages of its size and
//!    way were (*transit*), if that agrees with the facts; for as long as the quicker ones, where
//!    half of them took much longer, because their receivers waited for a core. Where no message of
//!    the run tells how long that is, it is taken to have arrived when its blocking send returned.
//! 4. **Bracketed.** Where the facts alone are narrower than the model or contradict it, they
//!    stand, and the stamp is the moment in them that is nearest to the likeliest.
//!
//! A stamp is within its facts because it is computed from them, not because it was moved there.
//! When even the facts contradict one another (a message taken before it was sent) there is no
//! stamp, and the message is counted as a causality violation.

use crate::event::Looked;
use crate::message::{Got, Sent};
use crate::protocol::{Protocol, protocol, settled};
use crate::usual::{Usual, size_class};
use record::{How, NULL};

/// The moment a message arrived.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Arrival {
    /// ns on the timeline; null when nothing is known.
    pub at: i64,
    /// It was at most so far from there, ns; null with it.
    pub error: i64,
    pub how: How,
}

impl Arrival {
    pub const UNKNOWN: Arrival = Arrival { at: NULL, error: NULL, how: How::Modelled };
}

/// Moments from one to the other; ns on the timeline.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Interval {
    from: i64,
    to: i64,
}

impl Interval {
    fn and(self, other: Interval) -> Option<Interval> {
        let both = Interval { from: self.from.max(other.from), to: self.to.min(other.to) };
        (both.from <= both.to).then_some(both)
    }

    fn width(self) -> i64 {
        self.to - self.from
    }

    /// The moment in it that is nearest to `best`.
    fn near(self, best: i64, how: How) -> Arrival {
        self.at(best.clamp(self.from, self.to), how)
    }

    fn at(self, at: i64, how: How) -> Arrival {
        Arrival { at, error: (at - self.from).max(self.to - at), how }
    }
}

/// When the message of `sent` and `got` arrived. `clock_error` is how far the two ranks' clocks may
/// be apart, ns.
pub(crate) fn arrival(sent: &Sent, got: &Got, clock_error: i64, usual: &Usual) -> Arrival {
    let class = size_class(sent.bytes);
    let own = protocol(sent, got, clock_error);
    let protocol = settled(own, usual.protocol(class));
    let looked = protocol.looked_for(got);
    let stamps = [sent.ready, got.posted, looked.from, looked.until];
    if sent.src == sent.dst || stamps.contains(&NULL) {
        return Arrival::UNKNOWN;
    }
    let start = Start::of(sent, got, clock_error, (protocol, own));
    let Some(facts) = facts(sent.ready - clock_error, got.posted, &looked, &start) else {
        return Arrival::UNKNOWN;
    };
    let overhead = usual.overhead(class);
    let Some(transit) = usual.transit(sent.src, sent.dst, class) else {
        return unlearnt(sent, facts, &start, usual.transit_of_nearest(class));
    };
    let likely = start.likely + transit.likely;
    let until = looked.until;
    let was_blocked = got.alone && looked.from < start.earliest + transit.least - clock_error;
    if was_blocked {
        let returned = Interval { from: until - overhead.most, to: until - overhead.least };
        let best = until - overhead.middle;
        let in_time = best <= start.latest + transit.unusual + clock_error;
        return match returned.and(facts) {
            Some(both) if in_time => both.near(best, How::Observed),
            _ => facts.near(likely, How::Bracketed),
        };
    }
    let expected = Interval {
        from: start.earliest + transit.least - clock_error,
        to: start.latest + transit.most + clock_error,
    };
    match expected.and(facts) {
        Some(both) if facts.width() > expected.width() => both.near(likely, How::Modelled),
        _ => facts.near(likely, How::Bracketed),
    }
}

/// Nothing is known of the way of that size. When a blocking send has returned, the message has
/// left its sender's hands, and most ways are short: that moment is the best guess; else what the
/// nearest size takes, or nothing at all. All that the facts allow is its error.
fn unlearnt(sent: &Sent, facts: Interval, start: &Start, nearest: Option<i64>) -> Arrival {
    let told = sent.blocking && (facts.from..=facts.to).contains(&sent.released);
    if told {
        return facts.at(sent.released, How::Modelled);
    }
    facts.near(start.likely + nearest.unwrap_or(0), How::Bracketed)
}

/// Facts 1 of the module's head; without the polls if they contradict the rest, `None` if the rest
/// contradicts itself.
fn facts(sent: i64, posted: i64, looked: &Looked, start: &Start) -> Option<Interval> {
    let to = looked.until;
    let begun = if start.surely_after_posting { posted.max(sent) } else { sent };
    let polled = if looked.not_before == NULL { begun } else { looked.not_before };
    let candidates = [begun.max(polled), sent];
    candidates.into_iter().find(|from| *from <= to).map(|from| Interval { from, to })
}

/// When the message can have begun its way.
struct Start {
    earliest: i64,
    latest: i64,
    likely: i64,
    /// The send was blocked until the receive was posted.
    surely_after_posting: bool,
}

impl Start {
    /// `protocol` is what is settled, and what the message's own stamps tell.
    fn of(
        sent: &Sent,
        got: &Got,
        clock_error: i64,
        (protocol, own): (Protocol, Option<Protocol>),
    ) -> Start {
        let ready = sent.ready;
        let at_once =
            Start { earliest: ready, latest: ready, likely: ready, surely_after_posting: false };
        if got.posted <= ready - clock_error {
            return at_once;
        }
        let posted = got.posted.max(ready);
        match protocol {
            Protocol::Eager => at_once,
            Protocol::Rendezvous => {
                let surely_after_posting = true;
                Start { earliest: posted, latest: posted, likely: posted, surely_after_posting }
            }
            Protocol::Unknown if own == Some(Protocol::Rendezvous) => {
                Start { latest: posted, likely: posted, ..at_once }
            }
            Protocol::Unknown => Start { latest: posted, ..at_once },
        }
    }
}
