//! What an analysis found in the messages and calls of an MPI program.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use stats::analysis::Summary;

/// What an MPI program's messages waited for, and what its ranks did.
///
/// A message's stamps are S (`ready`, the send was entered), A (`arrived`), P (the receive was
/// posted), W (the call that completed it was entered), T (`taken`) and R (the sender was
/// released). Waits are those of the documentation of [`Wait`].
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Mpi {
    /// Messages looked at.
    pub messages: u64,
    /// Time of all messages, ns: each from its send, or from when the receiver began to wait for it
    /// if that was earlier, until it was taken.
    pub message_time_ns: i64,
    /// The waits in the order of [`Wait::ALL`]; none is left out.
    pub waits: Vec<WaitView>,
    /// How arrivals are known.
    pub arrivals: Arrivals,
    /// Who was blocked in a call for whom, longest first.
    pub blocked: Vec<Blocked>,
    /// Pairs of ranks that `blocked` has no room for, and their time, ns.
    pub blocked_left_out: (u64, i64),
    /// Messages by source and destination, by tag, by the place that sent them, by the place that
    /// received them; in each the group with most waiting first.
    pub groups: Vec<MpiGroups>,
    /// The messages that waited longest, longest first.
    pub worst: Vec<WorstMessage>,
    /// A sample of all messages, chosen by number: enough to draw.
    pub sample: Vec<MessageLine>,
    /// What the table of calls tells, where there is one.
    pub calls: Option<Calls>,
    /// Places in the program by their number, as people read them.
    pub sites: BTreeMap<i64, String>,
}

/// What a message, or a rank because of it, waited for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Wait {
    /// `S − W`: the receiver was blocked before the message was even sent.
    LateSender,
    /// `P − S`: the sender was blocked before the receive was posted (counted where R is after P
    /// and the sending call blocks).
    LateReceiver,
    /// `P − A`: it lay in the queue of unexpected messages.
    Unexpected,
    /// `W − max(A, P)`: it was there and expected, but the receiver did not collect it.
    NotCollected,
}

/// One wait over all messages.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct WaitView {
    pub wait: Wait,
    /// Messages with any of it.
    pub count: u64,
    /// Messages that lack a stamp to tell it by.
    pub unknown: u64,
    /// Its sum, ns.
    pub total_ns: i64,
    /// Its part of the time of all messages, 0 to 1.
    pub share: f64,
    /// Figures of the messages with any.
    pub summary: Summary,
    /// How much of `total_ns` rests on arrivals that were observed, bracketed and modelled; all
    /// zeros for a wait that no arrival takes part in.
    pub rests_on_ns: [i64; 3],
    /// Bound of the error of `total_ns`, ±, as far as it comes from arrivals that were not
    /// observed.
    pub error_ns: i64,
}

/// How the arrivals of the messages are known.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Arrivals {
    /// Messages whose arrival was observed, bracketed, modelled.
    pub known: [u64; 3],
    /// Sum of the error bounds of those that were bracketed, and of those modelled, ns.
    pub error_ns: [i64; 2],
}

/// Time that one rank was blocked in calls for another.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Blocked {
    /// Who waited.
    pub rank: u32,
    /// For whom.
    pub by: u32,
    /// As a receiver, since the other sent late, ns.
    pub late_sender_ns: i64,
    /// As a sender, since the other posted its receive late, ns.
    pub late_receiver_ns: i64,
}

/// Messages by one thing that they share.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct MpiGroups {
    pub by: MpiBy,
    /// The groups, most waiting first.
    pub groups: Vec<MpiGroup>,
    /// Groups left out (those with the largest keys), and their messages.
    pub left_out: (u64, u64),
}

/// What MPI messages are grouped by.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum MpiBy {
    /// Source and destination rank.
    Pair,
    /// The tag.
    Tag,
    /// The place that sent it; 0 if that is not known.
    SendSite,
    /// The place that posted the receive; 0 if that is not known.
    ReceiveSite,
}

/// The messages of one group.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct MpiGroup {
    /// The tag or the place; for a pair source and destination.
    pub key: (i64, i64),
    pub messages: u64,
    /// Their payload.
    pub bytes: u64,
    /// End to end, summed, ns.
    pub end_to_end_ns: i64,
    /// The waits in the order of [`Wait::ALL`], summed, ns.
    pub waits_ns: [i64; 4],
}

/// A message as a line from its send to its taking.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct MessageLine {
    /// Source rank, and its number there.
    pub src: u32,
    pub seq: u64,
    /// Destination rank.
    pub dst: u32,
    /// When the send was entered, ns on the timeline.
    pub ready_ns: i64,
    /// When it was taken.
    pub taken_ns: i64,
    /// Payload.
    pub bytes: u64,
}

