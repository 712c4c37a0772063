//! The calls of one rank, in the order logged, each with how its request ended.
//!
//! Entries wait in a short queue until their completion has been read. How long is bounded: what
//! completes later is known from the [survey](crate::survey).

use crate::CloseError;
use crate::entry::{self, Call, Completion, completion_flags as done_flags};
use crate::event::{End, Ended, Event, Looked, Size};
use crate::files::{RankBytes, RankFiles};
use crate::log::{Entry, LogReader};
use crate::looking::Looking;
use crate::requests::Slots;
use crate::survey::{GIVEN_BACK, Outlook, completed_by, took};
use clock::{Cursor, Ticks};
use record::NULL;
use std::collections::VecDeque;
use std::path::PathBuf;

/// Reads a rank's calls.
pub(crate) struct Resolver<'a> {
    log: LogReader<RankBytes>,
    path: PathBuf,
    log_ended: bool,
    ahead: Ahead<'a>,
}

/// Calls whose completions are looked for ahead.
struct Ahead<'a> {
    clock: Option<Cursor<'a>>,
    outlook: &'a Outlook,
    slots: Slots,
    window: usize,
    waiting: VecDeque<Event>,
    /// The call that is handed out: in one place, because it is large.
    now: Event,
    /// Position of the first that waits, counted in entries.
    first: u64,
    rows: i64,
    taken: u64,
    looking: Looking,
    /// Requests under way.
    open: u64,
}

/// A call that completes requests.
struct Completing {
    row: i64,
    enter: i64,
    exit: i64,
    alone: bool,
    polled: i64,
}

impl<'a> Resolver<'a> {
    /// Read the log of a rank from its beginning, together with so many others. `window` is that of
    /// the survey.
    pub fn open(
        (files, logs): (&RankFiles, usize),
        outlook: &'a Outlook,
        model: Option<&'a clock::Model>,
        window: usize,
    ) -> Resolver<'a> {
        let ahead = Ahead {
            clock: model.map(clock::Model::cursor),
            outlook,
            slots: Slots::new(window),
            window,
            waiting: VecDeque::new(),
            now: Event::none(),
            first: 0,
            rows: 0,
            taken: 0,
            looking: Looking::default(),
            open: 0,
        };
        Resolver {
            log: files.read(logs),
            path: files.path().to_path_buf(),
            log_ended: false,
            ahead,
        }
    }

    /// Words of the log read so far.
    pub fn words_read(&self) -> u64 {
        self.log.words_read()
    }

    /// The next call.
    #[inline]
    pub fn next_event(&mut self) -> Result<Option<&mut Event>, CloseError> {
        loop {
            if self.ahead.pop(self.log_ended) {
                return Ok(Some(&mut self.ahead.now));
            }
            if self.log_ended {
                return Ok(None);
            }
            match self.log.next_entry() {
                Ok(Some(Entry::Call(call, completions))) => {
                    if self.ahead.see(call, completions) {
                        return Ok(Some(&mut self.ahead.now));
                    }
                }
                Ok(Some(Entry::Other(_))) => {}
                Ok(None) => self.log_ended = true,
                Err(error) => return Err(CloseError::file("read", &self.path, error)),
            }
        }
    }
}

