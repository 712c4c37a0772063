//! One-sided communication of simulated ranks, and the truth about who waited for whom in it.
//!
//! Rounds of epochs on one window. Ranks come when they like; where a call has to wait is up to the
//! library.

use super::log::RankLog;
use super::program::Communicator;
use super::random::Random;
use calls::cause::Cause;
use calls::entry::{Call, NO_PEER, flags};
use calls::list::Operation;

/// Which call of an epoch waits for the other side.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Library {
    /// The one that opens it.
    First,
    /// The first that needs it: each that moves data to a target, and the flush under a lock.
    Needed,
    /// The one that closes it.
    Last,
}

/// A call that was blocked, at least.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Held {
    pub rank: usize,
    pub row: i64,
    pub cause: Cause,
    pub by: usize,
    pub ns: i64,
}

/// What a call takes that does not wait.
pub const CALL_NS: i64 = 100;

const WINDOW: Communicator = Communicator::Duplicate;

/// Ranks that use a window.
pub struct Windows<'a> {
    pub random: &'a mut Random,
    pub library: Library,
    pub logs: &'a mut [RankLog],
    /// Where each rank is.
    pub now: Vec<i64>,
    pub held: Vec<Held>,
}

/// A rank that wants a lock, and what comes of it.
#[derive(Clone, Copy)]
struct Contender {
    rank: usize,
    exclusive: bool,
    /// Of all ranks.
    all: bool,
    /// When it asks in earnest, and how long it keeps the lock.
    asks: i64,
    keeps: i64,
    /// When the unlock is entered.
    unlocks: i64,
}

