//! Polls in a row: what of them is waiting, and what is computing.
//!
//! A loop that polls until something has come lasts as long as that takes, whatever the program
//! computes in between: on another network it goes round more often, or less. A program that
//! computes piece by piece and polls in between, so that the library moves its messages, computes
//! the same on any network. The recording tells them apart by how they end: the first ends with the
//! poll that finds something, the second goes on after it, or ends without.
//!
//! What cannot be told: a program that computes piece by piece, and polls no more once it has found
//! something. It is played as a loop of the first kind.

use super::Kept;
use calls::list::{CLASSES, Class, NAMES};
use predict::Step;
use std::collections::HashMap;

/// Polls that follow each other so closely do nothing else: about what one takes, with its record.
const TIGHT_NS: i64 = 2_000;

/// Calls of a rank that poll, with no other call in between.
#[derive(Default)]
pub(super) struct Polls {
    rows: Vec<Poll>,
    /// Of the last loop at each site: from one poll to the next, ns.
    turns: HashMap<u32, i64>,
}

/// A row of the table of calls. Times are ns.
pub(super) struct Poll {
    /// Computing before it.
    pub before: i64,
    pub enter: i64,
    pub exit: i64,
    pub site: u32,
    /// So many polls that found nothing; 0: it is one that found something.
    pub vain: i64,
    /// What it did with messages.
    pub steps: Vec<Step>,
}

/// Whether a function looks for something, and returns at once.
pub(super) fn is_one(function: i64) -> bool {
    use Class::{Inspect, MatchedProbe, Probe, Test};
    let Ok(at) = usize::try_from(function) else { return false };
    let looks = matches!(CLASSES.get(at), Some(Probe | MatchedProbe | Test | Inspect));
    looks && !matches!(NAMES.get(at), Some(&"Probe" | &"Mprobe"))
}

impl Polls {
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    pub fn add(&mut self, poll: Poll) {
        self.rows.push(poll);
    }

    /// Another call comes, or none: put what these did behind `steps`.
    pub fn end(&mut self, steps: &mut Vec<Step>, kept: &mut Kept) {
        let rows = std::mem::take(&mut self.rows);
        let until = match rows.iter().rposition(Poll::found) {
            Some(last) if !goes_on(&rows, last) => last + 1,
            _ => 0,
        };
        let (loops, others) = rows.split_at(until);
        for one in loops.split_inclusive(Poll::found) {
            self.wait(one, steps, kept);
        }
        count(others, steps);
    }

    /// Polls of which the last one found something: it is waited for.
    fn wait(&mut self, polls: &[Poll], steps: &mut Vec<Step>, kept: &mut Kept) {
        let [first, .., last] = polls else {
            let [found] = polls else { return };
            let turn = self.turns.get(&found.site).copied().unwrap_or(0);
            work(steps, found.before, found.site);
            return in_turns(turn, &found.steps, steps);
        };
        let turn = turn(polls);
        if turn >= TIGHT_NS {
            self.turns.insert(last.site, turn);
            kept.poll_loop((last.enter - first.enter).max(0) as u64);
        }
        work(steps, first.before, first.site);
        in_turns(turn, &last.steps, steps);
    }
}

impl Poll {
    fn found(&self) -> bool {
        self.vain == 0
    }
}

/// Whether the program goes on with its polls after the last that found something, for more than
/// what is left of a turn.
fn goes_on(polls: &[Poll], last: usize) -> bool {
    let (before, behind) = polls.split_at(last + 1);
    let more: i64 = behind.iter().map(|poll| poll.before + poll.exit - poll.enter).sum();
    more >= TIGHT_NS.max(turn(before) / 2)
}

/// From one poll to the next, ns, of polls of which the last found something.
fn turn(polls: &[Poll]) -> i64 {
    let [first, .., last] = polls else { return 0 };
    let vain: i64 = polls.iter().map(|poll| poll.vain).sum();
    (last.enter - first.enter) / vain.max(1)
}

/// Polls that the program makes whatever they find: it computes as long as it did, hears what has
/// come at each, and has what they found by the last.
fn count(polls: &[Poll], steps: &mut Vec<Step>) {
    for poll in polls {
        work(steps, poll.before, poll.site);
        steps.push(Step::Hear);
        let more = poll.vain - 1;
        let turn = (poll.exit - poll.enter) / more.max(1);
        for _ in 0..if turn >= TIGHT_NS { more } else { 0 } {
            work(steps, turn, poll.site);
            steps.push(Step::Hear);
        }
    }
    steps.extend(polls.iter().flat_map(|poll| &poll.steps));
}

fn in_turns(ns: i64, found: &[Step], steps: &mut Vec<Step>) {
    let turns = |ns: i64| Step::Turns { ns: ns as u64 };
    let polled = ns >= TIGHT_NS && !found.is_empty();
    steps.extend(polled.then(|| turns(ns)));
    steps.extend(found);
    steps.extend(polled.then(|| turns(0)));
}

fn work(steps: &mut Vec<Step>, ns: i64, site: u32) {
    if let Some(ns) = u64::try_from(ns).ok().filter(|ns| *ns > 0) {
        steps.push(Step::Work { ns, site: 2 * site });
    }
}

#[cfg(test)]
mod tests;
