//! How long each event took, until it is committed or undone.

use super::Node;
use crate::stopwatch::Stopwatch;
use crate::{Cause, Model, ObjectClock, Watch};

/// Times of events. Beside the records and not in them: without a clock they cost nothing.
pub(super) struct Times {
    stopwatch: Stopwatch,
    /// Of the event at hand, ns.
    latest: u64,
    /// By the number of an event's record, ns.
    of_records: Vec<u64>,
}

impl Times {
    pub fn none() -> Times {
        Times { stopwatch: Stopwatch::none(), latest: 0, of_records: Vec::new() }
    }

    /// An event section begins.
    #[inline]
    pub fn begin(&self) -> u64 {
        self.stopwatch.begin()
    }

    /// It has ended.
    #[inline]
    pub fn end(&mut self, begin: u64) {
        self.latest = self.stopwatch.end(begin);
    }

    #[inline]
    pub fn is_on(&self) -> bool {
        self.stopwatch.is_on()
    }

    /// How long the event of a record took, ns.
    #[inline]
    pub fn of(&self, record: u32) -> u64 {
        if self.is_on() { self.of_records[record as usize] } else { 0 }
    }

    fn keep(&mut self, record: u32) -> u64 {
        let at = record as usize;
        if self.of_records.len() <= at {
            self.of_records.resize(at + 1, 0);
        }
        self.of_records[at] = self.latest;
        self.latest
    }
}

impl<M: Model, W: Watch> Node<'_, M, W> {
    /// Time the work of objects from now on with this clock, which is of the kind that the options
    /// name.
    pub fn time_objects(&mut self, clock: ObjectClock) {
        self.histories.times.stopwatch = Stopwatch::new(Some(clock), self.setup.options.stretch);
    }

    /// Keep how long the event just executed took.
    #[inline]
    pub(super) fn keep_time(&mut self, index: u32, record: u32) {
        if self.histories.times.is_on() {
            let spent = self.histories.times.keep(record);
            self.object(index).rare.spent_ns += spent;
        }
    }

    /// An event is undone: its time was for nothing.
    #[inline]
    pub(super) fn waste_time(&mut self, index: u32, record: u32) {
        let spent = self.histories.times.of(record);
        self.object(index).rare.undone_ns += spent;
    }

    /// Tell what caused the event that is about to be committed.
    #[cold]
    pub(super) fn tell_causes(&mut self, record: u32) {
        let mut at = self.histories[record].inputs;
        while let Some(slot) = self.slots.get(at) {
            let message = &slot.message;
            let cause =
                Cause { sender: message.sender, send: message.send, selector: message.selector };
            at = slot.next_input;
            self.watch.caused(cause);
        }
    }
}
