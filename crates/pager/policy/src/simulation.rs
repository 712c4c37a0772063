//! A world that carries out the pager's actions, under a seed. A page is one number; its xor is the
//! number's.
//!
//! Places answer in order, each at its own pace. They crash, hang (answer nothing until they are
//! given up), fill up, refuse and forget what they hold.

use std::collections::{HashMap, VecDeque};

use rand::RngExt;
use rand_pcg::Pcg64Mcg;

use crate::{
    Action, Checksum, Failure, Frame, Installed, Into, Operation, Outcome, Page, Place, Slot, Tag,
};

/// What the world tells the pager.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Input {
    Done(Operation, Outcome),
    Granted(Place, u32),
    Sum(Frame, Checksum),
}

pub(crate) struct World {
    pub(crate) random: Pcg64Mcg,
    pub(crate) frames: Vec<Option<u64>>,
    pub(crate) memory: HashMap<Page, u64>,
    pub(crate) spots: HashMap<Place, Spot>,
    /// Of a thousand writes to slots that hold nothing, how many are refused.
    pub(crate) refuses: u32,
    answers: VecDeque<Input>,
}

/// A place.
pub(crate) struct Spot {
    pub(crate) up: bool,
    pub(crate) hangs: bool,
    pub(crate) room: u32,
    slots: HashMap<Slot, (u64, Tag)>,
    asked: VecDeque<(Action, u64)>,
}

pub(crate) fn checksum(content: u64) -> Checksum {
    Checksum(
        u128::from(content ^ 0x5bd1_e995).wrapping_mul(0x9E37_79B9_7F4A_7C15_F39C_C060_5CED_C835),
    )
}

impl Spot {
    fn new(room: u32) -> Spot {
        Spot { up: true, hangs: false, room, slots: HashMap::new(), asked: VecDeque::new() }
    }
}

impl World {
    pub(crate) fn new(seed: u64, frames: u32, servers: u16, room: u32) -> World {
        let mut spots: HashMap<Place, Spot> =
            (0..servers).map(|number| (Place(number), Spot::new(room))).collect();
        spots.insert(Place::DISK, Spot::new(0));
        World {
            random: Pcg64Mcg::new(u128::from(seed) + 1),
            frames: vec![None; frames as usize],
            memory: HashMap::new(),
            spots,
            refuses: 0,
            answers: VecDeque::new(),
        }
    }

    pub(crate) fn chance(&mut self, per_mille: u32) -> bool {
        self.random.random_range(0..1000) < per_mille
    }

    pub(crate) fn carry_out(&mut self, action: Action) {
        match action {
            Action::Empty { frame } => self.frames[frame.0 as usize] = None,
            Action::Clear { frame } => self.fill(frame, 0),
            Action::Xor { from, into } => {
                let mixed = self.full(from) ^ self.full(into);
                self.frames[into.0 as usize] = Some(mixed);
            }
            Action::Sum { frame } => {
                self.answers.push_back(Input::Sum(frame, checksum(self.full(frame))))
            }
            Action::Discard { place, slot } => self.queue(place, action, u64::from(slot.0)),
            Action::Reserve { place, .. } | Action::Read { place, .. } => {
                self.queue(place, action, 0)
            }
            Action::Write { place, frame, tag, .. } => {
                assert_eq!(checksum(self.full(frame)), tag.checksum, "a wrong checksum was sent");
                self.queue(place, action, self.full(frame));
            }
            Action::Zero { .. }
            | Action::Grab { .. }
            | Action::Drop { .. }
            | Action::Install { .. }
            | Action::Poison { .. } => {
                unreachable!("the vault knows nothing of the program's memory")
            }
        }
    }

    /// Something that has happened, anywhere. `None`: nothing is under way that will ever be
    /// answered.
    pub(crate) fn step(&mut self) -> Option<Input> {
        if let Some(input) = self.answers.pop_front() {
            return Some(input);
        }
        loop {
            let mut ready: Vec<Place> = self
                .spots
                .iter()
                .filter(|(_, spot)| spot.up && !spot.hangs && !spot.asked.is_empty())
                .map(|(place, _)| *place)
                .collect();
            ready.sort_unstable();
            if ready.is_empty() {
                return None;
            }
            let place = ready[self.random.random_range(0..ready.len())];
            if let Some(input) = self.serve(place) {
                return Some(input);
            }
        }
    }

