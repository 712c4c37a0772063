//! Random programs that cannot hang: all ranks follow one order of messages.

use super::random::Random;

/// What a rank does. Ranks in operations are world ranks; `key` names a request within the rank.
#[derive(Clone, Debug)]
pub enum Op {
    Compute(i64),
    Send {
        to: usize,
        envelope: Envelope,
        bytes: u64,
        synchronous: bool,
    },
    StartSend {
        to: usize,
        envelope: Envelope,
        bytes: u64,
        key: usize,
        persistent: bool,
    },
    Receive {
        from: Option<usize>,
        envelope: Envelope,
    },
    /// Both in one call; the send is eager.
    SendReceive {
        to: usize,
        sent: Envelope,
        bytes: u64,
        from: Option<usize>,
        envelope: Envelope,
    },
    StartReceive {
        from: Option<usize>,
        envelope: Envelope,
        key: usize,
        persistent: bool,
    },
    /// A probe, then a receive of what it found.
    ProbeReceive {
        from: Option<usize>,
        envelope: Envelope,
        polls: bool,
    },
    /// A matched probe, then its receive, at once or by a request.
    MatchedReceive {
        from: Option<usize>,
        envelope: Envelope,
        key: Option<usize>,
    },
    /// A receive of what never comes, given up.
    Cancel {
        from: usize,
        envelope: Envelope,
        key: usize,
    },
    /// A request given back instead of waited for.
    Free {
        key: usize,
    },
    Wait {
        keys: Vec<usize>,
        how: Waiting,
    },
    /// A collective, as far as the log sees it.
    Barrier,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Waiting {
    All,
    /// One call each.
    Each,
    /// Until none is left, whichever is first.
    Any,
    /// Poll each until it is complete.
    Test,
}

/// Communicator and tag; no tag means any, on the side of the receiver.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Envelope {
    pub communicator: Communicator,
    pub tag: Option<i32>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Communicator {
    World,
    Duplicate,
    /// The ranks of the same parity, in falling order.
    Parity,
    /// Where all receives are for any source and any tag.
    Any,
    /// A duplicate of the parity's.
    ParityDuplicate,
}

/// Messages up to here are handed over at once.
pub const EAGER_MAX: u64 = 4096;

/// A program for each rank with `messages` messages in all.
pub fn programs(random: &mut Random, ranks: usize, messages: usize) -> Vec<Vec<Op>> {
    let mut writer = Writer { random, ranks: vec![Rank::default(); ranks] };
    for _ in 0..messages {
        writer.message();
        let rank = writer.random.below(ranks as u64) as usize;
        writer.something(rank);
    }
    (0..ranks).for_each(|rank| writer.wait(rank));
    writer.ranks.into_iter().map(|rank| rank.ops).collect()
}

#[derive(Clone, Default)]
struct Rank {
    ops: Vec<Op>,
    open: Vec<usize>,
    keys: usize,
}

impl Rank {
    fn key(&mut self) -> usize {
        self.keys += 1;
        self.open.push(self.keys);
        self.keys
    }
}

struct Writer<'a> {
    random: &'a mut Random,
    ranks: Vec<Rank>,
}

