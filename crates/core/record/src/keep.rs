//! Moving rows from a ring to a live log: by the node itself, or by a thread beside it.

use crate::log::{LogWriter, chunk_rows_max};
use crate::ring::Consumer;
use memory::Region;
use std::io::Error;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicI32, Ordering};
use std::thread::JoinHandle;
use std::time::Duration;

/// A ring's consumer with the log that it fills.
pub(crate) struct Keeper {
    ring: Consumer<Region>,
    log: LogWriter,
    rows: Vec<u64>,
    chunk_rows_max: u64,
    failure: Arc<Failure>,
}

/// Error numbers of the system, 0 for none: what one thread tells another without a lock.
#[derive(Default)]
struct Failure {
    now: AtomicI32,
    ever: AtomicI32,
}

/// A thread that keeps rows while a run goes on.
pub(crate) struct KeeperThread {
    thread: JoinHandle<Keeper>,
    stop: Arc<AtomicBool>,
    failure: Arc<Failure>,
}

/// Longest time that rows wait in the ring.
const REST_MAX: Duration = Duration::from_millis(100);
/// Shortest rest of the thread: a busy node fills its ring faster than `REST_MAX` allows for.
const REST_MIN: Duration = Duration::from_millis(1);

impl Keeper {
    pub fn new(ring: Consumer<Region>, log: LogWriter, stride: usize) -> Keeper {
        let chunk_rows_max = chunk_rows_max(stride) as u64;
        Keeper { ring, log, rows: Vec::new(), chunk_rows_max, failure: Arc::default() }
    }

    /// Move every waiting row into the log. Rows of an append that failed stay in the ring.
    pub fn keep_all(&mut self) -> Result<(), Error> {
        while self.ring.waiting() > 0 {
            let rows = self.ring.copy(self.chunk_rows_max, &mut self.rows);
            if let Err(error) = self.log.append(&self.rows) {
                self.failure.note(&error);
                return Err(error);
            }
            self.failure.now.store(0, Ordering::Relaxed);
            self.ring.release(rows);
        }
        Ok(())
    }

    /// Why the last try failed, if it did.
    pub fn failing(&self) -> Option<Error> {
        self.failure.now()
    }

    /// Why any try failed, if one did.
    pub fn ever_failed(&self) -> Option<Error> {
        of_number(&self.failure.ever)
    }

    /// Keep rows until told to stop, resting the shorter the fuller the ring was.
    fn work(mut self, stop: &AtomicBool) -> Keeper {
        let mut rest = REST_MAX;
        while !stop.load(Ordering::Acquire) {
            let filled = self.ring.waiting() as f64 / self.ring.capacity() as f64;
            rest = if filled > 0.125 { (rest / 2).max(REST_MIN) } else { (rest * 2).min(REST_MAX) };
            // A failure is noted, and the next round tries again: room may have been made on the
            // disk.
            let _ = self.keep_all();
            std::thread::park_timeout(rest);
        }
        self
    }
}

impl KeeperThread {
    pub fn begin(keeper: Keeper) -> Result<KeeperThread, Error> {
        let stop = Arc::new(AtomicBool::new(false));
        let failure = keeper.failure.clone();
        let told = stop.clone();
        let thread = std::thread::Builder::new()
            .name("fourstamp-keep".to_string())
            .spawn(move || keeper.work(&told))?;
        Ok(KeeperThread { thread, stop, failure })
    }

    /// Why the last try failed, if it did.
    pub fn failing(&self) -> Option<Error> {
        self.failure.now()
    }

    /// Have the thread work now, and give it a moment.
    pub fn hurry(&self) {
        self.thread.thread().unpark();
        std::thread::sleep(Duration::from_micros(50));
    }

    pub fn end(self) -> Keeper {
        self.stop.store(true, Ordering::Release);
        self.thread.thread().unpark();
        self.thread.join().expect("keeping rows does not panic")
    }
}

impl Failure {
    fn note(&self, error: &Error) {
        // Not every error has a number (a write of nothing): it is an input/output error then.
        let number = error.raw_os_error().unwrap_or_else(|| rustix::io::Errno::IO.raw_os_error());
        self.now.store(number, Ordering::Relaxed);
        self.ever.store(number, Ordering::Relaxed);
    }

    fn now(&self) -> Option<Error> {
        of_number(&self.now)
    }
}

fn of_number(number: &AtomicI32) -> Option<Error> {
    let number = number.load(Ordering::Relaxed);
    (number != 0).then(|| Error::from_raw_os_error(number))
}
