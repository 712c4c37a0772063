//! First touches that nobody saw: of pages that were there before they were needed.
//!
//! Such pages belong to a stream, whose faults are seen from time to time. A fault behind a page
//! says that the stream has passed it: after the last fault before the page, and computing as much
//! for each page as for the next. Pages that no fault lies behind are taken as never touched.

use pager_facts::{Held, PageEvent, PageStretch};
use std::collections::HashMap;

/// A fault this many strides away may still be of the same stream: two of the largest windows.
const NEAR: f64 = 130.0;
/// Windows that are looked at: two for each of the streams that the pager follows, and zeros.
const WINDOWS_MAX: usize = 400;
/// The pager looks no further than so many strides for pages to read.
const SKIPPED_MAX: i64 = 256;

/// A touch that was seen, ns.
#[derive(Clone, Copy)]
struct Fault {
    from: u64,
    to: u64,
    page: u64,
}

/// A page that a stream passed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Passing {
    pub thread: u64,
    /// When, about, ns.
    pub at: u64,
    pub page: u64,
}

/// Pages that came ahead, and how far the stream is.
struct Window {
    thread: u64,
    first: u64,
    stride: i64,
    /// Those that it has not passed: how many strides away, and which.
    left: Vec<(i64, u64)>,
    /// The last fault before the next of them, by its place among its thread's.
    since: usize,
}

/// The faults of a thread, and how much it had computed when each began.
#[derive(Default)]
struct Lane {
    faults: Vec<Fault>,
    computed: Vec<u64>,
}

impl Lane {
    fn push(&mut self, fault: Fault) {
        let before = self.faults.last().map_or(0, |last| last.to);
        let computed = self.computed.last().copied().unwrap_or(0);
        self.computed.push(computed.saturating_add(fault.from.saturating_sub(before)));
        self.faults.push(fault);
    }

    /// When the thread had computed so much, within what it computed up to a fault.
    fn when(&self, computed: u64, since: usize) -> u64 {
        let at = since + self.computed[since..].partition_point(|all| *all < computed);
        let Some(fault) = self.faults.get(at) else { return 0 };
        // Exactly then it begins to wait: the touch is before.
        let early = self.computed[at] - computed;
        fault.from.saturating_sub(early)
    }
}

/// All of them. `events` are in the order in which they began.
pub(super) fn unseen(events: &[PageEvent]) -> Vec<Passing> {
    let mut lanes: HashMap<u64, Lane> = HashMap::new();
    let mut windows: Vec<Window> = Vec::new();
    let mut found = Vec::new();
    let mut last = 0;
    for event in events {
        match *event {
            PageEvent::Fault { from, to, thread, page, .. } => {
                last = thread;
                let lane = lanes.entry(thread).or_default();
                lane.push(Fault { from, to, page });
                for window in windows.iter_mut().filter(|it| it.thread == thread) {
                    window.see(page, lane, &mut found);
                }
            }
            PageEvent::Ahead { first, stride, pages, .. } => {
                let since = lanes.get(&last).map_or(0, |lane| lane.faults.len());
                let Some(since) = since.checked_sub(1) else { continue };
                if windows.len() == WINDOWS_MAX {
                    windows.remove(0);
                }
                let before = match windows.last() {
                    Some(window) if window.thread == last && window.since == since => {
                        window.left.last().map(|(_, page)| *page)
                    }
                    _ => lanes.get(&last).and_then(|lane| lane.faults.last()).map(|it| it.page),
                };
                let skipped = skipped(before, first, stride);
                let page = |far| (far, first.wrapping_add_signed(stride.wrapping_mul(far)));
                let left = (-skipped..pages as i64).map(page).collect();
                windows.push(Window { thread: last, first, stride, left, since });
            }
            PageEvent::Gone { stretch, held, .. } => {
                let changed = held != Held::Same;
                for window in &mut windows {
                    if let Some(lane) = lanes.get(&window.thread) {
                        window.lose(stretch, changed, lane, &mut found);
                    }
                }
            }
            _ => {}
        }
        windows.retain(|window| !window.left.is_empty());
    }
    found
}

