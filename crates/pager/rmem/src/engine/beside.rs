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
pub struct Happened {
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
    last: Happened,
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
            last: Happened::default(),
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
    pub fn look(&mut self, so_far: Happened) {
        let who = std::mem::take(&mut self.who);
        let lately = so_far.since(&std::mem::replace(&mut self.last, so_far));
        let Some(anywhere) = self.anywhere else { return };
        let to = alone(who, lately).and_then(processor_of).filter(|&to| anywhere.is_set(to));
        if to == self.on {
            return;
        }
        let set = to.map_or(anywhere, |to| {
            let mut set = CpuSet::new();
            set.set(to);
            set
        });
        // Where that is not allowed, the engine stays where it is.
        if sched_setaffinity(None::<Pid>, &set).is_ok() {
            self.on = to;
        }
    }
}

impl Happened {
    fn since(&self, before: &Happened) -> Happened {
        Happened {
            time: self.time.saturating_sub(before.time),
            waited: self.waited.saturating_sub(before.waited),
            hard_faults: self.hard_faults.saturating_sub(before.hard_faults),
            pages_ahead: self.pages_ahead.saturating_sub(before.pages_ahead),
        }
    }
}

/// The thread that does little but wait for one page after another.
fn alone(who: Who, lately: Happened) -> Option<u32> {
    let waits = lately.waited > lately.time / 2 && lately.hard_faults > lately.pages_ahead;
    match who {
        Who::One(thread) if waits => Some(thread),
        _ => None,
    }
}

/// On which a thread of this process ran last.
fn processor_of(thread: u32) -> Option<usize> {
    let stat = fs::read_to_string(format!("/proc/self/task/{thread}/stat")).ok()?;
    processor_in(&stat)
}

/// The 39th field; the second one is a name in parentheses, which may hold anything.
fn processor_in(stat: &str) -> Option<usize> {
    let (_, after_name) = stat.rsplit_once(')')?;
    after_name.split_ascii_whitespace().nth(36)?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    const WAITING: Happened =
        Happened { time: 1000, waited: 900, hard_faults: 300, pages_ahead: 20 };

    #[test]
    fn only_one_thread_that_waits_for_single_pages_has_the_engine_beside_it() {
        assert_eq!(alone(Who::One(7), WAITING), Some(7));
        assert_eq!(alone(Who::Several, WAITING), None);
        assert_eq!(alone(Who::Nobody, WAITING), None);
        assert_eq!(alone(Who::One(7), Happened { waited: 400, ..WAITING }), None, "it computes");
        assert_eq!(
            alone(Who::One(7), Happened { pages_ahead: 4000, ..WAITING }),
            None,
            "it reads on"
        );
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
    fn the_processor_is_the_39th_field() {
        let fields: Vec<String> = (3..53).map(|field| field.to_string()).collect();
        let stat = format!("123 (a) name) {}\n", fields.join(" "));
        assert_eq!((processor_in(&stat), processor_in("1 (short) S 2")), (Some(39), None));
        let own = rustix::thread::gettid().as_raw_pid().unsigned_abs();
        assert!(processor_of(own).is_some_and(|processor| processor < 1 << 16));
    }

    #[test]
    fn the_engine_goes_to_the_thread_and_may_leave_again() {
        let before = sched_getaffinity(None).unwrap();
        let mut beside = Beside::new();
        beside.faulted(rustix::thread::gettid().as_raw_pid().unsigned_abs());
        beside.look(WAITING);
        assert_eq!(sched_getaffinity(None).unwrap().count(), 1);
        beside.look(Happened { time: 2000, ..WAITING });
        assert_eq!(sched_getaffinity(None).unwrap(), before);
    }
}
