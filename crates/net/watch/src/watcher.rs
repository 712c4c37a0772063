//! The thread that looks.

use crate::counters::{Machine, OfThread, Reading};
use crate::idle::Idle;
use crate::kernel::own_cpu_time;
use crate::stillness::{Still, Stillness};
use clock::{Clock, Ticks};
use record::{Cause, CauseLog, Pauses};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// How often it looks at the threads, at most: as finely as a slow message can be told from its
/// neighbours.
const INTERVAL_LEAST: Duration = Duration::from_millis(10);
/// Between two quick looks it sleeps this many times as long as one took of a core's time: a
/// thousandth of one. (Time in which it waited for a core is not counted: else it would look least
/// where there is most to see.)
const QUICK_FACTOR: u32 = 1000;
/// And between two whole looks so many times: with the quick ones half a percent of a core.
const WHOLE_FACTOR: u32 = 250;
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
    /// Waits of its recorder for room.
    pauses: Arc<Pauses>,
    /// When its thread was last looked at; `None` before the first look.
    quick: Option<Ticks>,
    /// When all was last looked at.
    whole: Option<Ticks>,
}

impl Watcher {
    /// A watcher that watches nobody yet; `tcp`: also what the machine's TCP does.
    pub fn start(clock: Clock, tcp: bool) -> Watcher {
        let shared =
            Arc::new(Shared { clock, stop: AtomicBool::new(false), subjects: Mutex::default() });
        let own = Arc::clone(&shared);
        let thread = std::thread::Builder::new()
            .name("watcher".into())
            .spawn(move || own.watch(Machine::open(tcp)));
        // A run is worth having without its causes.
        Watcher { shared, thread: thread.ok() }
    }

    /// Watch the calling thread, which runs `node`, and the `pauses` of its recorder: what is seen
    /// goes into `log`, beginning with what its core lost while it was idle.
    pub fn watch_me(&self, node: u32, mut log: CauseLog, pauses: Arc<Pauses>, idle: Option<&Idle>) {
        if let Some(idle) = idle {
            log.note(Cause::IdleSpin, idle.span.0, idle.span.1, idle.lost_ns as i64);
            idle.gaps.iter().for_each(|(from, to)| log.note(Cause::IdleGap, *from, *to, 0));
        }
        let thread = rustix::thread::gettid().as_raw_nonzero().get().unsigned_abs();
        let counters = OfThread::open(thread);
        let mut subject = Subject { node, counters, log, pauses, quick: None, whole: None };
        subject.look_by_itself(self.shared.clock);
        self.shared.subjects().push(subject);
    }

    /// The calling thread, which runs `node`, has come to its end: look at it once more, for
    /// afterwards its counters are gone.
    pub fn end(&self, node: u32) {
        if let Some(subject) =
            self.shared.subjects().iter_mut().find(|subject| subject.node == node)
        {
            subject.look_by_itself(self.shared.clock);
        }
    }

    /// Note what somebody else saw of `node`; nothing if it is not watched.
    pub fn note(&self, node: u32, cause: Cause, from: Ticks, to: Ticks, amount: i64) {
        if let Some(subject) =
            self.shared.subjects().iter_mut().find(|subject| subject.node == node)
        {
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
        let (mut flushed, mut stillness) = (Instant::now(), Stillness::begin());
        let mut next_whole = Instant::now();
        loop {
            let stopping = self.stop.load(Ordering::Relaxed);
            let still = stillness.look();
            let begin = own_cpu_time();
            let whole = stopping || Instant::now() >= next_whole;
            let flush = stopping || flushed.elapsed() >= FLUSH_INTERVAL;
            self.look_at_all(if whole { Some(&mut machine) } else { None }, still);
            if flush {
                stillness.write(|| self.flush());
            }
            let took = own_cpu_time().saturating_sub(begin);
            if whole {
                next_whole = Instant::now() + took * WHOLE_FACTOR;
            }
            if flush {
                flushed = Instant::now();
            }
            if stopping {
                return;
            }
            let rest = if whole { INTERVAL_LEAST } else { INTERVAL_LEAST.max(took * QUICK_FACTOR) };
            stillness.rest(rest);
        }
    }

    /// `machine`: given if all is to be looked at, and not only the threads. `still`: so long the
    /// watcher was not run.
    fn look_at_all(&self, machine: Option<&mut Machine>, still: Option<Still>) {
        let mut subjects = self.subjects();
        if subjects.is_empty() {
            return;
        }
        let (begin, cpu_time) = (self.clock.now(), own_cpu_time());
        subjects.iter_mut().for_each(|subject| subject.look_quickly(begin, still));
        if let Some(machine) = machine {
            let reading = machine.read();
            subjects.iter_mut().for_each(|subject| subject.look(&reading, begin));
        }
        let took = own_cpu_time().saturating_sub(cpu_time).as_nanos() as i64;
        let end = self.clock.now();
        subjects.iter_mut().for_each(|subject| subject.log.note(Cause::Watcher, begin, end, took));
    }

    /// Write down what was noted. A full disk is told by the recorder, whose rows matter more.
    fn flush(&self) {
        self.subjects().iter_mut().for_each(|subject| drop(subject.log.flush()));
    }
}

impl Subject {
    /// A quick look at its thread, by that thread.
    fn look_by_itself(&mut self, clock: Clock) {
        let (begin, cpu_time) = (clock.now(), own_cpu_time());
        self.look_quickly(begin, None);
        let took = own_cpu_time().saturating_sub(cpu_time).as_nanos() as i64;
        self.log.note(Cause::Watcher, begin, clock.now(), took.max(1));
    }

    /// Note how the thread was since the last look at it.
    fn look_quickly(&mut self, now: Ticks, still: Option<Still>) {
        let Subject { counters, log, quick, .. } = self;
        let Some(from) = quick.replace(now) else { return counters.look_quickly(|_, _| {}) };
        let mut ran = Duration::ZERO;
        counters.look_quickly(|cause, amount| {
            if cause == Cause::Ran {
                ran += Duration::from_nanos(amount.unsigned_abs());
            }
            log.note(cause, from, now, amount);
        });
        if let Some(still) = still.filter(|still| still.holds_for(ran)) {
            log.note(Cause::Stopped, from, now, still.missing.as_nanos() as i64);
        }
    }

    /// Note what else has changed since the last whole look.
    fn look(&mut self, machine: &Reading<'_>, now: Ticks) {
        let Subject { counters, log, pauses, whole, .. } = self;
        pauses.drain(|from, to, ns| log.note(Cause::Recording, from, to, ns));
        let Some(from) = whole.replace(now) else { return counters.look(machine, |_, _| {}) };
        counters.look(machine, |cause, amount| log.note(cause, from, now, amount));
        log.note(Cause::Watched, from, now, 0);
    }
}
