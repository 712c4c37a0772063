//! The messages of a receiver in the order it took them, although they become known in another.

use crate::row::MessageRow;
use std::collections::VecDeque;

/// Rows that wait for those taken before them.
#[derive(Default)]
pub(crate) struct Order {
    /// Number of the first place.
    first: u64,
    places: VecDeque<Place>,
}

#[derive(Clone, Copy)]
enum Place {
    Empty,
    /// No row will come here.
    Skipped,
    Row(MessageRow),
}

/// A number further ahead than this is of a damaged log: its row does not wait for its place.
const AHEAD_MAX: u64 = 1 << 32;

impl Order {
    /// The row of the message that was taken as number `number`. What can be written now is handed
    /// to `write`.
    #[inline]
    pub fn put<E>(
        &mut self,
        number: u64,
        row: MessageRow,
        mut write: impl FnMut(&MessageRow) -> Result<(), E>,
    ) -> Result<(), E> {
        if number == self.first && self.places.is_empty() {
            self.first += 1;
            return write(&row);
        }
        self.put_later(number, row, write)
    }

    // Rare, and long where it is inlined.
    #[inline(never)]
    fn put_later<E>(
        &mut self,
        number: u64,
        row: MessageRow,
        mut write: impl FnMut(&MessageRow) -> Result<(), E>,
    ) -> Result<(), E> {
        if !self.set(number, Place::Row(row)) {
            return write(&row);
        }
        self.drain(write)
    }

    /// No row will come for this number.
    pub fn skip<E>(
        &mut self,
        number: u64,
        write: impl FnMut(&MessageRow) -> Result<(), E>,
    ) -> Result<(), E> {
        self.set(number, Place::Skipped);
        self.drain(write)
    }

    /// Everything that is left, in order, with the gaps left out.
    pub fn finish<E>(
        &mut self,
        mut write: impl FnMut(&MessageRow) -> Result<(), E>,
    ) -> Result<(), E> {
        for place in std::mem::take(&mut self.places) {
            if let Place::Row(row) = place {
                write(&row)?;
            }
        }
        Ok(())
    }

    /// Whether the number still had a place.
    fn set(&mut self, number: u64, place: Place) -> bool {
        let Some(at) = number.checked_sub(self.first).filter(|at| *at < AHEAD_MAX) else {
            return false;
        };
        let at = at as usize;
        while self.places.len() <= at {
            self.places.push_back(Place::Empty);
        }
        self.places[at] = place;
        true
    }

    #[inline]
    fn drain<E>(&mut self, mut write: impl FnMut(&MessageRow) -> Result<(), E>) -> Result<(), E> {
        while let Some(place @ (Place::Row(_) | Place::Skipped)) = self.places.front().copied() {
            self.places.pop_front();
            self.first += 1;
            if let Place::Row(row) = place {
                write(&row)?;
            }
        }
        Ok(())
    }
}
