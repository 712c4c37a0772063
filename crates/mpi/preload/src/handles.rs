//! A map from handles (or addresses) to numbers: open addressing, so that a look-up is one cache
//! line as a rule.

/// No handle is 0 in either library: it marks a free place.
const FREE: usize = 0;

/// From handles to numbers.
pub struct HandleMap {
    places: Vec<(usize, u64)>,
    used: usize,
}

impl HandleMap {
    /// An empty one.
    pub fn new() -> HandleMap {
        HandleMap { places: vec![(FREE, 0); 64], used: 0 }
    }

    /// The number of `handle`.
    #[inline]
    pub fn get(&self, handle: usize) -> Option<u64> {
        let (key, value) = self.places[self.place_of(handle)];
        (key != FREE).then_some(value)
    }

    /// The number of `handle`, to be changed.
    #[inline]
    pub fn get_mut(&mut self, handle: usize) -> Option<&mut u64> {
        let place = self.place_of(handle);
        let (key, value) = &mut self.places[place];
        (*key != FREE).then_some(value)
    }

    /// Set the number of `handle`, which must not be 0.
    #[inline]
    pub fn insert(&mut self, handle: usize, value: u64) {
        debug_assert_ne!(handle, FREE);
        if (self.used + 1) * 2 > self.places.len() {
            self.grow();
        }
        let place = self.place_of(handle);
        self.used += usize::from(self.places[place].0 == FREE);
        self.places[place] = (handle, value);
    }

    /// Forget `handle`; its number.
    #[inline]
    pub fn remove(&mut self, handle: usize) -> Option<u64> {
        let mut hole = self.place_of(handle);
        let (key, value) = self.places[hole];
        if key == FREE {
            return None;
        }
        // What was pushed on by the one removed moves back, so that a search never meets a hole
        // before its goal.
        let mask = self.places.len() - 1;
        let mut next = (hole + 1) & mask;
        while self.places[next].0 != FREE {
            let home = self.home(self.places[next].0);
            if (next.wrapping_sub(home) & mask) >= (next.wrapping_sub(hole) & mask) {
                self.places[hole] = self.places[next];
                hole = next;
            }
            next = (next + 1) & mask;
        }
        self.places[hole] = (FREE, 0);
        self.used -= 1;
        Some(value)
    }

    /// Forget all.
    pub fn clear(&mut self) {
        self.places.fill((FREE, 0));
        self.used = 0;
    }

    #[inline(always)]
    fn home(&self, handle: usize) -> usize {
        // Fibonacci hashing: pointers differ in the middle bits, MPICH's handles in the low ones.
        let hash = (handle as u64).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        (hash >> 32) as usize & (self.places.len() - 1)
    }

    /// Where `handle` is, or the free place where it would be.
    #[inline(always)]
    fn place_of(&self, handle: usize) -> usize {
        let mask = self.places.len() - 1;
        let mut place = self.home(handle);
        while self.places[place].0 != handle && self.places[place].0 != FREE {
            place = (place + 1) & mask;
        }
        place
    }

    #[cold]
    fn grow(&mut self) {
        let larger = vec![(FREE, 0); self.places.len() * 2];
        let old = std::mem::replace(&mut self.places, larger);
        self.used = 0;
        for (handle, value) in old.into_iter().filter(|(handle, _)| *handle != FREE) {
            self.insert(handle, value);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::HashMap;

    proptest! {
        #[test]
        fn it_does_what_a_map_does(
            steps in
                proptest::collection::vec((any::<bool>(), 1usize..80, any::<u64>()), 0..400),
        ) {
            let (mut ours, mut model) = (HandleMap::new(), HashMap::new());
            for (insert, handle, value) in steps {
                // Handles that collide often: few of them, far apart.
                let handle = handle << 58 | handle;
                if insert {
                    ours.insert(handle, value);
                    model.insert(handle, value);
                } else {
                    prop_assert_eq!(ours.remove(handle), model.remove(&handle));
                }
                prop_assert_eq!(ours.used, model.len());
                for (handle, value) in &model {
                    prop_assert_eq!(ours.get(*handle), Some(*value));
                }
            }
        }
    }
}
