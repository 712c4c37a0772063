//! What an analysis found in the messages and calls of an MPI program.

use std::collections::BTreeMap;

use calls::cause::COUNT;
use serde::{Deserialize, Serialize};

use stats::analysis::Summary;

mod blocked_at;
mod kind;
mod origin;

pub use blocked_at::BlockedAt;
pub use kind::{GroupedBy, GroupsBlocked, Kind};
pub use origin::{Origin, Origins};

/// What an MPI program's messages waited for, and what its ranks did.
///
/// A message's stamps are S (`ready`, the send was entered), A (`arrived`), P (the receive was
/// posted), W (the call that completed it was entered) and T (`taken`). Waits are those of the
/// documentation of [`Wait`].
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Mpi {
    /// Messages looked at.
    pub messages: u64,
    /// Time of all messages, ns: each from its send, or from when the receiver began to wait for it
    /// if that was earlier, until it was taken.
    pub message_time_ns: i64,
    /// The waits in the order of [`Wait::ALL`]; none is left out. Those that block a rank are all
    /// zeros where there is no `account`.
    pub waits: Vec<WaitView>,
    /// What the waits that block ranks are part of; `None` where the run was closed before there
    /// was an account of blocked calls.
    pub account: Option<Account>,
    /// How arrivals are known.
    pub arrivals: Arrivals,
    /// Who was blocked in a call for whom, longest first.
    pub blocked: Vec<Blocked>,
    /// Pairs of ranks that `blocked` has no room for, and their time, ns.
    pub blocked_left_out: (u64, i64),
    /// The same between groups of ranks, where there are too many to show each pair.
    #[serde(default)]
    pub groups_blocked: Vec<GroupsBlocked>,
    /// Messages by source and destination, by tag, by the place that sent them, by the place that
    /// received them; in each the group with most waiting first.
    pub groups: Vec<MpiGroups>,
    /// The longest waits, longest first.
    pub worst: Vec<WorstWait>,
    /// Where the delays behind blocked time began, where there is an account of it.
    pub origins: Option<Origins>,
    /// A sample of all messages, chosen by number: enough to draw.
    pub sample: Vec<MessageLine>,
    /// What the table of calls tells, where there is one.
    pub calls: Option<Calls>,
    /// Places in the program by their number, as people read them.
    pub sites: BTreeMap<i64, String>,
}

/// What a rank in a call, or a message, waited for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Wait {
    /// A rank was blocked for a message that was not sent yet.
    LateSender,
    /// A rank was blocked in sending, for a receive that was not posted yet.
    LateReceiver,
    /// A rank was blocked in a collective for one that it depends on and that had not entered yet.
    Collective,
    /// An origin was blocked for a target that had not posted its window yet.
    LatePost,
    /// A target was blocked for an origin that had not completed its access to its window yet.
    LateComplete,
    /// A rank was blocked for one that had not released its lock of a window yet.
    Lock,
    /// `P − A`: a message lay in the queue of unexpected messages.
    Unexpected,
    /// `W − max(A, P)`: it was there and expected, but the receiver did not collect it.
    NotCollected,
}

/// One wait over all calls or messages.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct WaitView {
    pub wait: Wait,
    /// Calls that were blocked by it; messages with any of it.
    pub count: u64,
    /// Messages that lack a stamp to tell it by; sends of which it is not known.
    pub unknown: u64,
    /// Its sum, ns.
    pub total_ns: i64,
    /// As much of that as is certain, whenever messages arrived within their errors, ns.
    pub certain_ns: i64,
    /// Its part of the time of all ranks if it blocks them, else of that of all messages, 0 to 1.
    pub share: f64,
    /// Figures of the calls or messages with any.
    pub summary: Summary,
    /// How much of `total_ns` rests on arrivals that were observed, bracketed and modelled; all
    /// zeros for a wait that no arrival takes part in.
    pub rests_on_ns: [i64; 3],
    /// Bound of the error of `total_ns`, ±, as far as it comes from arrivals that were not
    /// observed.
    pub error_ns: i64,
}