impl Windows<'_> {
    /// So many rounds; when the last one is over.
    pub fn rounds(&mut self, rounds: usize) -> i64 {
        for _ in 0..rounds {
            match self.random.once_in(2) {
                true => self.meet(),
                false => self.lock(),
            }
            // Nobody is in two rounds at once.
            let over = self.now.iter().copied().max().unwrap_or(0);
            self.now.fill(over);
        }
        self.now[0]
    }

    /// Some ranks access the windows of the others.
    fn meet(&mut self) {
        let ranks: Vec<usize> = (0..self.logs.len()).collect();
        let (targets, origins): (Vec<usize>, Vec<usize>) =
            ranks.into_iter().partition(|_| self.random.once_in(2));
        let posts: Vec<(usize, i64)> = targets
            .iter()
            .map(|target| {
                let at = self.computes(*target);
                let group = self.logs[*target].window_group(&origins);
                self.call(*target, Operation::Win_post, NO_PEER, group, at + CALL_NS);
                (*target, at)
            })
            .collect();
        let completes: Vec<(usize, i64)> =
            origins.iter().map(|origin| (*origin, self.access(*origin, &posts))).collect();
        for target in targets {
            self.computes(target);
            let last = last(&completes);
            let leaves = last.map_or(0, |(_, at)| at).max(self.now[target]) + 2 * CALL_NS;
            self.hold(target, Cause::LateComplete, last);
            self.call(target, Operation::Win_wait, NO_PEER, 0, leaves);
        }
    }

    /// When the epoch's complete was entered.
    fn access(&mut self, origin: usize, posts: &[(usize, i64)]) -> i64 {
        let targets: Vec<usize> = posts.iter().map(|(target, _)| *target).collect();
        let group = self.logs[origin].window_group(&targets);
        self.computes(origin);
        let needed = |waits: bool, of: &[(usize, i64)]| last(of).filter(|_| waits);
        let all = needed(self.library == Library::First, posts);
        self.waits(origin, Operation::Win_start, NO_PEER, group, all);
        for _ in 0..self.random.below(4) {
            let Some(at) = posts.get(self.random.below(posts.len().max(1) as u64) as usize) else {
                break;
            };
            let peer = self.logs[origin].peer(WINDOW, at.0);
            let one = needed(self.library == Library::Needed, &[*at]);
            self.waits(origin, Operation::Put, peer, 0, one);
        }
        self.computes(origin);
        let enters = self.now[origin];
        let all = needed(self.library != Library::First, posts);
        self.waits(origin, Operation::Win_complete, NO_PEER, 0, all);
        enters
    }

    /// A call that waits for the moment of another rank, where there is one.
    fn waits(
        &mut self,
        rank: usize,
        operation: Operation,
        peer: i32,
        group: u32,
        by: Option<(usize, i64)>,
    ) {
        self.hold(rank, Cause::LatePost, by);
        let leaves = by.map_or(0, |(_, at)| at).max(self.now[rank]) + CALL_NS;
        self.call(rank, operation, peer, group, leaves);
    }

    /// Ranks want locks of one rank's window.
    fn lock(&mut self) {
        let target = self.random.below(self.logs.len() as u64) as usize;
        let mut all: Vec<Contender> = Vec::new();
        for rank in 0..self.logs.len() {
            if self.random.once_in(3) {
                continue;
            }
            let (exclusive, at) = (self.random.once_in(2), self.computes(rank));
            // Where the lock is asked for later than in the first call.
            let asks = match self.library {
                Library::First => at,
                Library::Needed => at + 2 * CALL_NS,
                Library::Last => at + 2 * CALL_NS + self.random.between(0, 100_000),
            };
            let keeps =
                if self.library == Library::Last { 0 } else { self.random.between(0, 300_000) };
            let all_ranks = !exclusive && self.random.once_in(2);
            all.push(Contender { rank, exclusive, all: all_ranks, asks, keeps, unlocks: 0 });
        }
        // Who asks first is served first.
        all.sort_by_key(|one| (one.asks, one.rank));
        let mut served: Vec<Contender> = Vec::new();
        for one in all {
            let held: Vec<(usize, i64)> = served
                .iter()
                .filter(|other| other.exclusive || one.exclusive)
                .map(|other| (other.rank, other.unlocks))
                .collect();
            let released = last(&held).map_or(0, |(_, at)| at + CALL_NS / 2);
            let unlocks = self.keep(target, &one, released, last(&held));
            served.push(Contender { unlocks, ..one });
        }
    }

    /// A rank's calls under a lock, which is free from `released` on; when its unlock is entered.
    fn keep(
        &mut self,
        target: usize,
        one: &Contender,
        released: i64,
        by: Option<(usize, i64)>,
    ) -> i64 {
        let Contender { rank, exclusive, all, asks, keeps, .. } = *one;
        let peer = self.logs[rank].peer(WINDOW, target);
        let [of_lock, of_unlock] = if all { [NO_PEER; 2] } else { [peer; 2] };
        let lock = if all { Operation::Win_lock_all } else { Operation::Win_lock };
        let unlock = if all { Operation::Win_unlock_all } else { Operation::Win_unlock };
        let flag = if exclusive { flags::EXCLUSIVE } else { 0 };
        let granted = released.max(asks);
        let waits = |is: bool, now: i64| if is { granted.max(now) } else { now } + CALL_NS;
        let step = |this: &mut Self, operation, peer, is: bool| {
            if is {
                this.hold(rank, Cause::Lock, by);
            }
            let leaves = waits(is, this.now[rank]);
            this.write(rank, operation, (peer, 0, flag), leaves);
        };
        step(self, lock, of_lock, self.library == Library::First);
        step(self, Operation::Put, peer, false);
        if self.library == Library::Needed {
            step(self, Operation::Win_flush, peer, true);
        }
        self.now[rank] += keeps;
        if self.library == Library::Last {
            self.now[rank] = asks.max(self.now[rank]);
        }
        let unlocks = self.now[rank];
        step(self, unlock, of_unlock, self.library == Library::Last);
        unlocks
    }

    /// A rank does something else; when it is done.
    fn computes(&mut self, rank: usize) -> i64 {
        self.now[rank] += self.random.of(&[1_000, 10_000, 500_000]) + self.random.between(0, 5_000);
        self.now[rank]
    }

    fn hold(&mut self, rank: usize, cause: Cause, by: Option<(usize, i64)>) {
        if let Some((by, at)) = by.filter(|(_, at)| *at > self.now[rank]) {
            let (row, ns) = (self.logs[rank].rows(), at - self.now[rank]);
            self.held.push(Held { rank, row, cause, by, ns });
        }
    }

    fn call(&mut self, rank: usize, operation: Operation, peer: i32, group: u32, leaves: i64) {
        self.write(rank, operation, (peer, group, 0), leaves);
    }

    fn write(
        &mut self,
        rank: usize,
        operation: Operation,
        (peer, group, flag): (i32, u32, u16),
        leaves: i64,
    ) {
        let communicator = self.logs[rank].id(WINDOW);
        let call = Call {
            operation: operation as u16,
            flags: flags::MESSAGE | flag,
            peer,
            tag: group as i32,
            communicator,
            enter: self.now[rank] as u64,
            exit: leaves as u64,
            ..Call::default()
        };
        self.logs[rank].call(call, &[]);
        self.now[rank] = leaves;
    }
}

/// The last of these moments; of several that of the smallest rank.
fn last(moments: &[(usize, i64)]) -> Option<(usize, i64)> {
    moments.iter().copied().max_by_key(|(rank, at)| (*at, std::cmp::Reverse(*rank)))
}
