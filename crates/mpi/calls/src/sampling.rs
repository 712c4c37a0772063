//! The first walk: a bounded number of messages from the run's beginning, to learn what is usual.

use crate::CloseError;
use crate::channel::Channel;
use crate::clocks::ClockErrors;
use crate::doubts::Doubts;
use crate::event::Event;
use crate::groups::View;
use crate::matching::Matches;
use crate::message::{Got, Sent};
use crate::shards::Share;
use crate::traffic::Traffic;
use crate::usual::{Sample, Usual};
use crate::waiting::Waiting;
use std::convert::Infallible;

/// Messages to learn from.
const SAMPLES_MAX: usize = 200_000;

/// Keeps the first messages.
pub(crate) struct Sampling<'a> {
    samples: Vec<Sample>,
    errors: &'a ClockErrors,
    /// Of these channels nothing can be learnt.
    doubts: &'a Doubts,
    /// What was waited for, as far as that is known before it is known how messages travel.
    waiting: Waiting,
    unknown: Usual,
    /// Sizes of sends that were held until their receive was posted.
    held: Vec<u64>,
}

impl<'a> Sampling<'a> {
    pub fn new(errors: &'a ClockErrors, doubts: &'a Doubts) -> Sampling<'a> {
        Sampling {
            doubts,
            samples: Vec::new(),
            errors,
            waiting: Waiting::new(errors.most(), Share::ALL),
            unknown: Usual::unknown(),
            held: Vec::new(),
        }
    }

    /// What is usual in the run.
    pub fn learn(mut self) -> Usual {
        self.close(i64::MAX);
        Usual::learn(&self.samples, &self.held)
    }

    fn close(&mut self, to: i64) {
        let held = &mut self.held;
        let Ok(()) = self.waiting.close(to, |blocked| {
            if !blocked.wait.sure {
                held.push(blocked.wait.about.bytes);
            }
            Ok::<(), Infallible>(())
        });
    }
}

impl Matches for Sampling<'_> {
    fn pair(&mut self, sent: &Sent, got: &Got) {
        if self.doubts.are_about(sent.channel()) {
            return;
        }
        let clock_error = self.errors.between(sent.src, sent.dst);
        self.waiting.message(sent, got, clock_error, &self.unknown);
        let is_whole = [sent.ready, got.posted, got.looked.from, got.looked.until]
            .iter()
            .all(|stamp| *stamp != record::NULL);
        if is_whole && sent.src != sent.dst && self.samples.len() < SAMPLES_MAX {
            self.samples.push(Sample { sent: *sent, got: *got, clock_error });
        }
    }

    fn lone_send(&mut self, _: &Sent) {}

    fn lone_receive(&mut self, _: &Got) {}
}

impl Traffic for Sampling<'_> {
    fn collective(&mut self, rank: usize, event: &Event, view: &View) {
        self.waiting.collective(rank as u32, event, view.get(event.call.communicator));
    }

    fn one_sided(&mut self, rank: usize, event: &Event, view: &View) {
        self.waiting.one_sided(rank as u32, event, view);
    }

    fn doubt(&mut self, _: Channel) {}

    fn wants(&self, _: u32, _: u32) -> bool {
        true
    }

    fn skip(&mut self, _: usize, _: u64) {}

    fn reached(&mut self, time: i64) -> Result<(), CloseError> {
        self.close(time.saturating_sub(self.errors.most()));
        Ok(())
    }

    fn is_enough(&mut self, _: u64) -> Result<bool, CloseError> {
        Ok(self.samples.len() >= SAMPLES_MAX)
    }
}
