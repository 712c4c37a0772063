//! A recorded simulation on another machine, or on other numbers of nodes: its program goes through
//! the real engine in simulated time, and its events take what they took when they were recorded.
//!
//! What is not simulated: caches that two nodes share or that one node's smaller part fits into
//! better, and processors that others use meanwhile.

mod event_times;
mod interval;
mod recording;
mod replay;
mod steps;

pub use ::predict::{COVERS_PERCENT, DRAWS};
pub use event_times::EventTimes;
pub use interval::Draw;
pub use recording::Recording;
pub use replay::{Played, Replay, TIMES_EVENTS};
pub use steps::{Known, Step, Steps};
