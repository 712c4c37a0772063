//! Which messages are a request and its answer, by who wrote and who had read when: nothing of the
//! contents is looked at.
//!
//! One end asks: it writes, then reads; the other answers: it reads, then writes. Each end sees one
//! order of what it wrote and what it read. Where both saw the same messages as "all of these were
//! asked, then all of those were answered", these belong together. Where an end wrote before it had
//! read all that was on its way to it, the two orders differ there, and nothing is paired.

use crate::row::MessageRow;
use record::NULL;
use std::ops::Range;

/// Messages of a connection that were asked, and those that answered them: places among the
/// requests and among the answers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Turn {
    pub requests: Range<u32>,
    pub answers: Range<u32>,
}

impl Turn {
    /// Messages that it consists of.
    pub fn messages(&self) -> u64 {
        (self.requests.len() + self.answers.len()) as u64
    }
}

/// The turns of a connection of which both ends are known.
pub(crate) fn of_both(requests: &[MessageRow], answers: &[MessageRow]) -> Vec<Turn> {
    let asked = as_asked(requests, answers);
    let mut answered = as_answered(requests, answers).into_iter().peekable();
    let mut same = |turn: &Turn| {
        while answered.next_if(|other| other.requests.start < turn.requests.start).is_some() {}
        answered.peek() == Some(turn)
    };
    asked.into_iter().filter(|turn| same(turn)).collect()
}

/// The turns as the end that asks has seen them.
pub(crate) fn as_asked(requests: &[MessageRow], answers: &[MessageRow]) -> Vec<Turn> {
    let asked = requests.iter().map(|row| known(row.ready));
    // Who reads and writes at one moment has read first: an answer, and then the next request.
    let answered = answers.iter().map(|row| known(row.taken));
    turns(asked, answered, |asked, answered| asked < answered)
}

/// The turns as the end that answers has seen them.
pub(crate) fn as_answered(requests: &[MessageRow], answers: &[MessageRow]) -> Vec<Turn> {
    let asked = requests.iter().map(|row| known(row.taken));
    let answered = answers.iter().map(|row| known(row.ready));
    turns(asked, answered, |asked, answered| asked <= answered)
}

/// What was never taken comes after all else, and so does what a killed writer did not log.
fn known(at: i64) -> i64 {
    if at == NULL { i64::MAX } else { at }
}

/// Put two sequences of moments into one order, and cut that where an answer is followed by a
/// request. `is_next` says whether a request comes before an answer.
fn turns(
    requests: impl Iterator<Item = i64>,
    answers: impl Iterator<Item = i64>,
    is_next: impl Fn(i64, i64) -> bool,
) -> Vec<Turn> {
    let mut requests = requests.take_while(|at| *at != i64::MAX).peekable();
    let mut answers = answers.take_while(|at| *at != i64::MAX).peekable();
    let mut turns = Vec::new();
    let (mut asked, mut answered) = (0, 0);
    loop {
        let before = (asked, answered);
        while requests
            .next_if(|at| answers.peek().is_none_or(|answer| is_next(*at, *answer)))
            .is_some()
        {
            asked += 1;
        }
        while answers
            .next_if(|at| requests.peek().is_none_or(|request| !is_next(*request, *at)))
            .is_some()
        {
            answered += 1;
        }
        if (asked, answered) == before {
            return turns;
        }
        if asked > before.0 && answered > before.1 {
            turns.push(Turn { requests: before.0..asked, answers: before.1..answered });
        }
    }
}

#[cfg(test)]
mod tests;
