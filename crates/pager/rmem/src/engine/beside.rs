//! Where the engine runs: for a thread that does little but wait, on that thread's processor.
//!
//! Who waits for a page needs no processor. On another one, the engine has to be woken by the fault
//! and the thread by the page, which takes tens of microseconds where processors are virtual or
//! asleep; on the same one they take turns. Pages that are read ahead come while the thread works:
//! then the engine runs wherever there is room.

use rustix::thread::{CpuSet, Pid, sched_getaffinity, sched_setaffinity};
use std::fs;

/// What has happened so far, or between two moments.
#[derive(Clone, Copy, Debug, Default)]
pub struct SoFar {
    /// Ticks; so long threads waited, too.
    pub time: u64,
    pub waited: u64,
    pub hard_faults: u64,
    pub pages_ahead: u64,
}

pub struct Beside {
    /// Where the engine may run; `None` where nobody knows.
    anywhere: Option<CpuSet>,
    /// The processor that it stays on.
    on: Option<usize>,
    /// Since the engine looked last.
    who: Who,
    last: SoFar,
}

/// Who faulted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Who {
    #[default]
    Nobody,
    One(u32),
    Several,
}

impl Beside {
    /// For the calling thread.
    pub fn new() -> Beside {
        Beside {
            anywhere: sched_getaffinity(None).ok(),
            on: None,
            who: Who::Nobody,
            last: SoFar::default(),
        }
    }

    /// A thread faulted; 0: nobody knows which.
    #[inline]
    pub fn faulted(&mut self, thread: u32) {
        self.who = match self.who {
            Who::Nobody if thread != 0 => Who::One(thread),
            Who::One(other) if other == thread => self.who,
            _ => Who::Several,
        };
    }

    /// Go where the engine should run.
    pub fn look(&mut self, so_far: SoFar) {
        let who = std::mem::take(&mut self.who);
        let lately = so_far.since(&std::mem::replace(&mut self.last, so_far));
        let Some(anywhere) = self.anywhere else { return };
        let to = alone(who, lately).and_then(processor_of).filter(|&to| anywhere.is_set(to));
        if to == self.on {
            return;
        }
        let went = match to {
            Some(to) => fabric::keep_on(to),
            None => sched_setaffinity(None::<Pid>, &anywhere).map_err(Into::into),
        };
        // Where that is not allowed, the engine stays where it is.
        if went.is_ok() {
            self.on = to;
        }
    }
}

impl SoFar {
    fn since(&self, before: &SoFar) -> SoFar {
        SoFar {
            time: self.time.saturating_sub(before.time),
            waited: self.waited.saturating_sub(before.waited),
            hard_faults: self.hard_faults.saturating_sub(before.hard_faults),
            pages_ahead: self.pages_ahead.saturating_sub(before.pages_ahead),
        }
    }
}

/// The thread that does little but wait for one page after another.
fn alone(who: Who, lately: SoFar) -> Option<u32> {
    let waits = lately.waited > lately.time / 2 && lately.hard_faults > lately.pages_ahead;
    match who {
        Who::One(thread) if waits => Some(thread),
        _ => None,
    }
}

/// On which a thread of this process ran last.
fn processor_of(thread: u32) -> Option<usize> {
    let stat = fs::read_to_string(format!("/proc/self/task/{thread}/stat")).ok()?;
    watch::core_of(&stat).map(|core| core as usize)
}

#[cfg(test)]
mod tests {
    use super::*;

    const WAITING: SoFar = SoFar { time: 1000, waited: 900, hard_faults: 300, pages_ahead: 20 };

    #[test]
    fn only_one_thread_that_waits_for_single_pages_has_the_engine_beside_it() {
        assert_eq!(alone(Who::One(7), WAITING), Some(7));
        assert_eq!(alone(Who::Several, WAITING), None);
        assert_eq!(alone(Who::Nobody, WAITING), None);
        assert_eq!(alone(Who::One(7), SoFar { waited: 400, ..WAITING }), None, "it computes");
        assert_eq!(alone(Who::One(7), SoFar { pages_ahead: 4000, ..WAITING }), None, "it reads on");
    }

    #[test]
    fn who_faulted_is_one_several_or_unknown() {
        let who = |threads: &[u32]| {
            let mut beside = Beside::new();
            threads.iter().for_each(|&thread| beside.faulted(thread));
            beside.who
        };
        assert_eq!((who(&[]), who(&[5, 5, 5])), (Who::Nobody, Who::One(5)));
        assert_eq!(
            (who(&[5, 6]), who(&[5, 6, 5]), who(&[0])),
            (Who::Several, Who::Several, Who::Several)
        );
    }

    #[test]
    fn the_processor_of_a_thread_is_one_that_it_may_use() {
        let own = rustix::thread::gettid().as_raw_pid().unsigned_abs();
        let processor = processor_of(own).unwrap();
        assert!(sched_getaffinity(None).unwrap().is_set(processor), "{processor}");
    }

    #[test]
    fn the_engine_goes_to_the_thread_and_may_leave_again() {
        let before = sched_getaffinity(None).unwrap();
        let mut beside = Beside::new();
        beside.faulted(rustix::thread::gettid().as_raw_pid().unsigned_abs());
        beside.look(WAITING);
        assert_eq!(sched_getaffinity(None).unwrap().count(), 1);
        beside.look(SoFar { time: 2000, ..WAITING });
        assert_eq!(sched_getaffinity(None).unwrap(), before);
    }
}
