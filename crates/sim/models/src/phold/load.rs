//! What a PHOLD object carries in its state where it is asked to: what its work came to, and bytes,
//! to see what keeping states costs.

use timewarp::Digest;

/// Bytes that one event changes.
const CHANGED: usize = 8;

/// Nothing where there is neither work nor bytes, so that such a state is as small as can be.
#[derive(Default)]
pub(super) struct Load(Option<Box<Carried>>);

#[derive(Default)]
struct Carried {
    worked: u64,
    bytes: Vec<u8>,
}

impl Load {
    /// So many bytes, all 0.
    pub fn new(bytes: u32) -> Load {
        Load::of(0, &vec![0; bytes as usize])
    }

    /// Of its parts.
    pub fn of(worked: u64, bytes: &[u8]) -> Load {
        let is_any = worked != 0 || !bytes.is_empty();
        Load(is_any.then(|| Box::new(Carried { worked, bytes: bytes.to_vec() })))
    }

    /// What the work came to.
    #[inline]
    pub fn worked(&self) -> u64 {
        self.0.as_ref().map_or(0, |carried| carried.worked)
    }

    /// It came to something else.
    #[inline]
    pub fn work(&mut self, worked: u64) {
        match &mut self.0 {
            Some(carried) => carried.worked = worked,
            None => *self = Load::of(worked, &[]),
        }
    }

    pub fn bytes(&self) -> &[u8] {
        self.0.as_ref().map_or(&[], |carried| &carried.bytes)
    }

    /// Not the bytes themselves, but what tells them from others.
    pub fn shown_bytes(&self) -> String {
        let mut digest = Digest::new(0);
        digest.bytes(self.bytes());
        format!("{} bytes, {:016x}", self.bytes().len(), digest.value())
    }

    /// Memory outside the state.
    #[inline]
    pub fn heap_bytes(&self) -> usize {
        self.0.as_ref().map_or(0, |carried| size_of::<Carried>() + carried.bytes.capacity())
    }

    /// What an object's event number `event` does to the bytes.
    #[inline]
    pub fn change(&mut self, event: u32) {
        if let Some(carried) = &mut self.0 {
            carried.each_changed(event, |byte, key| byte.rotate_left(3) ^ key);
        }
    }

    /// The opposite.
    #[inline]
    pub fn change_back(&mut self, event: u32) {
        if let Some(carried) = &mut self.0 {
            carried.each_changed(event, |byte, key| (byte ^ key).rotate_right(3));
        }
    }
}

impl Carried {
    fn each_changed(&mut self, event: u32, change: impl Fn(u8, u8) -> u8) {
        if self.bytes.is_empty() {
            return;
        }
        let (place, key) = place(event, self.bytes.len());
        let places = self.bytes[place..].iter_mut().zip(key);
        places.for_each(|(byte, key)| *byte = change(*byte, key));
    }
}

/// From where on an event changes them, and with what: anywhere, whatever the event before did.
fn place(event: u32, bytes: usize) -> (usize, [u8; CHANGED]) {
    let mixed = (u64::from(event) + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    let mixed = (mixed ^ mixed >> 29).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    ((mixed >> 32) as usize % bytes, mixed.to_be_bytes())
}

/// An event's work that was taken back may have left its place behind.
impl PartialEq for Load {
    fn eq(&self, other: &Load) -> bool {
        self.worked() == other.worked() && self.bytes() == other.bytes()
    }
}

impl Eq for Load {}

impl Clone for Load {
    #[inline]
    fn clone(&self) -> Load {
        Load(self.0.as_ref().map(|carried| {
            Box::new(Carried { worked: carried.worked, bytes: carried.bytes.clone() })
        }))
    }

    /// Into the memory of the copy before.
    #[inline]
    fn clone_from(&mut self, other: &Load) {
        match (&mut self.0, &other.0) {
            (None, None) => {}
            (Some(ours), Some(theirs)) => {
                ours.worked = theirs.worked;
                ours.bytes.clone_from(&theirs.bytes);
            }
            _ => *self = other.clone(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_events_did_can_be_taken_back_one_by_one() {
        for size in [0, 1, 7, 100, 5000] {
            let mut load = Load::new(size);
            let (mut before, mut changed) = (Vec::new(), 0);
            for event in 0..200 {
                before.push(load.clone());
                load.change(event);
                changed += u32::from(load != before[event as usize]);
            }
            assert!(if size == 0 { changed == 0 } else { changed > 190 }, "{size}: {changed}");
            for event in (0..200).rev() {
                load.change_back(event);
                assert!(load == before[event as usize], "{size}, event {event}");
            }
        }
    }

    #[test]
    fn copies_are_equal_and_use_the_memory_of_the_one_before() {
        let mut load = Load::new(100);
        load.change(7);
        for mut copy in [Load::default(), Load::new(100), Load::new(500)] {
            let (held, large) = (copy.bytes().as_ptr(), copy.bytes().len() >= 100);
            copy.clone_from(&load);
            assert!(copy == load && copy.clone() == load);
            assert_eq!(copy.shown_bytes(), load.shown_bytes());
            assert!(!large || copy.bytes().as_ptr() == held);
        }
        assert_eq!((Load::default().heap_bytes(), size_of::<Load>()), (0, 8));
    }

    #[test]
    fn work_can_be_taken_back() {
        let mut load = Load::default();
        load.work(0);
        assert!(load.0.is_none(), "no work came to nothing");
        load.work(7);
        assert_eq!((load.worked(), load.clone().worked()), (7, 7));
        assert!(load != Load::default());
        load.work(0);
        assert!(load == Load::default());
    }
}
