//! What is known of each message while a program is played.

use super::Stamps;
use crate::path::Path;
use machine::Time;

/// Not yet.
const NEVER: Time = Time::MAX;

/// A message, from before it is sent until it is taken.
#[derive(Clone, Copy, Debug)]
pub(super) struct Letter {
    pub ready: Time,
    pub sent: Time,
    arrived: Time,
    /// To its arrival.
    path: Path,
    /// Its receiver has said that it will take it.
    pub posted: bool,
    /// Its sender has asked, and has no answer yet.
    pub asks: bool,
}

/// All of them. Only those that are under way have a letter: of the others, which may be a hundred
/// million, no more is kept than that they were taken.
pub(super) struct Letters {
    /// By message: where its letter is.
    places: Vec<u32>,
    letters: Vec<Letter>,
    free: Vec<u32>,
}

/// Of a message of which nothing was heard yet.
const NONE: u32 = u32::MAX;
/// Of one that was taken.
const TAKEN: u32 = u32::MAX - 1;

impl Letters {
    pub fn new(messages: u32) -> Letters {
        Letters { places: vec![NONE; messages as usize], letters: Vec::new(), free: Vec::new() }
    }

    /// A message that was not taken.
    pub fn at(&mut self, message: u32) -> &mut Letter {
        let place = &mut self.places[message as usize];
        if *place >= TAKEN {
            let new = Letter {
                ready: NEVER,
                sent: 0,
                arrived: NEVER,
                path: Path::default(),
                posted: false,
                asks: false,
            };
            *place = self.free.pop().unwrap_or(self.letters.len() as u32);
            match self.letters.get_mut(*place as usize) {
                Some(letter) => *letter = new,
                None => self.letters.push(new),
            }
        }
        &mut self.letters[*place as usize]
    }

    /// It has come whole, or will have.
    pub fn came(&mut self, message: u32, when: Time, path: Path) {
        let letter = self.at(message);
        (letter.arrived, letter.path) = (when, path);
    }

    pub fn has_come(&self, message: u32) -> bool {
        self.places[message as usize] == TAKEN || self.arrival(message).is_some()
    }

    /// Whether a probe sees it: it has come, or word of a long one that has no answer yet.
    pub fn is_to_be_seen(&self, message: u32, now: Time) -> bool {
        let letter = self.letters.get(self.places[message as usize] as usize);
        letter.is_some_and(|letter| letter.arrived <= now || letter.asks)
    }

    /// When it comes, if that is known, and the path to that.
    pub fn arrival(&self, message: u32) -> Option<(Time, &Path)> {
        let letter = self.letters.get(self.places[message as usize] as usize)?;
        (letter.arrived != NEVER).then_some((letter.arrived, &letter.path))
    }

    /// It was taken; nobody asks for its path again.
    pub fn taken(&mut self, message: u32, taken: Time) -> Stamps {
        let Letter { ready, sent, arrived, .. } = *self.at(message);
        let place = std::mem::replace(&mut self.places[message as usize], TAKEN);
        self.free.push(place);
        Stamps { ready, sent, arrived, taken }
    }
}
