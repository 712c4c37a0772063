//! Whether what lay in a pipe is what the calls that were seen had written there and not read.
//!
//! A look (`FIONREAD`) is made within a known stretch of time. Calls that had returned before it
//! have moved their bytes by then, those that were entered after it have not, and those between may
//! have. Where no sum of these comes to what lay there, something else has moved bytes: the C
//! library's streams, a program that is not traced. So may a process have that was killed within a
//! call, or went on when its log was read: from its last call on less is asked for.
//!
//! Looks also say when bytes had arrived: more closely than the calls that wrote them do.

use crate::transport::Look;
use std::collections::VecDeque;

/// Most looks of which it is not yet known whether they agree: more are left out.
const OPEN_MAX: usize = 1 << 20;

/// The bytes of a pipe.
#[derive(Clone, Debug)]
pub(crate) struct Level {
    terms: Terms,
    written: u64,
    read: u64,
    open: VecDeque<Open>,
    levels: VecDeque<Reached>,
    /// A look then found less than has come since, ns.
    not_before: i64,
}

/// What is known of the pipe's calls.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Terms {
    /// From when bytes may have been written, or read, by calls that were not logged, ns.
    pub unlogged_from: [i64; 2],
    /// No call takes longer, ns.
    pub longest_ns: i64,
}

/// A look that may still agree: the least and the most bytes that had been moved then.
#[derive(Clone, Copy, Debug)]
struct Open {
    look: Look<i64>,
    written: [u64; 2],
    read: [u64; 2],
}

/// So many bytes had arrived at a look.
#[derive(Clone, Copy, Debug)]
struct Reached {
    bytes: u64,
    /// The last look that found no more.
    from: i64,
    /// The first that found as many.
    until: i64,
}

/// What was seen does not add up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Hidden;

impl Level {
    /// Of a pipe that is new.
    pub fn new(terms: Terms) -> Level {
        let (open, levels) = (VecDeque::new(), VecDeque::new());
        Level { terms, written: 0, read: 0, open, levels, not_before: i64::MIN }
    }

    /// A call wrote so many bytes, which was entered then.
    pub fn write(&mut self, enter: i64, bytes: u64) {
        self.written += bytes;
        let during = self.open.iter_mut().rev().take_while(|open| open.look.until > enter);
        during.for_each(|open| open.written[1] += bytes);
    }

    /// A call read so many.
    pub fn read(&mut self, enter: i64, bytes: u64) {
        self.read += bytes;
        let during = self.open.iter_mut().rev().take_while(|open| open.look.until > enter);
        during.for_each(|open| open.read[1] += bytes);
    }

    /// A look, behind all calls that had returned when it began.
    pub fn look(&mut self, look: Look<i64>) {
        let settled = Open { look, written: [self.written; 2], read: [self.read; 2] };
        if self.open.is_empty() && settled.agrees() || self.open.len() >= OPEN_MAX {
            return;
        }
        // They stay in the order of their ends: where one is later, less is asked for.
        let until = self.open.back().map_or(look.until, |last| last.look.until.max(look.until));
        self.open.push_back(Open { look: Look { until, ..look }, ..settled });
    }

    /// The same look was made while nobody read: it says which bytes had arrived.
    pub fn reach(&mut self, look: Look<i64>) {
        let bytes = self.read + u64::from(look.unread);
        match self.levels.back_mut() {
            Some(last) if last.bytes == bytes => last.from = look.from,
            Some(last) if last.bytes > bytes => {}
            _ => self.levels.push_back(Reached { bytes, from: look.from, until: look.until }),
        }
    }

    /// When the byte before this one had not arrived, and when it had, as far as looks tell, ns.
    /// Asked of one byte after another.
    pub fn arrived(&mut self, end: u64) -> (i64, i64) {
        while let Some(less) = self.levels.front().filter(|level| level.bytes < end) {
            self.not_before = self.not_before.max(less.from);
            self.levels.pop_front();
        }
        (self.not_before, self.levels.front().map_or(i64::MAX, |level| level.until))
    }

