//! A message is a line, up to and with its line feed. Text has no byte 0.

use super::reason::Reason;
use super::shared::Shared;
use super::step::{Class, Rule, Side, Step};

/// No line is longer.
const LENGTH_MAX: u64 = 1 << 20;

/// In the middle of a line.
#[derive(Clone, Copy, Debug)]
pub(super) struct Lines {
    length: u64,
}

impl Rule for Lines {
    const NAME: &'static str = "lines";
    const HELP: &'static [&'static str] = &["a line of text"];
    const ONE_FOR_ONE: bool = false;

    fn new(argument: Option<&str>) -> Option<Lines> {
        argument.is_none().then_some(Lines { length: 0 })
    }

    fn step(&mut self, bytes: &[u8], _: Side, _: &Shared) -> Step {
        let end = bytes.iter().position(|byte| matches!(byte, 0 | b'\n'));
        let taken = end.map_or(bytes.len(), |at| at + 1);
        self.length += taken as u64;
        if self.length > LENGTH_MAX {
            return Step::Stop(0, Reason::TooLong);
        }
        match end.map(|at| bytes[at]) {
            None => Step::Took(taken),
            Some(0) => Step::Stop(taken - 1, Reason::NotThis),
            Some(_) => {
                self.length = 0;
                Step::End(taken, Class::Paired)
            }
        }
    }
}
