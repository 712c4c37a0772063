//! What an analysis found: plain numbers, ready to be shown.
//!
//! Every time is in nanoseconds. Reports draw from these types alone and compute nothing.

mod account;
mod explanation;
mod facets;
mod knees;
mod peaks;
mod population;

use serde::{Deserialize, Serialize};

pub use account::{Account, Paged, Part};
pub use explanation::{
    Episode, Explained, Explanation, IdleCore, Known, Noise, Overlap, Reason, Slow, Trait, What,
    Who,
};
pub use facets::{Binned, FacetCell, Facets};
pub use knees::{Knee, NoFit, Packets, Parameter, Segment, Sweep};
pub use peaks::Peak;
pub use population::{Population, PopulationGroup};

/// Everything a report shows about one run.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Analysis {
    /// Messages that the figures are about (cycles and other intervals are not messages).
    pub messages: u64,
    /// Which those are, of all that the run has.
    #[serde(default)]
    pub population: Population,
    /// First `ready` and last `taken` on the timeline.
    pub span_ns: Option<(i64, i64)>,
    /// What did not look as it should.
    pub anomalies: Anomalies,
    /// The answer in one sentence's worth of numbers; `None` when no message has all its stamps.
    pub finding: Option<Finding>,
    /// Stages A to D over all messages, in that order, without those that no message has.
    pub stages: Vec<StageView>,
    /// Whole cycles (round trips, relay rounds), where the run has them.
    pub cycles: Option<StageView>,
    /// Mean time in each stage, by how slow the message was end to end; of messages with all four
    /// stamps.
    pub shares: Vec<Share>,
    /// The messages by hops, packets, bytes, node pair, kind and launch; only those in which the
    /// run varies.
    pub breakdowns: Vec<Breakdown>,
    /// The messages by node pair, kind and size at once; for pages alone.
    #[serde(skip)]
    pub facets: Facets,
    /// Queue lengths and in-flight counts, where recorded.
    pub counts: Vec<CountView>,
    /// Time between one node's successive sends to one other, and that time divided by the messages
    /// served meanwhile.
    pub sends: Option<SendView>,
    /// End-to-end time along the run; slices without messages are left out.
    pub series: Vec<SeriesBin>,
    /// The slowest messages, slowest first.
    pub slowest: Vec<SlowMessage>,
    /// Spread within and between launches.
    pub launches: LaunchSpread,
    /// Sizes against time, when sizes vary (a sweep): the relative jump from the size before.
    pub sizes: Vec<SizePoint>,
    /// The same as straight lines with knees between them, where there are enough sizes for it.
    #[serde(default)]
    pub sweep: Option<Sweep>,
}

impl Finding {
    /// The stage that has most of the time: its part of all end-to-end time, and the part of the
    /// messages of which it is the largest.
    pub fn largest(&self) -> (f64, f64) {
        let at = PARTS.iter().position(|part| *part == self.stage).unwrap_or(0);
        (self.time[at], self.messages[at])
    }

    /// The stages that have most of the time: several where they have the same.
    pub fn most_time(&self) -> Vec<Stage> {
        leaders(&self.time)
    }

    /// The stages that are the largest of most messages, and of what part of them each. Several
    /// where they are so equally often, none where no message has a stage longer than the others.
    pub fn usual(&self) -> (Vec<Stage>, f64) {
        let most = self.messages.into_iter().fold(0.0, f64::max);
        (if most > 0.0 { leaders(&self.messages) } else { Vec::new() }, most)
    }

    /// The part of the messages in which no stage is longer than both others.
    pub fn without_largest(&self) -> f64 {
        (1.0 - self.messages.iter().sum::<f64>()).max(0.0)
    }
}

fn leaders(of: &[f64; 3]) -> Vec<Stage> {
    let most = of.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    PARTS.into_iter().zip(of).filter(|(_, value)| **value == most).map(|(stage, _)| stage).collect()
}

/// The stages that end to end consists of, in the order of their letters.
pub const PARTS: [Stage; 3] = [Stage::SendWait, Stage::Transit, Stage::ReceiveWait];

impl Analysis {
    /// The part of the time of messages with all four stamps that may be transit or receive wait.
    pub fn unsplit(&self) -> f64 {
        let all: f64 = self.shares.iter().map(|share| share.mean_ns * share.count as f64).sum();
        if all > 0.0 { (self.anomalies.unsplit_ns as f64 / all).min(1.0) } else { 0.0 }
    }

    /// The distribution of a stage; `None` if no message has it.
    pub fn stage(&self, stage: Stage) -> Option<&StageView> {
        self.stages.iter().find(|view| view.stage == stage)
    }
}

/// A stage of a message's life.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Stage {
    /// A: `taken − ready`.
    EndToEnd,
    /// B: `sent − ready`.
    SendWait,
    /// C: `arrived − sent`.
    Transit,
    /// D: `taken − arrived`.
    ReceiveWait,
}

