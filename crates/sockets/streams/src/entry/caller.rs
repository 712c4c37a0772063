//! Who connected to whom, of the ends of a Unix-domain connection. The kernel says who the peer of
//! an end is, but not once that has gone; this it says all the same.

use rustc_hash::FxHasher;
use std::hash::Hasher;

/// The same at both ends of a connection, and at those of others that one process made to one
/// listener.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Caller {
    /// Number of the process that connected; 0: not known.
    process: u32,
    /// Stands for the listener's name, and for where the process has its number.
    listener: u32,
}

impl Caller {
    /// Of the ends of other connections.
    pub const UNKNOWN: Caller = Caller { process: 0, listener: 0 };

    /// The process that connected, by its number in a namespace of processes (an inode), to a
    /// socket of this name.
    pub fn new(process: u32, namespace: u64, name: &[u8]) -> Caller {
        let mut hash = FxHasher::default();
        hash.write_u64(namespace);
        hash.write(name);
        Caller { process, listener: (hash.finish() >> 32) as u32 }
    }

    /// Whether it is known.
    pub fn is_known(self) -> bool {
        self.process != 0
    }

    pub(super) fn word(self) -> u64 {
        u64::from(self.process) | u64::from(self.listener) << 32
    }

    pub(super) fn of(word: u64) -> Caller {
        Caller { process: word as u32, listener: (word >> 32) as u32 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn another_process_another_name_or_another_namespace_is_another() {
        let one = Caller::new(7, 1, b"/run/one");
        assert!(one.is_known() && Caller::of(one.word()) == one);
        for other in [
            Caller::new(8, 1, b"/run/one"),
            Caller::new(7, 2, b"/run/one"),
            Caller::new(7, 1, b"/run/two"),
            Caller::new(7, 1, b""),
        ] {
            assert_ne!(one, other);
        }
        assert!(!Caller::of(0).is_known() && Caller::of(0) == Caller::UNKNOWN);
    }
}
