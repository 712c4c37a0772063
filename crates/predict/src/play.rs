//! A [`Program`] played on a machine: its steps in order, its messages over the machine's network,
//! each wait as long as it is there.
//!
//! What the model leaves out: programs that would do other things at another speed.

mod letters;
mod mailboxes;
mod player;
mod room;
mod seat;

#[cfg(test)]
mod golden;
#[cfg(test)]
mod tests;

pub use mailboxes::Rematched;

use crate::{Courses, Path};
use machine::{Machine, Time};

/// When a message passed its four stamps, ps after the start.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Stamps {
    pub ready: Time,
    pub sent: Time,
    pub arrived: Time,
    pub taken: Time,
}

/// What a node's time went to, ps.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Spent {
    pub computing: Time,
    pub overhead: Time,
    /// Waiting for messages that had not come.
    pub waiting: Time,
    /// Waiting until messages sent had gone.
    pub blocked: Time,
    /// How long word of long messages lay about while it was not in a call to hear of it.
    pub unheard: Time,
    /// When it was done.
    pub end: Time,
}

/// What came of a play.
#[derive(Clone, Debug, PartialEq)]
pub struct Played {
    /// By node.
    pub nodes: Vec<Spent>,
    /// The chain of causes to the end of the node that was last.
    pub path: Path,
    /// What became of receives for any source or tag.
    pub rematched: Rematched,
}

impl Played {
    /// When the last node was done, ps after the first began.
    pub fn end(&self) -> Time {
        self.path.total()
    }
}

/// Why a play cannot go on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Stuck {
    /// The machine has so many nodes, and the program more.
    Nodes { machine: u16, program: usize },
    /// A node waits for a message that does not come.
    Waits { node: u16, step: usize, message: u32 },
    /// A node waits at a step for something else than a message.
    Stands { node: u16, step: usize },
    /// A node sends to another, of which it has taken less by then than when it was recorded: the
    /// program may follow whom its messages came from.
    Unasked { node: u16, to: u16 },
}

impl std::fmt::Display for Stuck {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Stuck::Nodes { machine, program } => {
                write!(out, "the machine has {machine} nodes, and the run {program}")
            }
            Stuck::Waits { node, step, message } => write!(
                out,
                "played again, node {node} waits for ever at its step {step}, for message \
                {message}: what was recorded is no whole program"
            ),
            Stuck::Stands { node, step } => write!(
                out,
                "played again, node {node} waits for ever at its step {step}: what was recorded is \
                no whole program"
            ),
            Stuck::Unasked { node, to } => {
                write!(out, "played again, node {node} answers node {to}, which has not asked yet")
            }
        }
    }
}

impl std::error::Error for Stuck {}

/// Play a program on a machine. `seed` decides which packets are lost; `tell` hears of each message
/// that is taken.
///
/// # Errors
/// When the machine has too few nodes, or a node waits for what never comes.
pub fn play(
    program: &impl Courses,
    machine: &Machine,
    seed: u64,
    tell: impl FnMut(u32, Stamps),
) -> Result<Played, Stuck> {
    let nodes = program.nodes();
    if nodes > usize::from(machine.nodes) {
        return Err(Stuck::Nodes { machine: machine.nodes, program: nodes });
    }
    player::Player::new(program, machine, seed, tell).run()
}
