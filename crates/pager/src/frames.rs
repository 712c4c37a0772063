//! Which frames of a range are free.

use crate::Frame;

/// Frames numbered one after another, each free or in use. Freed frames are used again last first: their memory is warm.
#[derive(Debug)]
pub(crate) struct Frames {
    first: u32,
    free: Vec<u32>,
    in_use: Vec<bool>,
}

impl Frames {
    /// All of `first .. first + count` are free.
    pub(crate) fn new(first: u32, count: u32) -> Frames {
        Frames { first, free: (first..first + count).rev().collect(), in_use: vec![false; count as usize] }
    }

    /// How many are free.
    pub(crate) fn available(&self) -> u32 {
        self.free.len() as u32
    }

    /// Whether the frame is one of these.
    pub(crate) fn owns(&self, frame: Frame) -> bool {
        frame.0 >= self.first && ((frame.0 - self.first) as usize) < self.in_use.len()
    }

    /// Takes one.
    pub(crate) fn alloc(&mut self) -> Option<Frame> {
        let frame = self.free.pop()?;
        self.in_use[(frame - self.first) as usize] = true;
        Some(Frame(frame))
    }

    /// Takes `count`, or none at all. In ascending order, neighbours where possible: pages that are moved there together cost one call.
    pub(crate) fn alloc_run(&mut self, count: u32) -> Option<Vec<Frame>> {
        let start = self.free.len().checked_sub(count as usize)?;
        self.free.sort_unstable_by(|a, b| b.cmp(a));
        let mut run: Vec<Frame> =
            self.free.drain(self.longest_run_before(start, count as usize)).map(Frame).collect();
        run.reverse();
        for frame in &run {
            self.in_use[(frame.0 - self.first) as usize] = true;
        }
        Some(run)
    }

    /// Gives one back.
    ///
    /// # Panics
    /// If it is free already: that would hand it out twice.
    pub(crate) fn free(&mut self, frame: Frame) {
        let used = &mut self.in_use[(frame.0 - self.first) as usize];
        assert!(*used, "frame {} was freed twice", frame.0);
        *used = false;
        self.free.push(frame.0);
    }

    /// Where in the sorted free list `count` neighbours are; the lowest free frames if there is no such place.
    fn longest_run_before(&self, last_start: usize, count: usize) -> std::ops::Range<usize> {
        let neighbours = |start: &usize| {
            count == 0 || self.free[*start] - self.free[start + count - 1] == count as u32 - 1
        };
        let start = (0..=last_start).rev().find(neighbours).unwrap_or(last_start);
        start..start + count
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
    #[should_panic(expected = "freed twice")]
    fn freeing_twice_is_a_bug() {
        let mut frames = Frames::new(0, 1);
        let frame = frames.alloc().unwrap();
        frames.free(frame);
        frames.free(frame);
    }
}