    /// The place is gone. Its unanswered operations are answered by nobody, or by the failure: as
    /// it happens.
    pub(crate) fn crash(&mut self, place: Place) {
        let tells = self.chance(500);
        let Some(spot) = self.spots.get_mut(&place) else { return };
        (spot.up, spot.hangs) = (false, false);
        spot.slots.clear();
        let operations = spot.asked.drain(..).filter_map(|(action, _)| operation(&action));
        if tells {
            self.answers
                .extend(operations.map(|operation| Input::Done(operation, Err(Failure::Down))));
        }
    }

    pub(crate) fn join(&mut self, place: Place, room: u32) {
        self.spots.insert(place, Spot::new(room));
    }

    /// One slot of the place holds something else now.
    pub(crate) fn spoil(&mut self, place: Place) -> bool {
        let Some(spot) = self.spots.get_mut(&place) else { return false };
        let Some(slot) = spot.slots.keys().min().copied() else { return false };
        spot.slots.remove(&slot).is_some()
    }

    pub(crate) fn held(&self, place: Place) -> usize {
        self.spots[&place].slots.len()
    }

    pub(crate) fn full(&self, frame: Frame) -> u64 {
        self.frames[frame.0 as usize].unwrap_or_else(|| panic!("frame {} is empty", frame.0))
    }

    pub(crate) fn fill(&mut self, frame: Frame, content: u64) {
        assert_eq!(self.frames[frame.0 as usize], None, "frame {} is filled twice", frame.0);
        self.frames[frame.0 as usize] = Some(content);
    }

    fn queue(&mut self, place: Place, action: Action, content: u64) {
        let spot = self.spots.get_mut(&place).unwrap();
        if spot.up {
            return spot.asked.push_back((action, content));
        }
        if let Some(operation) = operation(&action) {
            self.answers.push_back(Input::Done(operation, Err(Failure::Down)));
        }
    }

    fn serve(&mut self, place: Place) -> Option<Input> {
        let (action, content) = self.spots.get_mut(&place)?.asked.pop_front()?;
        let refused = place != Place::DISK && self.chance(self.refuses);
        if let Action::Write { frame, .. } = action {
            assert_eq!(self.full(frame), content, "frame {} changed before the answer", frame.0);
        }
        let spot = self.spots.get_mut(&place)?;
        match action {
            Action::Discard { slot, .. } => {
                spot.slots.remove(&slot);
                None
            }
            Action::Reserve { slots, .. } => {
                let granted = slots.min(spot.room);
                spot.room -= granted;
                Some(Input::Granted(place, granted))
            }
            Action::Write { operation, slot, .. } if refused && !spot.slots.contains_key(&slot) => {
                Some(Input::Done(operation, Err(Failure::Full)))
            }
            Action::Write { operation, slot, tag, .. } => {
                assert!(
                    !spot.slots.contains_key(&slot),
                    "{place} is told to write over slot {}",
                    slot.0
                );
                spot.slots.insert(slot, (content, tag));
                Some(Input::Done(operation, Ok(None)))
            }
            Action::Read { operation, slot, version, checksum, into, .. } => {
                let found = spot.slots.get(&slot).copied();
                let right = |(_, tag): &(u64, Tag)| {
                    tag.version == version && checksum.is_none_or(|wanted| wanted == tag.checksum)
                };
                let Some((content, _)) = found.filter(right) else {
                    return Some(Input::Done(operation, Err(Failure::Wrong)));
                };
                let installed = self.bring(into, content);
                Some(Input::Done(operation, Ok(installed)))
            }
            _ => unreachable!("not for a place"),
        }
    }

    fn bring(&mut self, into: Into, content: u64) -> Option<Installed> {
        match into {
            Into::Frame(frame) => {
                self.fill(frame, content);
                None
            }
            Into::Page(page) => {
                self.memory.insert(page, content);
                Some(Installed::Done)
            }
        }
    }
}

fn operation(action: &Action) -> Option<Operation> {
    match *action {
        Action::Write { operation, .. } | Action::Read { operation, .. } => Some(operation),
        _ => None,
    }
}
