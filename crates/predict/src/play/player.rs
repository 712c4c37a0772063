//! Plays a program: whoever is first goes on, and the network moves in between.

use super::letters::Letters;
use super::path::{Path, Share};
use super::room::Room;
use super::seat::{Seat, State, Word};
use super::wire::{Load, Told, Wire};
use super::{Played, Stamps, Stuck};
use crate::{Flow, Program, Step};
use machine::{Machine, PS_PER_NS, Time};
use std::cmp::Reverse;
use std::collections::BinaryHeap;

pub(super) struct Player<'a, T> {
    program: &'a Program,
    wire: Wire,
    room: Room,
    seats: Vec<Seat>,
    letters: Letters,
    /// Those that go on, by when; each is in it once.
    ready: BinaryHeap<Reverse<(Time, u16)>>,
    /// Longer messages are asked for first.
    eager_bytes: u64,
    tell: T,
}

impl<'a, T: FnMut(u32, Stamps)> Player<'a, T> {
    pub fn new(program: &'a Program, machine: &Machine, seed: u64, tell: T) -> Player<'a, T> {
        let nodes = program.courses.len() as u16;
        let begins = |node: u16| program.courses[usize::from(node)].begins_ns * PS_PER_NS;
        Player {
            program,
            wire: Wire::new(machine, nodes, seed),
            room: Room::new(machine, nodes, program.flow),
            seats: (0..nodes)
                .map(|node| Seat::new(machine, node, program.flow, begins(node)))
                .collect(),
            letters: Letters::new(program.messages.len()),
            ready: (0..nodes).map(|node| Reverse((begins(node), node))).collect(),
            eager_bytes: match program.flow {
                Flow::Eager => machine.value("network.eager") as u64,
                Flow::Window { .. } => u64::MAX,
            },
            tell,
        }
    }

    pub fn run(mut self) -> Result<Played, Stuck> {
        loop {
            let first = self.ready.peek().map(|Reverse(first)| *first);
            match (first, self.wire.next()) {
                (Some((now, _)), Some(next)) if next <= now => self.move_network(),
                (Some((_, node)), _) => {
                    self.ready.pop();
                    self.go_on(node);
                }
                (None, Some(_)) => self.move_network(),
                (None, None) => break,
            }
        }
        self.played()
    }

    fn played(self) -> Result<Played, Stuck> {
        for (node, seat) in self.seats.iter().enumerate() {
            if let State::Takes(message) | State::Frees(message) | State::WantsRoom(message) =
                seat.state
            {
                return Err(Stuck::Waits { node: node as u16, step: seat.step, message });
            }
        }
        let last = self.seats.iter().max_by_key(|seat| (seat.spent.end, seat.now));
        let path = last.map(|seat| seat.path).unwrap_or_default();
        Ok(Played { nodes: self.seats.iter().map(|seat| seat.spent).collect(), path })
    }

    /// Whether nothing else happens before this node's time.
    fn is_first(&self, node: u16) -> bool {
        let now = self.seats[usize::from(node)].now;
        self.ready.peek().is_none_or(|Reverse(other)| *other > (now, node))
            && self.wire.next().is_none_or(|next| next > now)
    }

    /// A node's steps, until it waits or another comes first.
    fn go_on(&mut self, node: u16) {
        loop {
            let seat = &mut self.seats[usize::from(node)];
            let course = &self.program.courses[usize::from(node)];
            let Some(step) = course.steps.get(seat.step) else {
                seat.settle();
                seat.spent.end = seat.now;
                seat.waits(State::Done);
                self.hear(node);
                return;
            };
            if let Step::Work { ns, .. } = step {
                seat.step += 1;
                seat.compute(*ns);
                continue;
            }
            if !self.is_first(node) {
                let now = self.seats[usize::from(node)].now;
                self.ready.push(Reverse((now, node)));
                return;
            }
            let before = self.seats[usize::from(node)].now;
            self.seats[usize::from(node)].settle();
            self.hear(node);
            if self.seats[usize::from(node)].now > before {
                continue;
            }
            if !self.step(node, *step) {
                return;
            }
            self.seats[usize::from(node)].step += 1;
        }
    }

    /// Do a step that others see. `false`: it waits in it.
    fn step(&mut self, node: u16, step: Step) -> bool {
        match step {
            Step::Work { .. } => true,
            Step::Send(message) => self.send(node, message),
            Step::Post(message) => {
                self.post(node, message);
                true
            }
            Step::Take(message) => self.take(node, message),
            Step::Free(message) => self.free(node, message),
        }
    }

    fn send(&mut self, node: u16, message: u32) -> bool {
        let parcel = self.program.messages[message as usize];
        let seat = &mut self.seats[usize::from(node)];
        let letter = self.letters.at(message);
        letter.ready = letter.ready.min(seat.now);
        if !self.room.take(parcel) {
            seat.waits(State::WantsRoom(message));
            return false;
        }
        letter.sent = seat.now;
        if parcel.from == parcel.to {
            seat.hand_over(parcel.bytes);
            self.letters.came(message, seat.now, seat.path);
            return true;
        }
        let (load, bytes) = if parcel.bytes > self.eager_bytes {
            (Load::Ask(message), 0)
        } else {
            (Load::Whole(message), parcel.bytes)
        };
        seat.hand_over(bytes);
        self.wire.send(seat.now, (node, parcel.to), load, bytes, seat.path);
        true
    }

    fn post(&mut self, node: u16, message: u32) {
        let letter = self.letters.at(message);
        letter.posted = true;
        if std::mem::take(&mut letter.asks) {
            let seat = &mut self.seats[usize::from(node)];
            seat.answers();
            let from = self.program.messages[message as usize].from;
            self.wire.send(seat.now, (node, from), Load::Go(message), 0, seat.path);
        }
    }

    fn take(&mut self, node: u16, message: u32) -> bool {
        let parcel = self.program.messages[message as usize];
        let seat = &mut self.seats[usize::from(node)];
        if self.letters.arrival(message).is_none_or(|(arrived, _)| arrived > seat.now) {
            seat.waits(State::Takes(message));
            return false;
        }
        seat.take(parcel.bytes);
        let now = seat.now;
        let stamps = self.letters.taken(message, now);
        (self.tell)(message, stamps);
        if let Some(sender) = self.room.taken(parcel) {
            self.room_for(sender, now);
        }
        true
    }

    fn free(&mut self, node: u16, message: u32) -> bool {
        let parcel = self.program.messages[message as usize];
        if parcel.bytes <= self.eager_bytes || self.letters.has_come(message) {
            return true;
        }
        self.seats[usize::from(node)].waits(State::Frees(message));
        false
    }

    /// A node hears what came while it was not in a call.
    fn hear(&mut self, node: u16) {
        for word in std::mem::take(&mut self.seats[usize::from(node)].words) {
            let seat = &mut self.seats[usize::from(node)];
            seat.spent.unheard += seat.now - word.came;
            if self.is_to_answer(word.load) {
                // What it did before it heard is what the answer waited for: its own path leads on.
                let seat = &mut self.seats[usize::from(node)];
                seat.answers();
                let (at, path) = (seat.now, seat.path);
                self.answer(node, at, word.load, path);
            }
        }
    }

    fn move_network(&mut self) {
        for (when, told) in self.wire.play_next() {
            match told {
                Told::Interrupted { node, takes } => {
                    self.seats[usize::from(node)].interrupted(when, takes);
                }
                Told::Freed { node } => {
                    self.room.freed(node);
                    self.room_for(node, when);
                }
                Told::Came { load, to, path } => {
                    self.came(load, to, Word { load, came: when, path })
                }
            }
        }
    }

    fn came(&mut self, load: Load, to: u16, word: Word) {
        match load {
            Load::Whole(message) => self.came_whole(message, word.came, word.path),
            _ if self.seats[usize::from(to)].hears() => {
                if self.is_to_answer(load) {
                    let at = self.seats[usize::from(to)].answers_while_waiting(word.came);
                    let path = word.path.and(Share::Overhead, at - word.came);
                    self.answer(to, at, load, path);
                }
            }
            _ => self.seats[usize::from(to)].words.push(word),
        }
    }

    fn came_whole(&mut self, message: u32, when: Time, path: Path) {
        self.letters.came(message, when, path);
        let parcel = self.program.messages[message as usize];
        self.wake(parcel.to, State::Takes(message), when, path);
        self.wake(parcel.from, State::Frees(message), when, path);
    }

    fn wake(&mut self, node: u16, state: State, when: Time, path: Path) {
        let seat = &mut self.seats[usize::from(node)];
        if seat.state == state {
            seat.went_on(when, path);
            self.ready.push(Reverse((seat.now, node)));
        }
    }

    /// Whether word of a message has an answer yet: nobody may come unless its receive is posted.
    fn is_to_answer(&mut self, load: Load) -> bool {
        match load {
            Load::Ask(message) => {
                let letter = self.letters.at(message);
                letter.asks = !letter.posted;
                letter.posted
            }
            Load::Go(_) => true,
            Load::Whole(_) => false,
        }
    }

    /// A node does what word of a message asks for.
    fn answer(&mut self, node: u16, at: Time, word: Load, path: Path) {
        let (Load::Ask(message) | Load::Go(message) | Load::Whole(message)) = word;
        let parcel = self.program.messages[message as usize];
        if word == Load::Ask(message) {
            self.wire.send(at, (node, parcel.from), Load::Go(message), 0, path);
        } else {
            self.wire.send(at, (node, parcel.to), Load::Whole(message), parcel.bytes, path);
        }
    }

    /// There may be room for a sender that waits for it.
    fn room_for(&mut self, node: u16, when: Time) {
        let seat = &mut self.seats[usize::from(node)];
        let State::WantsRoom(message) = seat.state else { return };
        if self.room.has(self.program.messages[message as usize]) {
            let path = seat.path.and(Share::Contention, when.saturating_sub(seat.now));
            seat.went_on(when, path);
            self.ready.push(Reverse((seat.now, node)));
        }
    }
}
