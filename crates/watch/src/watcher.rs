//! The thread that looks.

use crate::counters::{Machine, OfThread};
use crate::idle::Idle;
use clock::{Clock, Ticks};
use record::{Cause, CauseLog};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// How often it looks, at most: as finely as a slow message can be told from its neighbours.
const INTERVAL_LEAST: Duration = Duration::from_millis(10);
/// It sleeps this many times as long as looking took of a core's time: half a percent of one. (Time in which it waited for a core is not counted:
/// else it would look least where there is most to see.)
const SLEEP_FACTOR: u32 = 200;
/// What it saw is written so often, or when it is stopped.
const FLUSH_INTERVAL: Duration = Duration::from_millis(500);

/// Watches the nodes of a process until it is dropped.
pub struct Watcher {
    shared: Arc<Shared>,
    thread: Option<JoinHandle<()>>,
}

struct Shared {
    clock: Clock,
    stop: AtomicBool,
    subjects: Mutex<Vec<Subject>>,
}

/// A node that is watched.
struct Subject {
    node: u32,
    counters: OfThread,
    log: CauseLog,
    /// When it was last looked at; `None` before the first look.
    last: Option<Ticks>,
}

impl Watcher {
    /// A watcher that watches nobody yet; `tcp`: also what the machine's TCP does.
    pub fn start(clock: Clock, tcp: bool) -> Watcher {
        let shared = Arc::new(Shared { clock, stop: AtomicBool::new(false), subjects: Mutex::default() });
        let own = Arc::clone(&shared);
        let thread =
            std::thread::Builder::new().name("watcher".into()).spawn(move || own.watch(Machine::open(tcp)));
        // A run is worth having without its causes.
        Watcher { shared, thread: thread.ok() }
    }

    /// Watch the calling thread, which runs `node`: what is seen goes into `log`, beginning with what its core lost while it was idle.
    pub fn watch_me(&self, node: u32, mut log: CauseLog, idle: Option<&Idle>) {
        if let Some(idle) = idle {
            log.note(Cause::IdleSpin, idle.span.0, idle.span.1, idle.lost_ns as i64);
            idle.gaps.iter().for_each(|(from, to)| log.note(Cause::IdleGap, *from, *to, 0));
        }
        let thread = rustix::thread::gettid().as_raw_nonzero().get().unsigned_abs();
        let subject = Subject { node, counters: OfThread::open(thread), log, last: None };
        self.shared.subjects().push(subject);
    }

    /// Note what somebody else saw of `node`; nothing if it is not watched.
    pub fn note(&self, node: u32, cause: Cause, from: Ticks, to: Ticks, amount: i64) {
        if let Some(subject) = self.shared.subjects().iter_mut().find(|subject| subject.node == node) {
            subject.log.note(cause, from, to, amount);
        }
    }
}

impl Drop for Watcher {
    fn drop(&mut self) {
        self.shared.stop.store(true, Ordering::Relaxed);
        if let Some(thread) = self.thread.take() {
            thread.thread().unpark();
            let _ = thread.join();
        }
    }
}

impl Shared {
    fn subjects(&self) -> MutexGuard<'_, Vec<Subject>> {
        self.subjects.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn watch(&self, mut machine: Machine) {
        let mut flushed = Instant::now();
        loop {
            let stopping = self.stop.load(Ordering::Relaxed);
            let begin = own_cpu_time();
            let flush = stopping || flushed.elapsed() >= FLUSH_INTERVAL;
            self.look_at_all(&mut machine, flush);
            if flush {
                flushed = Instant::now();
            }
            if stopping {
                return;
            }
            std::thread::park_timeout(
                INTERVAL_LEAST.max(own_cpu_time().saturating_sub(begin) * SLEEP_FACTOR),
            );
        }
    }

    fn look_at_all(&self, machine: &mut Machine, flush: bool) {
        let mut subjects = self.subjects();
        if subjects.is_empty() {
            return;
        }
        let begin = self.clock.now();
        let reading = machine.read();
        for subject in subjects.iter_mut() {
            subject.look(&reading, begin);
        }
        if flush {
            // A full disk is told by the recorder, whose rows matter more.
            subjects.iter_mut().for_each(|subject| drop(subject.log.flush()));
        }
        let end = self.clock.now();
        subjects.iter_mut().for_each(|subject| subject.log.note(Cause::Watcher, begin, end, 0));
    }
}

/// Time that a core has worked for this thread.
fn own_cpu_time() -> Duration {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
    Duration::new(time.tv_sec.unsigned_abs(), time.tv_nsec as u32)
}

impl Subject {
    /// Note what has changed since the last look, which was at `last`.
    fn look(&mut self, machine: &crate::counters::Reading<'_>, now: Ticks) {
        let Subject { counters, log, last, .. } = self;
        let from = last.replace(now);
        counters.look(machine, |cause, amount| {
            if let Some(from) = from {
                log.note(cause, from, now, amount);
            }
        });
        if let Some(from) = from {
            log.note(Cause::Watched, from, now, 0);
        }
    }
}
