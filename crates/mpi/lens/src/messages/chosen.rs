//! The longest waits, and a sample of all messages: chosen by rank, so that their order does
//! not matter.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use crate::found::{MessageLine, Wait, WorstWait};

/// Waits told in full.
const WORST: usize = 10;
/// Messages drawn.
const SAMPLE: usize = 240;

/// That of which most is certain first; identity only tells equals apart.
type WorstRank = (i64, Reverse<(Wait, u32, u32, i64, u64)>);
/// A number that mixes the message's identity well, then that itself.
type SampleRank = (u64, u32, u64);

/// What was chosen so far.
#[derive(Clone, Default)]
pub(super) struct Chosen {
    worst: Vec<(WorstRank, WorstWait)>,
    sample: BinaryHeap<(SampleRank, Line)>,
}

/// Never decides, since ranks differ.
#[derive(Clone, Copy)]
struct Line(MessageLine);

impl Chosen {
    /// Take in a message.
    #[inline]
    pub fn add(&mut self, line: MessageLine) {
        self.offer_sample(line);
    }

    /// Take in a wait of which so many ns are certain, which `worst` tells in full.
    #[inline]
    pub fn add_wait(&mut self, ns: i64, worst: impl FnOnce() -> WorstWait) {
        if ns > 0
            && (self.worst.len() < WORST
                || self.worst.last().is_some_and(|(least, _)| ns >= least.0))
        {
            let worst = worst();
            self.offer_worst(worst_rank(&worst), worst);
        }
    }

    /// Take in what `other` took in.
    pub fn merge(&mut self, other: Chosen) {
        other.worst.into_iter().for_each(|(rank, wait)| self.offer_worst(rank, wait));
        other.sample.into_iter().for_each(|(_, Line(line))| self.offer_sample(line));
    }

    /// The worst, worst first, and the sample by time.
    pub fn finish(self) -> (Vec<WorstWait>, Vec<MessageLine>) {
        let mut sample: Vec<MessageLine> =
            self.sample.into_iter().map(|(_, Line(line))| line).collect();
        sample.sort_unstable_by_key(|line| (line.ready_ns, line.src, line.seq));
        (self.worst.into_iter().map(|(_, wait)| wait).collect(), sample)
    }

    fn offer_worst(&mut self, rank: WorstRank, wait: WorstWait) {
        let at = self.worst.partition_point(|(before, _)| *before > rank);
        self.worst.insert(at, (rank, wait));
        self.worst.truncate(WORST);
    }

    #[inline]
    fn offer_sample(&mut self, line: MessageLine) {
        let rank = (mixed(line), line.src, line.seq);
        if self.sample.len() >= SAMPLE {
            if self.sample.peek().is_some_and(|(most, _)| rank >= *most) {
                return;
            }
            self.sample.pop();
        }
        self.sample.push((rank, Line(line)));
    }
}

fn worst_rank(worst: &WorstWait) -> WorstRank {
    let seq = worst.message.map_or(0, |line| line.seq);
    (worst.certain_ns(), Reverse((worst.wait, worst.rank, worst.by, worst.from_ns, seq)))
}

/// Steele, Lea and Flood's finaliser of SplitMix64 (OOPSLA 2014): neighbours end far apart.
#[inline]
fn mixed(line: MessageLine) -> u64 {
    let mut z = (line.seq << 20 ^ u64::from(line.src)).wrapping_add(0x9e37_79b9_7f4a_7c15);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

impl PartialEq for Line {
    fn eq(&self, _: &Line) -> bool {
        true
    }
}

impl Eq for Line {}

impl PartialOrd for Line {
    fn partial_cmp(&self, other: &Line) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Line {
    fn cmp(&self, _: &Line) -> std::cmp::Ordering {
        std::cmp::Ordering::Equal
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn wait(rank: u32, waited_ns: i64, error_ns: Option<i64>) -> WorstWait {
        WorstWait {
            wait: Wait::Unexpected,
            rank,
            by: 0,
            from_ns: 0,
            waited_ns,
            error_ns,
            message: None,
            tag: None,
            collective: None,
            sites: [None; 2],
            doing: Vec::new(),
        }
    }

    #[test]
    fn waits_are_ranked_by_what_is_certain_of_them() {
        let mut chosen = Chosen::default();
        for one in [wait(1, 100, Some(90)), wait(2, 50, None), wait(3, 70, Some(30))] {
            chosen.add_wait(one.certain_ns(), || one.clone());
        }
        let (worst, _) = chosen.finish();
        assert_eq!(worst.iter().map(|wait| wait.rank).collect::<Vec<_>>(), [2, 3, 1]);
    }
}