/// How many pages lie between one before and the first of a window: the stream did not read those,
/// because they were in memory, but it passes them too.
fn skipped(before: Option<u64>, first: u64, stride: i64) -> i64 {
    let Some(before) = before else { return 0 };
    let far = first.wrapping_sub(before) as i64;
    let steps = far / stride - 1;
    if far % stride == 0 && (1..=SKIPPED_MAX).contains(&steps) { steps } else { 0 }
}

impl Window {
    /// Its thread's last fault is on this page.
    fn see(&mut self, page: u64, lane: &Lane, found: &mut Vec<Passing>) {
        let far = page.wrapping_sub(self.first) as i64 as f64 / self.stride as f64;
        let last = self.left.last().map_or(0, |(far, _)| *far);
        if !(-NEAR..last as f64 + NEAR / 2.0).contains(&far) {
            return;
        }
        let now = lane.faults.len() - 1;
        let reached = self.left.partition_point(|(at, _)| (*at as f64) < far);
        let passed: Vec<u64> = self.left.drain(..reached).map(|(_, page)| page).collect();
        self.pass(&passed, lane, now, found);
        // It may have been touched after all, and waited for on its way.
        self.left.retain(|(_, left)| *left != page);
        self.since = now;
    }

    /// These of its pages left memory. If they had changed, the stream has reached them before its
    /// thread went elsewhere.
    fn lose(&mut self, gone: PageStretch, changed: bool, lane: &Lane, found: &mut Vec<Passing>) {
        let is_gone = |page: &u64| (gone.first..gone.first + gone.pages).contains(page);
        let lost: Vec<u64> = self.left.iter().map(|(_, page)| *page).filter(is_gone).collect();
        self.left.retain(|(_, page)| !is_gone(page));
        if changed && self.since + 1 < lane.faults.len() {
            self.pass(&lost, lane, self.since + 1, found);
        }
    }

    /// Pages were passed between the last fault before them and this one.
    fn pass(&self, pages: &[u64], lane: &Lane, now: usize, found: &mut Vec<Passing>) {
        let (from, to) = (lane.computed[self.since], lane.computed[now]);
        let parts = pages.len() as u128 + 1;
        for (number, page) in (1..).zip(pages) {
            let computed = from + (u128::from(to - from) * number / parts) as u64;
            let at = lane.when(computed.max(from.saturating_add(1)), self.since + 1);
            found.push(Passing { thread: self.thread, at, page: *page });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fault(from: u64, to: u64, page: u64) -> PageEvent {
        PageEvent::Fault { from, to, thread: 1, page, write: false }
    }

    #[test]
    fn a_stream_passes_its_pages_at_an_even_pace() {
        // Four pages ahead of page 10, of which the first is the trigger and faults.
        let events = [
            fault(1000, 1100, 10),
            PageEvent::Ahead { at: 1010, first: 12, stride: 1, pages: 3 },
            fault(1200, 1300, 11),
            PageEvent::Ahead { at: 1210, first: 16, stride: 1, pages: 7 },
            fault(1700, 1800, 15),
        ];
        let at = |at, page| Passing { thread: 1, at, page };
        assert_eq!(unseen(&events), [at(1400, 12), at(1500, 13), at(1600, 14)]);
    }

    #[test]
    fn computing_counts_and_waiting_does_not() {
        // Two streams in turn: while one passes its pages, the other waits.
        let events = [
            fault(0, 1000, 10),
            PageEvent::Ahead { at: 10, first: 11, stride: 1, pages: 1 },
            fault(1100, 9000, 500),
            fault(9100, 9200, 12),
        ];
        assert_eq!(unseen(&events), [Passing { thread: 1, at: 1100, page: 11 }]);
    }

    #[test]
    fn what_no_fault_lies_behind_is_not_touched() {
        let events = [
            fault(0, 1000, 10),
            PageEvent::Ahead { at: 10, first: 9, stride: -1, pages: 4 },
            fault(2000, 2100, 900),
            fault(3000, 3100, 7),
        ];
        let pages: Vec<u64> = unseen(&events).iter().map(|it| it.page).collect();
        assert_eq!(pages, [9, 8]);
    }
}
