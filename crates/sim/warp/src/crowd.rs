//! Whether a node lacks its core: its thread is ready to run and somebody else has it.
//!
//! The engine bounds how far nodes run ahead only while some node lacks one. A slice of the
//! scheduler is some milliseconds, so one that was lost shows at the next look.

use std::time::{Duration, Instant};
use watch::OwnQueue;

/// What is known of a node's core before the run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Core {
    /// It has one to itself, as in simulated time.
    Own,
    /// Other nodes take turns on its thread.
    Shared,
    /// The kernel is asked.
    Unknown,
}

/// To have lacked a core for less, within a window, is the kernel's own business.
const LEAST: Duration = Duration::from_millis(1);
const WINDOW: Duration = Duration::from_millis(100);
/// A node counts as lacking a core for so long after it did: a busy neighbour stays for a while.
const AFTER: Duration = Duration::from_millis(200);

/// Watches the thread that made it.
#[derive(Debug)]
pub(crate) enum Crowd {
    Never,
    Always,
    Watched { queue: OwnQueue, window: Window },
}

impl Crowd {
    pub fn new(core: Core) -> Crowd {
        match core {
            Core::Own => Crowd::Never,
            Core::Shared => Crowd::Always,
            Core::Unknown => Crowd::watched().unwrap_or(Crowd::Always),
        }
    }

    /// `None`: the kernel does not say.
    fn watched() -> Option<Crowd> {
        let queue = OwnQueue::open();
        let window = Window::new(Instant::now(), waited(&queue)?);
        Some(Crowd::Watched { queue, window })
    }

    /// Whether the node has lacked a core lately.
    pub fn look(&mut self) -> bool {
        match self {
            Crowd::Never => false,
            Crowd::Always => true,
            Crowd::Watched { queue, window } => match waited(queue) {
                Some(waited) => window.look(Instant::now(), waited),
                None => true,
            },
        }
    }
}

/// How long the thread has waited for a core in all.
fn waited(queue: &OwnQueue) -> Option<Duration> {
    queue.ns().map(Duration::from_nanos)
}

/// What was seen lately.
#[derive(Debug)]
pub(crate) struct Window {
    begun: Instant,
    waited: Duration,
    lacked: Option<Instant>,
}

impl Window {
    fn new(now: Instant, waited: Duration) -> Window {
        Window { begun: now, waited, lacked: None }
    }

    /// Until now the thread has waited so long in all.
    fn look(&mut self, now: Instant, waited: Duration) -> bool {
        let lacks = waited.saturating_sub(self.waited) >= LEAST;
        if lacks {
            self.lacked = Some(now);
        }
        if lacks || now - self.begun >= WINDOW {
            (self.begun, self.waited) = (now, waited);
        }
        self.lacked.is_some_and(|then| now - then < AFTER)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::AtomicBool;
    use std::sync::atomic::Ordering::Relaxed;

    const MS: Duration = Duration::from_millis(1);

    #[test]
    fn a_slice_lost_counts_for_a_while_and_the_kernels_own_business_never() {
        let begun = Instant::now();
        let mut window = Window::new(begun, 7 * MS);
        let mut look = |ms: u32, waited_us: u64| {
            window.look(begun + ms * MS, 7 * MS + Duration::from_micros(waited_us))
        };
        assert!(!look(10, 0) && !look(90, 900));
        assert!(!look(100, 950), "a new window");
        assert!(!look(190, 1900));
        assert!(look(195, 4000));
        assert!(look(394, 4000) && !look(395, 4000));
    }

    #[test]
    fn a_busy_neighbour_on_the_same_core_is_noticed() {
        if Crowd::watched().is_none() {
            return println!("skipped: this kernel keeps no schedstat");
        }
        let (core, stop) = (rustix::thread::sched_getcpu(), AtomicBool::new(false));
        let busy = |work: &mut dyn FnMut() -> bool| {
            fabric::keep_on(core).expect("a thread may keep to a core that it may use");
            while !stop.load(Relaxed) && !work() {
                std::hint::spin_loop();
            }
        };
        let watch = || {
            let mut crowd = Crowd::watched().expect("it does");
            let (begun, mut noticed) = (Instant::now(), false);
            busy(&mut || {
                noticed = crowd.look();
                noticed || begun.elapsed() > 20_000 * MS
            });
            stop.store(true, Relaxed);
            noticed
        };
        let noticed = std::thread::scope(|scope| {
            scope.spawn(|| busy(&mut || false));
            scope.spawn(watch).join().unwrap()
        });
        assert!(noticed);
    }

    #[test]
    fn what_is_known_before_is_not_looked_at() {
        assert!(!Crowd::new(Core::Own).look() && Crowd::new(Core::Shared).look());
    }
}
