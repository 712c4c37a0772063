//! What a story is made of: plain values, which `report` puts into words.

use record::{Cause, How, Kind};
use serde::Serialize;

use super::chain::Link;
use super::row::Row;
use super::usual::UsualTimes;
use crate::analysis::{Account, Paged, Part, Stage};

/// The story of one message. Times are ns on the run's timeline; shares are 0 to 1.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Story {
    /// Why it is told of this message.
    pub picked: Picked,
    /// The message.
    pub message: Row,
    /// How long messages like it usually take from end to end.
    pub usual: Option<UsualTimes>,
    /// Its stages in their order, each with what is known of it; a stage without both stamps is not
    /// among them.
    pub chapters: Vec<Chapter>,
    /// What happened beside it, as spans of time.
    pub lanes: Vec<Lane>,
    /// Rows around it that were too many to look at: the earliest ones.
    pub left_out: u64,
}

/// Why a story is told of this message and of no other.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Picked {
    /// It is one of the slowest.
    Slowest {
        /// In this stage.
        by: Stage,
        /// Its place, from 1 on.
        place: usize,
        /// Messages in all.
        of: u64,
        /// Whether it is the message that its program is about, where there is one.
        is_of_model: Option<bool>,
    },
    /// It was asked for by its name.
    Named,
    /// Its program is about this message.
    OfModel {
        /// Whether it is the slowest, too.
        is_slowest: bool,
    },
}

/// A stage of its life.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Chapter {
    /// Which; of a message that did not leave its node, or lacks stamps, the whole.
    pub stage: Stage,
    /// From when.
    pub from_ns: i64,
    /// Until when. Earlier than `from_ns` when the clocks of two nodes disagree.
    pub to_ns: i64,
    /// Its part of the message's life.
    pub share: f64,
    /// What is known of it, in the order in which it is to be told.
    pub facts: Vec<Fact>,
    /// What was seen on its nodes meanwhile.
    pub account: Account,
}

/// A row of the timeline.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Lane {
    /// What it shows.
    pub what: LaneOf,
    /// Begins and ends, in order of their begins; an end equal to its begin is a moment.
    pub spans: Vec<(i64, i64)>,
}

/// What a row of the timeline shows.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum LaneOf {
    /// A stage of the message.
    Stage(Stage),
    /// Messages that the node took.
    Taken { node: u32 },
    /// Cancellations of messages of the object that cancelled most, at its node.
    Cancelled { node: u32 },
    /// Work of the node.
    Work {
        node: u32,
        /// What kind.
        kind: Kind,
    },
    /// Something that was seen on a node.
    Held { node: u32, cause: Cause },
}

