//! What happened to a paged process. The words for people are here and nowhere else.

use serde::{Deserialize, Serialize};
use std::fmt;

/// Something that happened, and when.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct PagerEvent {
    /// When, from the begin of the run, s.
    pub at_s: f64,
    /// What.
    pub what: Happened,
}

/// What happened.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Happened {
    /// A server is gone, with all that it held.
    ServerDown {
        /// Its number as a place for pages.
        server: u16,
        /// Where it listened.
        address: String,
        /// How that was noticed.
        why: String,
    },
    /// A server is there again: empty, and so a new place.
    ServerJoined {
        /// Its number as a place for pages.
        server: u16,
        /// Where it listens.
        address: String,
    },
    /// After a server's death: these are not safe against the loss of another one.
    Exposed {
        /// Groups of pages that wait to be written again.
        groups: u64,
    },
    /// What was lost with servers has been put elsewhere, and is as safe as before.
    Rebuilt {
        /// Pages that were made again from the others of their group.
        pages: u64,
    },
    /// The disk has no room. Told once until it takes pages again.
    DiskFull,
    /// The disk failed otherwise.
    DiskFailed {
        /// What the system says.
        error: String,
    },
    /// What came from the disk is not what was kept there.
    DiskWrong,
    /// A page was not there any more: only a system call that the library does not see can do that.
    PageTaken {
        /// Its address.
        page: Address,
        /// How.
        how: Leaving,
    },
    /// A page is lost, and who touches it waits for ever, because it cannot be made to fail.
    PageStuck {
        /// Its address.
        page: Address,
        /// What the system says.
        error: String,
    },
    /// A frame could not be prepared or filled.
    FrameFailed {
        /// How many.
        frames: u32,
        /// What was to be done.
        task: FrameTask,
        /// What the system says.
        error: String,
    },
    /// Memory of the program stays ordinary memory.
    NotPaged {
        /// How much.
        bytes: u64,
        /// What the system says.
        error: String,
    },
    /// A system call wants more at once than may be kept in memory for it.
    HeldTooMuch {
        /// How much.
        bytes: u64,
    },
    /// Faults cannot be read.
    FaultsUnreadable {
        /// What the system says.
        error: String,
    },
    /// Something of the run could not be written, or address space not be given back.
    Failed {
        /// What the library says.
        error: String,
    },
    /// In words, as runs were written before events were data.
    #[serde(untagged)]
    Told(String),
}

/// How a page went.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Leaving {
    /// Its contents were given up.
    GivenUp,
    /// Its address is no longer the program's.
    Unmapped,
}

/// What was to be done with a frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum FrameTask {
    /// Bytes were to go there.
    Fill,
    /// Zeros were to go there.
    Clear,
    /// Its memory was to be given back.
    Empty,
}

/// An address of the program.
pub type Address = u64;

impl Default for Happened {
    fn default() -> Happened {
        Happened::Told(String::new())
    }
}

/// Pages may have been lost for ever before.
const PROTECTED: &str = "every page that is not lost is protected again";

impl fmt::Display for Happened {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Happened::ServerDown { server, address, why } => {
                write!(to, "server {server} ({address}) is down: {why}")
            }
            Happened::ServerJoined { server, address } => {
                write!(to, "server {server} ({address}) has joined, empty")
            }
            Happened::Exposed { groups } => {
                let (plural, are) = if *groups == 1 { ("", "is") } else { ("s", "are") };
                write!(
                    to,
                    "{groups} group{plural} of pages {are} not protected against the loss of \
                    another server until rebuilt"
                )
            }
            Happened::Rebuilt { pages: 0 } => to.write_str(PROTECTED),
            Happened::Rebuilt { pages: 1 } => {
                write!(to, "1 page of a lost server was rebuilt; {PROTECTED}")
            }
            Happened::Rebuilt { pages } => {
                write!(to, "{pages} pages of lost servers were rebuilt; {PROTECTED}")
            }
            Happened::DiskFull => to.write_str("the disk is full"),
            Happened::DiskFailed { error } => write!(to, "the disk failed: {error}"),
            Happened::DiskWrong => {
                to.write_str("the disk returned a page other than the one that was written")
            }
            Happened::PageTaken { page, how: Leaving::GivenUp } => {
                write!(to, "page {page:#x} was discarded without the pager's knowledge")
            }
            Happened::PageTaken { page, how: Leaving::Unmapped } => {
                write!(to, "page {page:#x} was unmapped without the pager's knowledge")
            }
            Happened::PageStuck { page, error } => {
                write!(
                    to,
                    "page {page:#x} is lost and cannot be marked so; touching it blocks: {error}"
                )
            }
            Happened::FrameFailed { frames, task, error } => {
                let (plural, done) = (if *frames == 1 { "" } else { "s" }, task.done());
                write!(to, "{frames} frame{plural} cannot be {done}: {error}")
            }
            Happened::NotPaged { bytes, error } => {
                write!(to, "{bytes} bytes are not paged: {error}")
            }
            Happened::HeldTooMuch { bytes } => {
                write!(to, "{bytes} bytes are too many to keep resident at once")
            }
            Happened::FaultsUnreadable { error } => {
                write!(to, "page faults cannot be read: {error}")
            }
            Happened::Failed { error } => to.write_str(error),
            Happened::Told(words) => to.write_str(words),
        }
    }
}

impl FrameTask {
    fn done(self) -> &'static str {
        match self {
            FrameTask::Fill => "filled",
            FrameTask::Clear => "cleared",
            FrameTask::Empty => "emptied",
        }
    }
}
