//! What the engine's steps cost on a simulated machine, where computing takes no time by itself.

use crate::WarpError;
use fabric::Machine;
use serde::{Deserialize, Serialize};
use timewarp::{ObjectId, VirtualTime};

/// What each event section takes. It must answer alike however often it is asked: an event that is
/// undone and executed again takes as long as before, on any number of nodes.
pub trait EventCosts: Send + Sync {
    /// This event's section, ns on a processor of speed 1.
    fn event_ns(&self, object: ObjectId, time: VirtualTime) -> u64;
}

/// The stated cost: all events take the same.
impl EventCosts for Costs {
    fn event_ns(&self, _: ObjectId, _: VirtualTime) -> u64 {
        self.event
    }
}

/// The section of a machine's file that is ours.
const SECTION: &str = "warp";

/// What steps cost, ns. What a file leaves out costs nothing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Costs {
    /// An event section.
    pub event: u64,
    /// Saving the state after it.
    pub save: u64,
    /// Making a message for another node.
    pub send: u64,
    /// Putting one that comes from there into its queue.
    pub enqueue: u64,
    /// Undoing an event.
    pub undo: u64,
    /// Looking for messages while there is work, besides what the machine takes for that.
    #[serde(default)]
    pub look: u64,
}

impl Costs {
    /// What a machine's file says, and what an event takes if the model itself says that.
    ///
    /// # Errors
    /// When the file names a step that there is not, or no cost of an event is known.
    pub fn of(machine: &Machine, event_ns: Option<u64>) -> Result<Costs, WarpError> {
        let mut costs = Costs::default();
        let refuse = |reason: String| Err(WarpError::Model { reason });
        for step in machine.costs.get(SECTION).into_iter().flatten().map(|(step, _)| step) {
            let ns = machine.cost_ns(SECTION, step).unwrap_or(0);
            match step.as_str() {
                "event" => costs.event = ns,
                "save" => costs.save = ns,
                "send" => costs.send = ns,
                "enqueue" => costs.enqueue = ns,
                "undo" => costs.undo = ns,
                "look" => costs.look = ns,
                other => {
                    return refuse(format!(
                        "{}: [costs.{SECTION}] has event, save, send, enqueue, undo and look, but \
                        no '{other}'",
                        machine.name
                    ));
                }
            }
        }
        costs.event = event_ns.unwrap_or(costs.event);
        match costs.event {
            0 => refuse(format!(
                "nobody says what an event takes on {}: add event = \"1ms\" to [costs.{SECTION}] \
                of its file",
                machine.name
            )),
            _ => Ok(costs),
        }
    }

    /// What these steps take besides event sections, which are [`EventCosts`]'s.
    pub(crate) fn worked(&self, executed: u64, undone: u64) -> u64 {
        executed * self.save + undone * self.undo
    }

    /// What so many events take one after another: no state is saved, and no message leaves.
    pub fn in_order_ns(&self, events: u64) -> u64 {
        events * self.event
    }
}
