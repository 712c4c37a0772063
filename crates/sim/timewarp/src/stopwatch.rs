//! How long objects work, and making them work longer.
//!
//! The engine knows no clock: whoever drives it gives it one, or does not. Source: OBJTIMEMODE and
//! PROPDELAY of the Time Warp Operating System.

/// A clock for the work of objects, ns since some moment. It must not go back.
pub type ObjectClock = Box<dyn Fn() -> u64 + Send>;

/// Times event sections.
pub(crate) struct Stopwatch {
    clock: Option<ObjectClock>,
    stretch: f64,
}

impl Stopwatch {
    /// `stretch`: how many times as long events are made to take; 1: as they are.
    pub fn new(clock: Option<ObjectClock>, stretch: f64) -> Stopwatch {
        Stopwatch { clock, stretch }
    }

    /// Times nothing.
    pub fn none() -> Stopwatch {
        Stopwatch::new(None, 1.0)
    }

    /// Whether there is a clock.
    #[inline]
    pub fn is_on(&self) -> bool {
        self.clock.is_some()
    }

    /// An event section begins.
    #[inline]
    pub fn begin(&self) -> u64 {
        match &self.clock {
            None => 0,
            Some(clock) => clock(),
        }
    }

    /// It has ended: make it longer if that is wanted, and say how long it was, ns.
    #[inline]
    pub fn end(&self, begin: u64) -> u64 {
        match &self.clock {
            None => 0,
            Some(clock) => self.spent(clock, begin),
        }
    }

    fn spent(&self, clock: &ObjectClock, begin: u64) -> u64 {
        let spent = clock().saturating_sub(begin);
        if self.stretch <= 1.0 {
            return spent;
        }
        let until = begin + (spent as f64 * self.stretch) as u64;
        let mut now = begin + spent;
        while now < until {
            std::hint::spin_loop();
            now = clock();
        }
        now - begin
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

    /// A clock that goes on by so much at every look.
    fn ticking(by: u64) -> Option<ObjectClock> {
        let now = AtomicU64::new(1000);
        Some(Box::new(move || now.fetch_add(by, Relaxed)))
    }

    #[test]
    fn a_section_is_timed_and_made_longer() {
        let (plain, stretched) =
            (Stopwatch::new(ticking(5), 1.0), Stopwatch::new(ticking(5), 10.0));
        assert_eq!(plain.end(plain.begin()), 5);
        assert_eq!(stretched.end(stretched.begin()), 50);
        assert_eq!(Stopwatch::none().end(Stopwatch::none().begin()), 0);
    }
}
