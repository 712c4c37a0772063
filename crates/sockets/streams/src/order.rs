//! Which messages are a request and its answer, by their order on a framed connection: the n-th
//! request has the n-th answer, also where many were sent at once.

use crate::framing::Class;
use crate::row::MessageRow;
use crate::turns::Turn;
use record::NULL;

/// How a connection is paired.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Terms {
    /// The protocol says that each request has one answer. Where it does not, as with lines, that
    /// must be seen in the connection: as many answers as requests, none before its request.
    pub is_one_for_one: bool,
    /// Both ends were traced, so that what is not known has not happened.
    pub is_whole: bool,
}

/// The pairs of a connection; `None` where order does not tell them.
pub(crate) fn pairs(
    requests: &[MessageRow],
    answers: &[MessageRow],
    terms: Terms,
) -> Option<Vec<Turn>> {
    let is_framed = |rows: &[MessageRow]| rows.first().is_some_and(|row| row.class.is_some());
    if !is_framed(requests) || !is_framed(answers) {
        return None;
    }
    let (asked, answered) = (places(requests), places(answers));
    let mut turns = Vec::with_capacity(asked.len().min(answered.len()));
    for (request, answer) in asked.iter().zip(&answered) {
        if belong(&requests[*request], &answers[*answer], terms.is_whole) {
            let place = |at: usize| at as u32..at as u32 + 1;
            turns.push(Turn { requests: place(*request), answers: place(*answer) });
        }
    }
    let is_each = [asked.len(), answered.len()].iter().all(|count| *count == turns.len());
    (terms.is_one_for_one || is_each).then_some(turns)
}

/// Where those are that take part, up to what ends the order.
fn places(rows: &[MessageRow]) -> Vec<usize> {
    let ordered = rows.iter().take_while(|row| !matches!(row.class, None | Some(Class::Last)));
    let paired = ordered.enumerate().filter(|(_, row)| row.class == Some(Class::Paired));
    paired.map(|(at, _)| at).collect()
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
        }
    }

    fn places_of(turns: Option<Vec<Turn>>) -> Vec<(u32, u32)> {
        let turns = turns.expect("order tells");
        turns.iter().map(|turn| (turn.requests.start, turn.answers.start)).collect()
    }

    const RESP: Terms = Terms { is_one_for_one: true, is_whole: true };
    const LINES: Terms = Terms { is_one_for_one: false, is_whole: true };
    const P: Option<Class> = Some(Class::Paired);

    #[test]
    fn requests_that_were_sent_at_once_have_their_answers() {
        let requests = [0, 0, 0].map(|at| row(P, at, 10));
        let answers = [12, 14, 16].map(|at| row(P, at, 20));
        assert_eq!(places_of(pairs(&requests, &answers, RESP)), [(0, 0), (1, 1), (2, 2)]);
        assert_eq!(places_of(pairs(&requests, &answers, LINES)), [(0, 0), (1, 1), (2, 2)]);
        assert_eq!(places_of(pairs(&requests, &answers[..2], RESP)), [(0, 0), (1, 1)]);
        assert!(pairs(&requests, &answers[..2], LINES).is_none(), "two lines may answer one");
    }

    #[test]
    fn what_stands_aside_is_passed_over_and_what_ends_the_order_ends_it() {
        let requests = [P, P, Some(Class::Last), P].map(|class| row(class, 0, 10));
        let aside = Some(Class::Aside);
        let answers = [P, aside, P, P, P].map(|class| row(class, 12, 20));
        assert_eq!(places_of(pairs(&requests, &answers, RESP)), [(0, 0), (1, 2)]);
        let broken = [row(P, 12, 20), row(None, 12, 20), row(P, 12, 20)];
        assert_eq!(places_of(pairs(&requests, &broken, RESP)), [(0, 0)]);
    }

    #[test]
    fn an_answer_that_left_before_its_request_was_read_is_left_out() {
        let requests = [row(P, 0, 30), row(P, 40, 50), row(P, 60, NULL)];
        let answers = [row(P, 20, 25), row(P, 55, 58), row(P, 70, 75)];
        assert_eq!(places_of(pairs(&requests, &answers, RESP)), [(1, 1)]);
        assert!(pairs(&requests, &answers, LINES).is_none());
        let half = Terms { is_whole: false, ..RESP };
        assert_eq!(places_of(pairs(&requests, &answers, half)), [(1, 1), (2, 2)]);
    }

    #[test]
    fn what_is_not_framed_has_no_order() {
        let rows = [row(None, 0, 10)];
        assert!(pairs(&rows, &rows, RESP).is_none());
    }
}
