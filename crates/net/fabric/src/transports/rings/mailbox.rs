//! Which peers may have written to a node since it last looked.
//!
//! A node of many has many paths, and most are empty: of 64 simulated nodes on two cores each spent
//! a third of its time on looking into all 63. There each message posts a bit of its sender's to
//! words of the receiver, and only those paths are looked into. With few peers looking is cheaper
//! than posting.
//!
//! Nothing that is posted is missed: whoever takes the bit sees the message that was published
//! before it, and a message published later posts the bit again (`tests::modelled`).

use crate::spec::NodeId;
use memory::Word;
use std::sync::atomic::Ordering::{Acquire, Relaxed, Release};

/// A node with more peers has a mailbox.
pub(super) const PEERS_LOOKED_AT: usize = 8;

const BITS: usize = u64::BITS as usize;

/// Words of a mailbox that this many nodes may post to.
pub(super) fn words(nodes: usize) -> usize {
    nodes.div_ceil(BITS)
}

/// `from` has published a message to the node whose words these are.
#[inline]
pub(super) fn post<W: Word>(words: &[W], from: NodeId) {
    let from = usize::from(from);
    words[from / BITS].fetch_or(1 << (from % BITS), Release);
}

/// What a node knows of its mail.
pub(super) struct Mailbox {
    /// Peers whose paths have not been found empty since they posted, a bit each.
    waiting: Vec<u64>,
    /// Who is looked at first.
    next: usize,
}

impl Mailbox {
    pub fn new(nodes: usize) -> Mailbox {
        Mailbox { waiting: vec![0; words(nodes)], next: 0 }
    }

    /// Take over what has been posted.
    #[inline]
    pub fn fetch<W: Word>(&mut self, words: &[W]) {
        for (waiting, posted) in self.waiting.iter_mut().zip(words) {
            if posted.load(Relaxed) != 0 {
                *waiting |= posted.swap(0, Acquire);
            }
        }
    }

    /// This peer may have written, whatever it has posted.
    pub fn add(&mut self, from: NodeId) {
        self.waiting[usize::from(from) / BITS] |= 1 << (usize::from(from) % BITS);
    }

    /// The path of this peer is empty.
    #[inline]
    pub fn remove(&mut self, from: NodeId) {
        self.waiting[usize::from(from) / BITS] &= !(1 << (usize::from(from) % BITS));
    }

    /// Whose path to look into: everybody in turn, but those that are left out.
    #[inline]
    pub fn next(&mut self, is_left_out: impl Fn(NodeId) -> bool) -> Option<NodeId> {
        let words = self.waiting.len();
        let (first, from_next_on) = (self.next / BITS, u64::MAX << (self.next % BITS));
        // The word of the next one twice: from it on at first, and what is before it at last.
        for step in 0..=words {
            let at = (first + step) % words;
            let mut bits = match step {
                0 => self.waiting[at] & from_next_on,
                _ if step == words => self.waiting[at] & !from_next_on,
                _ => self.waiting[at],
            };
            while bits != 0 {
                let peer = at * BITS + bits.trailing_zeros() as usize;
                bits &= bits - 1;
                if !is_left_out(peer as NodeId) {
                    self.next = (peer + 1) % (words * BITS);
                    return Some(peer as NodeId);
                }
            }
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::AtomicU64;

    /// Those that are asked one after another, each for one message.
    fn turns(mailbox: &mut Mailbox, count: usize) -> Vec<NodeId> {
        (0..count).filter_map(|_| mailbox.next(|_| false)).collect()
    }

    #[test]
    fn everybody_who_has_posted_has_a_turn_before_anybody_has_another() {
        let words = [const { AtomicU64::new(0) }; 3];
        let mut mailbox = Mailbox::new(130);
        for from in [3, 64, 129, 5, 64] {
            post(&words, from);
        }
        assert_eq!(mailbox.next(|_| false), None, "nothing was fetched");
        mailbox.fetch(&words);
        assert_eq!(turns(&mut mailbox, 5), [3, 5, 64, 129, 3]);
        mailbox.remove(64);
        assert_eq!(turns(&mut mailbox, 3), [5, 129, 3]);
        assert_eq!(mailbox.next(|from| from != 3), Some(3), "who is left out is passed over");
        assert_eq!(mailbox.next(|_| true), None);
        mailbox.add(127);
        assert_eq!(turns(&mut mailbox, 4), [5, 127, 129, 3]);
    }

    #[test]
    fn what_was_fetched_is_not_fetched_again() {
        let words = [AtomicU64::new(0)];
        let mut mailbox = Mailbox::new(10);
        post(&words, 9);
        mailbox.fetch(&words);
        mailbox.remove(9);
        mailbox.fetch(&words);
        assert_eq!(mailbox.next(|_| false), None);
    }
}
