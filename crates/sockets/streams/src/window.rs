//! The first slot of a chunk: whether a thread fills it again and again.
//!
//! What is stored into a mapping of the file survives the process, whatever ends it; but each new
//! page of a mapping costs microseconds. So a thread has two chunks mapped, its windows. The slots
//! of one that is full are written to another chunk of the file, which was set apart for them, and
//! the window is emptied.
//!
//! | First word | The chunk |
//! |---|---|
//! | 0 | holds slots for good |
//! | bit 62, and a number | is a window; its slots count, and those in that chunk do not, if any |
//! | bit 63 | is a window whose slots are in their chunk, and count there |
//!
//! So each slot counts once, at whatever moment the process ends.

use crate::entry::{CHUNK_BYTES, HEAD_BYTES};

/// Where a chunk begins in the file, bytes.
pub fn place_of(chunk: u32) -> u64 {
    HEAD_BYTES as u64 + u64::from(chunk) * CHUNK_BYTES as u64
}

const FILLS: u64 = 1 << 62;
const WRITTEN: u64 = 1 << 63;

/// What a chunk is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// It holds slots for good.
    Kept,
    /// A window, whose slots will be written to the chunk of this number.
    Fills(u32),
    /// A window whose slots have been written.
    Written,
}

impl Role {
    /// By the chunk's first word.
    pub fn of(word: u64) -> Role {
        match word & (FILLS | WRITTEN) {
            FILLS => Role::Fills(word as u32),
            WRITTEN => Role::Written,
            _ => Role::Kept,
        }
    }

    /// As the chunk's first word.
    pub fn word(self) -> u64 {
        match self {
            Role::Kept => 0,
            Role::Fills(chunk) => FILLS | u64::from(chunk),
            Role::Written => WRITTEN,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_role_is_read_as_it_was_written() {
        for role in [Role::Kept, Role::Fills(0), Role::Fills(u32::MAX), Role::Written] {
            assert_eq!(Role::of(role.word()), role);
        }
    }
}
