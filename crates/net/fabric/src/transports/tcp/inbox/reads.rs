//! When the bytes of a stream came: what its reads told, for as long as it may be asked for.
//! Bounded.
//!
//! Pure.

use super::Span;
use record::ArrivedClock;
use std::collections::VecDeque;

/// Reads remembered one by one; beyond, neighbours on one clock are joined (a wider bracket, still
/// true).
const READS_MAX: usize = 64;

/// Reads that brought bytes which are not yet delivered.
#[derive(Default)]
pub(super) struct Reads {
    reads: VecDeque<Read>,
}

struct Read {
    /// Stream offset behind its last byte.
    end: u64,
    span: Option<Span>,
}

impl Reads {
    /// One more read: the stream now reaches to `end`.
    pub fn add(&mut self, end: u64, span: Option<Span>) {
        let full = self.reads.len() >= READS_MAX;
        let last = self.reads.back_mut().filter(|last| full && last.span.map(on) == span.map(on));
        let Some(last) = last else {
            return self.reads.push_back(Read { end, span });
        };
        last.end = end;
        last.span = last.span.zip(span).map(|(old, new)| Span { earliest: old.earliest, ..new });
    }

    /// So many bytes from the offset `from` on are no longer part of the stream. A read that ended
    /// with one of them says when that one came: for what came before it in the same read, this is
    /// an upper bound only.
    pub fn cut_out(&mut self, from: u64, bytes: u64) {
        for read in self.reads.iter_mut().rev().take_while(|read| read.end > from) {
            if read.end <= from + bytes {
                read.span = read.span.map(|span| Span { exact: false, ..span });
            }
            read.end = read.end.max(from + bytes) - bytes;
        }
        // A node that takes nothing reads acknowledgements for ever: nothing may be left of each.
        while let [.., before, last] = &self.reads.make_contiguous()[..]
            && before.end == last.end
        {
            self.reads.pop_back();
        }
    }

    /// When the frame that ends at `end` came. What came before it is forgotten.
    #[inline]
    pub fn came(&mut self, end: u64) -> Option<Span> {
        while self.reads.front().is_some_and(|read| read.end < end) {
            self.reads.pop_front();
        }
        let read = self.reads.front()?;
        let span = read.span?;
        Some(Span { exact: span.exact && read.end == end, ..span })
    }

    #[cfg(test)]
    pub fn len(&self) -> usize {
        self.reads.len()
    }
}

fn on(span: Span) -> ArrivedClock {
    span.clock
}
