//! What the engine's steps beside event sections take, and how that is known.

use crate::{Costs, WarpError};
use fabric::Machine;

/// How a step's cost is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Known {
    /// From the recorded run.
    Recorded,
    /// The machine's file says so.
    File,
    /// Nobody says: nothing is charged.
    Unknown,
}

/// A step of the engine.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Step {
    /// As files of machines call it.
    pub name: &'static str,
    /// ns on a processor of speed 1.
    pub ns: u64,
    /// How that is known.
    pub known: Known,
}

/// What the recorded run says of them, ns on a processor of speed 1.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct RecordedSteps {
    pub save: Option<u64>,
    pub send: Option<u64>,
    pub enqueue: Option<u64>,
    pub undo: Option<u64>,
    pub look: Option<u64>,
}

/// All steps on one machine.
#[derive(Clone, Debug, PartialEq)]
pub struct Steps {
    /// Saving and scheduling, sending, enqueueing, undoing, looking for messages.
    pub steps: [Step; 5],
    /// What the machine's file says of an event, which is not used: events take what they took.
    pub event_unused_ns: Option<u64>,
}

impl Steps {
    /// On this machine: what its file says, or else what was recorded.
    ///
    /// # Errors
    /// When the file names a step that there is not.
    pub(crate) fn on(machine: &Machine, recorded: &RecordedSteps) -> Result<Steps, WarpError> {
        Costs::of(machine, Some(1))?;
        let step = |name, recorded: Option<u64>| {
            let (ns, known) = match (machine.cost_ns("warp", name), recorded) {
                (Some(ns), _) => (ns, Known::File),
                (None, Some(ns)) => (ns, Known::Recorded),
                (None, None) => (0, Known::Unknown),
            };
            Step { name, ns, known }
        };
        Ok(Steps {
            steps: [
                step("save", recorded.save),
                step("send", recorded.send),
                step("enqueue", recorded.enqueue),
                step("undo", recorded.undo),
                step("look", recorded.look),
            ],
            event_unused_ns: machine.cost_ns("warp", "event"),
        })
    }

    /// As the driver takes them, at a pace: above 1 everything is slower.
    pub(crate) fn costs(&self, pace: f64) -> Costs {
        let each = self.steps.map(|step| (step.ns as f64 * pace) as u64);
        let [save, send, enqueue, undo, look] = each;
        Costs { event: 0, save, send, enqueue, undo, look }
    }
}
