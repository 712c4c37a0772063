//! What comes first: a heap of four branches.
//!
//! It is half as deep as one of two branches, and the four that are compared at a step lie side by
//! side in memory.

/// Many things in an order, of which only the first matters.
#[derive(Clone, Debug, Default)]
pub struct Queue<T> {
    heap: Vec<T>,
}

const BRANCHES: usize = 4;

impl<T: Copy + Ord> Queue<T> {
    pub fn new() -> Queue<T> {
        Queue { heap: Vec::new() }
    }

    pub fn first(&self) -> Option<&T> {
        self.heap.first()
    }

    pub fn push(&mut self, one: T) {
        let mut at = self.heap.len();
        self.heap.push(one);
        while at > 0 {
            let above = (at - 1) / BRANCHES;
            if self.heap[above] <= one {
                break;
            }
            self.heap[at] = self.heap[above];
            at = above;
        }
        self.heap[at] = one;
    }

    pub fn pop(&mut self) -> Option<T> {
        let last = self.heap.pop()?;
        match self.heap.first().copied() {
            None => Some(last),
            Some(first) => {
                self.replace_first(last);
                Some(first)
            }
        }
    }

    /// Put another in the place of the first: half the work of taking one out and putting one in.
    pub fn replace_first(&mut self, one: T) {
        let mut at = 0;
        loop {
            let below = BRANCHES * at + 1;
            let end = self.heap.len().min(below + BRANCHES);
            let Some((&first, rest)) = self.heap.get(below..end).and_then(<[T]>::split_first)
            else {
                break;
            };
            let (mut least, mut place) = (first, below);
            for (other, &candidate) in (below + 1..).zip(rest) {
                if candidate < least {
                    (least, place) = (candidate, other);
                }
            }
            if one <= least {
                break;
            }
            self.heap[at] = least;
            at = place;
        }
        if let Some(place) = self.heap.get_mut(at) {
            *place = one;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    proptest::proptest! {
        /// It hands out what a sorted set would.
        #[test]
        fn the_first_comes_first(
            doings in proptest::collection::vec(proptest::option::of(0u32..50), 1..300),
        ) {
            let (mut queue, mut sorted) = (Queue::new(), std::collections::BTreeSet::new());
            for (number, doing) in doings.into_iter().enumerate() {
                match doing {
                    Some(key) if key % 5 == 0 && queue.first().is_some() => {
                        sorted.pop_first();
                        sorted.insert((key, number));
                        queue.replace_first((key, number));
                    }
                    Some(key) => {
                        sorted.insert((key, number));
                        queue.push((key, number));
                    }
                    None => proptest::prop_assert_eq!(queue.pop(), sorted.pop_first()),
                }
                proptest::prop_assert_eq!(queue.first(), sorted.first());
            }
        }
    }
}