/// Counts of what was lost, impossible or not observed. Shown, never corrected.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Anomalies {
    /// Messages whose stage came out negative, per stage A to D.
    pub negative: [u64; 4],
    /// Messages that lack a stamp they should have, per stamp ready, sent, arrived, taken.
    pub missing: [u64; 4],
    /// Messages whose `arrived` is bracketed, and modelled.
    pub bracketed: u64,
    pub modelled: u64,
    /// Messages whose transit is smaller than the clocks' error bound, so that its sign proves
    /// nothing.
    pub within_clock_error: u64,
    /// Of the time of messages whose `arrived` was not observed, what may be transit or receive
    /// wait, ns: the intervals in which they arrived.
    #[serde(default)]
    pub unsplit_ns: u64,
    /// Stamps of the run, of all its rows, that lie farther from its begin than a stamp can: 73
    /// years. They are among the missing.
    #[serde(default)]
    pub far_stamps: u64,
}

/// Which stage is the largest: of the time, and of how many messages. Of the messages with all four
/// stamps.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Finding {
    /// The stage with most of the time: B, C or D.
    pub stage: Stage,
    /// Part of all end-to-end time of stages B, C and D, 0 to 1.
    pub time: [f64; 3],
    /// Part of the messages of which stage B, C or D is the largest, 0 to 1. Where two are equally
    /// large, neither is.
    pub messages: [f64; 3],
    /// Part of the messages of whose end-to-end time stage B, C or D is more than half, 0 to 1.
    pub halves: [f64; 3],
    /// The dominant stage among the slowest 0.1 % (or the slowest 10 messages if that is more), and
    /// its part.
    pub tail_stage: Stage,
    pub tail_share: f64,
    /// Part of all end-to-end time that the slowest 0.1 % took, 0 to 1.
    pub tail_weight: f64,
}

/// The distribution of one stage.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct StageView {
    /// Which (cycles use `EndToEnd`).
    pub stage: Stage,
    /// Its figures.
    pub summary: Summary,
    /// Fastest 95 %, 95 to 99.9 %, slowest 0.1 %; a piece without messages is left out.
    pub pieces: Vec<PieceView>,
    /// All messages in about 100 bins, equal in width on a log scale.
    pub log_bins: Vec<Bin>,
    /// Tail: value and the part of the messages above it (1 − F), falling; the last point is the
    /// largest value, with 0.
    pub tail: Vec<(f64, f64)>,
    /// Where messages gather, by place.
    #[serde(default)]
    pub peaks: Vec<Peak>,
}

/// Figures of a set of times.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Summary {
    pub count: u64,
    /// Their sum, ns.
    pub total_ns: f64,
    /// Smallest, exact.
    pub min_ns: i64,
    /// Largest, exact.
    pub max_ns: i64,
    /// Mean.
    pub mean_ns: f64,
    /// Standard deviation.
    pub sd_ns: f64,
    /// Quantiles up to what the count supports (`n(1 − p) ≥ 10` and `np ≥ 10`), ascending; the
    /// median always. A quantile is the smallest value with F ≥ p.
    pub quantiles: Vec<Quantile>,
    /// Independent messages that would carry as much information about the mean, allowing for
    /// autocorrelation.
    pub effective_count: Option<f64>,
}

/// One quantile.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Quantile {
    /// 0 to 1.
    pub p: f64,
    /// Its value, ns.
    pub value_ns: i64,
    /// 95 % interval by bootstrap over launches and blocks; `None` when the run has fewer than 10
    /// blocks, and for groups.
    pub interval_ns: Option<(i64, i64)>,
}

/// A piece of a distribution.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PieceView {
    pub piece: Piece,
    /// Messages in it.
    pub count: u64,
    /// About 100 bins of equal width.
    pub linear_bins: Vec<Bin>,
    /// About 100 bins of equal width on a log scale.
    pub log_bins: Vec<Bin>,
}

/// The pieces that the 1988 memo drew.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Piece {
    /// The fastest 95 %.
    Fastest95,
    /// From 95 % to 99.9 %.
    Middle,
    /// The slowest 0.1 %.
    Slowest,
}

/// A histogram bin: `from ≤ value < to`, in ns.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Bin {
    /// Lower edge.
    pub from: f64,
    /// Upper edge.
    pub to: f64,
    pub count: u64,
}

/// Where the time of messages of like slowness went.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Share {
    /// End-to-end quantile range, 0 to 1.
    pub from_p: f64,
    pub to_p: f64,
    /// Messages in the range.
    pub count: u64,
    /// Mean end-to-end time of these.
    pub mean_ns: f64,
    /// Mean time in stages B, C, D.
    pub stage_mean_ns: [f64; 3],
}

/// The messages grouped by one column.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Breakdown {
    /// The column.
    pub by: By,
    /// Its groups in ascending order.
    pub groups: Vec<Group>,
    /// Groups left out because there were too many (those with the largest keys), and their
    /// messages. From 65,536 groups on, their number is a lower bound.
    pub left_out: (u64, u64),
}

