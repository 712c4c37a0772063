//! What one process says of itself.

use crate::{Happened, PageServer, PagedSeconds, PagerEvent, SampledFaults};
use serde::{Deserialize, Serialize};

/// A process whose memory was paged. Written each second and at the end, so that a process that is
/// killed has told nearly all.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Paged {
    /// Its number.
    pub pid: u32,
    /// Its program.
    pub program: String,
    /// Whether it came to its end with the library in it; `Some(false)`: it was killed, or ended
    /// without its destructors, and this is from a moment before.
    pub finished: Option<bool>,
    /// Where its time went.
    #[serde(deserialize_with = "PagedSeconds::read")]
    pub seconds: PagedSeconds,
    /// Its faults.
    pub faults: FaultCounts,
    /// How long these took.
    pub fault_ns: FaultTimes,
    /// Where in the program some of them were.
    pub sampled: SampledFaults,
    /// Pages sent out.
    pub page_outs: u64,
    /// Pages brought in.
    pub page_ins: u64,
    /// Pages of parity sent out.
    pub parity: u64,
    /// All pages that went to a server or to the disk, or came from there.
    pub transfers: u64,
    /// Of these, pages moved for safety or room.
    pub moves: u64,
    /// Pages that left unchanged, and so were not sent.
    pub clean_evictions: u64,
    /// Pages that left changed.
    pub dirty_evictions: u64,
    /// Pages that left all zero, and so are kept nowhere.
    pub zero_evictions: u64,
    /// Local memory that its pages take.
    pub resident_bytes: u64,
    /// What it has outside.
    pub outside_bytes: u64,
    /// Pages read before they were wanted.
    pub prefetch: Prefetched,
    /// What a connection was found to carry.
    pub rate_bytes_per_s: Option<f64>,
    /// Where its pages go.
    pub servers: Vec<PageServer>,
    /// Addresses of pages whose contents are lost, as hexadecimal text.
    pub lost_pages: Vec<String>,
    /// Groups of pages without parity or a second copy, where the policy wants one.
    pub unprotected_groups: u64,
    /// Groups that the loss of one more server would cost pages: those without, and those that
    /// wait to be rebuilt.
    pub exposed_groups: u64,
    /// Pages that were not where the pager had put them: the program, or a system call that the
    /// library does not see, had taken them away.
    pub anomalies: u64,
    /// Threads wait, and the disk is full, which is the last place that pages could go to.
    pub no_room: bool,
    /// What happened, in order.
    pub events: Vec<PagerEvent>,
}

/// Faults by what they took.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct FaultCounts {
    /// On pages that hold nothing but zeros: never touched, given up, or all zero when they left.
    pub zero: u64,
    /// Pages that were still, or already, here.
    pub soft: u64,
    /// Pages that had to be fetched.
    pub hard: u64,
}

/// How long faults took, by kind.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct FaultTimes {
    /// See [`FaultCounts`].
    pub zero: FaultTime,
    /// See [`FaultCounts`].
    pub soft: FaultTime,
    /// See [`FaultCounts`].
    pub hard: FaultTime,
}

/// How long faults of a kind took, ns: from when the engine saw the fault until the page was there.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct FaultTime {
    /// Half were shorter.
    pub p50: f64,
    /// 99 of 100 were shorter.
    pub p99: f64,
    /// The longest.
    pub max: f64,
    /// The mean.
    pub mean: f64,
}

/// Pages read before they were wanted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Prefetched {
    /// Pages.
    pub pages: u64,
    /// Requests for several of them.
    pub windows: u64,
    /// Windows whose stream went on.
    pub used: u64,
}

impl Paged {
    /// Whether any page left its memory or came back.
    pub fn was_paged(&self) -> bool {
        self.transfers > 0
    }

    /// What was seen to fail of that which keeps its pages, and when, for a person.
    pub fn failures(&self) -> String {
        let failures: Vec<String> = self.events.iter().filter_map(failure).collect();
        match failures.is_empty() {
            true => "no server was seen to go down, and no disk to fail".to_owned(),
            false => failures.join(", "),
        }
    }

    /// Part of the windows whose stream went on, 0 to 1.
    pub fn prefetch_efficiency(&self) -> Option<f64> {
        (self.prefetch.windows > 0)
            .then(|| self.prefetch.used as f64 / self.prefetch.windows as f64)
    }
}

fn failure(event: &PagerEvent) -> Option<String> {
    let what = match &event.what {
        Happened::ServerDown { address, .. } => format!("server {address} went down"),
        failed @ (Happened::DiskFailed { .. } | Happened::DiskWrong) => failed.to_string(),
        _ => return None,
    };
    Some(format!("{what} at {:.1} s", event.at_s))
}
