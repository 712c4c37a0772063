//! Receipts: word that a message has arrived, given by the fabric and not by the program that it is
//! for, which may be busy.

use super::Node;

impl Node {
    /// Whether there are any: not everywhere does a fabric know of an arrival before the program
    /// there looks.
    pub fn gives_receipts(&self) -> bool {
        self.transport.gives_receipts()
    }

    /// What the messages count for whose receipts have come since the last call.
    pub fn receipts(&mut self) -> u32 {
        std::mem::take(&mut self.receipts) + self.transport.receipts()
    }

    /// Whether any have come since this was asked last.
    pub(super) fn has_receipts(&mut self) -> bool {
        let come = self.transport.receipts();
        self.receipts += come;
        come > 0
    }
}
