//! What a node's processor takes for things, and the timer that interrupts it.

use crate::by_size::BySize;
use crate::{Machine, Time};

/// What a node's processor takes for things.
#[derive(Clone, Debug, PartialEq)]
pub struct Processor {
    /// Times as fast as costs of computing say.
    pub speed: f64,
    send: BySize<Time>,
    receive: BySize<Time>,
    /// Picoseconds a byte of payload, at each end.
    copy_ps: BySize<f64>,
    pub look: Time,
    pub wake: Time,
    pub timer: Timer,
}

/// An interrupt that comes again and again, whatever the processor does.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Timer {
    /// 0: there is none.
    pub every: Time,
    /// What each takes.
    pub takes: Time,
    /// When the first one comes.
    pub first: Time,
}

impl Processor {
    /// A node's processor. Timers of different nodes do not tick together: each begins where its
    /// number, spread over the interval by the golden section, puts it.
    pub fn of(machine: &Machine, node: u16) -> Processor {
        const GOLDEN: f64 = 0.618_033_988_749_895;
        let every = machine.time("processor.timer");
        let part = (f64::from(node) * GOLDEN).fract();
        Processor {
            speed: machine.value("processor.speed"),
            send: BySize::time(machine, "processor.send"),
            receive: BySize::time(machine, "processor.receive"),
            copy_ps: BySize::per_byte(machine, "processor.copy"),
            look: machine.time("processor.look"),
            wake: machine.time("processor.wake"),
            timer: Timer {
                every,
                takes: machine.time("processor.timer-takes"),
                first: (every as f64 * part) as Time,
            },
        }
    }

    /// What handing over a message of so many bytes takes.
    pub fn sending(&self, bytes: usize) -> Time {
        self.send.at(bytes as u64) + self.copying(bytes)
    }

    /// What taking one takes.
    pub fn receiving(&self, bytes: usize) -> Time {
        self.receive.at(bytes as u64) + self.copying(bytes)
    }

    fn copying(&self, bytes: usize) -> Time {
        (bytes as f64 * self.copy_ps.at(bytes as u64)) as Time
    }

    /// What computing takes here that is said to take so long.
    pub fn computing(&self, said: Time) -> Time {
        (said as f64 / self.speed) as Time
    }
}

impl Timer {
    /// When work of this length that begins at `begin` is done, with the interrupts in between.
    pub fn done(&self, begin: Time, work: Time) -> Time {
        if self.every == 0 || self.takes == 0 {
            return begin + work;
        }
        let (mut now, mut left) = (self.free(begin), work);
        loop {
            let next = self.next(now);
            if left < next - now || left == 0 {
                return now + left;
            }
            left -= next - now;
            now = next + self.takes;
        }
    }

    /// The first moment from `at` on at which no interrupt is served.
    fn free(&self, at: Time) -> Time {
        let Some(since) = at.checked_sub(self.first) else { return at };
        let into = since % self.every;
        if into < self.takes { at + (self.takes - into) } else { at }
    }

    /// The first interrupt after `at`.
    fn next(&self, at: Time) -> Time {
        match at.checked_sub(self.first) {
            None => self.first,
            Some(since) => self.first + (since / self.every + 1) * self.every,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TIMER: Timer = Timer { every: 100, takes: 10, first: 50 };

    #[test]
    fn work_is_longer_by_the_interrupts_in_it() {
        let lengths = [(0, 50), (0, 51), (0, 140), (0, 141), (55, 1), (60, 89), (60, 90)];
        let done = lengths.map(|(begin, work)| TIMER.done(begin, work));
        assert_eq!(done, [60, 61, 160, 161, 61, 149, 160]);
        assert_eq!(Timer::default().done(7, 5), 12);
    }

    #[test]
    fn the_share_of_time_that_it_takes_is_what_it_says() {
        let done = TIMER.done(0, 900_000);
        assert!((999_900..=1_000_100).contains(&done), "{done}");
    }
}
