//! How often states are copied where a model leaves it to the engine ([`History::Auto`]).
//!
//! A copy before every event makes undoing cheap, and costs too much where states are large and
//! events short. With fewer copies a rollback has to run events again from the copy before. What is
//! cheapest follows from what a copy and an event take, and from how many events are executed for a
//! rollback ([`interval()`]). All three are measured while running, for each kind of objects, and
//! looked at when GVT has moved. What follows is tried, and given up where it does not pay
//! ([`trial`]).
//!
//! The engine reads no clock. Without one, and where memory is bounded (records between two copies
//! stay when they are committed), every event has its copy.

mod interval;
mod latest;
mod trial;

use super::Node;
use super::object::copying::{Copying, Group};
use crate::{History, Model, ObjectClock, ObjectId, Watch};
use interval::{INTERVAL_MAX, Measured, interval};
use latest::Latest;
use trial::{Patience, Spans, Trial};

/// One event in so many is timed: a prime number, so that objects which take turns all have theirs.
const STRIDE: u64 = 61;
/// Events of a group that are timed from one choice to the next.
const TIMED_MIN: u32 = 32;
/// Events of each object before anything is tried.
const EVENTS_EACH_AT_FIRST: u64 = 4;
/// Kinds that are told apart; what more there are count as one.
const GROUPS_MAX: usize = 256;
/// Events between two copies of a state that undo records make unnecessary, but for an event that
/// fails half-way.
const RECORDS_PER_COPY: u32 = 64;

/// How often states are copied on a node.
pub(super) struct Saving {
    clock: Option<ObjectClock>,
    groups: Vec<OfKind>,
    /// Executed events until the next that is timed; without a clock there is none.
    until_timed: u64,
    /// Whether the event at hand is timed.
    times_event: bool,
    /// Whether the next copy is timed.
    times_copy: bool,
    /// What `STRIDE` events take.
    spans: Spans,
    /// The change that is being tried.
    trial: Option<Trial>,
    /// Whether enough spans have passed to look at them.
    is_ripe: bool,
    /// Whether any object here has, or had, events without a copy. Otherwise nobody need look at
    /// how it is with one of them, at every event.
    has_gaps: bool,
}

/// Objects of one kind.
struct OfKind {
    kind: &'static str,
    every: u32,
    copies_ns: Latest,
    events_ns: Latest,
    /// Events timed since the last choice.
    timed: u32,
    /// Executed events, as those that were timed stand for them, and rollbacks: the further back
    /// the less they count.
    events: f64,
    rollbacks: f64,
    patience: Patience,
}

impl Saving {
    pub fn new() -> Saving {
        Saving {
            clock: None,
            groups: Vec::new(),
            until_timed: u64::MAX,
            times_event: false,
            times_copy: false,
            spans: Spans::default(),
            trial: None,
            is_ripe: false,
            has_gaps: false,
        }
    }

    /// Whether every event here has a copy of the state before it.
    #[inline]
    pub fn copies_always(&self) -> bool {
        !self.has_gaps
    }

    fn measure(&mut self, clock: ObjectClock) {
        self.clock = Some(clock);
        self.until_timed = STRIDE;
    }

    /// When a new object's state is copied.
    pub fn copying<M: Model>(&mut self, model: &M, id: ObjectId) -> Copying {
        let copying = match model.history(id) {
            History::Auto => {
                let number = self.number_of(model.kind(id));
                Copying::chosen(self.groups[number].every, Group::of(number))
            }
            History::Copy => Copying::every(1),
            History::Records => Copying::every(RECORDS_PER_COPY),
            History::Snapshots { every } => Copying::every(every),
        };
        self.has_gaps |= !copying.is_at_every_event();
        copying
    }

    fn number_of(&mut self, kind: &'static str) -> usize {
        if let Some(number) = self.groups.iter().position(|group| group.kind == kind) {
            return number;
        }
        if self.groups.len() < GROUPS_MAX {
            self.groups.push(OfKind::new(kind));
        }
        self.groups.len() - 1
    }

    /// An event is about to be executed. Whether it is to be timed.
    #[inline]
    pub fn executes(&mut self) -> bool {
        self.until_timed -= 1;
        self.until_timed == 0
    }

