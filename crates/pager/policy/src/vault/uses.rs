//! Who still needs a frame.

use crate::{Frame, Page};

/// A count for each frame, whoever it belongs to. Frames are few and numbered densely.
#[derive(Debug, Default)]
pub(super) struct Uses {
    counts: Vec<u32>,
    pages: Vec<Page>,
}

impl Uses {
    /// The first use. `page` is what it was put as.
    pub(super) fn begin(&mut self, frame: Frame, page: Page) {
        let index = frame.0 as usize;
        if index >= self.counts.len() {
            self.counts.resize(index + 1, 0);
            self.pages.resize(index + 1, Page(0));
        }
        assert_eq!(self.counts[index], 0, "frame {index} was handed over twice");
        self.counts[index] = 1;
        self.pages[index] = page;
    }

    /// One more.
    pub(super) fn add(&mut self, frame: Frame) {
        debug_assert!(self.counts[frame.0 as usize] > 0, "frame {} is not in use", frame.0);
        self.counts[frame.0 as usize] += 1;
    }

    /// One less. The page it was put as, if that was the last.
    pub(super) fn end(&mut self, frame: Frame) -> Option<Page> {
        let count = &mut self.counts[frame.0 as usize];
        assert!(*count > 0, "frame {} was given back twice", frame.0);
        *count -= 1;
        (*count == 0).then(|| self.pages[frame.0 as usize])
    }
}
