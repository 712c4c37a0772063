//! A rank's log as the tracer writes it, with the rank's own clock and its own numbers for
//! communicators.

use super::program::Communicator;
use calls::entry::{self, Call, Completion, LocalGroup, Site, WindowGroup, flags};
use clock::Exchange;
use mpi_facts::RankFacts;

/// A rank's clock: ticks = offset + true time × (1 + drift).
#[derive(Clone, Copy, Debug)]
pub struct RankClock {
    pub host: usize,
    pub offset: u64,
    pub drift_ppm: f64,
}

impl RankClock {
    pub fn ticks(&self, time: i64) -> u64 {
        self.offset.wrapping_add_signed(time + (time as f64 * self.drift_ppm * 1e-6).round() as i64)
    }
}

pub struct RankLog {
    pub rank: usize,
    pub clock: RankClock,
    pub words: Vec<u64>,
    ranks: usize,
    rows: i64,
    polls: Option<usize>,
    window_groups: Vec<Vec<usize>>,
}

const COMMUNICATORS: [Communicator; 4] = [
    Communicator::Duplicate,
    Communicator::Parity,
    Communicator::Any,
    Communicator::ParityDuplicate,
];

impl RankLog {
    pub fn new(rank: usize, ranks: usize, clock: RankClock) -> RankLog {
        let (words, window_groups) = (Vec::new(), Vec::new());
        let mut log = RankLog { rank, clock, words, ranks, rows: 0, polls: None, window_groups };
        log.facts(calls::list::COUNT);
        for communicator in COMMUNICATORS {
            log.register(communicator);
        }
        for site in 1..=4 {
            log.words.extend(Site::encode(site, u64::from(site) * 16, b"app"));
        }
        log
    }

    pub fn rows(&self) -> i64 {
        self.rows
    }

    /// The rank's own number of a communicator: another on every rank.
    pub fn id(&self, communicator: Communicator) -> u32 {
        let own = self.rank as u32 * 7 + 3;
        match communicator {
            Communicator::World => entry::WORLD,
            Communicator::Duplicate => own,
            Communicator::Parity => own + 1,
            Communicator::Any => own + 2,
            Communicator::ParityDuplicate => own + 3,
        }
    }

    fn members(&self, communicator: Communicator) -> Vec<usize> {
        match communicator {
            Communicator::Parity | Communicator::ParityDuplicate => {
                (0..self.ranks).rev().filter(|rank| rank % 2 == self.rank % 2).collect()
            }
            _ => (0..self.ranks).collect(),
        }
    }

    /// The rank in a communicator of a world rank.
    pub fn peer(&self, communicator: Communicator, rank: usize) -> i32 {
        self.members(communicator).iter().position(|member| *member == rank).unwrap() as i32
    }

    pub fn call(&mut self, call: Call, done: &[Completion]) {
        self.polls = None;
        self.rows += i64::from(call.flags & flags::CONTINUED == 0);
        self.write(call, done);
    }

    /// Polls in a row are one entry.
    pub fn poll(&mut self, call: Call) {
        if let Some(at) = self.polls {
            self.words[at + 2] = self.clock.ticks(call.exit as i64);
            self.words[at + 3] += 1 << 32;
            return;
        }
        let at = self.words.len();
        self.call(Call { flags: call.flags | flags::POLLS, request: 1, ..call }, &[]);
        self.polls = Some(at);
    }

    fn write(&mut self, call: Call, done: &[Completion]) {
        let exit = if call.exit == 0 { 0 } else { self.clock.ticks(call.exit as i64) };
        let call = Call { enter: self.clock.ticks(call.enter as i64), exit, ..call };
        let (words, length) = entry::encode(&call, done.len());
        self.words.extend(&words[..length]);
        done.iter().for_each(|one| self.words.extend(entry::encode_completion(one)));
    }

    fn register(&mut self, communicator: Communicator) {
        let parent = match communicator {
            Communicator::ParityDuplicate => self.id(Communicator::Parity),
            _ => entry::WORLD,
        };
        let local = self.members(communicator).iter().map(|&rank| rank as u32).collect();
        let id = self.id(communicator);
        self.words.extend(LocalGroup { id, parent, local, remote: Vec::new() }.encode());
    }

    /// The number of the group of these ranks, for epochs of windows.
    pub fn window_group(&mut self, ranks: &[usize]) -> u32 {
        if let Some(at) = self.window_groups.iter().position(|group| group == ranks) {
            return at as u32 + 1;
        }
        self.window_groups.push(ranks.to_vec());
        self.polls = None;
        let id = self.window_groups.len() as u32;
        let ranks = ranks.iter().map(|rank| *rank as u32).collect();
        self.words.extend(WindowGroup { id, ranks }.encode());
        id
    }

    /// What the rank says of itself, whose tracer knew so many functions.
    pub fn facts(&mut self, functions: usize) {
        let library = Some("simulated".to_owned());
        let size = self.ranks as u32;
        let facts = RankFacts { library, size, functions, ..RankFacts::default() };
        self.words.extend(entry::encode_facts(&facts));
    }

    /// A clock exchange that this rank began.
    pub fn exchange(&mut self, other: usize, exchange: Exchange) {
        self.polls = None;
        self.words.extend(entry::encode_exchange(other as u32, &exchange));
    }
}
