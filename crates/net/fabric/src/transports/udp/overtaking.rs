//! Which datagrams have been overtaken by later ones: what they carried counts as lost. Pure.

/// From so many datagrams acknowledged after it on, a message counts as lost (RFC 9002, 6.1.1).
const GAP: u64 = 3;

/// The datagrams to one peer, numbered from one on in the order in which they went.
#[derive(Default)]
pub(super) struct Overtaking {
    latest: u64,
    /// The latest of which something was acknowledged.
    acknowledged: u64,
}

impl Overtaking {
    /// A datagram begins.
    pub fn begin(&mut self) {
        self.latest += 1;
    }

    /// The number of the datagram that has begun.
    #[inline]
    pub fn latest(&self) -> u64 {
        self.latest
    }

    /// The peer has what went with that datagram.
    #[inline]
    pub fn has_come(&mut self, number: u64) {
        self.acknowledged = self.acknowledged.max(number);
    }

    /// Whether enough later ones have come for that datagram to be thought lost.
    #[inline]
    pub fn has_overtaken(&self, number: u64) -> bool {
        number + GAP <= self.acknowledged
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_datagram_is_lost_once_three_after_it_have_come() {
        let mut datagrams = Overtaking::default();
        (0..5).for_each(|_| datagrams.begin());
        assert_eq!(datagrams.latest(), 5);
        datagrams.has_come(3);
        assert!(!datagrams.has_overtaken(1));
        datagrams.has_come(4);
        assert!(datagrams.has_overtaken(1) && !datagrams.has_overtaken(2));
        datagrams.has_come(2);
        assert!(datagrams.has_overtaken(1), "a late acknowledgement takes nothing back");
    }
}
