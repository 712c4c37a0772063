//! A short list: the first four entries lie in place, because hardly anything has more and states
//! are copied often.

use serde::{Deserialize, Serialize};
const NEAR: usize = 4;

/// At most [`Few::MAX`] entries, in order of their coming; none ever goes.
#[derive(Debug, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct Few<T> {
    len: u8,
    near: [T; NEAR],
    far: Vec<T>,
}

impl<T: Copy + Default> Few<T> {
    /// Entries that there can be.
    pub const MAX: usize = 15;

    #[inline]
    pub fn len(&self) -> usize {
        usize::from(self.len)
    }

    #[inline]
    pub fn iter(&self) -> impl Iterator<Item = &T> {
        self.near[..self.len().min(NEAR)].iter().chain(&self.far)
    }

    #[inline]
    pub fn at(&mut self, place: usize) -> &mut T {
        if place < NEAR { &mut self.near[place] } else { &mut self.far[place - NEAR] }
    }

    /// Where there is one like this.
    #[inline]
    pub fn find(&self, good: impl Fn(&T) -> bool) -> Option<usize> {
        self.iter().position(good)
    }

    /// The place of the first one like this, or of a new one if there is room.
    #[inline]
    pub fn find_or_add(&mut self, good: impl Fn(&T) -> bool) -> Option<usize> {
        self.find(good).or_else(|| self.add(T::default()))
    }

    /// Its place; `None` where there is no room.
    #[inline]
    pub fn add(&mut self, entry: T) -> Option<usize> {
        let place = self.len();
        match place {
            0..NEAR => self.near[place] = entry,
            NEAR..15 => self.far.push(entry),
            _ => return None,
        }
        self.len += 1;
        Some(place)
    }

    #[inline]
    pub fn heap_bytes(&self) -> usize {
        self.far.capacity() * size_of::<T>()
    }
}

impl<T: Copy> Clone for Few<T> {
    #[inline]
    fn clone(&self) -> Few<T> {
        Few { len: self.len, near: self.near, far: self.far.clone() }
    }

    /// Copies what there is, and keeps its memory.
    #[inline]
    fn clone_from(&mut self, source: &Few<T>) {
        self.len = source.len;
        self.near = source.near;
        if !(self.far.is_empty() && source.far.is_empty()) {
            self.far.clone_from(&source.far);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_grows_to_fifteen() {
        let mut few = Few::<u32>::default();
        for value in 0..15 {
            assert_eq!(few.find_or_add(|other| *other == 100 + value), Some(value as usize));
            *few.at(value as usize) = 100 + value;
        }
        assert_eq!(few.add(7), None);
        assert_eq!(few.find_or_add(|other| *other == 103), Some(3));
        assert_eq!(
            (few.find(|other| *other == 114), few.find(|other| *other == 7)),
            (Some(14), None)
        );
        assert_eq!(few.iter().copied().collect::<Vec<_>>(), (100..115).collect::<Vec<_>>());
        let mut copy = Few::default();
        copy.clone_from(&few);
        assert_eq!((&copy, copy.len(), few.clone() == few), (&few, Few::<u32>::MAX, true));
        copy.clone_from(&Few::default());
        assert_eq!(copy, Few { near: [0; 4], ..Few::default() });
    }
}
