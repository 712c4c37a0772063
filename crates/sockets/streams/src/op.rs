//! A call on a connection, on the run's timeline.

use crate::entry::flags;
use crate::transport::Look;
use record::NULL;

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
    /// See [`crate::entry::flags`].
    pub flags: u8,
    /// What lay in the pipe behind it.
    pub look: Option<Look<i64>>,
    /// Of a receive, the last call before it in which the thread waited until there was something
    /// to read: when it was entered and returned, ns.
    pub wait: Option<[i64; 2]>,
}

impl Op {
    /// Whether it has this flag.
    pub fn has(&self, flag: u8) -> bool {
        self.flags & flag != 0
    }

    /// What the receiver of bytes that arrived then waited in: when that call was entered, and when
    /// it returned, ns; the second is null where it was this one, both where it is not known.
    pub fn waited_for(&self, arrived: i64) -> [i64; 2] {
        let is_over = self.wait.is_some_and(|[_, exit]| exit < arrived);
        match self.wait {
            _ if arrived == NULL => [NULL; 2],
            Some(wait) if arrived < self.enter && !is_over => wait,
            None if arrived < self.enter && self.has(flags::HAS_WAITED) => [NULL; 2],
            _ => [self.enter, NULL],
        }
    }
}
