//! Whether this process stood still: stopped by a signal, or with its whole machine.
//!
//! No counter of the kernel tells how long a process was stopped. But a thread that sleeps for a
//! known time, works for a measured one and waits for a core for a counted one should be through
//! with that after the sum of the three. What is missing is time in which the kernel did not run it
//! though it was due. A thread that wrote to a disk, or had to read a page from one, may have
//! waited for that instead; so may one that found its page on the way already, because another
//! thread had asked for it: the kernel counts that for the other one.

use crate::kernel::{self, Source, own_cpu_time};
use std::time::{Duration, Instant};

/// Less than this may be a late timer.
const STILL_LEAST: Duration = Duration::from_millis(20);

/// How far behind the kernel's count of a running thread's time can be.
const TICK: Duration = Duration::from_millis(10);

/// Compares the time that went by with what the calling thread did in it.
pub struct Stillness {
    schedstat: Source,
    process: Source,
    last: Account,
    /// Since then, asleep or at work on a disk.
    excused: Duration,
}

/// Time that a thread did not account for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Still {
    /// So much.
    pub missing: Duration,
    /// Of so much.
    pub elapsed: Duration,
}

impl Still {
    /// Whether another thread of the process, which ran or waited for a core for so long in that
    /// time, can have stood still with it.
    pub fn holds_for(self, ran: Duration) -> bool {
        ran <= self.elapsed.saturating_sub(self.missing) + TICK
    }
}

/// What a thread has done so far.
#[derive(Clone, Copy, Debug)]
struct Account {
    at: Instant,
    worked: Duration,
    /// For a core; `None` where the kernel does not count it.
    waited: Option<Duration>,
    /// Pages that a thread of its process had to read from a disk.
    faults: Option<u64>,
}

impl Stillness {
    /// Of the calling thread, from now on.
    pub fn begin() -> Stillness {
        let thread = rustix::thread::gettid().as_raw_nonzero();
        let mut schedstat = Source::open(format!("/proc/self/task/{thread}/schedstat"));
        let mut process = Source::open("/proc/self/stat");
        let last = Account::now(&mut schedstat, &mut process);
        Stillness { schedstat, process, last, excused: Duration::ZERO }
    }

    /// Sleep, or until unparked.
    pub fn rest(&mut self, time: Duration) {
        self.excused += time;
        std::thread::park_timeout(time);
    }

    /// Do what may have to wait for a disk.
    pub fn write(&mut self, work: impl FnOnce()) {
        let begun = Instant::now();
        work();
        self.excused += begun.elapsed();
    }

    /// How long the calling thread stood still since the last look, if it did for long. Where waits
    /// for a core are not counted, or it may have waited for a page, nothing is known.
    pub fn look(&mut self) -> Option<Still> {
        let now = Account::now(&mut self.schedstat, &mut self.process);
        let last = std::mem::replace(&mut self.last, now);
        let excused = std::mem::take(&mut self.excused);
        if now.faults != last.faults {
            return None;
        }
        let waited = now.waited?.saturating_sub(last.waited?);
        let worked = now.worked.saturating_sub(last.worked);
        let elapsed = now.at - last.at;
        missing(elapsed, excused + worked + waited).map(|missing| Still { missing, elapsed })
    }
}

impl Account {
    fn now(schedstat: &mut Source, process: &mut Source) -> Account {
        let waited = kernel::run_queue_ns(schedstat.read()).map(Duration::from_nanos);
        let faults = kernel::faults(process.read()).map(|(_, major)| major);
        Account { at: Instant::now(), worked: own_cpu_time(), waited, faults }
    }
}

/// What of `elapsed` is not accounted for, if that is more than a late timer.
fn missing(elapsed: Duration, known: Duration) -> Option<Duration> {
    elapsed.checked_sub(known).filter(|missing| *missing >= STILL_LEAST)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_time_that_is_not_accounted_for_is_stillness() {
        let ms = Duration::from_millis;
        assert_eq!(missing(ms(310), ms(10)), Some(ms(300)), "stopped for 300 ms");
        assert_eq!(missing(ms(310), ms(10) + ms(299)), None, "it waited for a core");
        assert_eq!(missing(ms(4), ms(10)), None, "unparked early");
    }

    #[test]
    fn a_process_of_which_a_thread_ran_was_not_stopped() {
        let still =
            Still { missing: Duration::from_millis(300), elapsed: Duration::from_millis(310) };
        assert!(still.holds_for(Duration::from_millis(12)));
        assert!(!still.holds_for(Duration::from_millis(150)));
    }

    #[test]
    fn a_thread_that_only_sleeps_and_works_does_not_stand_still_by_its_own_account() {
        let mut stillness = Stillness::begin();
        stillness.excused = Duration::from_secs(3600);
        assert_eq!(stillness.look(), None);
        stillness.write(|| std::thread::sleep(2 * STILL_LEAST));
        assert_eq!(stillness.look(), None, "it waited for a disk");
        stillness.last.at -= Duration::from_secs(5);
        stillness.last.faults = stillness.last.faults.map(|faults| faults.wrapping_sub(1));
        assert!(
            stillness.look().is_none() || stillness.last.faults.is_none(),
            "it waited for a page"
        );
        stillness.last.at -= Duration::from_secs(5);
        if stillness.last.waited.is_some() {
            let still = stillness.look().expect("5 s are missing");
            assert!(still.missing >= Duration::from_secs(4), "{still:?}");
        }
    }
}
