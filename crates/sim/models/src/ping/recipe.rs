//! What is to be known of ping to offer it.

use super::{Ping, PingOptions};
use crate::ModelError;
use crate::argument::{Argument, Parameter, Takes};
use crate::recipe::{Read, Recipe};

impl Recipe for PingOptions {
    type Model = Ping;

    const NAME: &'static str = super::NAME;
    const ABOUT: &'static str =
        "Two objects that return one message to each other: the cost of a message and an event";
    const PARAMETERS: &'static [Parameter<PingOptions>] = &[Parameter {
        argument: Argument::count("stop", "Simtime from which an event sends nothing", "2500")
            .named("STOP")
            .taking(Takes::Real),
        set: |ping, value| ping.stop = value.number(),
    }];

    fn make(&self, _: &Read<'_>) -> Result<Ping, ModelError> {
        Ping::new(self)
    }

    fn end(&self) -> f64 {
        self.stop
    }
}
