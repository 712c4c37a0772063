//! Bytes that a PHOLD object carries in its state, to see what keeping states costs.

use std::fmt;
use timewarp::Digest;

/// Bytes that one event changes.
const CHANGED: usize = 8;

/// The bytes; none where there are none, so that such a state is as small as can be.
#[derive(PartialEq, Eq, Default)]
pub(super) struct Baggage(Option<Box<Bytes>>);

#[derive(PartialEq, Eq)]
struct Bytes(Vec<u8>);

impl Baggage {
    /// So many, all 0.
    pub fn new(bytes: u32) -> Baggage {
        Baggage::from_bytes(&vec![0; bytes as usize])
    }

    pub fn from_bytes(bytes: &[u8]) -> Baggage {
        Baggage((!bytes.is_empty()).then(|| Box::new(Bytes(bytes.to_vec()))))
    }

    pub fn bytes(&self) -> &[u8] {
        self.0.as_ref().map_or(&[], |bytes| &bytes.0)
    }

    /// Memory outside the state.
    pub fn heap_bytes(&self) -> usize {
        self.0.as_ref().map_or(0, |bytes| size_of::<Bytes>() + bytes.0.capacity())
    }

    /// What an object's event number `event` does to them.
    #[inline]
    pub fn change(&mut self, event: u32) {
        if let Some(bytes) = &mut self.0 {
            let (place, key) = place(event, bytes.0.len());
            let places = bytes.0[place..].iter_mut().zip(key);
            places.for_each(|(byte, key)| *byte = byte.rotate_left(3) ^ key);
        }
    }

    /// The opposite.
    #[inline]
    pub fn change_back(&mut self, event: u32) {
        if let Some(bytes) = &mut self.0 {
            let (place, key) = place(event, bytes.0.len());
            let places = bytes.0[place..].iter_mut().zip(key);
            places.for_each(|(byte, key)| *byte = (*byte ^ key).rotate_right(3));
        }
    }
}

/// From where on an event changes them, and with what: anywhere, whatever the event before did.
fn place(event: u32, bytes: usize) -> (usize, [u8; CHANGED]) {
    let mixed = (u64::from(event) + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    let mixed = (mixed ^ mixed >> 29).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    ((mixed >> 32) as usize % bytes, mixed.to_be_bytes())
}

impl Clone for Baggage {
    #[inline]
    fn clone(&self) -> Baggage {
        Baggage(self.0.as_ref().map(|bytes| Box::new(Bytes(bytes.0.clone()))))
    }

    /// Into the memory of the copy before.
    #[inline]
    fn clone_from(&mut self, other: &Baggage) {
        match (&mut self.0, &other.0) {
            (None, None) => {}
            (Some(ours), Some(theirs)) => ours.0.clone_from(&theirs.0),
            _ => *self = other.clone(),
        }
    }
}

/// Not the bytes themselves, but what tells them from others.
impl fmt::Debug for Baggage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut digest = Digest::new(0);
        digest.bytes(self.bytes());
        write!(f, "{} bytes, {:016x}", self.bytes().len(), digest.value())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_events_did_can_be_taken_back_one_by_one() {
        for size in [0, 1, 7, 100, 5000] {
            let mut baggage = Baggage::new(size);
            let (mut before, mut changed) = (Vec::new(), 0);
            for event in 0..200 {
                before.push(baggage.clone());
                baggage.change(event);
                changed += u32::from(baggage != before[event as usize]);
            }
            assert!(if size == 0 { changed == 0 } else { changed > 190 }, "{size}: {changed}");
            for event in (0..200).rev() {
                baggage.change_back(event);
                assert!(baggage == before[event as usize], "{size}, event {event}");
            }
        }
    }

    #[test]
    fn copies_are_equal_and_use_the_memory_of_the_one_before() {
        let mut baggage = Baggage::new(100);
        baggage.change(7);
        for mut copy in [Baggage::default(), Baggage::new(100), Baggage::new(500)] {
            let (held, large) = (copy.bytes().as_ptr(), copy.bytes().len() >= 100);
            copy.clone_from(&baggage);
            assert!(copy == baggage && copy.clone() == baggage);
            assert_eq!(format!("{copy:?}"), format!("{baggage:?}"));
            assert!(!large || copy.bytes().as_ptr() == held);
        }
        assert_eq!((Baggage::default().heap_bytes(), size_of::<Baggage>()), (0, 8));
    }
}
