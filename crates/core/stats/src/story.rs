//! The story of one message: what held it at each stage of its life, told from the rows around it.
//!
//! Three steps, each of which sees a run's columns once or not at all. [`Search`] finds the
//! message: the slowest ones, or one by its name. [`Gather`] keeps the rows that overlap its life
//! on its two nodes, bounded, and the usual times of its pair of nodes. [`tell`] finds out what the
//! rows prove, and what was seen on its nodes ([`crate::account`]); a [`Fact`] says no more than
//! that. What happened *while* the message waited is told as that; that something *caused*
//! something else is said only where the order of a queue or the rules of Time Warp leave no other
//! reading.

mod cancelled;
mod chain;
mod fact;
mod gather;
mod lanes;
mod memo;
mod pool;
mod receive;
mod row;
mod search;
mod seen;
mod send;
mod tell;
mod transit;
mod usual;
mod work;

#[cfg(test)]
mod tests;

pub use chain::Link;
pub use fact::{Cancelled, Chapter, Fact, Lane, LaneOf, Picked, Story, Work};
pub use gather::{Counts, Gather, Scene, extent};
pub use memo::Memo;
pub use pool::Pool;
pub use row::{FIELDS, Row, STAMPS};
pub use search::{Found, Search, Wanted};
pub use seen::Seen;
pub use tell::tell;
pub use usual::{Usual, UsualTimes};
