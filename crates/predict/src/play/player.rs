//! Plays a program: whoever is first goes on, and the network moves in between.

use super::letters::Letters;
use super::mailboxes::Mailboxes;
use super::room::Room;
use super::seat::{Seat, State, Word};
use super::{Played, Stamps, Stuck};
use crate::path::{Path, Share};
use crate::wire::{Load, Told, Wire};
use crate::{Courses, Flow, Step};
use machine::{Machine, PS_PER_NS, Processor, Queue, Tells, Time};

pub(super) struct Player<'a, C, T> {
    program: &'a C,
    /// Of each node, but for its timer.
    processor: Processor,
    wire: Wire,
    room: Room,
    seats: Vec<Seat>,
    letters: Letters,
    mailboxes: Mailboxes<'a, C>,
    /// Those that go on, by when; each is in it once.
    ready: Queue<(Time, u16)>,
    /// Longer messages are asked for first.
    eager_bytes: u64,
    /// What the network tells, while it is heard.
    told: Vec<(Time, Told)>,
    /// Why it goes on no further.
    stuck: Option<Stuck>,
    tell: T,
}

/// What a play must hear of. Where every message goes at once nobody answers, and so nothing
/// depends on when a node hears of one, unless it takes what comes first: it is enough to know when
/// it comes.
fn tells(program: &impl Courses, eager_bytes: u64) -> Tells {
    match program.flow() {
        Flow::Window { .. } => Tells::Everything,
        Flow::Eager if program.wildcards().is_some_and(|open| !open.is_empty()) => Tells::Arrivals,
        Flow::Eager if program.most_bytes() > eager_bytes => Tells::Arrivals,
        Flow::Eager => Tells::Ahead,
    }
}

