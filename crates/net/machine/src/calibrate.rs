//! From what runs of benchmarks show to the figures of a machine.
//!
//! A round trip is what counts: half of its median, by size, is fitted by straight lines, and every
//! part of it (sending, receiving, the wire) is taken from what the runs show of that part alone.
//! What is left is latency, so that the parts of one way always add up to what was measured; where
//! they are more than that, they are cut, and it is said by how much.
//!
//! An interval is that of resampled launches, and of stretches within each (percentile method), and
//! never narrower than the lines' misfit and what a stamp resolves.
//!
//! It finds no timers, no losses and no spread: a machine made here takes the same time each time.

mod assemble;
mod burst;
mod draws;
mod eager;
mod figures;
mod line;
mod parts;
mod resample;
mod shape;
mod sizes;

pub use assemble::Open;
pub use eager::EagerBounds;

use crate::Machine;
use burst::{Burst, unspared};
use figures::Figures;
use shape::Shape;
use sizes::Sizes;

/// No limit: what a file says of a rate or a size that nothing bounds.
const NO_LIMIT: f64 = 1e15;

/// A stretch of a run with messages of one size. All times are those of its usual message, ns.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Stretch {
    pub run: u32,
    pub launch: u32,
    pub bytes: u64,
    /// Packets of each message.
    pub packets: u32,
    /// Half a round trip.
    pub one_way: Option<f64>,
    /// From arrived to taken, by a receiver that waited for it.
    pub receive: Option<f64>,
    /// From sent to the next message's ready, of a sender that only sends.
    pub sending: Option<f64>,
    /// From taken to taken of the next, which had arrived by then.
    pub taking: Option<f64>,
    /// Of a sender that goes as fast as it can, from one message to the next at the receiver.
    pub passing: Option<f64>,
    /// How far that may be off for where the stretch begins and ends.
    pub passing_error: Option<f64>,
    /// Messages under way at most.
    pub crowd: Option<u32>,
    /// The same when one found room at last.
    pub under_way: Option<u32>,
    /// Of those, messages that had not arrived.
    pub not_arrived: Option<u32>,
}

/// Of one size: bytes, and the times of its stretches, ns.
pub type Visits = (u64, Vec<f64>);
/// Says with which sizes the lines through these begin, but for the first.
pub type Knees<'a> = &'a dyn Fn(&[Visits]) -> Vec<u64>;

/// What is asked besides the runs.
pub struct Wanted<'a> {
    pub name: &'a str,
    pub about: &'a str,
    /// What each figure's source says, before what it was taken from.
    pub runs: &'a str,
    pub nodes: u16,
    pub topology: crate::Topology,
    /// What was tried of the eager limit; `None`: it is not MPI that carries messages.
    pub eager: Option<&'a [EagerBounds]>,
    /// Bound of the error of a moment of arrival, ns.
    pub clock_error: f64,
    pub seed: u64,
    /// Where lines break.
    pub knees: Knees<'a>,
}

/// A machine made of runs.
#[derive(Clone, Debug, PartialEq)]
pub struct Calibrated {
    pub machine: Machine,
    /// What the runs cannot tell.
    pub open: Vec<Open>,
    /// By how much the parts were more than one way took, at worst: its size, ns, and all of it.
    pub short: Option<Short>,
    /// Where a stream is simulated worst: size, measured and by these figures, ns a message.
    pub stream: Option<(u64, f64, f64)>,
    /// Where a line is farthest from a measured one-way time: size, measured, fitted.
    pub worst: (u64, f64, f64),
}

/// Parts that add up to more than one way took.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Short {
    pub bytes: u64,
    /// By how much, ns.
    pub by: f64,
    /// What one way took, ns.
    pub one_way: f64,
}

/// Why nothing can be made of the runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CalibrateError {
    #[error(
        "no run has round trips: give one of `fourstamp bench sweep` or `fourstamp bench pingpong`"
    )]
    NoRoundTrips,
}

/// Make a machine.
///
/// # Errors
/// When the runs say nothing of a round trip.
pub fn calibrate(stretches: &[Stretch], wanted: &Wanted<'_>) -> Result<Calibrated, CalibrateError> {
    let sizes = Sizes::of(stretches.iter());
    if sizes.one_way().next().is_none() {
        return Err(CalibrateError::NoRoundTrips);
    }
    // Without what a burst spares messages they lie on lines again; a machine's link spares it.
    let burst = Burst::of(&sizes);
    let sizes = unspared(sizes, burst);
    let shape = Shape::of(&sizes, wanted.knees, burst.is_some());
    let best = Figures::of(&sizes, &shape).rated(burst);
    let drawn = resample::draw(stretches, wanted.seed, |drawn| {
        let sizes = Sizes::of(drawn.iter().copied());
        sizes.one_way().next()?;
        let burst = burst.and_then(|burst| Burst::of(&sizes).or(Some(burst)));
        Some(Figures::of(&unspared(sizes, burst), &shape).rated(burst))
    });
    Ok(assemble::machine(&sizes, &shape, &best, &drawn, wanted))
}

#[cfg(test)]
mod tests;
