//! Where the program is likely to read next.
//!
//! Faults near one another make a stream. If more than half of a stream's last steps are the same
//! (the majority vote of Boyer and Moore, over the last 4, 8, 16, 32 faults, as in Leap: Maruf and
//! Chowdhury, USENIX ATC 2020), the stream is followed: a window of pages is read ahead, and one of
//! them, the *trigger*, is held back. A fault on it says that the stream goes on: the window is
//! doubled and the next one read. Faults without a trend cost nothing.

use crate::Page;

const STREAMS: usize = 16;
const STEPS: usize = 32;
/// Pages between faults that may belong together before any trend is known.
const NEAR: u64 = 256;
/// The first window of a stream.
const WINDOW_MIN: u32 = 4;

/// What to read ahead: up to `pages` that are outside, from `from` on, `stride` pages apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Ask {
    pub stream: usize,
    pub from: Page,
    pub stride: i64,
    pub pages: u32,
}

/// Pages that a stream has read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Span {
    pub from: Page,
    pub stride: i64,
    pub steps: u32,
}

#[derive(Clone, Copy)]
struct Stream {
    last: u64,
    steps: [i64; STEPS],
    filled: usize,
    stride: i64,
    window: u32,
    trigger: Option<Page>,
    /// The page behind the last window.
    next: u64,
    current: Option<Span>,
    previous: Option<Span>,
    used: u64,
}

const NEW: Stream = Stream {
    last: 0,
    steps: [0; STEPS],
    filled: 0,
    stride: 0,
    window: 0,
    trigger: None,
    next: 0,
    current: None,
    previous: None,
    used: 0,
};

/// The streams that the program is reading.
pub(crate) struct Streams {
    streams: [Stream; STREAMS],
    window_max: u32,
    clock: u64,
    /// Of all faults: finds one stream of long strides.
    last: [u64; 2],
}

impl Streams {
    pub fn new(window_max: u32) -> Streams {
        Streams { streams: [NEW; STREAMS], window_max, clock: 0, last: [0; 2] }
    }

    /// A page had to be read for a fault. What to read beside it, if the faults have a trend.
    pub fn missed(&mut self, page: Page) -> Option<Ask> {
        if self.window_max == 0 {
            return None;
        }
        self.clock += 1;
        let index = self.find(page.0);
        let (clock, window_max) = (self.clock, self.window_max);
        self.last = [self.last[1], page.0];
        let stream = &mut self.streams[index];
        stream.used = clock;
        let goes_on = stream.stride != 0 && page.0 == stream.next;
        let step = page.0.wrapping_sub(stream.last) as i64;
        stream.step(if goes_on { stream.stride } else { step }, page);
        stream.stride = stream.trend().unwrap_or(0);
        if stream.stride == 0 {
            return None;
        }
        stream.window = match goes_on {
            true => stream.window * 2,
            false => stream.window / 2,
        }
        .clamp(WINDOW_MIN.min(window_max), window_max);
        let from = Page(page.0.wrapping_add_signed(stream.stride));
        Some(Ask { stream: index, from, stride: stream.stride, pages: stream.window })
    }

    /// A trigger was touched: what has been read and passed, and what to read next. `None`: the
    /// stream is forgotten.
    pub fn triggered(&mut self, page: Page) -> Option<(Option<Span>, Ask)> {
        self.clock += 1;
        let index = self.streams.iter().position(|s| s.trigger == Some(page))?;
        let stream = &mut self.streams[index];
        stream.used = self.clock;
        stream.trigger = None;
        stream.step(stream.stride, page);
        stream.window = (stream.window * 2).min(self.window_max);
        let ask = Ask {
            stream: index,
            from: Page(stream.next),
            stride: stream.stride,
            pages: stream.window,
        };
        Some((stream.previous.take(), ask))
    }

    /// What became of an [`Ask`]: a window of so many steps, some of them perhaps in memory
    /// already, and which page is its trigger.
    pub fn fetched(&mut self, ask: Ask, steps: u32, trigger: Option<Page>) {
        let stream = &mut self.streams[ask.stream];
        stream.previous = stream.current;
        stream.current = Some(Span { from: ask.from, stride: ask.stride, steps });
        stream.next = ask.from.0.wrapping_add_signed(ask.stride.wrapping_mul(i64::from(steps)));
        stream.trigger = trigger;
    }

    /// The stream that a fault belongs to; the one not used for longest becomes a new one if there
    /// is none.
    fn find(&mut self, page: u64) -> usize {
        let expects = |s: &Stream| {
            s.stride != 0 && (page == s.next || page == s.last.wrapping_add_signed(s.stride))
        };
        if let Some(index) = self.streams.iter().position(expects) {
            return index;
        }
        let near = (0..STREAMS)
            .filter(|&i| self.streams[i].used > 0)
            .min_by_key(|&i| self.streams[i].last.abs_diff(page));
        if let Some(index) = near.filter(|&i| self.streams[i].last.abs_diff(page) <= NEAR) {
            return index;
        }
        let index = (0..STREAMS).min_by_key(|&i| self.streams[i].used).unwrap_or(0);
        let long = page.wrapping_sub(self.last[1]) as i64;
        self.streams[index] = Stream { last: page.wrapping_sub(long as u64), ..NEW };
        if self.last[1].wrapping_sub(self.last[0]) as i64 == long {
            self.streams[index].step(long, Page(self.last[1]));
        } else {
            self.streams[index].last = page;
        }
        index
    }
}

impl Stream {
    fn step(&mut self, step: i64, to: Page) {
        self.last = to.0;
        if step != 0 {
            self.steps[self.filled % STEPS] = step;
            self.filled += 1;
        }
    }

    /// The step that more than half of the last steps were.
    fn trend(&self) -> Option<i64> {
        [4, 8, 16, 32].into_iter().find_map(|window| self.majority(window.min(self.filled)))
    }

    fn majority(&self, window: usize) -> Option<i64> {
        let steps =
            || (0..window.min(STEPS)).map(|back| self.steps[(self.filled - 1 - back) % STEPS]);
        let (mut candidate, mut votes) = (0, 0);
        for step in steps() {
            match (votes, step == candidate) {
                (0, _) => (candidate, votes) = (step, 1),
                (_, true) => votes += 1,
                (_, false) => votes -= 1,
            }
        }
        let count = steps().filter(|&step| step == candidate).count();
        (count >= 2 && count * 2 > window).then_some(candidate)
    }
}

/// Sequences of first touches: how many pages to give zeros ahead of need.
pub(crate) struct Rising {
    runs: [Run; 4],
    oldest: usize,
}

#[derive(Clone, Copy)]
struct Run {
    last: u64,
    /// The page behind those that have zeros.
    next: u64,
    ahead: u32,
}

impl Rising {
    const MAX: u32 = 16;

    pub fn new() -> Rising {
        Rising { runs: [Run { last: u64::MAX, next: 0, ahead: 0 }; 4], oldest: 0 }
    }

    /// How many pages behind this one are likely to be touched soon.
    pub fn touched(&mut self, page: Page) -> u32 {
        if let Some(run) = self.runs.iter_mut().find(|run| run.last < page.0 && page.0 <= run.next)
        {
            let ahead = (run.ahead * 2).clamp(1, Self::MAX);
            *run = Run { last: page.0, next: page.0 + 1 + u64::from(ahead), ahead };
            return ahead;
        }
        self.runs[self.oldest] = Run { last: page.0, next: page.0 + 1, ahead: 0 };
        self.oldest = (self.oldest + 1) % self.runs.len();
        0
    }
}

#[cfg(test)]
mod tests;
