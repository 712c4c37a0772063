//! What a rule says of the next bytes.

use super::reason::Reason;
use super::shared::Shared;

/// Which way bytes go.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// From the end that connected.
    Request,
    /// To it.
    Answer,
}

/// What a message takes part in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Class {
    /// A request that is answered, or an answer: the n-th of one side belongs to the n-th of the
    /// other.
    Paired = 0,
    /// It is neither: an interim answer, or what the answerer sends unasked.
    Aside = 1,
    /// From this one on, order does not tell which answer belongs to which request.
    Last = 2,
}

impl Class {
    /// The one with this number.
    pub fn from_code(code: u8) -> Option<Class> {
        [Class::Paired, Class::Aside, Class::Last].into_iter().find(|one| *one as u8 == code)
    }
}

/// What a rule says of bytes: each variant begins with how many of them it took.
#[derive(Clone, Copy, Debug)]
pub(super) enum Step {
    /// The message goes on.
    Took(usize),
    /// A message ends.
    End(usize, Class),
    /// So many bytes follow that the rule need not see; then the message goes on.
    Pass(usize, u64),
    /// So many bytes follow that the rule need not see; then the message ends.
    PassToEnd(usize, u64, Class),
    /// Messages are not found from here on.
    Stop(usize, Reason),
}

/// A rule in the middle of a direction.
pub(super) trait Rule: Copy + Sized {
    /// What the user calls it.
    const NAME: &'static str;
    /// How it is given, in a list of all.
    const USAGE: &'static str = Self::NAME;
    /// One way of giving it.
    const EXAMPLE: &'static str = Self::NAME;
    /// What a message is by it: lines of at most 60 characters.
    const HELP: &'static [&'static str];
    /// Whether the protocol says that each request has one answer, in the same order.
    const ONE_FOR_ONE: bool;

    /// At a direction's beginning. `argument` is what stands behind the name and a colon.
    fn new(argument: Option<&str>) -> Option<Self>;

    /// Take messages that begin here, are whole, and are one request or answer each, where that is
    /// easily seen; `end` hears where they end. How many bytes they have.
    fn run(&self, bytes: &[u8], side: Side, end: impl FnMut(usize)) -> usize {
        let _ = (bytes, side, end);
        0
    }

    /// Look at the next bytes, of which there is at least one. Whoever takes none must stop.
    fn step(&mut self, bytes: &[u8], side: Side, shared: &Shared) -> Step;
}
