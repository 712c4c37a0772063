//! Passive target: an origin whose lock conflicts with that of another waits until that one is
//! released.
//!
//! A lock is held from some moment within the calls of its epoch until its unlock. When it was
//! granted no call need tell: a library may put that off until data moves, or until the unlock. So
//! of two that conflict (exclusive against anything) it is asked which was granted first. One was
//! granted by the time that a flush, or the unlock, of what was moved under it returned; if that
//! was before the other one was to be released, it was granted before the other. And where a
//! library puts the granting off, `MPI_Win_lock` does not last: one that lasts until the other's
//! unlock waited for it.

use super::{Moment, Now, Reader, Step};
use crate::blocked::{Accounts, Span};
use crate::cause::Cause;
use crate::list::Operation;
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;

/// Calls, or releases, of a target that are kept before those are left out that can meet nothing
/// any more.
const KEPT_MIN: usize = 64;

/// The locks of a window.
#[derive(Default)]
pub(super) struct Locks {
    /// By origin and target; no target: all of them, as `MPI_Win_lock_all` locks them.
    held: FxHashMap<(u32, Option<u32>), Hold>,
    /// What waits for the release of a lock, and releases, by target.
    at: FxHashMap<Option<u32>, Meeting>,
    /// Locks that were released.
    pub released: u64,
}

/// A lock that a rank has asked for and not released.
struct Hold {
    exclusive: bool,
    /// Ranks that data was moved to or from, and when the lock is known to have been granted there.
    moved: BTreeMap<u32, Option<i64>>,
}

/// A call that may wait for a lock.
#[derive(Clone, Copy)]
struct Sought {
    step: Step,
    exclusive: bool,
}

/// The end of a lock.
#[derive(Clone, Copy)]
struct Release {
    moment: Moment,
    exclusive: bool,
    /// It was granted by then; `None` if nothing tells.
    granted: Option<i64>,
}

#[derive(Default)]
struct Meeting {
    sought: Vec<Sought>,
    releases: Vec<Release>,
    /// How many of both are kept before old ones are left out.
    room: usize,
}

impl Locks {
    /// A rank asks for a lock.
    pub fn lock(&mut self, target: Option<u32>, exclusive: bool, reader: &mut Reader<'_>) {
        let Span { rank, exit, .. } = reader.step.span;
        // What is its own it may use by itself from then on.
        let own = target.filter(|target| *target == rank).map(|target| (target, Some(exit)));
        self.held.insert((rank, target), Hold { exclusive, moved: own.into_iter().collect() });
        self.seek(target, exclusive, reader);
    }

    /// A rank moves data to or from `target`.
    pub fn moves(&mut self, target: u32, reader: &mut Reader<'_>) {
        let Some(hold) = self.of(reader.step.span.rank, target) else { return };
        hold.moved.entry(target).or_default();
        let exclusive = hold.exclusive;
        self.seek(Some(target), exclusive, reader);
    }

    /// A rank waits for what it has moved to and from `target`.
    pub fn waits(&mut self, target: u32, reader: &mut Reader<'_>) {
        let Some(hold) = self.of(reader.step.span.rank, target) else { return };
        let exclusive = hold.exclusive;
        hold.flushed(target, &reader.step);
        self.seek(Some(target), exclusive, reader);
    }

    /// The same for all targets.
    pub fn waits_for_all(&mut self, reader: &mut Reader<'_>) {
        let step = reader.step;
        let mut moved = Vec::new();
        for (_, hold) in self.held.iter_mut().filter(|((rank, _), _)| *rank == step.span.rank) {
            moved.extend(hold.moved.keys().map(|target| (*target, hold.exclusive)));
            hold.moved.keys().copied().collect::<Vec<_>>().iter().for_each(|target| {
                hold.flushed(*target, &step);
            });
        }
        moved.iter().for_each(|(target, exclusive)| self.seek(Some(*target), *exclusive, reader));
    }

