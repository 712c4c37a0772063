//! A first look through a rank's whole log: what must be known before its calls can be told one by
//! one.
//!
//! That is what is said once (communicators, sites, facts, clock exchanges), and which requests
//! complete much later than they began, or never. With it the second reading waits for completions
//! only as long as they come within a bounded number of calls, so memory does not grow with the
//! log.

use crate::CloseError;
use crate::entry::{
    self, Call, Completion, LocalGroup, Neighbours, Site, WindowGroup,
    completion_flags as done_flags, kinds,
};
use crate::files::RankFiles;
use crate::log::{Entry, LogDamage};
use crate::requests::{Bits, Slots};
use clock::Exchange;
use mpi_facts::RankFacts;
use rustc_hash::FxHashMap;

/// What a log says of itself.
#[derive(Default)]
pub(crate) struct Survey {
    pub facts: Option<RankFacts>,
    pub sites: Vec<Site>,
    pub groups: Vec<LocalGroup>,
    pub neighbours: Vec<Neighbours>,
    pub window_groups: Vec<WindowGroup>,
    /// Exchanges in a row with one other rank.
    pub exchanges: Vec<(u32, Vec<Exchange>)>,
    /// Calls (rows of its table).
    pub calls: u64,
    /// Call in which the rank was when it ended.
    pub in_progress: Option<Call>,
    /// Whether several of its threads called.
    pub has_threads: bool,
    /// Whether it used the communicator with itself.
    pub uses_itself: bool,
    /// Whether it asked for an exclusive lock of a window.
    pub locks_exclusively: bool,
    pub damage: LogDamage,
    pub requests: Outlook,
}

/// How requests will end.
#[derive(Default)]
pub(crate) struct Outlook {
    /// Those that complete beyond the window, by request.
    pub far: FxHashMap<u32, Far>,
    /// Those that complete at all.
    pub completed: Bits,
    begun: Bits,
}

/// A completion that comes late.
#[derive(Clone, Copy)]
pub(crate) struct Far {
    pub completion: Completion,
    pub by: CompletedBy,
    /// Number of the message among those that the rank took.
    pub taken: u64,
}

/// The call that completed a request.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct CompletedBy {
    pub row: i64,
    pub enter: u64,
    pub exit: u64,
    /// It completed one receive only.
    pub alone: bool,
}

/// Look through the log of a rank. `window` is how far the second reading looks ahead.
pub(crate) fn survey(files: &RankFiles, window: usize) -> Result<Survey, CloseError> {
    let mut log = files.read(1);
    let failed = |error| CloseError::file("read", files.path(), error);
    let mut surveyor = Surveyor::new(window, files.words());
    while let Some(entry) = log.next_entry().map_err(failed)? {
        surveyor.see(entry);
    }
    let mut survey = surveyor.survey;
    let dangling = survey.damage.dangling;
    survey.damage = LogDamage { missing_words: files.missing_words, dangling, ..log.damage() };
    Ok(survey)
}

/// Flag of a completion that is none: the request was given back. None of the flags in logs.
pub(crate) const GIVEN_BACK: u32 = 1 << 31;

struct Surveyor {
    survey: Survey,
    slots: Slots,
    window: u64,
    /// No sound log has a request number beyond its words.
    request_max: u64,
    position: u64,
    taken: u64,
    exchange_goes_on: bool,
}

impl Surveyor {
    fn new(window: usize, words: u64) -> Surveyor {
        Surveyor {
            survey: Survey::default(),
            slots: Slots::new(window),
            window: window as u64,
            request_max: words,
            position: 0,
            taken: 0,
            exchange_goes_on: false,
        }
    }

    fn see(&mut self, entry: Entry) {
        let words = match entry {
            Entry::Call(call, completions) => {
                self.exchange_goes_on = false;
                return self.see_call(call, completions);
            }
            Entry::Other(words) => words,
        };
        let kind = entry::kind_and_words(words[0]).0;
        match kind {
            kinds::COMMUNICATOR => self.survey.groups.push(LocalGroup::decode(words)),
            kinds::NEIGHBOURS => self.survey.neighbours.push(Neighbours::decode(words)),
            kinds::WINDOW_GROUP => self.survey.window_groups.push(WindowGroup::decode(words)),
            kinds::SITE => self.survey.sites.push(Site::decode(words)),
            kinds::FACTS => self.see_facts(words),
            _ => self.see_exchange(words),
        }
        self.exchange_goes_on = kind == kinds::EXCHANGE;
    }

    #[inline]
    fn see_call(&mut self, call: &Call, completions: &[u64]) {
        self.survey.calls += u64::from(!call.is_continued());
        self.survey.has_threads |= call.thread > 0;
        self.survey.uses_itself |= call.has_message() && call.communicator == entry::ITSELF;
        self.survey.locks_exclusively |= call.is_exclusive();
        self.survey.in_progress = (call.exit == 0).then_some(*call);
        if let Some(request) = call.begins() {
            self.begin(request);
        }
        self.taken += u64::from(call.took_a_message());
        if let Some(request) = call.gives_back() {
            let given_back = Completion { request, flags: GIVEN_BACK, ..Completion::default() };
            self.complete(&given_back, &completed_by(call, &[], self.survey.calls as i64 - 1));
        }
        if !completions.is_empty() {
            let by = completed_by(call, completions, self.survey.calls as i64 - 1);
            entry::completions(completions).for_each(|completion| self.complete(&completion, &by));
        }
        self.position += 1;
    }

    fn begin(&mut self, request: u32) {
        if u64::from(request) > self.request_max {
            self.survey.damage.dangling += 1;
            return;
        }
        self.slots.begin(request, self.position);
        self.survey.requests.begun.insert(request);
    }

    #[inline]
    fn complete(&mut self, completion: &Completion, by: &CompletedBy) {
        let request = completion.request;
        let outlook = &mut self.survey.requests;
        if !outlook.begun.contains(request) || outlook.completed.contains(request) {
            self.survey.damage.dangling += 1;
            return;
        }
        outlook.completed.insert(request);
        let near = self
            .slots
            .take(request)
            .is_some_and(|position| self.position - position <= self.window);
        if !near {
            outlook
                .far
                .insert(request, Far { completion: *completion, by: *by, taken: self.taken });
        }
        self.taken += u64::from(took(completion));
    }

    fn see_facts(&mut self, words: &[u64]) {
        match entry::decode_facts(words) {
            Some(facts) => self.survey.facts = Some(facts),
            None => self.survey.damage.dangling += 1,
        }
    }

    fn see_exchange(&mut self, words: &[u64]) {
        let (other, exchange) = entry::decode_exchange(words);
        match self.survey.exchanges.last_mut() {
            Some((with, row)) if *with == other && self.exchange_goes_on => row.push(exchange),
            _ => self.survey.exchanges.push((other, vec![exchange])),
        }
    }
}

/// Whether a completion took a message out of the queue.
#[inline]
pub(crate) fn took(completion: &Completion) -> bool {
    completion.flags & (done_flags::RECEIVED | done_flags::CANCELLED) == done_flags::RECEIVED
        && completion.source >= 0
}

/// The call in row `row` as what completed its completions.
pub(crate) fn completed_by(call: &Call, completions: &[u64], row: i64) -> CompletedBy {
    let taken = entry::completions(completions).filter(took).count();
    CompletedBy { row, enter: call.enter, exit: call.exit, alone: taken == 1 }
}
