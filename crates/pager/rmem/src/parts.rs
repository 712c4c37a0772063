//! The completion time as the sum of its parts. Each part is measured; what nothing accounts for is
//! *other*, whatever else there is.
//!
//! Wherever the program has one thread the parts do not overlap. Several threads can run, and wait
//! for pages, at once: where that comes to more than the time that passed, they share it in
//! proportion. So it is reckoned in short stretches, of a second each.

use crate::waits::Waited;
use pager_facts::PagedSeconds;

/// What has been counted since paging began, s.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Reading {
    pub elapsed: f64,
    /// Of the program's threads, on a processor. How much of it is in user mode the kernel only
    /// estimates.
    pub work: f64,
    pub user_share: f64,
    /// The program's threads were ready to run, and had no processor. `None`: the kernel does not
    /// say.
    pub queue: Option<f64>,
    /// The engine had none, while there was a fault that it had not seen.
    pub unseen: f64,
    pub waited: Waits,
    /// Waits for pages, each by itself.
    pub each: f64,
}

/// [`Waited`] in seconds.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Waits {
    pub handling: f64,
    pub network: f64,
    pub server: f64,
    pub disk: f64,
    pub late: f64,
    pub unknown: f64,
}

/// Adds up stretch by stretch.
#[derive(Debug, Default)]
pub struct Account {
    last: Reading,
    sum: PagedSeconds,
}

impl Waits {
    pub fn of(waited: &Waited, ns_per_tick: f64) -> Waits {
        let seconds = |ticks: u64| ticks as f64 * ns_per_tick / 1e9;
        Waits {
            handling: seconds(waited.handling),
            network: seconds(waited.network),
            server: seconds(waited.server),
            disk: seconds(waited.disk),
            late: seconds(waited.late),
            unknown: seconds(waited.unknown),
        }
    }

    fn all(&self) -> f64 {
        self.handling + self.network + self.server + self.disk + self.late + self.unknown
    }

    fn since(&self, last: &Waits) -> Waits {
        Waits {
            handling: grown(self.handling, last.handling),
            network: grown(self.network, last.network),
            server: grown(self.server, last.server),
            disk: grown(self.disk, last.disk),
            late: grown(self.late, last.late),
            unknown: grown(self.unknown, last.unknown),
        }
    }
}

impl Account {
    /// Reckon up what has passed since the last reading.
    pub fn read(&mut self, now: Reading) {
        let last = self.last;
        // The program's time is a difference of two counters, which may go back by a little.
        let now = Reading {
            elapsed: now.elapsed.max(last.elapsed),
            work: now.work.max(last.work),
            ..now
        };
        self.last = now;
        let queue = |now: Option<f64>, last: Option<f64>| Some(grown(now?, last.unwrap_or(0.0)));
        let passed = Reading {
            elapsed: grown(now.elapsed, last.elapsed),
            work: grown(now.work, last.work),
            user_share: 1.0,
            queue: queue(now.queue, last.queue),
            unseen: grown(now.unseen, last.unseen),
            waited: now.waited.since(&last.waited),
            each: grown(now.each, last.each),
        };
        self.sum = both(&self.sum, &parts(&passed));
    }

    /// From the begin of paging to the last reading, s.
    pub fn elapsed(&self) -> f64 {
        self.last.elapsed
    }

    /// Until the last reading. They add up to the time that had passed by then.
    pub fn parts(&self) -> PagedSeconds {
        let work = self.sum.user;
        let user = work * self.last.user_share.clamp(0.0, 1.0);
        PagedSeconds { user, system: work - user, ..self.sum }
    }
}

/// Two stretches together.
fn both(one: &PagedSeconds, more: &PagedSeconds) -> PagedSeconds {
    PagedSeconds {
        user: one.user + more.user,
        system: one.system + more.system,
        handling: one.handling + more.handling,
        network: one.network + more.network,
        server: one.server + more.server,
        disk: one.disk + more.disk,
        queue: more.queue.map(|more| one.queue.unwrap_or(0.0) + more).or(one.queue),
        other: one.other + more.other,
        ..*one
    }
}

/// Counters grow; readings of several clocks may go back by a little.
fn grown(now: f64, last: f64) -> f64 {
    (now - last).max(0.0)
}

/// The parts of one stretch.
fn parts(stretch: &Reading) -> PagedSeconds {
    let Reading { elapsed, work, user_share, queue, unseen, waited, each } = *stretch;
    let own = work + queue.unwrap_or(0.0);
    let waiting = match waited.all() {
        all if all + own <= elapsed => all,
        all => (elapsed * ratio(each, each + own)).clamp(0.0, all.min(elapsed)),
    };
    let of_waits = ratio(waiting, waited.all());
    let rest = elapsed - waiting;
    let of_own = ratio(rest, own).min(1.0);
    let open = grown(rest, own * of_own) + waited.unknown * of_waits;
    let unseen = unseen.min(open);
    let late = waited.late * of_waits + unseen;
    let user = work * user_share * of_own;
    PagedSeconds {
        user,
        system: work * of_own - user,
        handling: waited.handling * of_waits,
        network: waited.network * of_waits,
        server: waited.server * of_waits,
        disk: waited.disk * of_waits,
        queue: queue.map(|queue| queue * of_own + late),
        other: open - unseen + if queue.is_some() { 0.0 } else { late },
        ..PagedSeconds::default()
    }
}

