//! Why messages were slow, as far as the run tells: groups of slow messages, and what went with
//! them.

use record::{Cause, Kind};
use serde::{Deserialize, Serialize};

use super::{Account, By, Stage};

/// What was found for a run.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Explanation {
    /// Times that are explained by themselves, the heaviest first: those that hold a hundredth of
    /// all messages' time, and that of the slowest message.
    #[serde(default)]
    pub episodes: Vec<Episode>,
    /// The groups: the slowest of all, then peaks, those first that took most time.
    pub groups: Vec<Explained>,
    /// Where a cut was asked for: what its messages met, by kind.
    #[serde(default)]
    pub overlaps: Vec<Overlap>,
    /// What cores lost while they were idle, before the launches, by node.
    pub idle: Vec<IdleCore>,
    /// Nodes that were watched during the run, and nodes.
    pub watched: (u32, u32),
}

/// A message that was late, with those that waited for the same at the same time.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Episode {
    /// The slowest of them.
    pub slowest: Slow,
    /// The stage in which it spent most of its life.
    pub stage: Stage,
    /// Its begin of that stage, ns on the timeline.
    pub from_ns: i64,
    /// Its end of it.
    pub to_ns: i64,
    /// How many they are.
    pub messages: u64,
    /// Their time from end to end, all together, ns.
    pub time_ns: i64,
    /// Part of all messages' time, 0 to 1.
    pub share: f64,
    /// Whether there were too many late messages to look at all of them, so that these may be more.
    pub at_least: bool,
    /// What held the slowest one.
    pub account: Account,
}

/// A message by what names it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Slow {
    pub launch: u32,
    /// Node that sent it.
    pub src: u32,
    /// Node that it was for.
    pub dst: u32,
    /// Its number at its sender.
    pub seq: u64,
}

/// A group of messages that are slow in one stage.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Explained {
    /// The stage.
    pub stage: Stage,
    /// Which messages.
    pub who: Who,
    /// Their times in it, ns, both ends included.
    pub range_ns: (i64, i64),
    /// Median of all messages in this stage, ns.
    pub median_ns: i64,
    /// How many they are.
    pub count: u64,
    /// So many of them belong to episodes that are explained; all that follows is of the others.
    #[serde(default)]
    pub apart: u64,
    /// Times in which they came: messages of a pair within 10 ms of each other count as one.
    pub episodes: u64,
    /// What went with them, the clearest first.
    pub reasons: Vec<Reason>,
    /// How often idle cores stand still for as long, where that was measured.
    pub noise: Option<Noise>,
}

/// Which messages of a stage.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Who {
    /// A peak other than the largest, by its place in
    /// [`StageView::peaks`](super::StageView::peaks).
    Peak(usize),
    /// The slowest 0.1 %.
    Slowest,
}

/// How many messages of a cut were in a stage while something else went on at a node of their way,
/// against how many of all messages that the cut is of.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Overlap {
    /// The stage: the one whose time the cut ranks.
    pub stage: Stage,
    /// What else: work of a node, or messages of a kind that was not asked for on their way.
    pub kind: Kind,
    /// Messages of the cut that met it, and how many were looked at.
    pub with: u64,
    pub of: u64,
    /// The same of all messages.
    pub all_with: u64,
    pub all_of: u64,
    /// Part of the cut's that would meet it at any other time of their launch, 0 to 1: they are
    /// longer than most, and meet more.
    pub by_chance: f64,
    /// What was shorter was too much to be looked at, ns.
    pub least_ns: i64,
}

/// Something that goes with a group of slow messages. None of it is proof: only an intervention is.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Reason {
    /// Something happened on their nodes at the same time.
    Beside {
        what: What,
        /// Episodes with it, of those in which it could have been seen.
        with: u64,
        of: u64,
        /// Episodes with it that chance would give.
        expected: f64,
        /// How likely chance gives as many, after correcting for all that was tried.
        chance: f64,
        /// Where it has a length: the part of their delay that it covers, median over the messages
        /// with it, 0 to 1.
        covers: Option<f64>,
    },
    /// They are alike in a column in which the run varies.
    Alike {
        /// In what.
        by: Trait,
        /// The value, as `0 → 3`.
        value: String,
        /// Part of the group that has it, 0 to 1.
        share: f64,
        /// Part of all messages that has it.
        base: f64,
    },
    /// They come at a fixed phase of a known period.
    Phase {
        /// Whose.
        known: Known,
        /// Length of the mean phase vector, 0 (no phase) to 1 (always the same).
        strength: f64,
        chance: f64,
    },
    /// They come at regular intervals.
    Regular {
        /// The interval, ns.
        period_ns: i64,
        /// Part of the intervals within 5 % of it, 0 to 1.
        share: f64,
    },
    /// They take about as long as something well known.
    Place { known: Known },
}

/// Something beside the messages.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum What {
    /// Seen by the watcher or the network layer.
    Cause(Cause),
    /// Work of the node that the run recorded.
    Work(Kind),
}

/// What messages can be alike in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Trait {
    /// A column that reports group by.
    Column(By),
    /// Whether others waited in the receive queue when it arrived.
    Queued,
    /// Among the first hundredth of its launch.
    Early,
}

/// Periods and delays that systems have by construction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Known {
    /// 1 ms: whole milliseconds, as of kernels' ticks at 1000, 250 and 100 Hz, and of the periodic
    /// retransmit timer of udp.
    Millisecond,
    /// 4 ms: a kernel's tick at 250 Hz.
    Tick250,
    /// 10 ms: a kernel's tick at 100 Hz, or our own watcher.
    Tick100,
    /// 100 ms: balancing and accounting of several systems.
    Tenth,
    /// 1 s: daemons.
    Second,
    /// 40 ms: TCP's delayed acknowledgement.
    DelayedAck,
    /// 200 ms: the least time after which TCP sends again.
    TcpTimeout,
}

/// What a node's core lost while it was idle.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct IdleCore {
    pub node: u32,
    /// Time looked at, ns.
    pub spun_ns: i64,
    /// Time lost in gaps of 1 µs or more, ns.
    pub lost_ns: i64,
    /// Such gaps.
    pub gaps: u64,
    /// The longest, ns.
    pub longest_ns: i64,
}

/// How often an idle core of these nodes stands still for as long as the group's messages are late,
/// beside how often they are.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Noise {
    /// Gaps of at least that length a second of idle spin, all nodes of the run together.
    pub idle_per_s: f64,
    /// Times a second at which messages of the group came; those nearer to each other than they are
    /// late count as one.
    pub seen_per_s: f64,
}

impl Known {
    /// All periods.
    pub(crate) const PERIODS: [Known; 5] =
        [Known::Millisecond, Known::Tick250, Known::Tick100, Known::Tenth, Known::Second];

    /// All delays.
    pub(crate) const DELAYS: [Known; 2] = [Known::DelayedAck, Known::TcpTimeout];

    /// Its length, ns.
    pub fn ns(self) -> i64 {
        let ms = match self {
            Known::Millisecond => 1,
            Known::Tick250 => 4,
            Known::Tick100 => 10,
            Known::DelayedAck => 40,
            Known::Tenth => 100,
            Known::TcpTimeout => 200,
            Known::Second => 1000,
        };
        ms * 1_000_000
    }
}
