//! What is to be known of slooow to offer it.

use super::{Slooow, SlooowOptions};
use crate::ModelError;
use crate::argument::{Argument, Parameter};
use crate::recipe::{Read, Recipe};

impl Recipe for SlooowOptions {
    type Model = Slooow;

    const NAME: &'static str = super::NAME;
    const ABOUT: &'static str = "A reconstruction of Slooow, a benchmark of 1988: an object on \
    each node with much for GVT to collect";
    const HEADING: &'static str = "Model (all that is known of the original is one sentence)";
    // What the memo says.
    const GVT_SECONDS: Option<u64> = Some(3);
    const DEPENDS_ON_NODES: bool = true;
    const PARAMETERS: &'static [Parameter<SlooowOptions>] = &[
        Parameter {
            argument: Argument::count("objects", "Objects", "one a node"),
            set: |slooow, value| slooow.objects = value.whole(),
        },
        Parameter {
            argument: Argument::count(
                "stop",
                "Simtime from which an event sends nothing: events of an object, less one",
                "30000",
            )
            .named("T"),
            set: |slooow, value| slooow.stop = value.whole(),
        },
        Parameter {
            argument: Argument::work("Work in each event, µs on this machine", "1000"),
            set: |slooow, value| slooow.work_steps = value.whole(),
        },
        Parameter {
            argument: Argument::work_steps(""),
            set: |slooow, value| slooow.work_steps = value.whole(),
        },
    ];

    fn for_nodes(&mut self, nodes: u16) {
        self.objects = u32::from(nodes);
    }

    fn make(&self, _: &Read<'_>) -> Result<Slooow, ModelError> {
        Slooow::new(self)
    }

    fn end(&self) -> f64 {
        f64::from(self.stop)
    }

    fn work_steps(&self) -> Option<u32> {
        Some(self.work_steps)
    }
}
