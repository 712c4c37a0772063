//! Time against message size: straight stretches, the knees between them, packets.

use serde::{Deserialize, Serialize};

/// A sweep over sizes as straight lines with knees between them.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Sweep {
    /// Whether times are round trips, so that a latency is half of them.
    pub round_trip: bool,
    /// Noise of a size's median: typical standard deviation, as a part of it.
    pub noise: f64,
    /// By size. One more than there are knees.
    pub segments: Vec<Segment>,
    /// By size.
    pub knees: Vec<Knee>,
    /// What steps of equal height at equal distances say of packets; `None` where there are none.
    pub packets: Option<Packets>,
}

/// Sizes over which the median grows along a straight line.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Segment {
    /// Smallest size measured in it, bytes.
    pub from_bytes: u64,
    /// Largest.
    pub to_bytes: u64,
    /// Sizes measured in it.
    pub sizes: u32,
    /// The line through the medians: its value at no byte, ns.
    pub base_ns: f64,
    /// Its slope, ns a byte.
    pub slope_ns: f64,
    /// The line through the 99 % quantiles: the same.
    pub base_p99_ns: f64,
    pub slope_p99_ns: f64,
    /// LogGP, one way: `L + 2o`, ns. What the wire and what the processors take of it, round trips
    /// of one message at a time cannot tell; nor do they show the gap `g` between messages.
    pub latency_ns: Parameter,
    /// LogGP, one way: `G`, ns a byte.
    pub gap_ns: Parameter,
}

/// A parameter of LogGP, as far as the sizes of a segment tell it.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Parameter {
    /// Its value, and both ends of its 95 % interval.
    Known(f64, f64, f64),
    /// It cannot be told from 0: the upper end of its 95 % interval.
    AtMost(f64),
    /// Nothing can be said.
    Unknown(NoFit),
}

/// Why a segment has no parameters of LogGP.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum NoFit {
    /// So few points lie near some line whatever they are.
    TooFewSizes,
    /// The time falls with size, which no network's does.
    Falls,
    /// The line is below 0 at one byte, which no latency is.
    BelowZero,
}

/// Where one segment ends and the next begins.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Knee {
    /// The largest size that is surely before it, bytes.
    pub before_bytes: u64,
    /// The smallest size that is surely after it, bytes.
    pub after_bytes: u64,
    /// How much more the next byte costs than the slope: from one line to the other in the middle
    /// of the bracket, ns, with its 95 % interval.
    pub jump_ns: (f64, f64, f64),
    /// The same as a part of the time before it.
    pub jump: f64,
    /// Slopes before and after, ns a byte.
    pub slopes_ns: (f64, f64),
    /// By how much the fit is worse without it (difference of the modified BIC).
    pub gain: f64,
}

/// Packets inferred from steps: a message of n bytes takes `ceil((n + header) / payload)`.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Packets {
    /// Bytes that the largest packet carries: best value.
    pub payload_bytes: f64,
    /// Smallest and largest that fit all the steps' brackets.
    pub payload_interval: (f64, f64),
    /// Bytes that go with each message beside its own, in the same packets: best value.
    pub header_bytes: f64,
    /// What a further packet costs beside its bytes, ns.
    pub step_ns: f64,
    /// Steps that it is inferred from.
    pub steps: u32,
}

impl Knee {
    /// Whether the time jumps there, and does not only bend.
    pub fn jumps(&self) -> bool {
        let (_, low, high) = self.jump_ns;
        low > 0.0 || high < 0.0
    }
}

impl Packets {
    /// Packets that carry a message of so many bytes.
    pub fn of(&self, bytes: u64) -> u64 {
        ((bytes as f64 + self.header_bytes) / self.payload_bytes).ceil().max(1.0) as u64
    }
}