    /// The event at hand, of an object of this group, is timed.
    #[cold]
    pub fn begin_timing(&mut self, group: Group) {
        self.until_timed = STRIDE;
        let now_ns = self.now();
        self.is_ripe |= self.spans.mark(now_ns);
        self.times_event = !group.is_none();
        // Not every event has a copy before it: the next one that is made stands for it.
        self.times_copy |= self.times_event;
    }

    #[inline]
    pub fn begin_copy(&self) -> u64 {
        if self.times_copy { self.now() } else { 0 }
    }

    #[inline]
    pub fn times_copy(&self) -> bool {
        self.times_copy
    }

    #[cold]
    pub fn end_copy(&mut self, begin: u64, group: Group) {
        let spent = self.now().saturating_sub(begin);
        if let Some(group) = self.groups.get_mut(group.number()) {
            group.copies_ns.add(spent);
            self.times_copy = false;
        }
    }

    #[inline]
    pub fn begin_event(&self) -> u64 {
        if self.times_event { self.now() } else { 0 }
    }

    #[inline]
    pub fn times_event(&self) -> bool {
        self.times_event
    }

    #[cold]
    pub fn end_event(&mut self, begin: u64, group: Group) {
        let spent = self.now().saturating_sub(begin);
        self.times_event = false;
        if let Some(group) = self.groups.get_mut(group.number()) {
            group.events_ns.add(spent);
            group.events += STRIDE as f64;
            group.timed += 1;
        }
    }

    #[cold]
    fn now(&self) -> u64 {
        self.clock.as_ref().map_or(0, |clock| clock())
    }

    /// An object of the group has been rolled back.
    pub fn rolled_back(&mut self, group: Group) {
        if let Some(group) = self.groups.get_mut(group.number()) {
            group.rollbacks += 1.0;
        }
    }

    /// The group whose interval changes, if one does, and to what.
    fn choose(&mut self) -> Option<(Group, u32)> {
        self.is_ripe = false;
        let span_ns = self.spans.look()?;
        match self.trial.take() {
            Some(trial) => self.judge(trial, span_ns),
            None => self.try_another(self.spans.least()?),
        }
    }

    /// What was tried is given up, unless it was worth it.
    fn judge(&mut self, trial: Trial, span_ns: f64) -> Option<(Group, u32)> {
        match trial.was_worth(span_ns, self.spans.are_settled()) {
            Some(true) => return None,
            Some(false) => {}
            None => {
                self.trial = Some(trial);
                return None;
            }
        }
        let group = &mut self.groups[trial.group];
        group.every = trial.before;
        group.patience.lose();
        Some((Group::of(trial.group), trial.before))
    }

    fn try_another(&mut self, span_ns: f64) -> Option<(Group, u32)> {
        let mut groups = self.groups.iter_mut().enumerate();
        let (group, before, every) = groups.find_map(|(number, group)| {
            let before = group.every;
            Some((number, before, group.choose()?))
        })?;
        self.trial = Some(Trial { group, before, span_ns });
        Some((Group::of(group), every))
    }
}

impl OfKind {
    fn new(kind: &'static str) -> OfKind {
        OfKind {
            kind,
            every: 1,
            copies_ns: Latest::default(),
            events_ns: Latest::default(),
            timed: 0,
            events: 0.0,
            rollbacks: 0.0,
            patience: Patience::new(),
        }
    }

    /// Another interval, if what was measured since the last choice calls for one.
    fn choose(&mut self) -> Option<u32> {
        if self.timed < TIMED_MIN || self.patience.waits() {
            return None;
        }
        let measured = Measured {
            copy_ns: self.copies_ns.usual()?,
            event_ns: self.events_ns.usual()?,
            // None in all that was looked at: there may be one in the next as many.
            events_per_rollback: self.events / self.rollbacks.max(1.0),
        };
        self.timed = 0;
        self.events /= 2.0;
        self.rollbacks /= 2.0;
        let every = interval(self.every, &measured);
        let before = std::mem::replace(&mut self.every, every);
        (every != before).then_some(every)
    }
}

