//! A recorded run, played again over another link.
//!
//! A run is a chain of causes: the program computes, touches a page and waits; the pager asks for
//! pages, or sends some, when a page is touched or when something is done; a wait ends with the
//! answer that it is for. What follows from what is read off the recording: a transfer was asked
//! for because of the last thing that happened before. Played again, each thing follows its cause
//! as long after it as it did, and only the link is another: so what overlaps with computing, or
//! with the other direction, does so as far as the new rate allows.
//!
//! Each direction of the link is shared equally by the connections to the servers, each of which
//! carries one message after the other; a request for pages queues behind pages that go out on the
//! same connection, and the answer to these behind pages that come. What transfers took beyond that
//! when recorded, in the middle, they take on any link: the servers' turn and the work of the
//! processor.
//!
//! What the model leaves out: other decisions of the pager at another rate; several threads that
//! wait at once, of which some could go on (times in which anybody waits count as waits of all);
//! that the work of the processor overlaps with bytes that come slowly, which makes it seem less
//! when a slow link is recorded: a run over a fast link foretells a slow one better than the other
//! way round.

mod causes;
mod player;

use crate::Link;
use player::Player;

/// Which way a page goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    /// From a server to the program.
    In,
    /// To a server: page-outs and parity.
    Out,
}

/// Pages on their way, in one message.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Transfer {
    /// Which way.
    pub direction: Direction,
    /// To which server: any number, the same for the same.
    pub connection: u32,
    /// Of the message.
    pub bytes: u64,
    /// When it was asked for, or handed over.
    pub asked_s: f64,
    /// When the answer had come.
    pub done_s: f64,
}

/// A time in which the program waited.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Wait {
    /// When it touched the page.
    pub from_s: f64,
    /// When it went on.
    pub to_s: f64,
    /// What ended the wait, by its place among the transfers; nothing if the page was at hand.
    pub transfer: Option<usize>,
}

/// A run as it was recorded. It begins at 0.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Recorded {
    /// When it ended.
    pub elapsed_s: f64,
    /// In any order.
    pub transfers: Vec<Transfer>,
    /// In their order; none begins before the one before it has ended.
    pub waits: Vec<Wait>,
}

/// What comes of it.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Replayed {
    /// When it ends.
    pub elapsed_s: f64,
    /// How much of that the program waits.
    pub waited_s: f64,
    /// Waits that were recorded to end before their transfer was done: errors of clocks, taken as
    /// they are.
    pub odd_waits: usize,
}

/// Play `run`, which was recorded over `was`, over `link`.
pub fn replay(run: &Recorded, was: &Link, link: &Link) -> Replayed {
    let turn_s = turn_s(run, was);
    Player::following(run, *link, turn_s).play()
}

/// The middle of what transfers took beyond what the link explains, each way: for pages that come,
/// and for those that go.
fn turn_s(run: &Recorded, was: &Link) -> [f64; 2] {
    unexplained_s(run, was).map(|more_s| more_s.get(more_s.len() / 2).copied().unwrap_or(0.0))
}

/// What transfers took beyond what the link explains, the least first, each way. The link as it is
/// said to be may be slower than it was: then nothing is left to explain.
pub fn unexplained_s(run: &Recorded, was: &Link) -> [Vec<f64>; 2] {
    let done_s = Player::as_asked(run, *was).carry_all();
    [Direction::In, Direction::Out].map(|direction| {
        let that_way = run
            .transfers
            .iter()
            .zip(&done_s)
            .filter(|(transfer, _)| transfer.direction == direction);
        let mut more_s: Vec<f64> =
            that_way.map(|(transfer, done_s)| (transfer.done_s - done_s).max(0.0)).collect();
        more_s.sort_by(f64::total_cmp);
        more_s
    })
}

#[cfg(test)]
mod tests;
