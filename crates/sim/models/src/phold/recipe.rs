//! What is to be known of PHOLD to offer it.

use super::{Phold, PholdOptions, Undoing};
use crate::ModelError;
use crate::argument::{Argument, Parameter, Takes};
use crate::recipe::{Read, Recipe};

impl Recipe for PholdOptions {
    type Model = Phold;

    const NAME: &'static str = super::NAME;
    const ABOUT: &'static str = "PHOLD, the synthetic load that simulation engines are compared by";
    // It would go on for ever.
    const CUTOFF: Option<f64> = Some(1000.0);
    const PARAMETERS: &'static [Parameter<PholdOptions>] = &[
        Parameter {
            argument: Argument::count("objects", "Objects", "2048").named("OBJECTS"),
            set: |phold, value| phold.objects = value.whole(),
        },
        Parameter {
            argument: Argument::count("start", "Messages that each object begins with", "1")
                .named("START"),
            set: |phold, value| phold.start = value.whole(),
        },
        Parameter {
            argument: Argument::count(
                "remote",
                "Probability that a message goes to another group, 0 to 1",
                "0.25",
            )
            .named("REMOTE")
            .taking(Takes::Real),
            set: |phold, value| phold.remote = value.number(),
        },
        Parameter {
            argument: Argument::count(
                "mean",
                "Mean of the exponential part of a delay, simtime",
                "0.9",
            )
            .named("MEAN")
            .taking(Takes::Real),
            set: |phold, value| phold.mean = value.number(),
        },
        Parameter {
            argument: Argument::count("lookahead", "Least delay, simtime", "0.1")
                .named("LOOKAHEAD")
                .taking(Takes::Real),
            set: |phold, value| phold.lookahead = value.number(),
        },
        Parameter {
            argument: Argument::count(
                "groups",
                "Groups of neighbours; with one, a remote message goes to any other object",
                "1",
            )
            .named("GROUPS"),
            set: |phold, value| phold.groups = value.whole(),
        },
        Parameter {
            argument: Argument::work(
                "Work in each event, µs on this machine (measured at the start; the number of \
                steps is in the run's parameters)",
                "0",
            ),
            set: |phold, value| phold.work_steps = value.whole(),
        },
        Parameter {
            argument: Argument::work_steps("0"),
            set: |phold, value| phold.work_steps = value.whole(),
        },
        Parameter {
            argument: Argument::count(
                "state",
                "Bytes that each object's state carries besides, of which each event changes a few",
                "0",
            )
            .named("BYTES")
            .taking(Takes::Bytes),
            set: |phold, value| phold.state = value.whole(),
        },
        Parameter {
            argument: Argument::count(
                "undo",
                "How an object's past is kept: auto (copies as often as pays), copy, records, \
                snapshots:K",
                "auto",
            )
            .named("UNDO")
            .taking(Takes::Text(undo_can_be)),
            // It has been looked at.
            set: |phold, value| phold.undo = value.text().parse().unwrap_or(Undoing::Auto),
        },
        Parameter {
            argument: Argument::seed("Seed of every random number"),
            set: |phold, value| phold.seed = value.seed(),
        },
    ];

    fn make(&self, _: &Read<'_>) -> Result<Phold, ModelError> {
        Phold::new(self)
    }

    fn work_steps(&self) -> Option<u32> {
        Some(self.work_steps)
    }
}

fn undo_can_be(text: &str) -> Result<(), String> {
    text.parse::<Undoing>().map(|_| ()).map_err(|error| error.to_string())
}