/// One of the messages that waited longest.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct WorstMessage {
    /// Ranks, stamps, size.
    pub line: MessageLine,
    /// The tag.
    pub tag: Option<i64>,
    /// A, P, W, R; ns on the timeline.
    pub arrived_ns: Option<i64>,
    pub posted_ns: Option<i64>,
    pub awaited_ns: Option<i64>,
    pub released_ns: Option<i64>,
    /// How far off `arrived_ns` may be, ± ns, when it was not observed.
    pub arrived_error_ns: Option<i64>,
    /// The waits in the order of [`Wait::ALL`]; `None` where a stamp is missing.
    pub waits_ns: [Option<i64>; 4],
    /// Waits together, each moment once, ns.
    pub waited_ns: i64,
    /// The places that sent and received it.
    pub sites: [Option<i64>; 2],
    /// What the sender and the receiver were doing meanwhile; empty where that is not known.
    pub doing: [Vec<Doing>; 2],
}

/// What a rank spent part of a stretch of time on.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Doing {
    /// The function, `MPI_Recv`; `None` for computing.
    pub call: Option<String>,
    /// The place that called it.
    pub site: Option<i64>,
    /// How many such calls (0 for computing).
    pub calls: u64,
    /// Time within the stretch, ns.
    pub ns: i64,
}

/// What the table of calls tells.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Calls {
    /// The ranks in order.
    pub ranks: Vec<RankTime>,
    /// The functions called, most time first.
    pub functions: Vec<FunctionTime>,
    /// Blocking collectives by function, most waiting first.
    pub collectives: Vec<CollectiveTime>,
    /// Collective calls beyond those that were compared.
    pub collectives_left_out: u64,
    /// What each rank did in each slice of time.
    pub lanes: Vec<Lane>,
    /// Begin of the first slice and length of each, ns.
    pub slices_from_ns: i64,
    pub slice_ns: i64,
}

/// What a rank does at a moment.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Activity {
    /// Outside MPI.
    Computing,
    /// In a call that sends.
    Sending,
    /// In a call that receives or waits.
    Waiting,
    /// Asking again and again whether something is complete, and whatever it does between.
    Polling,
    /// In a collective.
    Collective,
    /// In another call.
    Other,
}

/// What a rank's time went to, from its first call to the end of its last.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct RankTime {
    /// The rank.
    pub rank: u32,
    /// Calls; polls put together count each.
    pub calls: u64,
    /// Threads that called MPI; their times are added up.
    pub threads: u64,
    /// From the first call to the end of the last, ns.
    pub elapsed_ns: i64,
    /// Time by activity, in the order of [`Activity::ALL`], ns. Computing is what the others leave.
    pub activity_ns: [i64; 6],
    /// Calls that it never left.
    pub unfinished: u64,
}

/// The calls of one function.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FunctionTime {
    /// Its name, `MPI_Send`.
    pub name: String,
    /// What ranks do in it; polling where all its calls were polls that found nothing.
    pub activity: Activity,
    /// Calls; polls put together count each.
    pub calls: u64,
    /// Those of them that were polls which found nothing.
    pub polls: u64,
    /// Time in it, ns; of polls from the first to the last.
    pub total_ns: i64,
    /// Longest call (or run of polls), ns.
    pub max_ns: i64,
    /// Bytes, where it has any.
    pub bytes: u64,
}

/// A collective function: how long ranks waited for the last to enter.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CollectiveTime {
    pub name: String,
    /// Times that all ranks of the communicator made the call.
    pub count: u64,
    /// From the first rank's entering to the last's, summed, ns.
    pub spread_ns: i64,
    /// The largest.
    pub spread_max_ns: i64,
    /// Time that ranks were in it before the last had entered, over all ranks, ns.
    pub waited_ns: i64,
    /// The rank that was last most often, and how often.
    pub last: Option<(u32, u64)>,
}

/// A rank's slices.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Lane {
    /// The rank.
    pub rank: u32,
    /// Part of each slice in each activity, in the order of [`Activity::ALL`], 0 to 1; all zero
    /// before its first and after its last call.
    pub slices: Vec<[f32; 6]>,
}

impl Wait {
    /// Every wait, in the order in which they are listed everywhere.
    pub const ALL: [Wait; 4] =
        [Wait::LateSender, Wait::LateReceiver, Wait::Unexpected, Wait::NotCollected];
}

impl Activity {
    /// Every activity, in the order in which they are listed everywhere.
    pub const ALL: [Activity; 6] = [
        Activity::Computing,
        Activity::Sending,
        Activity::Waiting,
        Activity::Polling,
        Activity::Collective,
        Activity::Other,
    ];
}

impl MpiGroup {
    /// All waits together, ns.
    pub fn waited_ns(&self) -> i64 {
        self.waits_ns.iter().sum()
    }
}

impl Blocked {
    /// Both together, ns.
    pub fn total_ns(&self) -> i64 {
        self.late_sender_ns + self.late_receiver_ns
    }
}
