//! Canonical bytes of fields: integers and doubles big-endian, names padded to 20 bytes.

use super::geometry::Particle;
use super::name::NAME_BYTES;
use super::{Name, Posture, Side};

/// Appends fields.
pub(super) struct Writer<'a> {
    pub bytes: &'a mut Vec<u8>,
}

impl Writer<'_> {
    #[inline]
    pub fn word(&mut self, word: u32) {
        self.bytes.extend_from_slice(&word.to_be_bytes());
    }

    #[inline]
    pub fn int(&mut self, number: i32) {
        self.word(number as u32);
    }

    #[inline]
    pub fn double(&mut self, number: f64) {
        self.bytes.extend_from_slice(&number.to_bits().to_be_bytes());
    }

    #[inline]
    pub fn name(&mut self, name: Name) {
        self.bytes.extend_from_slice(&name.bytes());
    }

    #[inline]
    pub fn place(&mut self, place: &[f64; 2]) {
        place.iter().for_each(|number| self.double(*number));
    }

    #[inline]
    pub fn particle(&mut self, particle: &Particle) {
        self.place(&particle.at);
        self.place(&particle.speed);
    }

    #[inline]
    pub fn zeros(&mut self, count: usize) {
        self.bytes.resize(self.bytes.len() + count, 0);
    }

    /// An edge of a division, its western end as its side sees it: the rear first for blue, the
    /// front first for red.
    #[inline]
    pub fn edge(&mut self, side: Side, front: f64, rear: f64, y: f64) {
        let (first, last) = match side {
            Side::Blue => (rear, front),
            Side::Red => (front, rear),
        };
        [first, y, last, y].into_iter().for_each(|number| self.double(number));
    }
}

/// Takes fields; `None` once there are no bytes left.
pub(super) struct Reader<'a> {
    pub bytes: &'a [u8],
}

impl<'a> Reader<'a> {
    fn take<const N: usize>(&mut self) -> Option<&'a [u8; N]> {
        let (taken, rest) = self.bytes.split_first_chunk()?;
        self.bytes = rest;
        Some(taken)
    }

    pub fn word(&mut self) -> Option<u32> {
        self.take().map(|bytes| u32::from_be_bytes(*bytes))
    }

    pub fn int(&mut self) -> Option<i32> {
        self.word().map(|word| word as i32)
    }

    pub fn double(&mut self) -> Option<f64> {
        self.take().map(|bytes| f64::from_bits(u64::from_be_bytes(*bytes)))
    }

    pub fn name(&mut self) -> Option<Name> {
        self.take::<NAME_BYTES>().and_then(Name::of_bytes)
    }

    pub fn place(&mut self) -> Option<[f64; 2]> {
        Some([self.double()?, self.double()?])
    }

    pub fn particle(&mut self) -> Option<Particle> {
        Some(Particle { at: self.place()?, speed: self.place()? })
    }

    pub fn posture(&mut self) -> Option<Posture> {
        Posture::of(self.int()?)
    }

    pub fn skip(&mut self, count: usize) -> Option<()> {
        self.bytes = self.bytes.get(count..)?;
        Some(())
    }
}
