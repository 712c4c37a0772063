//! The first walk: a bounded number of messages from the run's beginning, to learn what is usual.

use crate::CloseError;
use crate::clocks::ClockErrors;
use crate::event::Event;
use crate::groups::View;
use crate::matching::Matches;
use crate::message::{Got, Sent};
use crate::traffic::Traffic;
use crate::usual::Sample;

/// Messages to learn from.
const SAMPLES_MAX: usize = 200_000;

/// Keeps the first messages.
pub(crate) struct Sampling<'a> {
    pub samples: Vec<Sample>,
    errors: &'a ClockErrors,
}

impl<'a> Sampling<'a> {
    pub fn new(errors: &'a ClockErrors) -> Sampling<'a> {
        Sampling { samples: Vec::new(), errors }
    }
}

impl Matches for Sampling<'_> {
    fn pair(&mut self, sent: &Sent, got: &Got) {
        let is_whole = [sent.ready, got.posted, got.looked.from, got.looked.until]
            .iter()
            .all(|stamp| *stamp != record::NULL);
        if is_whole && sent.src != sent.dst && self.samples.len() < SAMPLES_MAX {
            let clock_error = self.errors.between(sent.src, sent.dst);
            self.samples.push(Sample { sent: *sent, got: *got, clock_error });
        }
    }

    fn lone_send(&mut self, _: &Sent) {}

    fn lone_receive(&mut self, _: &Got) {}
}

impl Traffic for Sampling<'_> {
    fn call(&mut self, _: usize, _: &Event, _: &View) -> Result<(), CloseError> {
        Ok(())
    }

    fn skip(&mut self, _: usize, _: u64) {}

    fn is_enough(&mut self, _: u64) -> Result<bool, CloseError> {
        Ok(self.samples.len() >= SAMPLES_MAX)
    }
}
