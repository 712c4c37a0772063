//! What the program did with its pages, and what became of them, until it is written: for a model
//! that lets the pager decide anew. Neighbours become one event, so there are few.

use crate::page_event::NEIGHBOURS_MAX;
use crate::{EngineStep, Held, Mapping, PageEvent, PageStretch};

/// A thread that waits.
#[derive(Clone, Copy, Debug)]
struct Touch {
    page: u64,
    write: bool,
    thread: u32,
    from: u64,
}

/// What has not been written yet, with times in ticks.
#[derive(Debug)]
pub struct PageEvents {
    /// `None`: nobody wants to know.
    events: Option<Vec<PageEvent>>,
    waiting: Vec<Touch>,
    /// Of each step, how often and how long.
    work: [(u64, u64); EngineStep::ALL.len()],
}

impl Default for PageEvents {
    fn default() -> PageEvents {
        PageEvents::new()
    }
}

impl PageEvents {
    /// Nothing yet.
    pub fn new() -> PageEvents {
        PageEvents { events: Some(Vec::new()), waiting: Vec::new(), work: Default::default() }
    }

    /// Keep nothing from now on.
    pub fn stop(&mut self) {
        self.events = None;
        self.waiting = Vec::new();
    }

    /// Whether anything is kept.
    pub fn is_recording(&self) -> bool {
        self.events.is_some()
    }

    /// What the pager may use.
    pub fn options(&mut self, budget: u64, staging: u64, prefetch: u64) {
        self.push(PageEvent::Options { budget, staging, prefetch });
    }

    /// A thread touched a page that is not there.
    pub fn touched(&mut self, page: u64, write: bool, thread: u32, from: u64) {
        if self.is_recording() {
            self.waiting.push(Touch { page, write, thread, from });
        }
    }

    /// The pages `[first, first + many)` are there.
    #[inline]
    pub fn there(&mut self, first: u64, many: u64, to: u64) {
        let mut at = 0;
        while let Some(&Touch { page, write, thread, from }) = self.waiting.get(at) {
            if page < first || page >= first + many {
                at += 1;
                continue;
            }
            self.waiting.swap_remove(at);
            let thread = thread.into();
            self.push(PageEvent::Fault { from, to, thread, page, write });
        }
    }

    /// A thread wrote to a page that was protected.
    pub fn written(&mut self, page: u64, thread: u32, at: u64) {
        self.push(PageEvent::Written { at, thread: thread.into(), page });
    }

    /// A page was asked for, or is put back: ahead of need, unless somebody waits for it.
    pub fn ahead(&mut self, page: u64, at: u64) {
        if self.waiting.iter().any(|touch| touch.page == page) {
            return;
        }
        if let Some(PageEvent::Ahead { first, stride, pages, .. }) = self.last() {
            let step = page.wrapping_sub(*first) as i64;
            if step == 0 && *pages == 1 {
                return;
            }
            let follows = *pages == 1 || step == stride.wrapping_mul(*pages as i64);
            if follows && *pages < NEIGHBOURS_MAX {
                *stride = if *pages == 1 { step } else { *stride };
                *pages += 1;
                return;
            }
        }
        self.push(PageEvent::Ahead { at, first: page, stride: 1, pages: 1 });
    }

    /// A page left memory.
    pub fn gone(&mut self, page: u64, held: Held, at: u64) {
        if let Some(PageEvent::Gone { stretch, held: before, .. }) = self.last()
            && *before == held
            && page == stretch.first + stretch.pages
            && stretch.pages < NEIGHBOURS_MAX
        {
            stretch.pages += 1;
            return;
        }
        let stretch = PageStretch { first: page, pages: 1 };
        self.push(PageEvent::Gone { at, stretch, held });
    }

    /// The program did something with its memory as such.
    pub fn memory(&mut self, how: Mapping, first: u64, pages: u64, at: u64) {
        let stretch = PageStretch { first, pages };
        self.push(PageEvent::Memory { at, how, stretch });
    }

    /// Its memory is at another address.
    pub fn moved(&mut self, first: u64, pages: u64, to: u64, at: u64) {
        let stretch = PageStretch { first, pages };
        self.push(PageEvent::Moved { at, stretch, to });
    }

    /// A step of the engine took so long, for `count` pages.
    pub fn worked(&mut self, step: EngineStep, count: u64, ticks: u64) {
        let (counted, all) = &mut self.work[step as usize];
        (*counted, *all) = (*counted + count, *all + ticks);
    }

    /// What there is.
    pub fn into_events(self) -> Vec<PageEvent> {
        self.events.unwrap_or_default()
    }

    /// What has happened since they were taken last, with `ns` for moments in ticks, and what the
    /// engine's steps have taken so far, with `ns_per_tick` for lengths.
    pub fn take(&mut self, ns: impl Fn(u64) -> u64, ns_per_tick: f64) -> Vec<PageEvent> {
        let Some(events) = &mut self.events else { return Vec::new() };
        let mut taken: Vec<PageEvent> = events.drain(..).map(|event| event.in_unit(&ns)).collect();
        let steps = EngineStep::ALL.into_iter().zip(self.work);
        taken.extend(steps.map(|((step, _), (count, ticks))| {
            let ns = (ticks as f64 * ns_per_tick) as u64;
            PageEvent::Work { step, count, ns }
        }));
        taken
    }

    fn push(&mut self, event: PageEvent) {
        if let Some(events) = &mut self.events {
            events.push(event);
        }
    }

    fn last(&mut self) -> Option<&mut PageEvent> {
        self.events.as_mut()?.last_mut()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn neighbours_are_one_event_and_who_waits_is_not_ahead() {
        let mut events = PageEvents::new();
        events.options(9, 8, 64);
        events.touched(10, true, 5, 100);
        [10, 12, 14, 16, 17].into_iter().for_each(|page| events.ahead(page, 110));
        events.there(0, 20, 150);
        for (page, held) in
            [(1, Held::Changed), (2, Held::Changed), (3, Held::Same), (5, Held::Same)]
        {
            events.gone(page, held, 160);
        }
        events.gone(6, Held::Zeros, 160);
        events.ahead(30, 170);
        events.ahead(30, 170);
        events.worked(EngineStep::Take, 4, 30);
        let taken = events.take(|ticks| 10 * ticks, 10.0);
        let lines: Vec<String> = taken.iter().map(ToString::to_string).collect();
        assert_eq!(
            lines[..9],
            [
                "options,9,8,64",
                "ahead,1100,12,2,3",
                "ahead,1100,17,1,1",
                "fault,1000,1500,5,10,1",
                "gone,1600,1,2,1",
                "gone,1600,3,1,0",
                "gone,1600,5,1,0",
                "gone,1600,6,1,2",
                // The same page again is no stride.
                "ahead,1700,30,1,1",
            ]
        );
        assert!(lines[9..].contains(&"take,4,300".to_owned()), "{lines:?}");
        events.stop();
        assert!(events.take(|ticks| ticks, 1.0).is_empty());
    }
}