impl Ahead<'_> {
    /// Hand out the first call, if its end is known or will not be.
    #[inline]
    fn pop(&mut self, log_ended: bool) -> bool {
        let may_wait = !log_ended && self.waiting.len() <= self.window + 1;
        let Some(first) = self.waiting.front_mut() else { return false };
        if first.ended.how == End::Open {
            if may_wait {
                return false;
            }
            first.ended = Ended::NEVER;
        }
        self.now = *first;
        self.first += 1;
        self.waiting.pop_front();
        true
    }

    /// Take in a call, and hand it out if no other waits and its end is known at once.
    #[inline]
    fn see(&mut self, call: &Call, completions: &[u64]) -> bool {
        self.rows += i64::from(!call.is_continued());
        let (enter, exit) = (self.place(call.enter), self.place_exit(call.exit));
        let row = self.rows - 1;
        // In its place from the beginning: most are handed out at once.
        self.now =
            Event { call: *call, row, enter, exit, ended: Ended::NEVER, looked: Looked::NOTHING };
        let polled = self.looking.polled_before(&self.now, self.open);
        match call.begins() {
            Some(request) => {
                self.open += 1;
                self.now.ended = self.begin(request);
            }
            None => self.end_at_once(call),
        }
        let event = &mut self.now;
        self.looking.see(call, event, polled);
        if event.ended.how == End::Took && event.looked.until == NULL {
            // Known from the survey: it was taken long after this.
            let Ended { enter: from, exit: until, row, .. } = event.ended;
            event.looked = Looked { from, until, row, ..Looked::NOTHING };
        }
        let ends_others = call.gives_back().is_some() || !completions.is_empty();
        if self.waiting.is_empty() && event.ended.how != End::Open && !ends_others {
            self.first += 1;
            return true;
        }
        let event = *event;
        self.waiting.push_back(event);
        if ends_others {
            self.end_others(&event, completions, polled);
        }
        false
    }

    /// What a call completes or gives back ends with it.
    fn end_others(&mut self, event: &Event, completions: &[u64], polled: i64) {
        let Event { call, row, enter, exit, .. } = *event;
        if let Some(request) = call.gives_back() {
            let given_back = Completion { request, flags: GIVEN_BACK, ..Completion::default() };
            let by = Completing { row, enter, exit, alone: false, polled: NULL };
            self.complete(&given_back, &by);
        }
        if !completions.is_empty() {
            let alone = completed_by(&call, completions, row).alone;
            let by = Completing { row, enter, exit, alone, polled };
            entry::completions(completions).for_each(|completion| self.complete(&completion, &by));
        }
    }

    /// How a request that begins here will end, as far as that is known.
    #[inline]
    fn begin(&mut self, request: u32) -> Ended {
        if let Some(far) = self.outlook.far.get(&request) {
            let (enter, exit) = (self.place(far.by.enter), self.place_exit(far.by.exit));
            let by = Completing { row: far.by.row, enter, exit, alone: far.by.alone, polled: NULL };
            return by.ended(&far.completion, far.taken);
        }
        if !self.outlook.completed.contains(request) {
            return Ended::NEVER;
        }
        self.slots.begin(request, self.first + self.waiting.len() as u64);
        Ended::OPEN
    }

    /// The call at hand, which is one without a request, ends with itself.
    #[inline]
    fn end_at_once(&mut self, call: &Call) {
        let Event { row, enter, exit, ended, .. } = &mut self.now;
        (ended.row, ended.enter, ended.exit) = (*row, *enter, *exit);
        if call.took_a_message() {
            ended.how = End::Took;
            ended.taken = self.taken;
            (ended.source, ended.tag, ended.bytes) = (call.peer, call.tag, call.bytes);
            ended.size = if call.is_truncated() { Size::Cut } else { Size::Whole };
            ended.alone = true;
            self.taken += 1;
        } else if call.exit != 0 && call.posts_send() {
            ended.how = End::Completed;
        }
    }

    #[inline]
    fn complete(&mut self, completion: &Completion, by: &Completing) {
        let near = self.slots.take(completion.request);
        if near.is_none() && !self.outlook.far.contains_key(&completion.request) {
            return;
        }
        self.open = self.open.saturating_sub(1);
        let ended = by.ended(completion, self.taken);
        self.taken += u64::from(took(completion));
        let waiting = near.and_then(|position| position.checked_sub(self.first));
        if let Some(open) = waiting.and_then(|at| self.waiting.get_mut(at as usize)) {
            by.close(open, ended);
        }
    }

    #[inline]
    fn place(&mut self, ticks: u64) -> i64 {
        self.clock.as_mut().map_or(NULL, |clock| clock.timeline(Ticks(ticks)).0)
    }

    #[inline]
    fn place_exit(&mut self, ticks: u64) -> i64 {
        if ticks == 0 { NULL } else { self.place(ticks) }
    }
}

impl Completing {
    fn ended(&self, completion: &Completion, taken: u64) -> Ended {
        let how = match completion {
            _ if completion.flags & done_flags::CANCELLED != 0 => End::Cancelled,
            _ if completion.flags & done_flags::UNKNOWN != 0 => End::Unknown,
            _ if took(completion) => End::Took,
            _ if completion.flags & GIVEN_BACK != 0 => End::GivenBack,
            _ => End::Completed,
        };
        let Completing { row, enter, exit, alone, .. } = *self;
        let Completion { source, tag, bytes, .. } = *completion;
        let size = match completion.flags {
            flags if flags & done_flags::TRUNCATED != 0 => Size::Cut,
            flags if flags & done_flags::UNSIZED != 0 => Size::Untold,
            _ => Size::Whole,
        };
        Ended { how, row, enter, exit, taken, source, tag, bytes, size, alone }
    }

    /// The end of a call that waits for it.
    fn close(&self, open: &mut Event, ended: Ended) {
        open.ended = ended;
        if open.looked.until == NULL {
            open.looked = Looked {
                from: self.enter,
                until: self.exit,
                not_before: self.polled,
                is_probe: false,
                row: self.row,
                ..Looked::NOTHING
            };
        }
    }
}
