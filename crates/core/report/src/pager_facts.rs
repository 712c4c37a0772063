//! What a paged run says of itself: where its time went, its faults, its transfers, its servers.

use serde::Deserialize;
use serde_json::Value;

use crate::pager_seconds::PagedSeconds;
use document::counted;

/// The name under which the parameters of a run hold it.
pub(crate) const KEY: &str = "pager";

/// A run whose memory was paged.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(default)]
pub struct PagerFacts {
    /// `parity-log`, `disk`, ...
    pub policy: String,
    /// Local memory that the program was given.
    pub local_bytes: u64,
    /// Bytes of a page.
    pub page_bytes: u64,
    /// Whether pages travelled encrypted.
    pub encrypted: bool,
    /// Where pages went.
    pub servers: Vec<PageServer>,
    /// The program's processes.
    pub processes: Vec<Paged>,
    /// Elapsed times that are foretold for other networks; filled in by whoever can foretell.
    #[serde(skip)]
    pub predictions: Vec<Prediction>,
}

/// A page server.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(default)]
pub struct PageServer {
    /// Where it listens.
    pub address: String,
    /// `data` or `parity`.
    pub role: String,
    /// `up` or `down`, at the end of the run.
    pub state: String,
    /// Pages that it kept then.
    pub pages: u64,
}

/// A process whose memory was paged.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
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
    pub seconds: PagedSeconds,
    /// Its faults.
    pub faults: FaultCounts,
    /// How long these took.
    pub fault_ns: FaultTimes,
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
    /// Pages read before they were wanted.
    pub prefetch: Prefetched,
    /// What a connection was found to carry.
    pub rate_bytes_per_s: Option<f64>,
    /// Addresses of pages whose contents are lost.
    pub lost_pages: Vec<Value>,
    /// What happened to servers, in order.
    pub events: Vec<PagerEvent>,
}

/// Faults by what they took.
#[derive(Clone, Copy, Debug, Default, PartialEq, Deserialize)]
#[serde(default)]
pub struct FaultCounts {
    /// First touches.
    pub zero: u64,
    /// Pages that were still, or already, here.
    pub soft: u64,
    /// Pages that had to be fetched.
    pub hard: u64,
}

/// How long faults took, by kind.
#[derive(Clone, Copy, Debug, Default, PartialEq, Deserialize)]
#[serde(default)]
pub struct FaultTimes {
    /// See [`FaultCounts`].
    pub zero: FaultTime,
    /// See [`FaultCounts`].
    pub soft: FaultTime,
    /// See [`FaultCounts`].
    pub hard: FaultTime,
}

/// How long faults of a kind took, ns.
#[derive(Clone, Copy, Debug, Default, PartialEq, Deserialize)]
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
#[derive(Clone, Copy, Debug, Default, PartialEq, Deserialize)]
#[serde(default)]
pub struct Prefetched {
    /// Pages.
    pub pages: u64,
    /// Requests for several of them.
    pub windows: u64,
    /// Windows whose stream went on.
    pub used: u64,
}

/// Something that happened to a server.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(default)]
pub struct PagerEvent {
    /// When, from the begin of the process.
    pub at_s: f64,
    /// In words.
    pub what: String,
}

/// What an event means for a server.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ServerEvent {
    Lost,
    Joined,
}

/// The elapsed time that is foretold for a network.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Prediction {
    /// Which network, in words.
    pub network: String,
    /// The time, s.
    pub seconds: f64,
}

impl PagerFacts {
    /// Read what the parameters hold; `None` when it is nothing that a paged run leaves.
    pub fn of(parameter: Option<&Value>) -> Option<PagerFacts> {
        let mut facts: PagerFacts = serde_json::from_value(parameter?.clone()).ok()?;
        for process in &mut facts.processes {
            process.seconds = process.seconds.with_other();
        }
        Some(facts)
    }

    /// The process that says most of the run: the one with most transfers, of several the one that
    /// ran longest.
    pub fn main(&self) -> Option<&Paged> {
        let order = |a: &&Paged, b: &&Paged| {
            a.transfers.cmp(&b.transfers).then(a.seconds.elapsed.total_cmp(&b.seconds.elapsed))
        };
        self.processes.iter().max_by(order)
    }

    /// What was lost, one line each.
    pub(crate) fn losses(&self) -> Vec<String> {
        let lost = self.processes.iter().filter(|process| !process.lost_pages.is_empty());
        lost.map(|process| {
            let pages = counted(process.lost_pages.len() as u64, "page");
            format!(
                "Process {} lost the contents of {pages}: more servers failed than its policy \
                bears.",
                process.pid
            )
        })
        .collect()
    }
}

impl PagerEvent {
    /// `None` for what is no server's coming or going. The engine tells its events in words alone.
    pub(crate) fn of_server(&self) -> Option<ServerEvent> {
        match self.what.as_str() {
            what if what.contains(" is down: ") => Some(ServerEvent::Lost),
            what if what.contains(" has joined") => Some(ServerEvent::Joined),
            _ => None,
        }
    }
}

impl Paged {
    /// Whether any page left its memory or came back.
    pub fn was_paged(&self) -> bool {
        self.transfers > 0
    }

    /// Part of the windows whose stream went on, 0 to 1.
    pub fn prefetch_efficiency(&self) -> Option<f64> {
        (self.prefetch.windows > 0)
            .then(|| self.prefetch.used as f64 / self.prefetch.windows as f64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use document::plain;
    use serde_json::json;

    #[test]
    fn reads_what_a_run_leaves_and_does_without_the_rest() {
        let facts = PagerFacts::of(Some(&json!({
            "policy": "parity-log", "local_bytes": 1 << 20,
            "processes": [{"pid": 7, "transfers": 9, "prefetch": {"pages": 8, "windows": 4, "used": 3}, "lost_pages": ["0x1000"]}],
        })))
        .unwrap();
        let process = facts.main().unwrap();
        assert_eq!(
            (process.pid, process.prefetch_efficiency(), process.page_outs),
            (7, Some(0.75), 0)
        );
        assert!(plain(&facts.losses()[0]).starts_with("Process 7 lost the contents of 1 page:"));
        assert_eq!(PagerFacts::of(Some(&json!("no object"))), None);
        assert_eq!(PagerFacts::of(None), None);
    }
}