    /// A rank releases a lock.
    pub fn unlock(&mut self, target: Option<u32>, reader: &mut Reader<'_>) {
        let Span { rank, exit, .. } = reader.step.span;
        let Some(Hold { exclusive, moved }) = self.held.remove(&(rank, target)) else { return };
        self.released += 1;
        let moment = reader.step.moment();
        for (moved, granted) in &moved {
            self.seek(Some(*moved), exclusive, reader);
            let granted = Some(granted.unwrap_or(exit));
            self.release(Some(*moved), Release { moment, exclusive, granted }, reader);
        }
        if target.is_none_or(|target| !moved.contains_key(&target)) {
            self.release(target, Release { moment, exclusive, granted: None }, reader);
        }
    }

    /// Locks that were never released.
    pub fn held(&self) -> u64 {
        self.held.len() as u64
    }

    /// The lock under which a rank reaches `target`.
    fn of(&mut self, rank: u32, target: u32) -> Option<&mut Hold> {
        let keys = [(rank, Some(target)), (rank, None)];
        let key = keys.into_iter().find(|key| self.held.contains_key(key))?;
        self.held.get_mut(&key)
    }

    /// A call may wait for the locks of others.
    fn seek(&mut self, target: Option<u32>, exclusive: bool, reader: &mut Reader<'_>) {
        if !reader.locks_conflict {
            return;
        }
        let (now, accounts) = (reader.now, &mut *reader.accounts);
        let sought = Sought { step: reader.step, exclusive };
        for meeting in self.met_at(target) {
            meeting.releases.iter().for_each(|release| judge(&sought, release, now, accounts));
        }
        let meeting = self.at.entry(target).or_default();
        meeting.sought.push(sought);
        meeting.forget(now);
    }

    fn release(&mut self, target: Option<u32>, release: Release, reader: &mut Reader<'_>) {
        if !reader.locks_conflict {
            return;
        }
        let (now, accounts) = (reader.now, &mut *reader.accounts);
        for meeting in self.met_at(target) {
            meeting.sought.iter().for_each(|sought| judge(sought, &release, now, accounts));
        }
        let meeting = self.at.entry(target).or_default();
        meeting.releases.push(release);
        meeting.forget(now);
    }

    /// What has to do with this target, or, where it is none, with any.
    fn met_at(&self, target: Option<u32>) -> impl Iterator<Item = &Meeting> {
        let one = target.map(|_| [self.at.get(&target), self.at.get(&None)]);
        let all = self.at.values().filter(move |_| target.is_none());
        one.into_iter().flatten().flatten().chain(all)
    }
}

impl Hold {
    /// A call has waited for what was moved to and from `target`: for the first time it tells that
    /// the lock was granted.
    fn flushed(&mut self, target: u32, step: &Step) {
        let tells = matches!(step.operation, Operation::Win_flush | Operation::Win_flush_all);
        if let Some(granted) = self.moved.get_mut(&target).filter(|_| tells) {
            granted.get_or_insert(step.span.exit);
        }
    }
}

impl Meeting {
    /// Leave out what can meet nothing any more.
    fn forget(&mut self, now: Now) {
        if self.sought.len() + self.releases.len() < self.room.max(KEPT_MIN) {
            return;
        }
        self.sought.retain(|sought| !sought.step.is_over(now));
        self.releases.retain(|release| release.moment.at > now.reached);
        self.room = 2 * (self.sought.len() + self.releases.len());
    }
}

/// Whether a call waited for the end of another's lock.
fn judge(sought: &Sought, release: &Release, now: Now, accounts: &mut Accounts) {
    let Sought { step, exclusive } = sought;
    let (span, moment) = (&step.span, &release.moment);
    let conflict = (*exclusive || release.exclusive) && span.rank != moment.rank;
    if !conflict || span.enter >= moment.at || !step.may_last_to(moment.at, now) {
        return;
    }
    // The call's own lock is released in its unlock, or after the call.
    let held_to = match step.operation {
        Operation::Win_unlock | Operation::Win_unlock_all => span.enter,
        _ => span.exit,
    };
    let asks = matches!(step.operation, Operation::Win_lock | Operation::Win_lock_all);
    let came_first = |granted: i64| granted.saturating_add(now.clock_error) <= held_to;
    if asks || release.granted.is_some_and(came_first) {
        accounts.add(*span, step.wait(Cause::Lock, moment));
    }
}