impl<M: Model, W: Watch> Node<'_, M, W> {
    /// Measure with this clock what copies of states and events take, so that copies which the
    /// model leaves to the engine ([`History::Auto`]) are made as often as pays. A look at it
    /// should take some ten nanoseconds. Where memory is bounded nothing is measured.
    pub fn time_copies(&mut self, clock: ObjectClock) {
        if !self.budget.is_bounded() {
            self.histories.saving.measure(clock);
            // At first memory is new: that takes longer than anything that is to be compared.
            let events = EVENTS_EACH_AT_FIRST * u64::from(self.objects.len());
            self.histories.saving.spans.begin_again(events / STRIDE);
        }
    }

    /// Choose some interval for some kind of objects, where the engine chooses. For tests: results
    /// do not depend on it.
    pub fn force_interval(&mut self, choice: u64) {
        let groups = self.histories.saving.groups.len() as u64;
        if groups == 0 || self.budget.is_bounded() {
            return;
        }
        let group = (choice % groups) as usize;
        let every = 1 + ((choice >> 32) % 9) as u32;
        self.histories.saving.groups[group].every = every;
        self.choose_interval(Group::of(group), every);
    }

    /// GVT has moved: choose intervals anew where enough was measured.
    #[inline]
    pub(super) fn settle_intervals(&mut self) {
        if self.histories.saving.is_ripe {
            self.choose_intervals();
        }
    }

    #[cold]
    fn choose_intervals(&mut self) {
        if let Some((group, every)) = self.histories.saving.choose() {
            self.choose_interval(group, every);
        }
    }

    fn choose_interval(&mut self, group: Group, every: u32) {
        debug_assert!((1..=INTERVAL_MAX).contains(&every));
        self.histories.saving.has_gaps |= every > 1;
        let mut objects = 0;
        for object in self.objects.iter_mut().filter(|object| object.copying.group() == group) {
            object.copying.choose(every);
            objects += 1;
        }
        // Only once each of them has had such an interval is memory as full as it will be.
        let events = objects * u64::from(INTERVAL_MAX.min(2 * every));
        self.histories.saving.spans.begin_again(events / STRIDE);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A group for which so many events were timed, all alike.
    fn group(copy_ns: u64, event_ns: u64, timed: u32, rollbacks: u32) -> OfKind {
        let mut group = OfKind::new("kind");
        group.timed = timed;
        for _ in 0..timed {
            group.copies_ns.add(copy_ns);
            group.events_ns.add(event_ns);
        }
        (group.events, group.rollbacks) = (1000.0, f64::from(rollbacks));
        group
    }

    #[test]
    fn a_group_chooses_when_enough_was_measured() {
        assert_eq!(group(2000, 100, TIMED_MIN - 1, 50).choose(), None);
        let mut large = group(2000, 100, TIMED_MIN, 50);
        assert_eq!(large.choose(), Some(28));
        assert_eq!(large.choose(), None, "nothing new was measured");
        assert_eq!(group(20, 100, TIMED_MIN, 0).choose(), None);
    }

    #[test]
    fn only_groups_are_timed_and_only_with_a_clock() {
        let mut saving = Saving::new();
        let group = Group::of(saving.number_of("kind"));
        let run = |saving: &mut Saving, events: u64, group| {
            for _ in 0..events {
                if saving.executes() {
                    saving.begin_timing(group);
                }
            }
        };
        run(&mut saving, 1000, group);
        assert!(!saving.times_event && !saving.times_copy);
        saving.measure(Box::new(|| 0));
        run(&mut saving, STRIDE, Group::NONE);
        assert!(!saving.times_event && !saving.times_copy);
        run(&mut saving, STRIDE, group);
        assert!(saving.times_event && saving.times_copy);
        saving.end_event(0, group);
        saving.end_copy(0, Group::NONE);
        assert!(!saving.times_event && saving.times_copy, "a copy of the group is still to come");
        saving.end_copy(0, group);
        assert!(!saving.times_copy);
    }

    #[test]
    fn a_kind_is_one_group_and_there_are_not_too_many() {
        let mut saving = Saving::new();
        assert_eq!(["a", "b", "a"].map(|kind| saving.number_of(kind)), [0, 1, 0]);
        let many = (0..GROUPS_MAX).map(|n| &*n.to_string().leak());
        let last = many.map(|kind| saving.number_of(kind)).last();
        assert_eq!((last, saving.groups.len()), (Some(GROUPS_MAX - 1), GROUPS_MAX));
    }
}