/// The time that blocked time is part of. A nanosecond of a call is blocked at most once.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Account {
    /// Blocked, all ranks and causes, ns.
    pub blocked_ns: i64,
    /// In MPI calls, all ranks and threads, ns.
    pub in_calls_ns: i64,
    /// From each rank's first call to the end of its last, all ranks and threads, ns.
    pub elapsed_ns: i64,
    /// Sends that may have been blocked, or kept from running, and for how long at most, ns.
    pub unknown_sends: u64,
    pub unknown_ns: i64,
    /// Calls of collectives of which it is not known for whom they waited.
    pub not_compared: u64,
    /// Posts, starts and locks of windows of which it is not known for whom ranks waited.
    pub epochs_not_compared: u64,
    /// In calls of one-sided communication without being blocked, ns.
    pub one_sided_ns: i64,
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
    /// In collectives, since the other entered late, ns.
    pub collective_ns: i64,
    /// As an origin, since the other posted its window late, ns.
    pub late_post_ns: i64,
    /// As a target, since the other completed its access late, ns.
    pub late_complete_ns: i64,
    /// Since the other held a lock, ns.
    pub lock_ns: i64,
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
    /// The waits in the order of [`Wait::OF_MESSAGES`], summed, ns.
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

/// One of the longest waits.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct WorstWait {
    pub wait: Wait,
    /// Who was blocked; of a message that lay about its source.
    pub rank: u32,
    /// Who was waited for.
    pub by: u32,
    /// When it began and how long it was, ns.
    pub from_ns: i64,
    pub waited_ns: i64,
    /// How far off `waited_ns` may be, ± ns, where the arrival was not observed.
    pub error_ns: Option<i64>,
    /// The message; `None` for a collective.
    pub message: Option<MessageLine>,
    /// Its tag.
    pub tag: Option<i64>,
    /// The collective, `MPI_Bcast`; of one-sided communication the call of the other rank that was
    /// waited for, `MPI_Win_post`.
    pub collective: Option<String>,
    /// The places in the program, of `rank` and of the other one.
    pub sites: [Option<i64>; 2],
    /// What `by` was doing meanwhile; empty where that is not known.
    pub doing: Vec<Doing>,
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
    /// The kinds of ranks, the largest first.
    #[serde(default)]
    pub kinds: Vec<Kind>,
    /// The functions called, most time first.
    pub functions: Vec<FunctionTime>,
    /// Blocking collectives by function, most waiting first.
    pub collectives: Vec<CollectiveTime>,
    /// Collective calls beyond those that were compared.
    pub collectives_left_out: u64,
    /// Where ranks were blocked, the longest first.
    pub blocked_at: Vec<BlockedAt>,
    /// In calls of one-sided communication without being blocked, ns.
    pub one_sided_ns: i64,
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
    /// In a collective that all it depends on have entered.
    Collective,
    /// In a collective, blocked for a rank that has not entered it.
    CollectiveWait,
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
    pub activity_ns: [i64; 7],
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

/// A collective function.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CollectiveTime {
    pub name: String,
    /// Times that all ranks of the communicator made the call; 0 for one that was prepared and is
    /// started by another call.
    pub count: u64,
    /// From the first rank's entering to the last's, summed, ns.
    pub spread_ns: i64,
    /// The largest.
    pub spread_max_ns: i64,
    /// Time in it, over all ranks, ns; `None` for one that goes on, which is waited for in another
    /// call.
    pub in_calls_ns: Option<i64>,
    /// Time that ranks were blocked for those it depends on, ns: never more than the time in the
    /// calls that waited for it. `None` where there is no account of that.
    pub waited_ns: Option<i64>,
    /// The rank that was waited for longest, and how long, ns.
    pub late: Option<(u32, i64)>,
}

/// A rank's slices.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Lane {
    /// The rank.
    pub rank: u32,
    /// Part of each slice in each activity, in the order of [`Activity::ALL`], 0 to 1; all zero
    /// before its first and after its last call.
    pub slices: Vec<[f32; 7]>,
}

