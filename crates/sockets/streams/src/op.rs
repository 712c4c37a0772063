//! A call on a connection, on the run's timeline.

use crate::transport::Look;

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
}

impl Op {
    /// Whether it has this flag.
    pub fn has(&self, flag: u8) -> bool {
        self.flags & flag != 0
    }
}