impl Writer<'_> {
    fn message(&mut self) {
        let count = self.ranks.len() as u64;
        let (src, dst) = (self.random.below(count) as usize, self.random.below(count) as usize);
        let wild = self.random.once_in(4);
        let communicator = self.communicator(src, dst, wild);
        // Odd tags are received from any source.
        let tag = if wild { self.random.of(&[1, 3]) } else { self.random.of(&[0, 2, 4]) };
        let eager = wild || src == dst || self.random.once_in(2);
        let largest = if eager { EAGER_MAX } else { EAGER_MAX * 64 };
        let bytes = self.random.of(&[0, 8, 8, 8, 1000, EAGER_MAX, largest, largest]);
        let envelope = Envelope { communicator, tag: Some(tag) };
        if src != dst && self.random.once_in(8) {
            return self.relay(src, dst, envelope, bytes, wild);
        }
        let receives_first = src == dst && !self.random.once_in(2);
        if receives_first {
            self.start_receive(src, dst, envelope, wild);
            self.send(src, dst, envelope, bytes);
        } else {
            self.send(src, dst, envelope, bytes);
            self.receive(src, dst, envelope, wild);
        }
    }

    /// What comes to a rank, and something that it sends on in the same call.
    fn relay(&mut self, src: usize, dst: usize, envelope: Envelope, bytes: u64, wild: bool) {
        let third = (dst + 1) % self.ranks.len();
        let on = Envelope { communicator: Communicator::World, tag: Some(2) };
        self.send(src, dst, envelope, bytes);
        let (from, envelope) = posted(src, envelope, wild);
        let both = Op::SendReceive { to: third, sent: on, bytes: 8, from, envelope };
        self.ranks[dst].ops.push(both);
        self.receive(dst, third, on, false);
    }

    fn communicator(&mut self, src: usize, dst: usize, wild: bool) -> Communicator {
        use Communicator::{Any, Duplicate, Parity, ParityDuplicate, World};
        match (wild, src % 2 == dst % 2) {
            (true, _) => self.random.of(&[World, Any]),
            (false, true) => self.random.of(&[World, Duplicate, Parity, ParityDuplicate]),
            (false, false) => self.random.of(&[World, Duplicate]),
        }
    }

    fn send(&mut self, to_src: usize, to: usize, envelope: Envelope, bytes: u64) {
        // A rank that waits for itself to receive would wait for ever.
        let synchronous = to_src != to && bytes > EAGER_MAX && self.random.once_in(8);
        let rank = &mut self.ranks[to_src];
        let op = match self.random.below(4) {
            0 | 1 => Op::Send { to, envelope, bytes, synchronous },
            choice => {
                let persistent = choice == 3;
                Op::StartSend { to, envelope, bytes, key: rank.key(), persistent }
            }
        };
        let rank = &mut self.ranks[to_src];
        let freed = match &op {
            Op::StartSend { key, .. } if self.random.once_in(10) => Some(*key),
            _ => None,
        };
        rank.ops.push(op);
        if let Some(key) = freed {
            rank.open.retain(|open| *open != key);
            rank.ops.push(Op::Free { key });
        }
    }

    fn receive(&mut self, src: usize, dst: usize, envelope: Envelope, wild: bool) {
        let (from, envelope) = posted(src, envelope, wild);
        let choice = self.random.below(8);
        let polls = self.random.once_in(2);
        let rank = &mut self.ranks[dst];
        match choice {
            0..3 => rank.ops.push(Op::Receive { from, envelope }),
            3..6 => self.start_receive(src, dst, envelope, wild),
            6 => rank.ops.push(Op::ProbeReceive { from, envelope, polls }),
            _ => {
                let key = polls.then(|| rank.key());
                rank.ops.push(Op::MatchedReceive { from, envelope, key });
            }
        }
    }

    fn start_receive(&mut self, src: usize, dst: usize, envelope: Envelope, wild: bool) {
        let (from, envelope) = posted(src, envelope, wild);
        let persistent = self.random.once_in(3);
        let rank = &mut self.ranks[dst];
        let key = rank.key();
        rank.ops.push(Op::StartReceive { from, envelope, key, persistent });
    }

    /// Between messages.
    fn something(&mut self, rank: usize) {
        let length = self.random.of(&[100, 1000, 5_000, 200_000]);
        match self.random.below(8) {
            0..3 => self.ranks[rank].ops.push(Op::Compute(length)),
            3 => self.ranks[rank].ops.push(Op::Barrier),
            4 => {
                let envelope = Envelope { communicator: Communicator::World, tag: Some(77) };
                let from = (rank + 1) % self.ranks.len();
                let rank = &mut self.ranks[rank];
                rank.keys += 1;
                rank.ops.push(Op::Cancel { from, envelope, key: rank.keys });
            }
            5..7 => self.wait(rank),
            _ => {}
        }
    }

    fn wait(&mut self, rank: usize) {
        let how = self.random.of(&[Waiting::All, Waiting::Each, Waiting::Any, Waiting::Test]);
        let keys = std::mem::take(&mut self.ranks[rank].open);
        if !keys.is_empty() {
            self.ranks[rank].ops.push(Op::Wait { keys, how });
        }
    }
}

/// How the receive of a message is posted.
fn posted(src: usize, envelope: Envelope, wild: bool) -> (Option<usize>, Envelope) {
    match (wild, envelope.communicator) {
        (true, Communicator::Any) => (None, Envelope { tag: None, ..envelope }),
        (true, _) => (None, envelope),
        (false, _) => (Some(src), envelope),
    }
}