/// What messages are grouped by.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum By {
    /// Links crossed.
    Hops,
    /// Packets that carried the message.
    Packets,
    /// Payload bytes.
    Bytes,
    /// Source and destination node.
    Pair,
    /// What the message is for.
    Kind,
    Launch,
}

/// One group of a breakdown.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Group {
    /// The values of its column: of a pair source and destination, else one and 0.
    pub key: (i64, i64),
    /// As shown: `2`, `0 → 3`, `reply`.
    pub label: String,
    /// Stages A to D of the group, without those that it lacks.
    pub stages: Vec<(Stage, Summary)>,
    /// Transit times (end-to-end for messages within a node) in bins that all groups of the
    /// breakdown share, so that they can be stacked.
    pub bins: Vec<Bin>,
}

/// A distribution over small whole numbers.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CountView {
    /// What was counted.
    pub of: Counted,
    /// Value range (inclusive) and the messages in it: single values up to 100 of them, equal
    /// ranges beyond.
    pub bars: Vec<(u64, u64, u64)>,
    /// Mean.
    pub mean: f64,
    /// Largest.
    pub max: u64,
}

/// Columns that hold small whole numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Counted {
    /// Messages in the receive queue at arrival.
    QueueLength,
    /// Messages on their way at the moment of a send.
    InFlight,
    /// On-node messages handled while it waited.
    OnNodeWaited,
}

/// Times between successive sends.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SendView {
    /// Time from one `sent` to the next of the same pair of nodes.
    pub interval: StageView,
    /// That time divided by the messages that were served meanwhile (sends during which none was
    /// are not here).
    pub per_served: Option<StageView>,
    /// Messages served between two sends, and how often.
    pub served: Vec<(u64, u64)>,
    /// Pauses that the workload makes on purpose, which are in none of these.
    #[serde(default)]
    pub pauses: Option<StageView>,
    /// The time from one send to the next by the number served meanwhile; those up to
    /// [`SERVED_MOST`].
    #[serde(default)]
    pub by_served: Vec<ServedTime>,
    /// How fast nodes send, by node.
    #[serde(default)]
    pub rates: Vec<SendRate>,
}

/// Numbers served that are told apart.
pub const SERVED_MOST: i64 = 100;

/// The time between sends during which so many messages were served.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ServedTime {
    /// Messages served.
    pub served: u64,
    /// Sends.
    pub count: u64,
    /// The time from the send before: quartiles and median.
    pub quartiles_ns: [i64; 3],
}

/// A stretch of sending.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Spell {
    pub ns: i64,
    pub sends: u64,
}

/// How fast a node sends: elapsed time over messages, in all launches.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct SendRate {
    /// The sender.
    pub node: i64,
    /// The receiver; `None`: all of several.
    pub to: Option<i64>,
    pub messages: u64,
    /// Pauses on purpose, which are left out.
    pub pauses: u64,
    /// Mean time a send.
    pub mean_ns: f64,
    /// Its 95 % interval over launches, of which there must be three.
    pub interval_ns: Option<(f64, f64)>,
    /// Messages a second.
    pub per_s: f64,
}

/// A slice of the timeline.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct SeriesBin {
    /// Begin and end on the timeline (by `ready`).
    pub from_ns: i64,
    pub to_ns: i64,
    pub count: u64,
    /// Median, 99 % quantile and maximum of end-to-end time.
    pub p50_ns: i64,
    pub p99_ns: i64,
    pub max_ns: i64,
}

/// One of the slowest messages.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SlowMessage {
    /// Launch, source, sequence: its identity.
    pub launch: u32,
    pub src: u32,
    /// Destination node.
    pub dst: u32,
    pub seq: u64,
    /// Payload bytes.
    pub bytes: u64,
    /// When it was ready, on the timeline.
    pub ready_ns: i64,
    /// Stages A to D; `None` where a stamp is missing.
    pub stage_ns: [Option<i64>; 4],
}

/// How much launches differ.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct LaunchSpread {
    /// Per launch: number and end-to-end figures (cycles where the run has them).
    pub launches: Vec<(u32, Summary)>,
    /// Standard deviation of the launches' medians as a part of their mean: between launches.
    pub between: Option<f64>,
    /// The same of the blocks' medians inside a launch, averaged: within launches.
    pub within: Option<f64>,
}

/// One message size of a run that has several.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct SizePoint {
    /// Payload bytes.
    pub bytes: u64,
    /// Messages (or cycles) of that size.
    pub count: u64,
    /// Median and 99 % quantile of the cycle where there are cycles, else of end-to-end time.
    pub p50_ns: i64,
    pub p99_ns: i64,
    /// Fastest.
    pub min_ns: i64,
    /// Median relative to that of the next smaller size of enough messages, minus one; 0 for the
    /// first, and for a size of too few.
    pub jump: f64,
}

/// Messages of a size that takes part in knees and jumps: the median of fewer says too little.
pub const MESSAGES_LEAST: u64 = 10;

impl SizePoint {
    /// Whether there are enough messages of it to speak of knees and jumps.
    pub fn is_enough(&self) -> bool {
        self.count >= MESSAGES_LEAST
    }
}
