//! What a node keeps of the way between it and one other node.

use super::serials::Serials;

#[derive(Default)]
pub(super) struct Channel {
    /// Messages sent there.
    pub sent: u64,
    /// Messages from there that may yet be cancelled.
    pub received: Serials,
    /// Messages from there that are still to be acknowledged.
    pub owed: u32,
}