    /// Whether all looks agree of which that must be known; all calls that returned by `now` were
    /// taken in.
    pub fn check(&mut self, now: i64) -> Result<(), Hidden> {
        while let Some(open) = self.open.front() {
            let is_over = open.look.until.saturating_add(self.terms.longest_ns) < now;
            if !open.agrees() {
                if !is_over {
                    break;
                }
                if !open.may_lack(self.terms.unlogged_from) {
                    return Err(Hidden);
                }
            }
            self.open.pop_front();
        }
        Ok(())
    }
}

impl Open {
    /// More may have been written than calls show, and more been read.
    fn lacks(&self) -> [bool; 2] {
        let unread = u64::from(self.look.unread);
        [self.read[0] + unread > self.written[1], self.written[0] > self.read[1] + unread]
    }

    fn agrees(&self) -> bool {
        self.lacks() == [false; 2]
    }

    fn may_lack(&self, unlogged_from: [i64; 2]) -> bool {
        let lacks = self.lacks().into_iter().zip(unlogged_from);
        lacks.filter(|(lacks, _)| *lacks).all(|(_, from)| self.look.until >= from)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NONE: Terms = Terms { unlogged_from: [i64::MAX; 2], longest_ns: 100 };

    fn look(from: i64, unread: u32) -> Look<i64> {
        Look { from, until: from + 5, unread }
    }

    #[test]
    fn what_lies_there_was_written_and_not_read() {
        let mut level = Level::new(NONE);
        level.write(0, 100);
        level.read(20, 30);
        level.look(look(30, 70));
        assert_eq!(level.check(i64::MAX), Ok(()));
        level.look(look(40, 71));
        assert_eq!(level.check(140), Ok(()), "a call that goes on may have written it");
        assert_eq!(level.check(i64::MAX), Err(Hidden));
        let mut level = Level::new(NONE);
        level.write(0, 100);
        level.look(look(30, 99));
        assert_eq!(level.check(i64::MAX), Err(Hidden), "nobody has read it");
    }

    #[test]
    fn calls_that_overlap_a_look_may_have_moved_their_bytes_or_not() {
        for unread in [0, 40, 100] {
            let mut level = Level::new(NONE);
            level.look(look(30, unread));
            level.write(34, 100);
            assert_eq!(level.check(i64::MAX), Ok(()), "{unread}");
        }
        let mut level = Level::new(NONE);
        level.look(look(30, 40));
        level.write(35, 100);
        assert_eq!(level.check(i64::MAX), Err(Hidden), "it was entered when the look was over");
        let mut level = Level::new(NONE);
        level.write(0, 100);
        level.look(look(30, 10));
        level.read(20, 90);
        assert_eq!(level.check(i64::MAX), Ok(()), "another reader took it");
    }

    #[test]
    fn what_a_killed_process_did_last_is_not_asked_for() {
        let terms = Terms { unlogged_from: [50, i64::MAX], ..NONE };
        let mut level = Level::new(terms);
        level.write(0, 100);
        level.look(look(60, 107));
        assert_eq!(level.check(i64::MAX), Ok(()));
        level.look(look(60, 99));
        assert_eq!(level.check(i64::MAX), Err(Hidden), "it was a writer");
        let mut level = Level::new(terms);
        level.look(look(40, 1));
        assert_eq!(level.check(i64::MAX), Err(Hidden), "it was alive");
    }

    #[test]
    fn looks_say_when_bytes_had_arrived() {
        let mut level = Level::new(NONE);
        let looks = [look(10, 0), look(20, 0), look(30, 64), look(40, 64)];
        looks.into_iter().for_each(|look| level.reach(look));
        level.read(45, 64);
        level.reach(look(50, 40));
        assert_eq!(level.arrived(10), (20, 35));
        assert_eq!(level.arrived(64), (20, 35));
        assert_eq!(level.arrived(65), (40, 55));
        assert_eq!(level.arrived(105), (50, i64::MAX));
    }
}
