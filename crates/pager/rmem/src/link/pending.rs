//! Requests that have not been answered, in their order.

use super::outgoing::Begun;
use crate::wire::{BATCH_MAX, Header, Kind, WireError};
use std::collections::VecDeque;

/// Requests that wait before there is no more room.
const REQUESTS_MAX: usize = 4096;

/// What was asked. The server answers in order, so a queue suffices.
pub(super) struct Pending {
    requests: VecDeque<Request>,
    operations: VecDeque<u64>,
    /// The operations of the request that was answered last.
    answered: Vec<u64>,
    /// How many requests, from the back, the socket has not begun to take.
    unsent: usize,
}

struct Request {
    number: u64,
    answer: Kind,
    count: u16,
    /// Where it begins in the stream.
    position: u64,
    sent: u64,
}

impl Pending {
    pub fn new() -> Pending {
        Pending {
            requests: VecDeque::with_capacity(REQUESTS_MAX + BATCH_MAX),
            operations: VecDeque::with_capacity(REQUESTS_MAX * 4),
            answered: Vec::with_capacity(BATCH_MAX),
            unsent: 0,
        }
    }

    /// Whether one more may be put in.
    pub fn has_room(&self) -> bool {
        self.requests.len() < REQUESTS_MAX
    }

    /// A request was begun that `answer` will answer.
    pub fn begin(&mut self, begun: &Begun, answer: Kind) {
        let (number, position) = (begun.request, begun.position);
        self.requests.push_back(Request { number, answer, count: 0, position, sent: 0 });
        self.unsent += 1;
    }

    /// The request begun last has one more operation.
    pub fn operation(&mut self, operation: u64) {
        if let Some(last) = self.requests.back_mut() {
            last.count += 1;
            self.operations.push_back(operation);
        }
    }

    /// The socket has taken the stream up to `taken`.
    pub fn went(&mut self, taken: u64, now: u64) {
        let first = self.requests.len() - self.unsent;
        for request in self.requests.range_mut(first..) {
            if request.position >= taken {
                break;
            }
            request.sent = now;
            self.unsent -= 1;
        }
    }

    /// When the oldest was sent, if it was.
    pub fn oldest(&self) -> Option<u64> {
        let sent = self.requests.len() > self.unsent;
        self.requests.front().filter(|_| sent).map(|request| request.sent)
    }

    /// This answer came: when it was asked for, and its operations.
    pub fn answer(&mut self, header: &Header) -> Result<(u64, &[u64]), WireError> {
        let due = self.requests.pop_front().ok_or(WireError::Unasked)?;
        let sent = self.requests.len() >= self.unsent;
        let counts = matches!(header.kind, Kind::Stored | Kind::Pages);
        let fits = due.number == header.request && due.answer == header.kind;
        if !fits || !sent || (counts && due.count != header.count) {
            return Err(WireError::Unasked);
        }
        self.answered.clear();
        self.answered.extend(self.operations.drain(..usize::from(due.count)));
        Ok((due.sent, &self.answered))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two reads, of 2 pages and of 1, of which the first was sent at 10.
    fn two_reads() -> Pending {
        let mut pending = Pending::new();
        for (request, operations) in [(1, &[5, 6][..]), (2, &[7])] {
            pending.begin(&Begun { request, position: request * 100 }, Kind::Pages);
            operations.iter().for_each(|operation| pending.operation(*operation));
        }
        pending.went(150, 10);
        pending
    }

    #[test]
    fn answers_come_with_what_was_asked() {
        let mut pending = two_reads();
        assert_eq!(pending.oldest(), Some(10));
        assert_eq!(pending.answer(&Header::new(Kind::Pages, 2, 1)), Ok((10, &[5, 6][..])));
        assert_eq!(pending.oldest(), None, "the second was not sent");
        pending.went(250, 20);
        assert_eq!(pending.answer(&Header::new(Kind::Pages, 1, 2)), Ok((20, &[7][..])));
        assert_eq!(pending.answer(&Header::new(Kind::Pages, 1, 3)), Err(WireError::Unasked));
    }

    #[test]
    fn another_number_kind_or_count_is_no_answer() {
        for (kind, count, request) in
            [(Kind::Pages, 2, 2), (Kind::Stored, 2, 1), (Kind::Pages, 1, 1)]
        {
            let answer = Header::new(kind, count, request);
            assert_eq!(two_reads().answer(&answer), Err(WireError::Unasked), "{answer:?}");
        }
    }

    #[test]
    fn what_was_not_sent_cannot_be_answered() {
        let mut pending = two_reads();
        assert!(pending.answer(&Header::new(Kind::Pages, 2, 1)).is_ok());
        assert_eq!(pending.answer(&Header::new(Kind::Pages, 1, 2)), Err(WireError::Unasked));
    }
}
