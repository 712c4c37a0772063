//! One-sided communication: for whom its calls wait.
//!
//! Libraries differ in which of an epoch's calls waits: one blocks in `MPI_Win_start`, another puts
//! everything off until `MPI_Win_complete`. So it is the call that contains the moment waited for.
//! How long data was on its way, and whether its target made progress meanwhile, is not known.

mod locks;
mod meetings;

use crate::blocked::{About, Accounts, Span, Wait};
use crate::cause::Cause;
use crate::event::{End, Event};
use crate::groups::{Seen, View};
use crate::list::{Class, Operation, PLAIN};
use locks::Locks;
use meetings::Meetings;
use record::NULL;
use rustc_hash::FxHashMap;
use std::sync::Arc;

/// The epochs of all windows.
pub(crate) struct OneSided {
    windows: FxHashMap<u32, Window>,
    now: Now,
    /// Calls on windows that are not known, or for ranks that are not.
    outside: u64,
}

#[derive(Default)]
struct Window {
    meetings: Meetings,
    locks: Locks,
}

/// How far the walk through all logs has come.
#[derive(Clone, Copy)]
struct Now {
    /// All that ranks entered before has been handed over.
    reached: i64,
    /// How far two ranks' clocks may be apart, ns.
    clock_error: i64,
}

/// A call of a rank.
#[derive(Clone, Copy)]
struct Step {
    span: Span,
    operation: Operation,
    site: u32,
    bytes: u64,
}

/// A moment that another rank waits for.
#[derive(Clone, Copy)]
struct Moment {
    rank: u32,
    at: i64,
    /// The call that was entered then.
    operation: Operation,
    site: u32,
}

impl OneSided {
    /// None yet, of ranks whose clocks may be so far apart.
    pub fn new(clock_error: i64) -> OneSided {
        let now = Now { reached: i64::MIN, clock_error };
        OneSided { windows: FxHashMap::default(), now, outside: 0 }
    }

    /// All that ranks entered before `time` has been handed over.
    #[inline]
    pub fn reached(&mut self, time: i64) {
        self.now.reached = time;
    }

    /// Take in a rank's call; what is known by it of waits goes to `accounts`.
    pub fn add(&mut self, rank: u32, event: &Event, view: &View, accounts: &mut Accounts) {
        let call = &event.call;
        // Logs of earlier versions do not tell the window.
        if !call.has_message() || call.has_failed() || event.enter == NULL || event.exit == NULL {
            return;
        }
        let Some(seen) = view.get(call.communicator) else {
            self.outside += 1;
            return;
        };
        let operation = PLAIN[usize::from(call.operation)];
        let window = self.windows.entry(seen.global).or_default();
        let span = Span { rank, row: event.row, enter: event.enter, exit: event.exit };
        let step = Step { span, operation, site: call.site, bytes: call.bytes };
        let locks_conflict = view.locks_conflict;
        let mut reader = Reader { step, seen, locks_conflict, now: self.now, accounts };
        self.outside += u64::from(!window.read(event, view, &mut reader));
        if event.ended.how == End::Completed && event.ended.row != event.row {
            window.ended(event, &mut reader);
        }
    }

    /// Starts and posts that met, and locks.
    pub fn compared(&self) -> u64 {
        self.windows.values().map(|window| window.meetings.met + window.locks.released).sum()
    }

    /// Those that never did.
    pub fn not_compared(&self) -> u64 {
        let of = |window: &Window| window.meetings.alone() + window.locks.held();
        self.outside + self.windows.values().map(of).sum::<u64>()
    }
}

/// A call, and what it takes to read it.
struct Reader<'a> {
    step: Step,
    seen: &'a Seen,
    locks_conflict: bool,
    now: Now,
    accounts: &'a mut Accounts,
}

impl Window {
    /// `false` if the ranks that it is about are not known.
    fn read(&mut self, event: &Event, view: &View, reader: &mut Reader<'_>) -> bool {
        use Operation as O;
        let group = || -> Option<Arc<[u32]>> { view.window_group(event.call.tag).cloned() };
        let target = reader.seen.world_rank(event.call.peer);
        match reader.step.operation {
            O::Win_start => return self.meetings.start(group(), reader),
            O::Win_post => return self.meetings.post(group(), reader),
            O::Win_complete => self.meetings.complete(reader),
            O::Win_wait | O::Win_test => self.meetings.wait(reader),
            O::Win_lock => match target {
                Some(target) => self.locks.lock(Some(target), event.call.is_exclusive(), reader),
                None => return event.call.peer < 0,
            },
            O::Win_lock_all => self.locks.lock(None, false, reader),
            O::Win_unlock => {
                if let Some(target) = target {
                    self.locks.unlock(Some(target), reader);
                }
            }
            O::Win_unlock_all => self.locks.unlock(None, reader),
            O::Win_flush | O::Win_flush_local => {
                if let Some(target) = target {
                    self.locks.waits(target, reader);
                }
            }
            O::Win_flush_all | O::Win_flush_local_all => self.locks.waits_for_all(reader),
            _ if event.call.class() == Class::OneSided => {
                if let Some(target) = target {
                    self.meetings.moves(target, reader);
                    self.locks.moves(target, reader);
                }
            }
            _ => {}
        }
        true
    }

    /// Another call has completed it.
    fn ended(&mut self, event: &Event, reader: &mut Reader<'_>) {
        let Some(target) = reader.seen.world_rank(event.call.peer) else { return };
        let span = &mut reader.step.span;
        (span.row, span.enter, span.exit) = (event.ended.row, event.ended.enter, event.ended.exit);
        self.locks.waits(target, reader);
    }
}

impl Step {
    /// Whether it may have lasted until `at`, as far as clocks tell.
    fn may_last_to(&self, at: i64, now: Now) -> bool {
        self.span.exit.saturating_add(now.clock_error) >= at
    }

    /// Whether all that it can have waited for has been handed over.
    fn is_over(&self, now: Now) -> bool {
        self.span.exit.saturating_add(now.clock_error) < now.reached
    }

    /// Its wait for `moment`.
    fn wait(&self, cause: Cause, moment: &Moment) -> Wait {
        let about = About {
            function: Some(moment.operation as u16),
            sites: [self.site, moment.site],
            tag: NULL,
            seq: NULL,
            bytes: self.bytes,
            ready: NULL,
            taken: NULL,
        };
        Wait { cause, by: moment.rank, until: moment.at, sure: true, about }
    }

    /// The moment at which it was entered.
    fn moment(&self) -> Moment {
        Moment {
            rank: self.span.rank,
            at: self.span.enter,
            operation: self.operation,
            site: self.site,
        }
    }
}
