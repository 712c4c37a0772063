//! Where messages end in a direction that is framed, as far as the walk through the logs has come:
//! as the end that wrote it has found, and the end that read it.

use crate::framing::{Class, Reason};
use crate::moved::Moved;
use std::collections::VecDeque;

/// A message ends there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Mark {
    /// Bytes of the direction before its end.
    pub offset: u64,
    pub class: Class,
}

/// What comes next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Next {
    Mark(Mark),
    /// It is not known yet.
    Wait,
    /// No further one will come.
    Over,
}

/// What one end has found.
#[derive(Clone, Debug, Default)]
struct Source {
    marks: VecDeque<Mark>,
    /// Marks that are still to come.
    to_come: u64,
    /// All that it moves, and what it has moved so far: a mark counts when its bytes have passed.
    bytes: u64,
    moved: u64,
    /// The last message ends where the bytes do.
    has_last: bool,
}

/// A direction's.
#[derive(Clone, Debug, Default)]
pub(crate) struct Marks {
    sources: [Source; 2],
    is_over: bool,
    /// The two ends have found different messages.
    is_contradiction: bool,
}

impl Source {
    fn of(moved: &Moved) -> Source {
        let found = &moved.marks;
        let has_last = found.has_last;
        let to_come = found.count - u64::from(has_last);
        let mut source = Source { to_come, bytes: moved.bytes, has_last, ..Source::default() };
        let mark = |(offset, class): &(u64, Class)| Mark { offset: *offset, class: *class };
        found.early.iter().map(mark).for_each(|mark| source.push(mark));
        source
    }

    fn push(&mut self, mark: Mark) {
        let Some(left) = self.to_come.checked_sub(1) else { return };
        self.to_come = left;
        let place = self.marks.partition_point(|other| other.offset <= mark.offset);
        self.marks.insert(place, mark);
    }

    fn head(&self) -> Next {
        match self.marks.front() {
            Some(mark) if mark.offset <= self.moved => Next::Mark(*mark),
            Some(_) => Next::Wait,
            None if self.to_come > 0 => Next::Wait,
            None if !self.has_last => Next::Over,
            None if self.moved < self.bytes => Next::Wait,
            None => Next::Mark(Mark { offset: self.bytes, class: Class::Paired }),
        }
    }

    fn pop(&mut self) {
        if self.marks.pop_front().is_none() {
            self.has_last = false;
        }
    }

    /// Nothing more will come.
    fn finish(&mut self) {
        self.to_come = 0;
        let moved = self.moved;
        self.marks.retain(|mark| mark.offset <= moved);
        self.has_last &= self.moved >= self.bytes;
    }
}

impl Marks {
    /// As one end found them.
    pub fn of(moved: &Moved) -> Marks {
        Marks { sources: [Source::of(moved), Source::default()], ..Marks::default() }
    }

    /// As both ends found them.
    pub fn of_both(written: &Moved, read: &Moved) -> Marks {
        Marks { sources: [written, read].map(Source::of), ..Marks::default() }
    }

    /// An end found these: the reader, or the writer.
    pub fn push(&mut self, is_reader: bool, ends: impl Iterator<Item = (u64, Class)>) {
        let source = &mut self.sources[usize::from(is_reader)];
        ends.for_each(|(offset, class)| source.push(Mark { offset, class }));
    }

    /// An end moved so many bytes.
    pub fn moved(&mut self, is_reader: bool, bytes: u64) {
        self.sources[usize::from(is_reader)].moved += bytes;
    }

    /// What comes next: what both ends have found, or what one has where the other knows no more.
    pub fn peek(&mut self) -> Next {
        if self.is_over {
            return Next::Over;
        }
        let next = match self.sources.each_ref().map(Source::head) {
            [Next::Wait, _] | [_, Next::Wait] => Next::Wait,
            [Next::Mark(one), Next::Mark(other)] if one != other => {
                self.is_contradiction = true;
                Next::Over
            }
            [Next::Mark(mark), _] | [_, Next::Mark(mark)] => Next::Mark(mark),
            [Next::Over, Next::Over] => Next::Over,
        };
        self.is_over = next == Next::Over;
        next
    }

