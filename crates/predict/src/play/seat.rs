//! A node while a program is played.

use super::Spent;
use crate::Flow;
use crate::path::{Path, Share};
use crate::wire::Load;
use machine::{Processor, Time, Timer};

/// Of a node that never sleeps.
const LOOKS_FOR_EVER: Time = u32::MAX as Time;

/// What a node is at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum State {
    /// It goes on at its time.
    Runs,
    /// It waits for the message of a receive.
    Takes(u32),
    /// It waits until there is one for a receive.
    Probes(u32),
    /// It waits until a message of its own has gone.
    Frees(u32),
    /// It waits for room to send one.
    WantsRoom(u32),
    Done,
}

/// Word of a message, for an end that was not there to hear of it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Word {
    pub load: Load,
    pub came: Time,
    pub path: Path,
}

/// A node.
pub(super) struct Seat {
    pub state: State,
    pub now: Time,
    /// The step that comes next, or that it is in.
    pub step: usize,
    /// The chain of causes that leads to `now`.
    pub path: Path,
    pub spent: Spent,
    /// What it has not heard of yet.
    pub words: Vec<Word>,
    timer: Timer,
    /// It sleeps after so many in vain.
    looks: Time,
    /// While the program polls, and computes in between: from one poll to the next.
    turn: Time,
    /// Interrupts that have not been counted into its time.
    stolen: Time,
    /// While it waits: until when it is busy with what comes.
    busy_until: Time,
}

impl Seat {
    pub fn new(timer: Timer, flow: Flow, begins: Time) -> Seat {
        Seat {
            state: State::Runs,
            now: begins,
            step: 0,
            path: Path::default().and(Share::Computing, begins),
            spent: Spent::default(),
            words: Vec::new(),
            timer,
            looks: match flow {
                // MPI libraries look until something comes.
                Flow::Eager => LOOKS_FOR_EVER,
                Flow::Window { looks } => Time::from(looks),
            },
            turn: 0,
            stolen: 0,
            busy_until: 0,
        }
    }

    /// What it waits for from now on it looks for at such turns; 0: as often as the machine does.
    pub fn polls(&mut self, processor: &Processor, ns: u64) {
        self.turn = processor.computing(ns * machine::PS_PER_NS);
    }

    pub fn compute(&mut self, processor: &Processor, ns: u64) {
        let work = processor.computing(ns * machine::PS_PER_NS);
        let took = self.work(work, Share::Computing);
        self.spent.computing += took;
    }

    pub fn hand_over(&mut self, processor: &Processor, bytes: u64) {
        let work = processor.sending(bytes as usize);
        self.overhead(work);
    }

    pub fn take(&mut self, processor: &Processor, bytes: u64) {
        let work = processor.receiving(bytes as usize);
        self.overhead(work);
    }

    fn overhead(&mut self, work: Time) {
        let took = self.work(work, Share::Overhead);
        self.spent.overhead += took;
    }

    fn work(&mut self, work: Time, share: Share) -> Time {
        self.path.work(share, &self.timer, &mut self.now, work)
    }

    /// A packet came and took so much of its processor.
    pub fn interrupted(&mut self, when: Time, takes: Time) {
        // One that sleeps pays when it wakes, as on the transport `machine`.
        if self.state == State::Runs || self.looks < LOOKS_FOR_EVER {
            self.stolen += takes;
        } else {
            self.busy_until = self.timer.done(self.busy_until.max(when), takes);
        }
    }

    /// It answers word of a message.
    pub fn answers(&mut self, processor: &Processor) {
        self.take(processor, 0);
        self.hand_over(processor, 0);
    }

    /// It answers word that came while it waits; when it has.
    pub fn answers_while_waiting(&mut self, processor: &Processor, came: Time) -> Time {
        let work = processor.receiving(0) + processor.sending(0);
        let heard = if self.turn > 0 { self.next_look(came, self.turn) } else { came };
        self.busy_until = self.timer.done(self.busy_until.max(heard), work);
        self.busy_until
    }

    /// It waits from now on.
    pub fn waits(&mut self, state: State) {
        self.state = state;
        self.busy_until = self.now;
    }

    /// Count in what interrupted it.
    pub fn settle(&mut self) {
        let stolen = std::mem::take(&mut self.stolen);
        if stolen > 0 {
            self.overhead(stolen);
        }
    }

    /// Whether it is in a call of the library, and so hears what comes.
    pub fn hears(&self) -> bool {
        self.state != State::Runs
    }

    /// It waited until something came, by `path`, and sees it.
    pub fn went_on(&mut self, processor: &Processor, came: Time, path: Path) {
        let sees = self.sees(processor, came);
        let waited = sees - self.now;
        match self.state {
            State::Takes(_) | State::Probes(_) => self.spent.waiting += waited,
            _ => self.spent.blocked += waited,
        }
        // Between polls it computes.
        let share = if self.turn > 0 { Share::Computing } else { Share::Overhead };
        if came > self.now {
            self.path = path.and(share, sees - came);
        } else {
            self.path[share] += waited;
        }
        self.now = sees;
        self.state = State::Runs;
    }

    /// When it sees what came: at its next look, or woken from its sleep.
    fn sees(&self, processor: &Processor, came: Time) -> Time {
        let look = processor.look.max(self.turn).max(1);
        let looks = came.saturating_sub(self.now).div_ceil(look);
        if looks <= self.looks {
            return self.next_look(came, look).max(self.busy_until);
        }
        let woken = self.timer.done(came.max(self.busy_until), 0);
        self.timer.done(woken, processor.wake)
    }

    /// The first look at what came, of one every so often since it waits.
    fn next_look(&self, came: Time, every: Time) -> Time {
        self.now + came.saturating_sub(self.now).div_ceil(every) * every
    }
}
