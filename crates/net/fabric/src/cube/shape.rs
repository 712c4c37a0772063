//! How fragments are cut into packets.

use std::ops::Range;

/// The cube's size and its packets'; the same on every node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Shape {
    /// Nodes: a power of two.
    pub nodes: u16,
    /// Largest piece of payload in a packet.
    pub packet_bytes: usize,
    /// Largest fragment.
    pub fragment_bytes_max: usize,
}

impl Shape {
    /// Links of each node.
    pub fn dimensions(&self) -> usize {
        self.nodes.trailing_zeros() as usize
    }

    /// Packets of a fragment: at least one.
    #[inline]
    pub fn packets(&self, bytes: usize) -> u32 {
        bytes.div_ceil(self.packet_bytes).max(1) as u32
    }

    /// The part of a fragment that one of its packets carries.
    #[inline]
    pub fn piece(&self, bytes: usize, index: u32) -> Range<usize> {
        let start = index as usize * self.packet_bytes;
        start..bytes.min(start + self.packet_bytes)
    }
}
