//! What a rank saw while it looked for messages: polls that found nothing, and probes that found
//! one.
//!
//! * Polls that found nothing are one entry with their number. If the next call of the thread is
//!   the same function called from the same place and finds something, then what it found was not
//!   there when the last of the polls began. When that was is not logged; it was hardly more than
//!   two of the polls' mean periods before the end of the last. `Test` may have gone round all open
//!   requests, so there it is that many periods and one. `Testall` says nothing: it fails when any
//!   one of its requests is open.
//! * A probe leaves the message in the queue. The next receive of that communicator, source and tag
//!   takes it, so the message was there at the probe's end, whenever it is taken (its announcement,
//!   if it travels by rendezvous).

use crate::entry::{Call, flags};
use crate::event::{Event, Looked, Open};
use crate::list::{Class, Operation};
use record::NULL;

/// Probes remembered until their message is taken. A program that probes again and again without
/// receiving keeps the first.
const PROBES_MAX: usize = 16;

/// What the calls so far have seen.
#[derive(Default)]
pub(crate) struct Looking {
    polls: Option<Polls>,
    probes: Vec<Found>,
}

struct Polls {
    operation: u16,
    site: u32,
    thread: u8,
    /// Of the last poll; null if not known.
    until: i64,
    /// ns, rounded up.
    period: i64,
    polls: i64,
}

struct Found {
    communicator: u32,
    source: i32,
    tag: i32,
    looked: Looked,
}

impl Looking {
    /// The moment at which what this call has found was not there yet; null if no poll tells.
    /// `open` are the requests under way.
    #[inline]
    pub fn polled_before(&self, event: &Event, open: u64) -> i64 {
        let Some(polls) = &self.polls else { return NULL };
        let call = &event.call;
        let same =
            (polls.operation, polls.site, polls.thread) == (call.operation, call.site, call.thread);
        let is = |one: Operation| call.operation == one as u16;
        let round = if is(Operation::Test) { (open as i64).max(1) } else { 1 };
        if !same || polls.until == NULL || is(Operation::Testall) || round > polls.polls {
            return NULL;
        }
        // One period more, because the last poll may have taken longer than the mean.
        let rounds = if polls.polls == 1 { 1 } else { round + 1 };
        polls.until - rounds * polls.period
    }

    /// Learn from a call, and tell a receive what was seen of its message before. `call` is that of
    /// the event: read where it lies, just after it was put there, it would be waited for.
    #[inline]
    pub fn see(&mut self, call: &Call, event: &mut Event, polled: i64) {
        if call.is_polls() {
            // Of polls for different things it is not known when the last of each was.
            let of_one_kind = call.flags & flags::MIXED == 0;
            self.polls = of_one_kind.then(|| polls(event));
            return;
        }
        self.polls = None;
        if call.found_a_message() {
            let looked = looked_in(event, polled, true);
            self.find(call, looked);
        } else if call.posts_receive() {
            event.looked = self.looked(event, polled);
        }
    }

    fn find(&mut self, call: &Call, looked: Looked) {
        let known = |found: &Found| (found.communicator, found.source, found.tag) == key(call);
        if self.probes.len() < PROBES_MAX && !self.probes.iter().any(known) {
            let (communicator, source, tag) = key(call);
            self.probes.push(Found { communicator, source, tag, looked });
        }
    }

    fn looked(&mut self, event: &Event, polled: i64) -> Looked {
        let call = &event.call;
        let is_probe = call.class() == Class::MatchedProbe;
        if is_probe {
            return looked_in(event, polled, true);
        }
        let mine = |found: &Found| {
            let (communicator, source, tag) = key(call);
            found.communicator == communicator
                && (source < 0 || found.source == source)
                && (tag < 0 || found.tag == tag)
        };
        match self.probes.iter().position(mine) {
            Some(at) => self.probes.remove(at).looked,
            None if call.request == 0 => looked_in(event, polled, false),
            None => Looked::NOTHING,
        }
    }
}

fn looked_in(event: &Event, not_before: i64, is_probe: bool) -> Looked {
    Looked {
        from: event.enter,
        until: event.exit,
        not_before,
        is_probe,
        row: event.row,
        open: Open::of(&event.call),
    }
}

fn key(call: &Call) -> (u32, i32, i32) {
    (call.communicator, call.peer, call.tag)
}

fn polls(event: &Event) -> Polls {
    let call = &event.call;
    let polls = i64::from(call.request.max(1));
    let known = event.exit != NULL && event.enter != NULL;
    let period = (event.exit.wrapping_sub(event.enter) + polls - 1) / polls;
    let until = if known { event.exit } else { NULL };
    Polls { operation: call.operation, site: call.site, thread: call.thread, until, period, polls }
}
