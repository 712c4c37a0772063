//! Gets, and those of cells that are lost, until they are made again.

use crate::{Into, Page, Urgency};

/// A page that somebody wants.
#[derive(Clone, Copy, Debug)]
pub(super) struct Get {
    pub(super) page: Page,
    pub(super) into: Into,
    pub(super) urgency: Urgency,
}

/// Gets of cells that are lost. Few: a thread waits for each.
#[derive(Debug, Default)]
pub(super) struct Wanted(Vec<(u32, Get)>);

impl Wanted {
    pub(super) fn add(&mut self, cell: u32, get: Get) {
        self.0.push((cell, get));
    }

    /// A get that waits for this cell.
    pub(super) fn take(&mut self, cell: u32) -> Option<Get> {
        let at = self.0.iter().position(|(of, _)| *of == cell)?;
        Some(self.0.swap_remove(at).1)
    }

    /// The cells that are waited for.
    pub(super) fn cells(&self) -> impl Iterator<Item = u32> {
        self.0.iter().map(|(cell, _)| *cell)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cells_gets_are_taken_one_by_one() {
        let mut wanted = Wanted::default();
        let get =
            |page| Get { page: Page(page), into: Into::Page(Page(page)), urgency: Urgency::Fault };
        for (cell, page) in [(4, 1), (5, 2), (4, 3)] {
            wanted.add(cell, get(page));
        }
        let taken: Vec<u64> = std::iter::from_fn(|| wanted.take(4)).map(|get| get.page.0).collect();
        assert_eq!(taken, [1, 3]);
        assert_eq!(wanted.cells().collect::<Vec<_>>(), [5]);
    }
}
