//! Pages that leave or left, in frames of their own.

use std::ops::{Index, IndexMut};

use crate::frames::Frames;
use crate::table::Seat;
use crate::{Checksum, Frame};

/// Whether a frame's contents are outside as well.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kept {
    /// The frame has the only copy.
    No,
    /// The vault has the frame, and is sending it.
    Soon,
    Yes,
}

/// What a frame is in use for.
#[derive(Clone, Copy)]
pub(super) struct Use {
    /// Whose contents it holds, or [`Seat::NONE`] if nobody wants them any more.
    pub(super) owner: Seat,
    pub(super) kept: Kept,
    /// When its page left, in evictions.
    pub(super) left: u32,
    pub(super) checksum: Option<Checksum>,
}

const UNUSED: Use = Use { owner: Seat::NONE, kept: Kept::No, left: 0, checksum: None };

/// The frames, by their numbers.
pub(super) struct Framed {
    frames: Frames,
    uses: Vec<Use>,
}

impl Framed {
    pub(super) fn new(count: u32) -> Framed {
        Framed { frames: Frames::new(0, count), uses: vec![UNUSED; count as usize] }
    }

    pub(super) fn count(&self) -> u32 {
        self.uses.len() as u32
    }

    /// How many are empty.
    pub(super) fn available(&self) -> u32 {
        self.frames.available()
    }

    pub(super) fn alloc(&mut self) -> Option<Frame> {
        self.frames.alloc()
    }

    /// So many, neighbours where possible.
    pub(super) fn alloc_run(&mut self, count: u32) -> Vec<Frame> {
        self.frames.alloc_run(count).unwrap_or_default()
    }

    /// It is empty again.
    pub(super) fn free(&mut self, frame: Frame) {
        self[frame] = UNUSED;
        self.frames.free(frame);
    }

    /// Whose the next frame's contents are.
    pub(super) fn owner_after(&self, frame: Frame) -> Option<Seat> {
        self.uses.get(frame.0 as usize + 1).map(|used| used.owner)
    }

    /// How many the vault has.
    pub(super) fn leaving(&self) -> u64 {
        self.uses.iter().filter(|used| used.kept == Kept::Soon).count() as u64
    }
}

impl Index<Frame> for Framed {
    type Output = Use;

    fn index(&self, frame: Frame) -> &Use {
        &self.uses[frame.0 as usize]
    }
}

impl IndexMut<Frame> for Framed {
    fn index_mut(&mut self, frame: Frame) -> &mut Use {
        &mut self.uses[frame.0 as usize]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_frame_that_is_free_again_is_nobodys() {
        let mut framed = Framed::new(3);
        let run = framed.alloc_run(2);
        assert_eq!((run.len(), framed.available(), framed.count()), (2, 1, 3));
        framed[run[1]].kept = Kept::Soon;
        assert_eq!(framed.leaving(), 1);
        framed.free(run[1]);
        assert_eq!((framed.leaving(), framed.available()), (0, 2));
        assert_eq!(framed.owner_after(run[0]), Some(Seat::NONE));
        assert_eq!(framed.owner_after(Frame(2)), None);
    }
}