    /// The next one is dealt with.
    pub fn pop(&mut self) {
        self.sources.iter_mut().for_each(Source::pop);
    }

    /// Nothing more will come.
    pub fn finish(&mut self) {
        self.sources.iter_mut().for_each(Source::finish);
    }

    /// Why no more was found: as the end says that came further.
    pub fn stop(&self, [written, read]: [&Moved; 2]) -> Option<Reason> {
        let further = if written.marks.count < read.marks.count { read } else { written };
        match self.is_contradiction {
            true => Some(Reason::Contradiction),
            false => further.marks.stop,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn source(offsets: &[u64], moved: u64) -> Source {
        let mut source = Source { to_come: offsets.len() as u64, moved, ..Source::default() };
        let mark = |offset: &u64| Mark { offset: *offset, class: Class::Paired };
        offsets.iter().map(mark).for_each(|mark| source.push(mark));
        source
    }

    fn offsets(marks: &mut Marks) -> (Vec<u64>, Next) {
        let mut found = Vec::new();
        loop {
            match marks.peek() {
                Next::Mark(mark) => found.push(mark.offset),
                other => return (found, other),
            }
            marks.pop();
        }
    }

    fn of(written: Source, read: Source) -> Marks {
        Marks { sources: [written, read], ..Marks::default() }
    }

    #[test]
    fn the_end_that_came_further_is_believed() {
        let mut marks = of(source(&[4, 10], 20), source(&[4, 10, 15], 20));
        assert_eq!(offsets(&mut marks), (vec![4, 10, 15], Next::Over));
        assert!(!marks.is_contradiction);
    }

    #[test]
    fn two_ends_that_found_different_messages_are_not_believed_from_there_on() {
        let mut marks = of(source(&[4, 10], 20), source(&[4, 11], 20));
        assert_eq!(offsets(&mut marks), (vec![4], Next::Over));
        assert!(marks.is_contradiction);
    }

    #[test]
    fn a_mark_counts_when_its_bytes_have_passed_however_early_it_comes() {
        let mut marks = of(source(&[10, 4], 0), Source::default());
        assert_eq!(marks.peek(), Next::Wait);
        marks.moved(false, 4);
        assert_eq!(offsets(&mut marks), (vec![4], Next::Wait));
        marks.moved(false, 2);
        marks.finish();
        assert_eq!(marks.peek(), Next::Over);
    }

    /// The ends of a call's messages may be cut by the end of a chunk: those behind it are known
    /// beforehand, and must not pass for the first.
    #[test]
    fn marks_of_a_call_that_lie_in_two_chunks_are_in_order() {
        let mut moved = Moved::default();
        let ends = |all: &[u64]| all.iter().map(|at| (*at, Class::Paired)).collect::<Vec<_>>();
        moved.call(0, (0, 1), 30);
        moved.marks.slot(0, ends(&[5, 10]).into_iter());
        moved.marks.early_slot(0, ends(&[20, 30]).into_iter());
        moved.complete();
        let mut marks = Marks::of(&moved);
        assert_eq!(marks.peek(), Next::Wait, "its call has not come");
        marks.push(false, ends(&[5, 10]).into_iter());
        marks.moved(false, 30);
        assert_eq!(offsets(&mut marks), (vec![5, 10, 20, 30], Next::Over));
    }

    #[test]
    fn the_rest_of_the_bytes_is_a_message_where_an_end_says_so() {
        let last = Source { bytes: 9, has_last: true, ..source(&[4], 4) };
        let mut marks = of(last, Source::default());
        assert_eq!(offsets(&mut marks), (vec![4], Next::Wait));
        marks.moved(false, 5);
        assert_eq!(offsets(&mut marks), (vec![9], Next::Over));
    }
}
