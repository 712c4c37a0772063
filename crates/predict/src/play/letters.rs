//! What is known of each message while a program is played.

use super::Stamps;
use super::path::Path;
use machine::Time;

/// Not yet.
const NEVER: Time = Time::MAX;

/// A message, from before it is sent until it is taken.
#[derive(Clone, Copy, Debug)]
pub(super) struct Letter {
    pub ready: Time,
    pub sent: Time,
    arrived: Time,
    /// Its receiver has said that it will take it.
    pub posted: bool,
    /// Its sender has asked, and has no answer yet.
    pub asks: bool,
    /// Where the path to its arrival is kept.
    path: u32,
}

/// All of them.
pub(super) struct Letters {
    all: Vec<Letter>,
    paths: Vec<Path>,
    free: Vec<u32>,
}

impl Letters {
    pub fn new(messages: usize) -> Letters {
        let letter =
            Letter { ready: NEVER, sent: 0, arrived: NEVER, posted: false, asks: false, path: 0 };
        Letters { all: vec![letter; messages], paths: Vec::new(), free: Vec::new() }
    }

    pub fn at(&mut self, message: u32) -> &mut Letter {
        &mut self.all[message as usize]
    }

    /// It has come whole.
    pub fn came(&mut self, message: u32, when: Time, path: Path) {
        let place = self.free.pop().unwrap_or(self.paths.len() as u32);
        match self.paths.get_mut(place as usize) {
            Some(kept) => *kept = path,
            None => self.paths.push(path),
        }
        let letter = self.at(message);
        (letter.arrived, letter.path) = (when, place);
    }

    pub fn has_come(&self, message: u32) -> bool {
        self.all[message as usize].arrived != NEVER
    }

    /// When it came, if it has, and the path to that.
    pub fn arrival(&self, message: u32) -> Option<(Time, Path)> {
        let letter = self.all[message as usize];
        (letter.arrived != NEVER).then(|| (letter.arrived, self.paths[letter.path as usize]))
    }

    /// It was taken; nobody asks for its path again.
    pub fn taken(&mut self, message: u32, taken: Time) -> Stamps {
        let Letter { ready, sent, arrived, path, .. } = self.all[message as usize];
        self.free.push(path);
        Stamps { ready, sent, arrived, taken }
    }
}
