//! What else happened while messages travelled: spans of time beside the rows, one file a node.
//!
//! A node's watcher appends spans in raw ticks to a log of its own in `live/`, in the format of the
//! live log, so that what a killed node has written stays readable. Closing the run puts them on
//! the timeline, in `causes/launch-0-node-1.parquet`.

mod log;
mod table;

pub use log::CauseLog;
pub(crate) use log::close;
pub use table::{CauseSpan, NodeCauses};

/// What a span tells of. The numbers are part of the log's format: append, never renumber.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, serde::Serialize, serde::Deserialize,
)]
#[serde(rename_all = "kebab-case")]
#[repr(u8)]
pub enum Cause {
    /// The machine was watched during the span: of what is not listed within it, nothing was seen.
    /// Amount: 0.
    Watched = 0,
    /// The node's thread was ready to run and had no core. Amount: ns.
    RunQueue = 1,
    /// It was taken off its core. Amount: times.
    Preempted = 2,
    /// It went to another core. Amount: the core.
    Migrated = 3,
    /// The hypervisor ran something else on the node's core. Amount: ns, in steps of the kernel's
    /// tick.
    Steal = 4,
    /// Interrupts on the node's core, beyond one of its timer for every tick. Amount: how many.
    Interrupts = 5,
    /// Network packets received by the node's core in a soft interrupt. Amount: how many times.
    SoftNet = 6,
    /// The machine sent TCP segments again. Amount: how many.
    TcpRetransmits = 7,
    /// The machine's TCP waited for an acknowledgement in vain and began anew. Amount: how often.
    TcpTimeouts = 8,
    /// The network layer of this node sent messages again. Amount: how many.
    Resent = 9,
    /// Our own watcher was at work. Amount: ns of a core's time that it took, for it may itself
    /// wait for a core meanwhile; 0 in older runs.
    Watcher = 10,
    /// Before the launch: a core did nothing but read the clock. Amount: ns lost in gaps.
    IdleSpin = 11,
    /// Before the launch: such a core did not run, from begin to end. Amount: 0.
    IdleGap = 12,
    /// A test's own plant: a delay that it made. Amount: ns.
    Planted = 13,
    /// The node's thread ran. Amount: ns.
    Ran = 14,
    /// The node's process did not run at all: its watcher was due, did not wait for a core, and was
    /// not woken. Amount: ns.
    Stopped = 15,
    /// Pages that the node's thread touched had to be mapped; none was read from a disk. Amount:
    /// how many.
    MinorFaults = 16,
    /// Pages that the node's thread touched had to be read from a disk. Amount: how many.
    MajorFaults = 17,
    /// The node's thread waited until its record had room again. Amount: ns.
    Recording = 18,
}

impl Cause {
    /// Every cause, in the order of its code.
    pub const ALL: [Cause; 19] = [
        Cause::Watched,
        Cause::RunQueue,
        Cause::Preempted,
        Cause::Migrated,
        Cause::Steal,
        Cause::Interrupts,
        Cause::SoftNet,
        Cause::TcpRetransmits,
        Cause::TcpTimeouts,
        Cause::Resent,
        Cause::Watcher,
        Cause::IdleSpin,
        Cause::IdleGap,
        Cause::Planted,
        Cause::Ran,
        Cause::Stopped,
        Cause::MinorFaults,
        Cause::MajorFaults,
        Cause::Recording,
    ];

    /// Their names, in the order of the codes.
    pub const NAMES: [&str; 19] = [
        "watched",
        "run-queue",
        "preempted",
        "migrated",
        "steal",
        "interrupts",
        "soft-net",
        "tcp-retransmits",
        "tcp-timeouts",
        "resent",
        "watcher",
        "idle-spin",
        "idle-gap",
        "planted",
        "ran",
        "stopped",
        "minor-faults",
        "major-faults",
        "recording",
    ];

    /// The cause with this code.
    pub fn from_code(code: u8) -> Option<Cause> {
        Cause::ALL.get(usize::from(code)).copied()
    }

    /// The name that files and reports use.
    pub fn name(self) -> &'static str {
        Cause::NAMES[self as usize]
    }

    /// Whether its amount is a time.
    pub fn is_time(self) -> bool {
        use Cause::{IdleSpin, Planted, Ran, Recording, RunQueue, Steal, Stopped, Watcher};
        matches!(self, RunQueue | Steal | IdleSpin | Planted | Ran | Stopped | Recording | Watcher)
    }

    /// Whether its span is exactly the time that it took.
    pub fn is_exact(self) -> bool {
        matches!(self, Cause::Planted | Cause::Recording | Cause::IdleGap)
    }

    /// Whether it says how the thread was, and not what held it.
    pub fn is_background(self) -> bool {
        matches!(self, Cause::Watched | Cause::Ran)
    }

    /// Whether it was seen before the launch began, where no message travelled.
    pub fn is_before(self) -> bool {
        matches!(self, Cause::IdleSpin | Cause::IdleGap)
    }
}

#[cfg(test)]
mod tests;
