//! Which messages are a request and its answer, by who wrote and who had read when: nothing of the
//! contents is looked at.
//!
//! One end asks: it writes, then reads; the other answers: it reads, then writes. Each end sees one
//! order of what it wrote and what it read. Where both saw the same messages as "all of these were
//! asked, then all of those were answered", these belong together. Where an end wrote before it had
//! read all that was on its way to it, the two orders differ there, and nothing is paired.

use crate::legs::LegDraft;
use crate::row::MessageRow;
use record::NULL;
use std::collections::VecDeque;
use std::ops::Range;

/// Messages of a connection that were asked, and those that answered them: places among the
/// requests and among the answers.
#[derive(Clone, Debug)]
pub(crate) struct Turn {
    pub places: [Range<u64>; 2],
    pub legs: [LegDraft; 2],
}

/// Which end looks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum By {
    Asker,
    Answerer,
}

impl By {
    /// When it has a message before it: `side` is 0 of a request and 1 of an answer. What was never
    /// taken comes after all else, and so does what a killed writer did not log.
    fn moment(self, side: usize, row: &MessageRow) -> Option<i64> {
        let is_writer = (self == By::Asker) == (side == 0);
        let at = if is_writer { row.ready } else { row.taken };
        (at != NULL).then_some(at)
    }

    /// Whether a request comes before an answer.
    fn is_next(self, request: i64, answer: i64) -> bool {
        match self {
            // Who reads and writes at one moment has read first: an answer, and then the next
            // request.
            By::Asker => request < answer,
            By::Answerer => request <= answer,
        }
    }
}

/// The turns as one end has seen them. Messages of each side come in their order.
#[derive(Clone, Debug)]
pub(crate) struct View {
    by: By,
    sides: [Waiting; 2],
    /// The turn that goes on.
    open: [Range<u64>; 2],
    legs: [Option<LegDraft>; 2],
}

/// Messages of a side.
#[derive(Clone, Debug)]
struct Waiting {
    rows: VecDeque<(i64, MessageRow)>,
    /// No further one is of an earlier moment.
    bound: i64,
    /// No further one counts.
    is_over: bool,
}

impl View {
    /// Of a connection of which nothing is known yet.
    pub fn new(by: By) -> View {
        let waiting = Waiting { rows: VecDeque::new(), bound: i64::MIN, is_over: false };
        View { by, sides: [waiting.clone(), waiting], open: [0..0, 0..0], legs: [None, None] }
    }

    /// A request, or an answer.
    pub fn push(&mut self, side: usize, row: &MessageRow) {
        let waiting = &mut self.sides[side];
        if waiting.is_over {
            return;
        }
        match self.by.moment(side, row) {
            Some(at) => waiting.rows.push_back((at, *row)),
            None => waiting.is_over = true,
        }
    }

    /// No request, and no answer, that is still to come is of an earlier moment: of each, when it
    /// is ready and when it is taken.
    pub fn know(&mut self, bounds: [(i64, i64); 2]) {
        let asks = self.by == By::Asker;
        let [request, answer] = bounds;
        self.sides[0].bound = if asks { request.0 } else { request.1 };
        self.sides[1].bound = if asks { answer.1 } else { answer.0 };
    }

    /// Nothing more will come.
    pub fn finish(&mut self) {
        self.sides.iter_mut().for_each(|side| side.is_over = true);
    }

    /// The next turn that is over.
    pub fn next(&mut self) -> Option<Turn> {
        loop {
            let is_over = self.sides.iter().all(|side| side.is_over && side.rows.is_empty());
            if is_over {
                return self.close();
            }
            let side = self.first()?;
            let is_next_turn = side == 0 && self.legs[1].is_some();
            if is_next_turn && let Some(turn) = self.close() {
                return Some(turn);
            }
            if let Some((_, row)) = self.sides[side].rows.pop_front() {
                self.open[side].end += 1;
                LegDraft::add(&mut self.legs[side], &row);
            }
        }
    }

    /// The side whose next message comes first; `None` where that is not known yet.
    fn first(&self) -> Option<usize> {
        let [request, answer] = self.sides.each_ref().map(|side| side.rows.front().map(|at| at.0));
        let bound = |side: usize| {
            let side = &self.sides[side];
            if side.is_over { i64::MAX } else { side.bound }
        };
        match (request, answer) {
            (Some(request), Some(answer)) => Some(!self.by.is_next(request, answer) as usize),
            (Some(request), None) => self.by.is_next(request, bound(1)).then_some(0),
            (None, Some(answer)) => (!self.by.is_next(bound(0), answer)).then_some(1),
            (None, None) => None,
        }
    }

    /// The turn that goes on ends; `None` where nobody was asked, or nobody answered.
    fn close(&mut self) -> Option<Turn> {
        let places = self.open.clone();
        self.open = self.open.each_ref().map(|of| of.end..of.end);
        let [asked, answered] = std::mem::take(&mut self.legs);
        Some(Turn { places, legs: [asked?, answered?] })
    }
}

/// The turns of a connection of which both ends are known: those that both have seen.
#[derive(Clone, Debug)]
pub(crate) struct Turns {
    views: [View; 2],
    asked: VecDeque<Turn>,
    answered: VecDeque<Turn>,
    is_finished: bool,
}

impl Turns {
    /// Of a connection of which nothing is known yet.
    pub fn new() -> Turns {
        Turns {
            views: [By::Asker, By::Answerer].map(View::new),
            asked: VecDeque::new(),
            answered: VecDeque::new(),
            is_finished: false,
        }
    }

    /// See [`View::push`].
    pub fn push(&mut self, side: usize, row: &MessageRow) {
        self.views.iter_mut().for_each(|view| view.push(side, row));
    }

    /// See [`View::know`].
    pub fn know(&mut self, bounds: [(i64, i64); 2]) {
        self.views.iter_mut().for_each(|view| view.know(bounds));
    }

    /// Nothing more will come.
    pub fn finish(&mut self) {
        self.is_finished = true;
        self.views.iter_mut().for_each(View::finish);
    }

    /// The next turn that both ends have seen.
    pub fn next(&mut self) -> Option<Turn> {
        let [asker, answerer] = &mut self.views;
        self.asked.extend(std::iter::from_fn(|| asker.next()));
        self.answered.extend(std::iter::from_fn(|| answerer.next()));
        loop {
            let turn = self.asked.front()?;
            let is_before = |other: &Turn| other.places[0].start < turn.places[0].start;
            while self.answered.front().is_some_and(is_before) {
                self.answered.pop_front();
            }
            let other = self.answered.front();
            if other.is_none() && !self.is_finished {
                return None;
            }
            let is_same = other.is_some_and(|other| other.places == turn.places);
            let turn = self.asked.pop_front();
            if is_same {
                return turn;
            }
        }
    }
}

#[cfg(test)]
mod tests;
