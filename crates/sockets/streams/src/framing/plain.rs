//! No rule: each call is a message. It keeps one from being guessed.

use super::reason::Reason;
use super::shared::Shared;
use super::step::{Rule, Side, Step};

/// Nothing to follow.
#[derive(Clone, Copy, Debug)]
pub(super) struct Plain;

impl Rule for Plain {
    const NAME: &'static str = "none";
    const HELP: &'static [&'static str] = &["what one call wrote; no rule is guessed"];
    const ONE_FOR_ONE: bool = false;

    fn new(argument: Option<&str>) -> Option<Plain> {
        argument.is_none().then_some(Plain)
    }

    fn step(&mut self, _: &[u8], _: Side, _: &Shared) -> Step {
        Step::Stop(0, Reason::NotThis)
    }
}
