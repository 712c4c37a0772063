//! The frames that the vault has: those of puts, until they go back, and its own.

use super::uses::Uses;
use crate::frames::Frames;
use crate::{Frame, Page};

/// Who still needs which frame.
#[derive(Debug)]
pub(super) struct Held {
    uses: Uses,
    /// For parity that is being made. Never held by what waits for other frames, so they always
    /// come back.
    parity: Frames,
    /// For groups that are dissolved.
    gather: Frames,
    /// Puts whose frame is not back yet.
    backlog: u32,
}

/// Whose a frame is that nobody needs any more.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Released {
    /// The vault's own: it is to be emptied.
    Own,
    /// The owner's, who had put this page.
    Put(Page),
}

impl Held {
    /// Its own frames are numbered from `first` on, `parity` of them and `gather`.
    pub(super) fn new(first: u32, parity: u32, gather: u32) -> Held {
        Held {
            uses: Uses::default(),
            parity: Frames::new(first, parity),
            gather: Frames::new(first + parity, gather),
            backlog: 0,
        }
    }

    /// How many frames of its own it needs.
    pub(super) fn wanted(&self) -> u32 {
        self.parity.count() + self.gather.count()
    }

    /// Puts whose frame is not back yet.
    pub(super) fn backlog(&self) -> u32 {
        self.backlog
    }

    /// A frame was put, with one use.
    pub(super) fn put(&mut self, frame: Frame, page: Page) {
        self.uses.begin(frame, page);
        self.backlog += 1;
    }

    /// One use more of a frame.
    pub(super) fn add(&mut self, frame: Frame) {
        self.uses.add(frame);
    }

    /// One use less. `Some`: that was the last.
    pub(super) fn release(&mut self, frame: Frame) -> Option<Released> {
        let page = self.uses.end(frame)?;
        let own = [&mut self.parity, &mut self.gather].into_iter().find(|own| own.owns(frame));
        if let Some(frames) = own {
            frames.free(frame);
            return Some(Released::Own);
        }
        self.backlog -= 1;
        Some(Released::Put(page))
    }

    /// Whether there is a frame to make parity in.
    pub(super) fn has_parity_frame(&self) -> bool {
        self.parity.available() > 0
    }

    /// An own frame to make parity in, with one use. Look whether there is one before.
    pub(super) fn parity_frame(&mut self) -> Frame {
        let frame = self.parity.alloc().expect("looked for before the group was opened");
        self.uses.begin(frame, Page(0));
        frame
    }

    /// How many frames there are to dissolve groups with.
    pub(super) fn gather_frames(&self) -> u32 {
        self.gather.available()
    }

    /// An own frame to dissolve a group with, with one use. Count them before.
    pub(super) fn gather_frame(&mut self) -> Frame {
        let frame = self.gather.alloc().expect("the frames of a job are counted before it starts");
        self.uses.begin(frame, Page(0));
        frame
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_frame_goes_back_where_it_came_from_after_its_last_use() {
        let mut held = Held::new(10, 1, 2);
        assert_eq!((held.wanted(), held.gather_frames()), (3, 2));
        held.put(Frame(3), Page(7));
        held.add(Frame(3));
        assert_eq!((held.release(Frame(3)), held.backlog()), (None, 1));
        assert_eq!(held.release(Frame(3)), Some(Released::Put(Page(7))));
        assert_eq!(held.backlog(), 0);
        let (parity, gather) = (held.parity_frame(), held.gather_frame());
        assert_eq!((parity, gather), (Frame(10), Frame(11)));
        assert!(!held.has_parity_frame() && held.gather_frames() == 1);
        assert_eq!(held.release(parity), Some(Released::Own));
        assert_eq!(held.release(gather), Some(Released::Own));
        assert!(held.has_parity_frame() && held.gather_frames() == 2);
    }
}
