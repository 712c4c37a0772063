//! Bytes that calls moved, cut into messages where a rule found their ends. What lies behind the
//! last end stays what calls moved.

use crate::framing::Class;
use crate::marks::Mark;
use crate::writes::{Sent, writing};

/// A message among calls.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Piece {
    /// The calls that moved its first byte and its last.
    pub first: usize,
    pub last: usize,
    pub bytes: u64,
    /// Its last byte is that of the call.
    pub ends_call: bool,
    /// `None` where a call is the message.
    pub class: Option<Class>,
}

/// The messages of calls that moved so many bytes each.
pub(crate) fn pieces(calls: impl Iterator<Item = u64>, marks: &[Mark]) -> Vec<Piece> {
    let (mut pieces, mut marks) = (Vec::new(), marks.iter().peekable());
    let (mut moved, mut begun, mut first) = (0, 0, None);
    for (call, bytes) in calls.enumerate() {
        moved += bytes;
        while let Some(mark) = marks.next_if(|mark| mark.offset <= moved) {
            let bytes = mark.offset.saturating_sub(begun);
            if bytes == 0 {
                continue;
            }
            let (from, ends_call) = (first.take().unwrap_or(call), mark.offset == moved);
            let class = Some(mark.class);
            pieces.push(Piece { first: from, last: call, bytes, ends_call, class });
            begun = mark.offset;
        }
        if begun == moved {
            continue;
        }
        if marks.peek().is_some() {
            first.get_or_insert(call);
        } else {
            let from = first.take().unwrap_or(call);
            let bytes = moved - begun;
            pieces.push(Piece { first: from, last: call, bytes, ends_call: true, class: None });
            begun = moved;
        }
    }
    pieces
}

/// The messages that were written in these calls.
pub(crate) fn messages(calls: Vec<Sent>, marks: &[Mark]) -> Vec<Sent> {
    if marks.is_empty() {
        return calls;
    }
    // The reader may have found more than a killed writer has logged.
    let written: u64 = calls.iter().map(|call| call.bytes).sum();
    let marks = &marks[..marks.partition_point(|mark| mark.offset <= written)];
    let pieces = pieces(calls.iter().map(|call| call.bytes), marks);
    let of = |piece: Piece| {
        let Piece { first, last, bytes, class, .. } = piece;
        let parts = calls[first..=last].iter().map(|call| (call.ready, call.free_at(), 0));
        Sent { ready: calls[first].ready, writing: writing(parts), bytes, class, ..calls[last] }
    };
    pieces.into_iter().map(of).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::op::Op;
    use crate::writes;
    use proptest::prelude::*;
    use record::NULL;

    fn marks(offsets: &[u64]) -> Vec<Mark> {
        offsets.iter().map(|offset| Mark { offset: *offset, class: Class::Paired }).collect()
    }

    #[test]
    fn a_call_may_be_several_messages_and_a_message_several_calls() {
        let found = pieces([10, 5, 5, 7, 3].into_iter(), &marks(&[4, 10, 20, 24]));
        let piece = |(first, last), bytes, ends_call, class: Option<Class>| Piece {
            first,
            last,
            bytes,
            ends_call,
            class,
        };
        let is = Some(Class::Paired);
        let expected = [
            piece((0, 0), 4, false, is),
            piece((0, 0), 6, true, is),
            piece((1, 2), 10, true, is),
            piece((3, 3), 4, false, is),
            piece((3, 3), 3, true, None),
            piece((4, 4), 3, true, None),
        ];
        assert_eq!(found, expected);
    }

    #[test]
    fn a_message_that_never_ended_is_what_calls_moved() {
        let found = pieces([10, 5].into_iter(), &marks(&[4]));
        let bytes: Vec<_> =
            found.iter().map(|piece| (piece.bytes, piece.class.is_some())).collect();
        assert_eq!(bytes, [(4, true), (6, false), (5, false)]);
    }

    #[test]
    fn an_end_beyond_what_was_logged_costs_no_byte() {
        let op = |enter, bytes| Op {
            enter,
            exit: enter + 5,
            stamp: NULL,
            bytes,
            offered: bytes,
            node: 0,
            flags: 0,
        };
        let calls = writes::messages(&[op(0, 10), op(10, 5)], &mut 0);
        let found = messages(calls, &marks(&[10, 25]));
        let found: Vec<_> = found.iter().map(|one| (one.bytes, one.class.is_some())).collect();
        assert_eq!(found, [(10, true), (5, false)]);
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
            let found = pieces(calls.iter().copied(), &marks(&ends));
            prop_assert_eq!(found.iter().map(|piece| piece.bytes).sum::<u64>(), total);
            let framed = found.iter().filter(|piece| piece.class.is_some());
            prop_assert_eq!(framed.count(), ends.len());
            prop_assert!(found.iter().all(|piece| piece.first <= piece.last));
        }
    }
}
