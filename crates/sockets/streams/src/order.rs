//! Which messages are a request and its answer, by their order on a framed connection: the n-th
//! request has the n-th answer, also where many were sent at once.

use crate::framing::Class;
use crate::legs::LegDraft;
use crate::row::MessageRow;
use record::NULL;
use std::collections::VecDeque;

/// How a connection is paired.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Terms {
    /// The protocol says that each request has one answer. Where it does not, as with lines, that
    /// must be seen in the connection: as many answers as requests, none before its request.
    pub is_one_for_one: bool,
    /// Both ends were traced, so that what is not known has not happened.
    pub is_whole: bool,
}

/// The pairs of a connection, as its messages come.
#[derive(Clone, Debug)]
pub(crate) struct Order {
    terms: Terms,
    /// Requests and answers that wait for each other.
    sides: [VecDeque<MessageRow>; 2],
    /// From here on order tells nothing.
    are_over: [bool; 2],
    /// Requests and answers that took part, and pairs.
    counts: [u64; 2],
    pairs: u64,
}

/// Order does not tell which answer belongs to which request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct NotInOrder;

impl Order {
    /// Of a connection of which nothing is known yet.
    pub fn new(terms: Terms) -> Order {
        let sides = [VecDeque::new(), VecDeque::new()];
        Order { terms, sides, are_over: [false; 2], counts: [0; 2], pairs: 0 }
    }

    /// A request, or an answer.
    pub fn push(&mut self, side: usize, row: &MessageRow) {
        if self.are_over[side] {
            return;
        }
        match row.class {
            None | Some(Class::Last) => self.are_over[side] = true,
            Some(Class::Aside) => {}
            Some(Class::Paired) => {
                self.counts[side] += 1;
                let is_waited_for = !self.are_over[1 - side] || !self.sides[1 - side].is_empty();
                if is_waited_for {
                    self.sides[side].push_back(*row);
                }
            }
        }
    }

    /// The next pair.
    pub fn next(&mut self) -> Option<[LegDraft; 2]> {
        loop {
            let [requests, answers] = &mut self.sides;
            let (Some(_), Some(_)) = (requests.front(), answers.front()) else { return None };
            let (request, answer) = (requests.pop_front()?, answers.pop_front()?);
            if belong(&request, &answer, self.terms.is_whole) {
                self.pairs += 1;
                return Some([&request, &answer].map(LegDraft::of));
            }
        }
    }

    /// Nothing more will come: how many pairs there were.
    pub fn finish(&self) -> Result<u64, NotInOrder> {
        let is_each = self.counts.iter().all(|count| *count == self.pairs);
        (self.terms.is_one_for_one || is_each).then_some(self.pairs).ok_or(NotInOrder)
    }
}

/// Whether one can be the answer to the other. A server may answer before it has read all.
fn belong(request: &MessageRow, answer: &MessageRow, is_whole: bool) -> bool {
    let are_known = ![request.taken, answer.taken].contains(&NULL);
    let is_before = |from: i64, to: i64| from == NULL || to == NULL || from <= to;
    (are_known || !is_whole)
        && is_before(request.taken, answer.ready)
        && is_before(request.ready, answer.taken)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::arrival::Arrival;
    use crate::legs;
    use crate::op::Wait;

    fn row(class: Option<Class>, ready: i64, taken: i64) -> MessageRow {
        let arrival = Arrival::UNKNOWN;
        MessageRow {
            src: 0,
            dst: 1,
            seq: 0,
            bytes: 1,
            class,
            ready,
            writing: 0,
            sent: ready,
            arrival,
            taken,
            waited: Wait::UNKNOWN,
            connection: 0,
            threads: [0; 2],
        }
    }

    /// When each request of a pair and its answer were ready; `None` where order does not tell.
    fn pairs(
        requests: &[MessageRow],
        answers: &[MessageRow],
        terms: Terms,
    ) -> Option<Vec<[i64; 2]>> {
        let (mut order, mut found) = (Order::new(terms), Vec::new());
        for at in 0..requests.len().max(answers.len()) {
            requests.get(at).into_iter().for_each(|row| order.push(0, row));
            answers.get(at).into_iter().for_each(|row| order.push(1, row));
            let pairs = std::iter::from_fn(|| order.next());
            found.extend(pairs.map(|legs| {
                let (_, pair) = legs::exchange(&legs);
                [pair.request.ready_ns, pair.answer.ready_ns]
            }));
        }
        order.finish().ok().map(|_| found)
    }

    const RESP: Terms = Terms { is_one_for_one: true, is_whole: true };
    const LINES: Terms = Terms { is_one_for_one: false, is_whole: true };
    const P: Option<Class> = Some(Class::Paired);

    #[test]
    fn requests_that_were_sent_at_once_have_their_answers() {
        let requests = [0, 1, 2].map(|at| row(P, at, 10));
        let answers = [12, 14, 16].map(|at| row(P, at, 20));
        let all = vec![[0, 12], [1, 14], [2, 16]];
        assert_eq!(pairs(&requests, &answers, RESP).as_ref(), Some(&all));
        assert_eq!(pairs(&requests, &answers, LINES).as_ref(), Some(&all));
        assert_eq!(pairs(&requests, &answers[..2], RESP).unwrap(), all[..2]);
        assert!(pairs(&requests, &answers[..2], LINES).is_none(), "two lines may answer one");
    }

    #[test]
    fn what_stands_aside_is_passed_over_and_what_ends_the_order_ends_it() {
        let mut at = 0;
        let requests = [P, P, Some(Class::Last), P].map(|class| {
            at += 1;
            row(class, at, 10)
        });
        let aside = Some(Class::Aside);
        let answers = [P, aside, P, P, P].map(|class| {
            at += 1;
            row(class, at + 10, 20)
        });
        assert_eq!(pairs(&requests, &answers, RESP).unwrap(), [[1, 15], [2, 17]]);
        let broken = [row(P, 12, 20), row(None, 13, 20), row(P, 14, 20)];
        assert_eq!(pairs(&requests, &broken, RESP).unwrap(), [[1, 12]]);
    }

    #[test]
    fn an_answer_that_left_before_its_request_was_read_is_left_out() {
        let requests = [row(P, 0, 30), row(P, 40, 50), row(P, 60, NULL)];
        let answers = [row(P, 20, 25), row(P, 55, 58), row(P, 70, 75)];
        assert_eq!(pairs(&requests, &answers, RESP).unwrap(), [[40, 55]]);
        assert!(pairs(&requests, &answers, LINES).is_none());
        let half = Terms { is_whole: false, ..RESP };
        assert_eq!(pairs(&requests, &answers, half).unwrap(), [[40, 55], [60, 70]]);
    }
}
