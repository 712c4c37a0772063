//! What messages have in common that cannot overtake one another.

use serde::{Deserialize, Serialize};

/// What messages must have in common to meet, beside their ranks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Label {
    pub communicator: u32,
    pub tag: i32,
    /// It is sent or received in parts.
    pub partitioned: bool,
}

/// Source, destination, communicator and tag.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub(crate) struct Channel {
    /// Source and destination rank.
    way: u64,
    /// Communicator and tag.
    label: u64,
}

impl Channel {
    #[inline]
    pub fn new(src: u32, dst: u32, label: Label) -> Channel {
        // Communicators are numbered below 2^24 on each rank, and there are not 2^31 in a run.
        let communicator = u64::from(label.communicator) | u64::from(label.partitioned) << 31;
        Channel {
            way: u64::from(src) | u64::from(dst) << 32,
            label: communicator | u64::from(label.tag as u32) << 32,
        }
    }

    pub fn src(&self) -> u32 {
        self.way as u32
    }

    pub fn dst(&self) -> u32 {
        (self.way >> 32) as u32
    }

    pub fn tag(&self) -> i32 {
        (self.label >> 32) as i32
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn channels_differ_in_each_of_what_they_are_made_of() {
        let label = Label { communicator: 1, tag: -7, partitioned: false };
        let one = Channel::new(2, 3, label);
        assert_eq!((one.src(), one.dst(), one.tag()), (2, 3, -7));
        for other in [
            Channel::new(3, 2, label),
            Channel::new(2, 3, Label { communicator: 2, ..label }),
            Channel::new(2, 3, Label { tag: 7, ..label }),
            Channel::new(2, 3, Label { partitioned: true, ..label }),
        ] {
            assert_ne!(one, other);
        }
    }
}