/// A sentence, in numbers.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Fact {
    /// The stage came out negative. Of a transit: the clocks of two nodes disagree by at least as
    /// much; of a wait, whose stamps are one node's: they are in the wrong order.
    Backwards {
        /// By how much.
        ns: i64,
    },
    /// What its node handed to the network while it waited.
    SentMeanwhile {
        node: u32,
        /// To the same node.
        same: u64,
        /// To others.
        others: u64,
    },
    /// What the node that it was for took meanwhile.
    TakenMeanwhile { node: u32, messages: u64 },
    /// It travelled in one frame with others.
    Frame {
        /// How many in all.
        messages: u64,
    },
    /// Messages on their way to its node when it was sent.
    InFlight {
        /// How many, as its sender knew.
        messages: u64,
    },
    /// What the way was.
    Way {
        /// Links.
        hops: Option<u64>,
        /// Packets.
        packets: Option<u64>,
    },
    /// How long the stage usually takes for messages of the same pair of nodes, kind and about the
    /// same size.
    Usual(UsualTimes),
    /// Other messages of the same pair.
    Together {
        /// On their way at some moment while it was.
        on_way: u64,
        /// Of these, arrived within a hundredth of its transit of its own arrival.
        arrived_with: u64,
    },
    /// When it arrived was not observed.
    ArrivalKnown {
        /// How it is known.
        how: How,
        /// Within ± this.
        error_ns: Option<i64>,
    },
    /// The receive queue when it arrived, as the order of taking proves it.
    Queue {
        /// Messages that had arrived and were taken before it.
        before: u64,
        /// Of the same frame, before it in the frame.
        mates: u64,
        /// Of the machinery (`gvt`, `ack`), not counted among the others.
        machinery: u64,
    },
    /// How those went that stood before it.
    TakenBefore {
        messages: u64,
        /// Half of the times from one taking to the next are at most this.
        median_ns: i64,
    },
    /// Messages that arrived later and were taken earlier.
    Overtaken { messages: u64 },
    /// The longest time in which the node took nothing while the message waited.
    Gap {
        node: u32,
        /// From when.
        from_ns: i64,
        /// Until when.
        to_ns: i64,
        /// Whether that is all the time that the message waited.
        is_whole: bool,
    },
    /// Work of the node that is recorded in that time.
    Busy {
        node: u32,
        /// So much.
        ns: i64,
        /// Of so much time.
        of_ns: i64,
    },
    /// One kind of that work.
    Work(Box<Work>),
    /// The node cancelled an object's messages in that time.
    Cancelled(Cancelled),
    /// The message is for the object whose messages were being cancelled.
    ForThatObject {
        /// The object.
        object: i64,
        /// The message's virtual receive time.
        receive: f64,
        /// Cancelled messages of the object to itself.
        cancelled: u64,
        /// Of these, with a virtual send time after the message's receive time.
        later: u64,
    },
    /// Nothing is recorded of a node in that time.
    Silent {
        node: u32,
        /// So long.
        ns: i64,
        /// Whether something else tells how its thread was.
        watched: bool,
    },
    /// Less is recorded than the time that went by.
    Unrecorded {
        node: u32,
        /// So much of it is not.
        ns: i64,
    },
    /// Why something of the above happened.
    Because(Link),
    /// When its receive was posted.
    Posted {
        /// After its arrival; negative: before.
        after_arrival_ns: i64,
    },
    /// Its receive was posted late in its way.
    PostedLate {
        /// After it was sent.
        after_sent_ns: i64,
    },
    /// When the call that collected it was entered, or the one that waited until it was there.
    Awaited {
        /// After its arrival; negative: before.
        after_arrival_ns: i64,
        /// Where there was one that waited: how long before it was taken that was over.
        woken_before_taken_ns: Option<i64>,
        /// Before it was taken.
        before_taken_ns: i64,
    },
    /// Something that was seen on a node can have taken a part of the time.
    Held {
        /// What, where and how much.
        part: Part,
        /// Of so much time.
        of_ns: i64,
    },
    /// The thread of a node had to read pages from a disk meanwhile, and nothing that is known
    /// explains the time.
    Paged(Paged),
    /// The thread of a node ran, without that the time is explained.
    Ran {
        node: u32,
        /// So long at least.
        ns: i64,
        /// Of so much time.
        of_ns: i64,
    },
    /// The thread of a node neither ran nor waited for a core, and nothing else is known.
    Asleep {
        node: u32,
        /// So long.
        ns: i64,
    },
}

/// A kind of a node's work within some time.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Work {
    pub node: u32,
    /// What kind.
    pub kind: Kind,
    /// Pieces.
    pub pieces: u64,
    /// Time that they took within the time looked at.
    pub ns: i64,
    /// Of so much time.
    pub of_ns: i64,
    /// Events undone (rollbacks) or committed (collections); 0 for others.
    pub events: u64,
    /// Objects that it was for.
    pub objects: u64,
    /// The longest piece: its row.
    pub longest: Row,
}

/// Cancellations of messages that one object had sent, in some time.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Cancelled {
    pub node: u32,
    /// Object that had sent them.
    pub object: i64,
    /// To itself.
    pub to_self: u64,
    /// To others.
    pub to_others: u64,
    /// The first and the last of them were cancelled then.
    pub span: (i64, i64),
    /// Cancellations of other objects' messages in that time.
    pub of_others: u64,
}