fn ratio(part: f64, whole: f64) -> f64 {
    if whole > 0.0 { part / whole } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn all(parts: &PagedSeconds) -> [f64; 9] {
        parts.parts().map(|part| part.seconds)
    }

    fn sum(parts: &PagedSeconds) -> f64 {
        all(parts).iter().sum()
    }

    /// A second of a program with one thread.
    fn second() -> Reading {
        let waited = Waits {
            handling: 0.05,
            network: 0.15,
            server: 0.06,
            disk: 0.02,
            late: 0.02,
            unknown: 0.0,
        };
        Reading {
            elapsed: 1.0,
            work: 0.4,
            user_share: 0.75,
            queue: Some(0.05),
            unseen: 0.01,
            waited,
            each: 0.3,
        }
    }

    fn near(found: f64, right: f64) -> bool {
        (found - right).abs() < 1e-9
    }

    #[test]
    fn one_threads_parts_are_what_was_measured_and_the_rest_is_other() {
        let found = parts(&second());
        let right = PagedSeconds {
            user: 0.3,
            system: 0.1,
            handling: 0.05,
            network: 0.15,
            server: 0.06,
            disk: 0.02,
            queue: Some(0.08),
            other: 0.24,
            ..PagedSeconds::default()
        };
        assert!(
            all(&found).iter().zip(all(&right)).all(|(found, right)| near(*found, right)),
            "{found:?}"
        );
    }

    #[test]
    fn a_program_that_sleeps_is_not_paged_and_a_busy_machine_is_told_from_sleep() {
        let asleep = Reading { elapsed: 2.0, work: 0.1, queue: Some(0.0), ..Reading::default() };
        let found = parts(&asleep);
        assert!(near(found.other, 1.9) && near(found.handling + found.network, 0.0), "{found:?}");
        let crowded = Reading { queue: Some(1.5), unseen: 0.3, ..asleep };
        let found = parts(&crowded);
        assert!(near(found.queue.unwrap(), 1.8) && near(found.other, 0.1), "{found:?}");
    }

    #[test]
    fn a_kernel_that_does_not_count_leaves_it_to_other() {
        let found = parts(&Reading { queue: None, ..second() });
        assert!(found.queue.is_none() && near(found.other, 0.32), "{found:?}");
    }

    #[test]
    fn threads_at_once_share_the_time() {
        // Three compute all the time, one waits all the time.
        let waited = Waits { network: 1.0, ..Waits::default() };
        let four = Reading {
            elapsed: 1.0,
            work: 3.0,
            queue: Some(0.0),
            waited,
            each: 1.0,
            ..Reading::default()
        };
        let found = parts(&four);
        assert!(
            near(found.user + found.system, 0.75)
                && near(found.network, 0.25)
                && near(found.other, 0.0),
            "{found:?}"
        );
        // Four wait at once half of the time, and nothing else happens.
        let waited = Waits { network: 0.5, ..Waits::default() };
        let found = parts(&Reading { work: 0.0, waited, each: 2.0, ..four });
        assert!(near(found.network, 0.5) && near(found.other, 0.5), "{found:?}");
    }

    #[test]
    fn stretches_add_up() {
        let mut account = Account::default();
        account.read(second());
        let two = Reading { elapsed: 3.0, work: 0.8, ..second() };
        account.read(two);
        let found = account.parts();
        assert!(
            near(sum(&found), 3.0) && near(found.user, 0.6) && near(found.network, 0.15),
            "{found:?}"
        );
        account.read(Reading { elapsed: 2.9, work: 0.7, ..two });
        assert_eq!(account.parts(), found, "counters that go back");
        account.read(two);
        assert_eq!((account.parts(), account.elapsed()), (found, 3.0), "count nothing twice");
    }

    proptest! {
        #[test]
        fn parts_are_never_negative_and_add_up_to_the_whole(
            times in prop::array::uniform11(0.0..100.0f64), user_share in 0.0..=1.0,
            counts in any::<bool>(),
        ) {
            let [
                elapsed, work, queue, unseen, handling, network, server, disk, late, unknown, each,
            ] = times;
            let queue = counts.then_some(queue);
            let waited = Waits { handling, network, server, disk, late, unknown };
            let all = waited.all();
            let found = parts(&Reading {
                elapsed, work, user_share, queue, unseen, waited, each: each + all,
            });
            let seconds = found.parts().map(|part| part.seconds);
            prop_assert!(seconds.iter().all(|part| *part >= 0.0), "{:?}", found);
            prop_assert!((sum(&found) - elapsed).abs() < 1e-6, "{:?}", found);
        }
    }
}
