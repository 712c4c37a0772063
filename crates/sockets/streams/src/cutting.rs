//! Bytes that calls moved, cut into messages where a rule found their ends. What lies behind the
//! last end stays what calls moved.

use crate::framing::Class;
use crate::marks::{Marks, Next};
use std::collections::VecDeque;

/// A message among calls.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Piece {
    /// The calls that moved its bytes: so many of those that wait, the first to the last.
    pub calls: usize,
    pub bytes: u64,
    /// Its last byte is that of the call.
    pub ends_call: bool,
    /// `None` where a call is the message.
    pub class: Option<Class>,
}

/// Calls of which not every byte is in a message yet.
#[derive(Clone, Debug)]
pub(crate) struct Cutter<T> {
    /// Each with the offset behind it.
    calls: VecDeque<(u64, T)>,
    moved: u64,
    begun: u64,
    /// All bytes that there will be: the reader may have found more than a killed writer has
    /// logged.
    bytes: u64,
}

impl<T> Cutter<T> {
    /// For so many bytes.
    pub fn new(bytes: u64) -> Cutter<T> {
        Cutter { calls: VecDeque::new(), moved: 0, begun: 0, bytes }
    }

    /// A call moved so many bytes.
    pub fn push(&mut self, call: T, bytes: u64) {
        if bytes > 0 {
            self.moved += bytes;
            self.calls.push_back((self.moved, call));
        }
    }

    /// The first call that waits.
    pub fn front(&self) -> Option<&T> {
        self.calls.front().map(|(_, call)| call)
    }

    /// The next message; `None` where its end is not known yet.
    pub fn next(&mut self, marks: &mut Marks) -> Option<Piece> {
        if self.begun == self.moved {
            return None;
        }
        loop {
            match marks.peek() {
                Next::Wait => return None,
                Next::Mark(mark) if mark.offset <= self.begun => marks.pop(),
                Next::Mark(mark) if mark.offset <= self.moved => {
                    marks.pop();
                    let last = self.calls.partition_point(|(end, _)| *end < mark.offset);
                    return Some(Piece {
                        calls: last + 1,
                        bytes: mark.offset - self.begun,
                        ends_call: self.calls[last].0 == mark.offset,
                        class: Some(mark.class),
                    });
                }
                Next::Mark(mark) if mark.offset <= self.bytes => return None,
                Next::Mark(_) | Next::Over => {
                    let bytes = self.calls[0].0 - self.begun;
                    return Some(Piece { calls: 1, bytes, ends_call: true, class: None });
                }
            }
        }
    }

    /// The calls of a piece.
    pub fn calls(&self, piece: &Piece) -> impl Iterator<Item = &T> {
        self.calls.iter().take(piece.calls).map(|(_, call)| call)
    }

    /// A piece is dealt with.
    pub fn pass(&mut self, piece: &Piece) {
        self.begun += piece.bytes;
        self.calls.drain(..piece.calls - usize::from(!piece.ends_call));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::moved::Moved;
    use proptest::prelude::*;

    /// The messages of calls that moved so many bytes each: the first and the last call, bytes,
    /// whether a rule found the end, and whether it is that of a call.
    fn pieces(calls: &[u64], ends: &[u64]) -> Vec<(usize, usize, u64, bool, bool)> {
        let moved: u64 = calls.iter().sum();
        let mut found = Moved::default();
        found.bytes = moved;
        found.marks.slot(0, ends.iter().map(|end| (*end, Class::Paired)));
        let mut marks = Marks::of(&found);
        marks.push(false, ends.iter().map(|end| (*end, Class::Paired)));
        let (mut cutter, mut pieces) = (Cutter::new(moved), Vec::new());
        for (at, bytes) in calls.iter().enumerate() {
            cutter.push(at, *bytes);
            marks.moved(false, *bytes);
            if at + 1 == calls.len() {
                marks.finish();
            }
            while let Some(piece) = cutter.next(&mut marks) {
                let calls: Vec<usize> = cutter.calls(&piece).copied().collect();
                let (first, last) = (calls[0], calls[calls.len() - 1]);
                pieces.push((first, last, piece.bytes, piece.class.is_some(), piece.ends_call));
                cutter.pass(&piece);
            }
        }
        pieces
    }

    #[test]
    fn a_call_may_be_several_messages_and_a_message_several_calls() {
        let expected = [
            (0, 0, 4, true, false),
            (0, 0, 6, true, true),
            (1, 2, 10, true, true),
            (3, 3, 4, true, false),
            (3, 3, 3, false, true),
            (4, 4, 3, false, true),
        ];
        assert_eq!(pieces(&[10, 5, 5, 7, 3], &[4, 10, 20, 24]), expected);
    }

    #[test]
    fn a_message_that_never_ended_is_what_calls_moved() {
        let found = pieces(&[10, 5], &[4]);
        assert_eq!(found, [(0, 0, 4, true, false), (0, 0, 6, false, true), (1, 1, 5, false, true)]);
    }

    #[test]
    fn an_end_beyond_what_was_logged_costs_no_byte() {
        let found = pieces(&[10, 5], &[10, 25]);
        assert_eq!(found, [(0, 0, 10, true, true), (1, 1, 5, false, true)]);
    }

    proptest! {
        /// No byte is lost, and none counts twice.
        #[test]
        fn every_byte_is_in_one_message(
            calls in prop::collection::vec(1..50u64, 0..40),
            sizes in prop::collection::vec(1..70u64, 0..40),
        ) {
            let total: u64 = calls.iter().sum();
            let ends = sizes.iter().scan(0, |end, size| { *end += size; Some(*end) });
            let ends: Vec<u64> = ends.take_while(|end| *end <= total).collect();
            let found = pieces(&calls, &ends);
            prop_assert_eq!(found.iter().map(|piece| piece.2).sum::<u64>(), total);
            prop_assert_eq!(found.iter().filter(|piece| piece.3).count(), ends.len());
            prop_assert!(found.iter().all(|piece| piece.0 <= piece.1));
        }
    }
}
