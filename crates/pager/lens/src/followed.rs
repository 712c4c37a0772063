//! A paged run, played over another link with the real pager: it decides anew.
//!
//! What a program does is read off a recording: which pages it touched and in which order, as far
//! as that was seen, and how long it computed in between. These touches go through the real pager
//! of `crates/pager/policy`, which reads ahead, evicts and keeps parity as it would; its transfers
//! go over a link that is modelled, and its engine does one thing after another, each of which
//! takes what it took.
//!
//! Source of the touches: `pages-PID.csv` ([`Recording`]); of pages that were read ahead nobody
//! sees the first touch, so it lies between the faults before and behind it on its stream
//! (`unseen`).

mod draw;
mod network;
mod player;
mod program;
mod read;
mod spent;
#[cfg(test)]
mod tests;
mod unseen;
mod world;

pub use program::{Change, Program, Step, Thread, Touch, What};
pub use read::{NoProgram, Recording};
pub use spent::{Share, Spent};

use player::Player;
use predict::Link;

/// Under which it is played.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Conditions {
    /// What lies between the program and its servers.
    pub link: Link,
    /// Times as fast as the recorded processors.
    pub speed: f64,
    /// What a server takes besides the link, s: for pages asked for, and for pages to keep.
    pub turn_s: [f64; 2],
}

/// What comes of it.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Played {
    /// When it ends.
    pub elapsed_s: f64,
    /// Where the time of the thread that ends last goes.
    pub spent: Spent,
    /// Pages that came, and of these those that a thread waited for from the begin.
    pub page_ins: u64,
    pub urgent: u64,
    /// Pages that were asked for ahead of need.
    pub ahead: u64,
    /// Pages that went to servers, and pages of parity.
    pub page_outs: u64,
    pub parity: u64,
    /// Faults that had to wait for a read of their own.
    pub hard_faults: u64,
}

/// Why it cannot be played.
#[derive(Debug, thiserror::Error)]
pub enum Stuck {
    /// The recorded options are none.
    #[error("what was recorded of the pager's options is not possible: {0}")]
    Options(#[from] pager::OptionsError),
    /// A wait that nothing ends.
    #[error("a thread waits for a page that never comes")]
    Waits,
}

/// Play it.
///
/// # Errors
/// When the recording does not fit together.
pub fn play(program: &Program, conditions: &Conditions) -> Result<Played, Stuck> {
    Player::new(program, conditions)?.play()
}

/// The same with each time of computing replaced by one near it, by chance.
///
/// # Errors
/// As [`play`].
pub fn play_drawn(
    program: &Program,
    conditions: &Conditions,
    seed: u64,
    draw: u32,
) -> Result<Played, Stuck> {
    play(&draw::drawn(program, seed, draw), conditions)
}
