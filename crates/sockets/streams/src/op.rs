//! A call on a connection, on the run's timeline.

use crate::entry::flags;
use crate::transport::Look;
use record::NULL;

/// A call in which a thread waited until there was something to read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Wait {
    /// When it was entered, ns; null where that is not known.
    pub enter: i64,
    /// When it returned, ns; null where it was the read itself.
    pub exit: i64,
    /// For how many descriptors; 0 where that is not known.
    pub files: i64,
}

impl Wait {
    /// Nothing is known of it.
    pub const UNKNOWN: Wait = Wait { enter: NULL, exit: NULL, files: 0 };
}

/// A call that sent or received.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Op {
    /// When it was entered, ns.
    pub enter: i64,
    /// When it returned, ns.
    pub exit: i64,
    /// Of a receive, the kernel's stamp, ns; null for none.
    pub stamp: i64,
    /// Bytes that it moved.
    pub bytes: u32,
    /// Of a send, bytes that it was given, or more than it took; 0 when that is not known.
    pub offered: u32,
    /// The process.
    pub node: u32,
    /// Its thread, as the system numbers it; 0 where that is not known.
    pub thread: u32,
    /// See [`crate::entry::flags`].
    pub flags: u8,
    /// What lay in the pipe behind it.
    pub look: Option<Look<i64>>,
    /// Of a receive, the last call before it in which the thread waited.
    pub wait: Option<Wait>,
}

impl Op {
    /// Whether it has this flag.
    pub fn has(&self, flag: u8) -> bool {
        self.flags & flag != 0
    }

    /// What the receiver of bytes that arrived then waited in.
    pub fn waited_for(&self, arrived: i64) -> Wait {
        let is_over = self.wait.is_some_and(|wait| wait.exit < arrived);
        match self.wait {
            _ if arrived == NULL => Wait::UNKNOWN,
            Some(wait) if arrived < self.enter && !is_over => wait,
            None if arrived < self.enter && self.has(flags::HAS_WAITED) => Wait::UNKNOWN,
            _ => Wait { enter: self.enter, exit: NULL, files: 1 },
        }
    }
}
