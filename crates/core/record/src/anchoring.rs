//! A node's clock beside its machine's, written down while the run goes on.
//!
//! What a kernel stamp means, and where a far clock lies, is known from comparisons of clocks. A
//! node that is killed takes none at its end, and the machine's wall clock is steered while a run
//! goes on, so a thread takes one twice a second and appends it to a log in `live/`: a run that is
//! cut then knows its clocks as a run that is closed does, up to its last half second.

use crate::input::open_input;
use crate::log::{LogHead, LogReader, LogWriter};
use crate::row::BASE_WORDS;
use crate::{Machine, NodeSheet, RecordError, Schema, models};
use clock::{Anchor, Clock, Ticks};
use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::thread::JoinHandle;
use std::time::Duration;

/// Half of what is promised, so that a thread that runs late keeps the promise.
const EVERY: Duration = Duration::from_millis(500);
/// Most anchors of a log that are used; where there are more, the best of each stretch are.
const KEPT_MAX: usize = 512;

/// The clocks of this process that are being written down for a run.
#[derive(Default)]
pub(crate) struct Anchorings(Mutex<Vec<(String, Weak<Anchoring>)>>);

/// One clock that is being written down, until this is dropped.
pub(crate) struct Anchoring {
    stop: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl Anchorings {
    /// Have the clock of `sheet` written down as long as the result is held: by its log, or by that
    /// of another node on the same clock. `None` where this process cannot read that clock.
    pub fn hold(
        &self,
        live: &Path,
        sheet: &NodeSheet,
    ) -> Result<Option<Arc<Anchoring>>, RecordError> {
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        known.retain(|(_, anchoring)| anchoring.strong_count() > 0);
        let same = known.iter().find(|(domain, _)| *domain == sheet.domain);
        if let Some(held) = same.and_then(|(_, anchoring)| anchoring.upgrade()) {
            return Ok(Some(held));
        }
        let Some(clock) = clock_of(sheet) else { return Ok(None) };
        let held = Arc::new(Anchoring::begin(live, sheet, clock)?);
        known.push((sheet.domain.clone(), Arc::downgrade(&held)));
        Ok(Some(held))
    }
}

/// The clock of a sheet, if it is this process's own and free of planted errors.
fn clock_of(sheet: &NodeSheet) -> Option<Clock> {
    let ours = sheet.pid == std::process::id() && sheet.boot_id == Machine::boot_id_here();
    if ours && !sheet.is_planted() { models::clock_here(sheet.source) } else { None }
}

impl Anchoring {
    fn begin(live: &Path, sheet: &NodeSheet, clock: Clock) -> Result<Anchoring, RecordError> {
        let path = log_path(live, sheet);
        let failed = |error| RecordError::file("create", &path, error);
        let file = File::options().write(true).create_new(true).open(&path).map_err(failed)?;
        let head = LogHead { launch: sheet.launch, node: sheet.node, schema: Schema::default() };
        let mut log = LogWriter::new(file, &head).map_err(failed)?;
        let stop = Arc::new(AtomicBool::new(false));
        let told = stop.clone();
        let work = move || {
            while !told.load(Ordering::Acquire) {
                // A full disk is told by the recorder, whose rows matter more.
                let _ = log.append(&words(&clock.anchor()));
                std::thread::park_timeout(EVERY);
            }
        };
        let thread = std::thread::Builder::new().name("fourstamp-clock".into()).spawn(work);
        Ok(Anchoring { stop, thread: Some(thread.map_err(failed)?) })
    }
}

impl Drop for Anchoring {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Release);
        if let Some(thread) = self.thread.take() {
            thread.thread().unpark();
            // It does nothing that can fail.
            let _ = thread.join();
        }
    }
}

fn log_path(live: &Path, sheet: &NodeSheet) -> PathBuf {
    live.join(sheet.stem() + ".anchors.log")
}

fn words(anchor: &Anchor) -> [u64; BASE_WORDS] {
    let Anchor { ticks, half_width, monotonic_raw_ns, realtime_ns } = *anchor;
    [ticks.0, half_width, monotonic_raw_ns as u64, realtime_ns as u64, 0, 0, 0, 0]
}

/// The anchors that a node left in its log, of a long run the best of each stretch.
pub(crate) fn read(live: &Path, sheet: &NodeSheet) -> Vec<Anchor> {
    let Ok(file) = open_input(&log_path(live, sheet)) else { return Vec::new() };
    let Ok(Ok(mut log)) = LogReader::new(file) else { return Vec::new() };
    if log.head().schema != Schema::default() {
        return Vec::new();
    }
    let (mut thinned, mut rows) = (Thinned::default(), Vec::new());
    while let Ok(true) = log.next_rows(&mut rows) {
        for row in rows.chunks_exact(BASE_WORDS) {
            thinned.push(Anchor {
                ticks: Ticks(row[0]),
                half_width: row[1],
                monotonic_raw_ns: row[2] as i64,
                realtime_ns: row[3] as i64,
            });
        }
    }
    thinned.finish()
}

/// At most [`KEPT_MAX`] anchors of any number: of each stretch the tightest, and the last.
#[derive(Default)]
struct Thinned {
    kept: Vec<Anchor>,
    /// Anchors that one of `kept` stands for, as a power of two.
    doublings: u32,
    /// The best of a stretch that is not full, and how many were in it.
    best: Option<(Anchor, u64)>,
    last: Option<Anchor>,
}

impl Thinned {
    fn push(&mut self, anchor: Anchor) {
        self.last = Some(anchor);
        let (best, seen) =
            self.best.map_or((anchor, 0), |(best, seen)| (tighter(best, anchor), seen));
        self.best = Some((best, seen + 1));
        if seen + 1 < 1 << self.doublings {
            return;
        }
        self.kept.push(best);
        self.best = None;
        if self.kept.len() > KEPT_MAX {
            let pairs = self.kept.chunks(2);
            self.kept = pairs
                .map(|pair| pair.iter().copied().reduce(tighter).expect("no chunk is empty"))
                .collect();
            self.doublings += 1;
        }
    }

    fn finish(mut self) -> Vec<Anchor> {
        self.kept.extend(self.best.map(|(best, _)| best));
        if self.kept.last() != self.last.as_ref() {
            self.kept.extend(self.last);
        }
        self.kept
    }
}

fn tighter(one: Anchor, other: Anchor) -> Anchor {
    if other.half_width < one.half_width { other } else { one }
}

#[cfg(test)]
mod tests;