impl Wait {
    /// Every wait, in the order in which they are listed everywhere.
    pub const ALL: [Wait; 8] = [
        Wait::LateSender,
        Wait::LateReceiver,
        Wait::Collective,
        Wait::LatePost,
        Wait::LateComplete,
        Wait::Lock,
        Wait::Unexpected,
        Wait::NotCollected,
    ];
    /// Those that block a rank in a call, in the order of [`Cause::ALL`](calls::cause::Cause::ALL).
    pub const BLOCKING: [Wait; COUNT] = match Wait::ALL.first_chunk() {
        Some(first) => *first,
        None => panic!("they come first in the list"),
    };
    /// Those that messages have a part in.
    pub const OF_MESSAGES: [Wait; 4] =
        [Wait::LateSender, Wait::LateReceiver, Wait::Unexpected, Wait::NotCollected];

    /// Its name in tables.
    pub fn key(self) -> &'static str {
        match self {
            Wait::LateSender => "late-sender",
            Wait::LateReceiver => "late-receiver",
            Wait::Collective => "collective",
            Wait::LatePost => "late-post",
            Wait::LateComplete => "late-complete",
            Wait::Lock => "lock",
            Wait::Unexpected => "unexpected",
            Wait::NotCollected => "not-collected",
        }
    }

    /// Whether it blocks a rank in a call; else a message lies about.
    pub fn blocks(self) -> bool {
        !matches!(self, Wait::Unexpected | Wait::NotCollected)
    }

    /// Whether it is of one-sided communication.
    pub fn is_one_sided(self) -> bool {
        matches!(self, Wait::LatePost | Wait::LateComplete | Wait::Lock)
    }
}

impl Activity {
    /// Every activity, in the order in which they are listed everywhere.
    pub const ALL: [Activity; 7] = [
        Activity::Computing,
        Activity::Sending,
        Activity::Waiting,
        Activity::Polling,
        Activity::Collective,
        Activity::CollectiveWait,
        Activity::Other,
    ];
}

impl CollectiveTime {
    /// That of a function of which nothing is known yet.
    pub(crate) fn named(name: &str) -> CollectiveTime {
        CollectiveTime {
            name: name.to_owned(),
            count: 0,
            spread_ns: 0,
            spread_max_ns: 0,
            in_calls_ns: None,
            waited_ns: None,
            late: None,
        }
    }
}

impl MpiGroup {
    /// All waits together, ns.
    pub fn waited_ns(&self) -> i64 {
        self.waits_ns.iter().sum()
    }
}

impl Blocked {
    /// `rank` was blocked for `by`, so long for each of [`Wait::BLOCKING`], ns.
    pub fn new(rank: u32, by: u32, waits_ns: [i64; COUNT]) -> Blocked {
        let [
            late_sender_ns,
            late_receiver_ns,
            collective_ns,
            late_post_ns,
            late_complete_ns,
            lock_ns,
        ] = waits_ns;
        Blocked {
            rank,
            by,
            late_sender_ns,
            late_receiver_ns,
            collective_ns,
            late_post_ns,
            late_complete_ns,
            lock_ns,
        }
    }

    /// All together, ns.
    pub fn total_ns(&self) -> i64 {
        self.waits_ns().into_iter().fold(0, i64::saturating_add)
    }

    /// In the order of [`Wait::BLOCKING`], ns.
    pub fn waits_ns(&self) -> [i64; COUNT] {
        Wait::BLOCKING.map(|wait| self.of(wait))
    }

    /// One of the waits that block, ns.
    pub fn of(&self, wait: Wait) -> i64 {
        match wait {
            Wait::LateSender => self.late_sender_ns,
            Wait::LateReceiver => self.late_receiver_ns,
            Wait::Collective => self.collective_ns,
            Wait::LatePost => self.late_post_ns,
            Wait::LateComplete => self.late_complete_ns,
            Wait::Lock => self.lock_ns,
            Wait::Unexpected | Wait::NotCollected => 0,
        }
    }
}