impl<'a, C: Courses, T: FnMut(u32, Stamps)> Player<'a, C, T> {
    pub fn new(program: &'a C, machine: &Machine, seed: u64, tell: T) -> Player<'a, C, T> {
        let (nodes, flow) = (program.nodes() as u16, program.flow());
        let begins = |node: u16| program.begins_ns(node) * PS_PER_NS;
        let eager_bytes = match flow {
            Flow::Eager => machine.value("network.eager") as u64,
            Flow::Window { .. } => u64::MAX,
        };
        let timer = |node: u16| Processor::of(machine, node).timer;
        let mut ready = Queue::new();
        (0..nodes).for_each(|node| ready.push((begins(node), node)));
        Player {
            program,
            processor: Processor::of(machine, 0),
            wire: Wire::new(machine, nodes, seed, tells(program, eager_bytes)),
            room: Room::new(machine, nodes, flow),
            seats: (0..nodes).map(|node| Seat::new(timer(node), flow, begins(node))).collect(),
            letters: Letters::new(program.messages()),
            mailboxes: Mailboxes::new(program),
            ready,
            eager_bytes,
            told: Vec::new(),
            stuck: None,
            tell,
        }
    }

    pub fn run(mut self) -> Result<Played, Stuck> {
        while self.stuck.is_none() {
            let first = self.ready.first().copied();
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
        if let Some(stuck) = self.stuck {
            return Err(stuck);
        }
        for (node, seat) in self.seats.iter().enumerate() {
            if let State::Takes(message)
            | State::Probes(message)
            | State::Frees(message)
            | State::WantsRoom(message) = seat.state
            {
                return Err(Stuck::Waits { node: node as u16, step: seat.step, message });
            }
        }
        let last = self.seats.iter().max_by_key(|seat| (seat.spent.end, seat.now));
        let path = last.map(|seat| seat.path).unwrap_or_default();
        let nodes = self.seats.iter().map(|seat| seat.spent).collect();
        Ok(Played { nodes, path, rematched: self.mailboxes.rematched() })
    }

    /// Whether nothing else happens before this node's time.
    fn is_first(&self, node: u16) -> bool {
        let now = self.seats[usize::from(node)].now;
        self.ready.first().is_none_or(|other| *other > (now, node))
            && self.wire.next().is_none_or(|next| next > now)
    }

    /// A node's steps, until it waits or another comes first.
    fn go_on(&mut self, node: u16) {
        loop {
            let seat = &mut self.seats[usize::from(node)];
            let Some(step) = self.program.step(node, seat.step) else {
                seat.settle();
                seat.spent.end = seat.now;
                seat.waits(State::Done);
                self.hear(node);
                return;
            };
            if let Step::Work { ns, .. } = step {
                seat.step += 1;
                seat.compute(&self.processor, ns);
                continue;
            }
            if !self.is_first(node) {
                let now = self.seats[usize::from(node)].now;
                self.ready.push((now, node));
                return;
            }
            let before = self.seats[usize::from(node)].now;
            self.seats[usize::from(node)].settle();
            if self.hears_in(step) {
                self.hear(node);
            }
            if self.seats[usize::from(node)].now > before {
                continue;
            }
            if !self.step(node, step) {
                return;
            }
            self.seats[usize::from(node)].step += 1;
        }
    }

    fn hears_in(&self, step: Step) -> bool {
        let only_begins = matches!(step, Step::Send(_) | Step::Post(_));
        !(only_begins && self.program.asks_first())
    }

    /// Do a step that others see. `false`: it waits in it.
    fn step(&mut self, node: u16, step: Step) -> bool {
        match step {
            Step::Work { .. } => true,
            Step::Send(message) => self.send(node, message),
            Step::Probe(receive) => self.probe(node, receive),
            Step::Post(receive) => {
                self.post(node, receive);
                true
            }
            Step::Take(receive) => self.take(node, receive),
            Step::Free(message) => self.free(node, message),
            // It has heard before this step.
            Step::Hear => true,
            Step::Turns { ns } => {
                self.seats[usize::from(node)].polls(&self.processor, ns);
                true
            }
        }
    }

    fn send(&mut self, node: u16, message: u32) -> bool {
        let parcel = self.program.message(message);
        if self.mailboxes.is_unasked(message) {
            self.stuck = Some(Stuck::Unasked { node, to: parcel.to });
            return false;
        }
        let seat = &mut self.seats[usize::from(node)];
        let letter = self.letters.at(message);
        letter.ready = letter.ready.min(seat.now);
        if !self.room.take(parcel) {
            seat.waits(State::WantsRoom(message));
            return false;
        }
        letter.sent = seat.now;
        if parcel.from == parcel.to {
            seat.hand_over(&self.processor, parcel.bytes);
            self.letters.came(message, seat.now, seat.path);
            self.mailboxes.comes(message);
            return true;
        }
        let (load, bytes) = if parcel.bytes > self.eager_bytes {
            (Load::Ask(message), 0)
        } else {
            (Load::Whole(message), parcel.bytes)
        };
        seat.hand_over(&self.processor, bytes);
        self.wire.send(seat.now, (node, parcel.to), load, bytes, &seat.path);
        true
    }

    fn probe(&mut self, node: u16, receive: u32) -> bool {
        let seat = &mut self.seats[usize::from(node)];
        let Some(message) = self.mailboxes.probe(receive) else {
            seat.waits(State::Probes(receive));
            return false;
        };
        if self.letters.is_to_be_seen(message, seat.now) {
            return true;
        }
        seat.waits(State::Probes(receive));
        // When it will come is known, and nothing happens to who waits for it.
        if let Some((arrived, path)) = self.letters.arrival(message) {
            seat.went_on(&self.processor, arrived, *path);
            self.ready.push((seat.now, node));
        }
        false
    }

    fn post(&mut self, node: u16, receive: u32) {
        let Some(message) = self.mailboxes.post(receive) else { return };
        // Nobody asks for one that goes at once.
        if self.program.message(message).bytes <= self.eager_bytes {
            return;
        }
        let letter = self.letters.at(message);
        letter.posted = true;
        if std::mem::take(&mut letter.asks) {
            let seat = &mut self.seats[usize::from(node)];
            seat.answers(&self.processor);
            let from = self.program.message(message).from;
            self.wire.send(seat.now, (node, from), Load::Go(message), 0, &seat.path);
        }
    }

    fn take(&mut self, node: u16, receive: u32) -> bool {
        let seat = &mut self.seats[usize::from(node)];
        let Some(message) = self.mailboxes.message_of(receive) else {
            seat.waits(State::Takes(receive));
            return false;
        };
        let parcel = self.program.message(message);
        match self.letters.arrival(message) {
            Some((arrived, _)) if arrived <= seat.now => {}
            None => {
                seat.waits(State::Takes(receive));
                return false;
            }
            // When it will come is known, and nothing happens to who waits for it.
            Some((arrived, path)) => {
                seat.waits(State::Takes(receive));
                seat.went_on(&self.processor, arrived, *path);
                self.ready.push((seat.now, node));
                return false;
            }
        }
        seat.take(&self.processor, parcel.bytes);
        let now = seat.now;
        let stamps = self.letters.taken(message, now);
        self.mailboxes.took(receive, message);
        (self.tell)(message, stamps);
        if let Some(sender) = self.room.taken(parcel) {
            self.room_for(sender, now);
        }
        true
    }

    fn free(&mut self, node: u16, message: u32) -> bool {
        let parcel = self.program.message(message);
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
                seat.answers(&self.processor);
                let (at, path) = (seat.now, seat.path);
                self.answer(node, at, word.load, path);
            }
        }
    }

