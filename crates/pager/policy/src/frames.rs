//! Which frames of a range are free.

use crate::Frame;

/// Frames numbered one after another, each free or in use. They are taken round and round: what
/// left together becomes free together, and lies together.
#[derive(Debug)]
pub(crate) struct Frames {
    first: u32,
    in_use: Vec<bool>,
    available: u32,
    /// Where to look first.
    next: usize,
}

impl Frames {
    /// All of `first .. first + count` are free.
    pub(crate) fn new(first: u32, count: u32) -> Frames {
        Frames { first, in_use: vec![false; count as usize], available: count, next: 0 }
    }

    /// How many there are.
    pub(crate) fn count(&self) -> u32 {
        self.in_use.len() as u32
    }

    /// How many are free.
    pub(crate) fn available(&self) -> u32 {
        self.available
    }

    /// Whether the frame is one of these.
    pub(crate) fn owns(&self, frame: Frame) -> bool {
        frame.0 >= self.first && ((frame.0 - self.first) as usize) < self.in_use.len()
    }

    /// Takes one.
    pub(crate) fn alloc(&mut self) -> Option<Frame> {
        let at = self.in_turn().find(|&at| !self.in_use[at])?;
        Some(self.take(at))
    }

    /// Takes `count`, or none at all: neighbours where possible, in ascending order, for pages that
    /// are moved there together cost one call.
    pub(crate) fn alloc_run(&mut self, count: u32) -> Option<Vec<Frame>> {
        if count > self.available {
            return None;
        }
        let many = count as usize;
        let mut chosen: Vec<usize> = match self.neighbours(many) {
            Some(start) => (start..start + many).collect(),
            None => self.in_turn().filter(|&at| !self.in_use[at]).take(many).collect(),
        };
        chosen.sort_unstable();
        Some(chosen.into_iter().map(|at| self.take(at)).collect())
    }

    /// Gives one back.
    ///
    /// # Panics
    /// If it is free already: that would hand it out twice.
    pub(crate) fn free(&mut self, frame: Frame) {
        let used = &mut self.in_use[(frame.0 - self.first) as usize];
        assert!(*used, "frame {} was freed twice", frame.0);
        *used = false;
        self.available += 1;
    }

    fn in_turn(&self) -> impl Iterator<Item = usize> + use<> {
        (self.next..self.in_use.len()).chain(0..self.next)
    }

    fn take(&mut self, at: usize) -> Frame {
        self.in_use[at] = true;
        self.available -= 1;
        self.next = at + 1;
        Frame(self.first + at as u32)
    }

    /// Where so many neighbours are free.
    fn neighbours(&self, many: usize) -> Option<usize> {
        let mut length = 0;
        for at in self.in_turn() {
            // Where the search begins anew at the front, so does the run.
            length = if self.in_use[at] {
                0
            } else if at == 0 {
                1
            } else {
                length + 1
            };
            if length == many {
                return Some(at + 1 - many);
            }
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_is_of_neighbours_where_there_are_some() {
        let mut frames = Frames::new(10, 8);
        let taken: Vec<Frame> = (0..8).map(|_| frames.alloc().unwrap()).collect();
        assert_eq!(frames.alloc(), None);
        for at in [7, 0, 3, 5, 4] {
            frames.free(taken[at]);
        }
        assert_eq!(frames.alloc_run(6), None);
        assert_eq!(frames.alloc_run(3), Some(vec![Frame(13), Frame(14), Frame(15)]));
        assert_eq!(frames.alloc_run(2), Some(vec![Frame(10), Frame(17)]));
        assert_eq!(frames.available(), 0);
    }

    #[test]
    fn frames_are_taken_round_and_round() {
        let mut frames = Frames::new(0, 4);
        assert_eq!(frames.alloc_run(3), Some(vec![Frame(0), Frame(1), Frame(2)]));
        (0..3).for_each(|frame| frames.free(Frame(frame)));
        assert_eq!(
            frames.alloc_run(2),
            Some(vec![Frame(0), Frame(1)]),
            "3 and 0 are no neighbours"
        );
        assert_eq!(frames.alloc(), Some(Frame(2)));
        assert_eq!(frames.alloc(), Some(Frame(3)));
    }

    #[test]
    #[should_panic(expected = "freed twice")]
    fn freeing_twice_is_a_bug() {
        let mut frames = Frames::new(0, 1);
        let frame = frames.alloc().unwrap();
        frames.free(frame);
        frames.free(frame);
    }
}
