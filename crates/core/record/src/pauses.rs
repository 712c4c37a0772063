//! When a node waited until its record had room again: told to its watcher.

use clock::{Clock, Ticks};
use std::sync::{Mutex, PoisonError};

/// Waits of one recorder that nobody has asked for yet. Neither making nor asking is on the hot
/// path.
#[derive(Debug)]
pub struct Pauses {
    clock: Clock,
    ns_per_tick: f64,
    kept: Mutex<Vec<Pause>>,
}

#[derive(Clone, Copy, Debug, PartialEq)]
struct Pause {
    from: Ticks,
    to: Ticks,
    ns: i64,
}

/// A wait that begins so soon after the one before belongs to it: a full buffer makes room for a
/// few rows at a time.
const APART_NS: f64 = 1e6;
/// Waits kept; of more, the last one grows.
const KEPT_MOST: usize = 4096;

impl Pauses {
    pub(crate) fn new(clock: Clock, ns_per_tick: f64) -> Pauses {
        Pauses { clock, ns_per_tick, kept: Mutex::default() }
    }

    /// Tell and forget each wait: its begin, its end, and how much of that time it took, ns.
    pub fn drain(&self, mut tell: impl FnMut(Ticks, Ticks, i64)) {
        let kept = std::mem::take(&mut *self.kept.lock().unwrap_or_else(PoisonError::into_inner));
        kept.into_iter().for_each(|pause| tell(pause.from, pause.to, pause.ns));
    }

    pub(crate) fn now(&self) -> Ticks {
        self.clock.now()
    }

    /// A wait from `from` until now.
    pub(crate) fn note(&self, from: Ticks) {
        let to = self.clock.now();
        let ns = |from: Ticks, to: Ticks| to.0.saturating_sub(from.0) as f64 * self.ns_per_tick;
        let pause = Pause { from, to, ns: ns(from, to) as i64 };
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        let full = kept.len() >= KEPT_MOST;
        match kept.last_mut() {
            Some(last) if full || ns(last.to, from) < APART_NS => {
                (last.to, last.ns) = (to, last.ns + pause.ns);
            }
            _ => kept.push(pause),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Mode, NodeSheet, RecorderOptions, Row, RunFolder, RunInfo};
    use crate::{Schema, WhenFull};

    const ROW: Row = Row { bytes: 8, ..Row::between(0, 0) };

    fn drained(pauses: &Pauses) -> Vec<(u64, u64, i64)> {
        let mut all = Vec::new();
        pauses.drain(|from, to, ns| all.push((from.0, to.0, ns)));
        all
    }

    #[test]
    fn each_wait_of_a_full_buffer_is_told_once_with_its_time() {
        let folder = tempfile::tempdir().unwrap();
        let run = RunFolder::create(folder.path().join("run"), RunInfo::new("test")).unwrap();
        let clock = Clock::system();
        let options =
            RecorderOptions { mode: Mode::Memory, capacity_rows: 4, when_full: WhenFull::Block };
        let mut node =
            run.recorder(NodeSheet::new(0, 0, &clock), &Schema::default(), options).unwrap();
        let (begin, pauses) = (clock.now().0, node.time_pauses(clock));
        (0..4).for_each(|_| node.push(&ROW));
        assert!(drained(&pauses).is_empty(), "there was room");
        (0..16).for_each(|_| node.push(&ROW));
        let told = drained(&pauses);
        assert!(
            !told.is_empty()
                && told.iter().all(|(from, to, ns)| begin <= *from && from <= to && *ns >= 0)
        );
        assert!(drained(&pauses).is_empty(), "told once");
        node.finish(clock.anchor()).unwrap();
        run.close().unwrap();
    }

    #[test]
    fn waits_that_follow_each_other_at_once_are_one() {
        let pauses = Pauses::new(Clock::system(), 1.0);
        let first = pauses.now();
        pauses.note(first);
        let begin = drained(&pauses)[0].0;
        assert_eq!(begin, first.0);
        pauses.note(Ticks(1));
        // As if that one had ended just now, however long this test is held up.
        pauses.kept.lock().unwrap()[0].to = Ticks(u64::MAX);
        pauses.note(Ticks(u64::MAX));
        assert_eq!(drained(&pauses).len(), 1);
    }
}
