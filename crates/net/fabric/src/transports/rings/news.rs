//! Which of many peers have something for a node: a look costs as much as there is, and not as much
//! as there could be.
//!
//! A sender first publishes and then sets its bit; the receiver first takes the bits and then looks
//! at those paths. So a message is in a path whose bit is set, or is about to be.

use super::ring::LINE_WORDS;
use crate::spec::NodeId;
use std::sync::atomic::AtomicU64;
use std::sync::atomic::Ordering::{AcqRel, Relaxed};

/// Up to so many nodes, asking every path is as quick.
const FEW: usize = 8;

/// Words that each node needs for its bits: whole cache lines.
pub(super) fn words_each(nodes: usize) -> usize {
    if nodes <= FEW { 0 } else { nodes.div_ceil(64).next_multiple_of(LINE_WORDS) }
}

/// A word that senders set bits in.
pub(super) trait Word {
    fn set(&self, bits: u64);
    /// All bits that were set; none are afterwards.
    fn take(&self) -> u64;
}

impl Word for AtomicU64 {
    #[inline]
    fn set(&self, bits: u64) {
        self.fetch_or(bits, AcqRel);
    }

    #[inline]
    fn take(&self) -> u64 {
        // Looking alone leaves the cache line with whoever writes it.
        if self.load(Relaxed) == 0 { 0 } else { self.swap(0, AcqRel) }
    }
}

/// Set a sender's bit in the words of a receiver.
#[inline]
pub(super) fn tell(words: &[impl Word], sender: NodeId) {
    words[usize::from(sender) / 64].set(1 << (sender % 64));
}

/// What a receiver knows of.
pub(super) struct News {
    fresh: Vec<u64>,
    /// Whose turn it is.
    turn: usize,
}

impl News {
    /// Of so many nodes.
    pub fn new(nodes: usize) -> News {
        News { fresh: vec![0; nodes.div_ceil(64)], turn: 0 }
    }

    /// Take the bits that are set.
    #[inline]
    pub fn hear(&mut self, words: &[impl Word]) {
        self.fresh.iter_mut().zip(words).for_each(|(fresh, word)| *fresh |= word.take());
    }

    /// There is something from this node, whether it has said so or not.
    pub fn mark(&mut self, from: NodeId) {
        self.fresh[usize::from(from) / 64] |= 1 << (from % 64);
    }

    /// There is nothing from this node.
    #[inline]
    pub fn done(&mut self, from: NodeId) {
        self.fresh[usize::from(from) / 64] &= !(1 << (from % 64));
    }

    /// Who is next of those that have something and are not `paused`.
    #[inline]
    pub fn next(&mut self, paused: &[bool]) -> Option<NodeId> {
        let next = self.from(self.turn, paused).or_else(|| self.from(0, paused))?;
        self.turn = if next + 1 == paused.len() { 0 } else { next + 1 };
        Some(next as NodeId)
    }

    #[inline]
    fn from(&self, first: usize, paused: &[bool]) -> Option<usize> {
        let mut word = first / 64;
        let mut bits = self.fresh[word] & (!0 << (first % 64));
        loop {
            while bits != 0 {
                let node = word * 64 + bits.trailing_zeros() as usize;
                if !paused[node] {
                    return Some(node);
                }
                bits &= bits - 1;
            }
            word += 1;
            bits = *self.fresh.get(word)?;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn everybody_with_news_has_a_turn_and_who_is_paused_keeps_it() {
        let words: Vec<AtomicU64> = (0..words_each(70)).map(|_| AtomicU64::new(0)).collect();
        let (mut news, mut paused) = (News::new(70), vec![false; 70]);
        assert_eq!(news.next(&paused), None);
        [3, 64, 69].into_iter().for_each(|from| tell(&words, from));
        paused[64] = true;
        news.hear(&words);
        let turns: Vec<_> = (0..3).map(|_| news.next(&paused)).collect();
        assert_eq!(turns, [Some(3), Some(69), Some(3)]);
        [3, 69].into_iter().for_each(|from| news.done(from));
        assert_eq!(news.next(&paused), None);
        paused[64] = false;
        news.hear(&words);
        assert_eq!(news.next(&paused), Some(64));
        news.done(64);
        news.mark(0);
        assert_eq!((news.next(&paused), words_each(8), words_each(9)), (Some(0), 0, 8));
    }

    #[cfg(loom)]
    mod modelled {
        use super::*;
        use loom::sync::Arc;
        use loom::sync::atomic::AtomicU64;

        impl Word for AtomicU64 {
            fn set(&self, bits: u64) {
                self.fetch_or(bits, AcqRel);
            }

            fn take(&self) -> u64 {
                if self.load(Relaxed) == 0 { 0 } else { self.swap(0, AcqRel) }
            }
        }

        /// Whoever sees a bit sees what was published before it, and no bit is lost.
        #[test]
        fn every_interleaving_hears_of_all_that_is_there() {
            loom::model(|| {
                let words = Arc::new([AtomicU64::new(0)]);
                let paths = Arc::new([AtomicU64::new(0), AtomicU64::new(0)]);
                let senders = [0, 1].map(|from| {
                    let (words, paths) = (words.clone(), paths.clone());
                    loom::thread::spawn(move || {
                        paths[usize::from(from)].store(1, Relaxed);
                        tell(&*words, from);
                    })
                });
                let (mut news, mut heard) = (News::new(2), 0);
                while heard < 2 {
                    news.hear(&*words);
                    match news.next(&[false; 2]) {
                        Some(from) => {
                            assert_eq!(paths[usize::from(from)].load(Relaxed), 1);
                            news.done(from);
                            heard += 1;
                        }
                        None => loom::thread::yield_now(),
                    }
                }
                senders.into_iter().for_each(|sender| sender.join().unwrap());
            });
        }
    }
}
