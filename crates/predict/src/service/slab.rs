//! Paths that something leads on from, with places that are used again.

use crate::path::Path;

/// Where one is.
pub(super) type Place = u32;

#[derive(Default)]
pub(super) struct Slab {
    paths: Vec<Path>,
    free: Vec<Place>,
}

impl Slab {
    pub fn put(&mut self, path: Path) -> Place {
        match self.free.pop() {
            Some(place) => {
                self.paths[place as usize] = path;
                place
            }
            None => {
                self.paths.push(path);
                (self.paths.len() - 1) as Place
            }
        }
    }

    pub fn take(&mut self, place: Place) -> Path {
        self.free.push(place);
        self.paths[place as usize]
    }
}