    fn move_network(&mut self) {
        let mut all = std::mem::take(&mut self.told);
        self.wire.play_next(&mut all);
        for (when, told) in all.drain(..) {
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
        self.told = all;
    }

    fn came(&mut self, load: Load, to: u16, word: Word) {
        if let Load::Ask(message) = load
            && self.mailboxes.comes(message)
        {
            self.letters.at(message).posted = true;
        }
        match load {
            Load::Whole(message) => self.came_whole(message, word.came, word.path),
            _ if self.seats[usize::from(to)].hears() => {
                if self.is_to_answer(load) {
                    let at = self.seats[usize::from(to)]
                        .answers_while_waiting(&self.processor, word.came);
                    let path = word.path.and(Share::Overhead, at - word.came);
                    self.answer(to, at, load, path);
                }
            }
            _ => self.seats[usize::from(to)].words.push(word),
        }
        self.wake_prober(to, word.came, word.path);
    }

    fn came_whole(&mut self, message: u32, when: Time, path: Path) {
        self.letters.came(message, when, path);
        let parcel = self.program.message(message);
        // Of a longer one there was word before.
        if parcel.bytes <= self.eager_bytes {
            self.mailboxes.comes(message);
        }
        if let Some(receive) = self.mailboxes.receive_of(message) {
            self.wake(parcel.to, State::Takes(receive), when, path);
        }
        self.wake(parcel.from, State::Frees(message), when, path);
    }

    fn wake(&mut self, node: u16, state: State, when: Time, path: Path) {
        let seat = &mut self.seats[usize::from(node)];
        if seat.state == state {
            seat.went_on(&self.processor, when, path);
            self.ready.push((seat.now, node));
        }
    }

    /// Something came for a node, which may have looked for it.
    fn wake_prober(&mut self, node: u16, when: Time, path: Path) {
        if let State::Probes(receive) = self.seats[usize::from(node)].state
            && let Some(message) = self.mailboxes.probe(receive)
            && self.letters.is_to_be_seen(message, when)
        {
            self.wake(node, State::Probes(receive), when, path);
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
        let parcel = self.program.message(message);
        if word == Load::Ask(message) {
            self.wire.send(at, (node, parcel.from), Load::Go(message), 0, &path);
        } else {
            self.wire.send(at, (node, parcel.to), Load::Whole(message), parcel.bytes, &path);
        }
    }

    /// There may be room for a sender that waits for it.
    fn room_for(&mut self, node: u16, when: Time) {
        let seat = &mut self.seats[usize::from(node)];
        let State::WantsRoom(message) = seat.state else { return };
        if self.room.has(self.program.message(message)) {
            let path = seat.path.and(Share::Contention, when.saturating_sub(seat.now));
            seat.went_on(&self.processor, when, path);
            self.ready.push((seat.now, node));
        }
    }
}
