//! Where the messages of a framed direction end, several in a slot.

use super::{Kind, SLOT_WORDS, head_word, socket_of};
use crate::framing::Class;

/// Ends that a slot has room for, where messages are short: two bits of the head are for each.
const ENDS_MAX: usize = 16;

/// Ends of messages of a framed direction: bytes from its beginning, one after another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ends {
    /// Number of the socket in this process.
    pub socket: u32,
    /// What it wrote, not what it read.
    pub is_sent: bool,
    count: u8,
    /// Two bits each.
    classes: u32,
    first: u64,
    last: u64,
    /// The longest from one end to the next.
    longest: u64,
    /// From each end to the next.
    distances: [u32; ENDS_MAX - 1],
}

/// Bits of a distance in a slot: as many for each as the longest needs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
enum Width {
    Byte = 0,
    Half = 1,
    Word = 2,
}

impl Width {
    /// The least for a distance.
    #[inline]
    fn of(distance: u64) -> Option<Width> {
        match distance {
            0..=0xff => Some(Width::Byte),
            0x100..=0xffff => Some(Width::Half),
            0x1_0000..=0xffff_ffff => Some(Width::Word),
            _ => None,
        }
    }

    fn from_code(code: u64) -> Option<Width> {
        [Width::Byte, Width::Half, Width::Word].into_iter().find(|one| *one as u64 == code)
    }

    #[inline]
    fn bits(self) -> usize {
        8 << self as u8
    }

    /// Distances that there is room for.
    #[inline]
    fn room(self) -> usize {
        (128 / self.bits()).min(ENDS_MAX - 1)
    }

    /// The distance at this place of the two words.
    fn unpack(self, words: [u64; 2], at: usize) -> u64 {
        let bit = at * self.bits();
        words[bit / 64] >> (bit % 64) & (u64::MAX >> (64 - self.bits()))
    }

    /// The distances in two words.
    #[inline]
    fn pack(self, distances: &[u32]) -> [u64; 2] {
        let mut words = [0; 2];
        for (at, distance) in distances.iter().enumerate() {
            let bit = at * self.bits();
            words[bit / 64] |= u64::from(*distance) << (bit % 64);
        }
        words
    }
}

impl Ends {
    /// None yet.
    pub fn new(socket: u32, is_sent: bool) -> Ends {
        let (count, classes, first, last, longest) = (0, 0, 0, 0, 0);
        let distances = [0; ENDS_MAX - 1];
        Ends { socket, is_sent, count, classes, first, last, longest, distances }
    }

    /// One more, behind those before. `false`: it has no room in this slot.
    #[inline]
    pub fn push(&mut self, offset: u64, class: Class) -> bool {
        match usize::from(self.count).checked_sub(1) {
            Some(behind) => {
                let distance = offset.wrapping_sub(self.last);
                let longest = self.longest.max(distance);
                if behind >= Width::of(longest).map_or(0, Width::room) {
                    return false;
                }
                self.longest = longest;
                self.distances[behind] = distance as u32;
            }
            None => self.first = offset,
        }
        self.classes |= (class as u32) << (2 * self.count);
        self.last = offset;
        self.count += 1;
        true
    }

    /// They are.
    pub fn iter(&self) -> impl Iterator<Item = (u64, Class)> + '_ {
        let mut offset = self.first;
        (0..usize::from(self.count)).map(move |at| {
            if let Some(before) = at.checked_sub(1) {
                offset = offset.wrapping_add(u64::from(self.distances[before]));
            }
            let class = Class::from_code((self.classes >> (2 * at) & 3) as u8);
            (offset, class.expect("it was one when it was pushed"))
        })
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// As a slot: the first offset, and the distance from each to the next. The flags are
    /// `is_sent` (a bit), the distances' width (two), and one less than how many ends there are.
    #[inline]
    pub fn slot(&self) -> [u64; SLOT_WORDS] {
        let behind = usize::from(self.count.saturating_sub(1));
        let width = Width::of(self.longest).unwrap_or(Width::Word);
        let words = width.pack(&self.distances[..behind]);
        let flags = u8::from(self.is_sent) | (width as u8) << 1 | self.count.wrapping_sub(1) << 3;
        let head = head_word(Kind::Ends, flags, self.socket, self.classes);
        [head, self.first, words[0], words[1]]
    }

    pub(super) fn of(slot: &[u64; SLOT_WORDS]) -> Option<Ends> {
        let head = slot[0];
        let width = Width::from_code(head >> 5 & 3)?;
        let words = [slot[2], slot[3]];
        let mut ends = Ends::new(socket_of(head), head >> 4 & 1 == 1);
        let mut offset = slot[1];
        for at in 0..=(head >> 7 & 0x1f) as usize {
            if let Some(before) = at.checked_sub(1) {
                offset = offset
                    .checked_add((before < width.room()).then(|| width.unpack(words, before))?)?;
            }
            let class = Class::from_code((head >> (32 + 2 * at) & 3) as u8)?;
            if !ends.push(offset, class) {
                return None;
            }
        }
        Some(ends)
    }
}
