//! Sends and receives brought together: the k-th send with the k-th receive on each (communicator,
//! source, destination, tag), in the order posted. That is MPI's own rule: messages of one channel
//! do not overtake one another.
//!
//! A channel holds what is in flight only. Once a rank's log has ended, what waits for it waits in
//! vain and is handed on without a partner at once, so that a rank that died does not fill the
//! memory.

use crate::channel::Channel;
use crate::message::{Got, Sent};
use rustc_hash::FxHashMap;

/// Channels without anything in flight are kept up to here, because most are used again.
const CHANNELS_KEPT: usize = 1 << 16;

/// Takes what matching finds.
pub(crate) trait Matches {
    fn pair(&mut self, sent: &Sent, got: &Got);
    fn lone_send(&mut self, sent: &Sent);
    fn lone_receive(&mut self, got: &Got);
}

/// What is in flight between all ranks.
#[derive(Default)]
pub(crate) struct Matcher {
    channels: FxHashMap<Channel, InFlight>,
    /// So many channels are looked through for idle ones.
    sweep_at: usize,
    sends: Chains<Sent>,
    receives: Chains<Got>,
    ended: Vec<bool>,
}

/// At most one of the two chains holds something.
#[derive(Clone, Copy)]
struct InFlight {
    sends: Chain,
    receives: Chain,
}

impl InFlight {
    const IDLE: InFlight = InFlight { sends: Chain::EMPTY, receives: Chain::EMPTY };

    fn is_idle(self) -> bool {
        self.sends.is_empty() && self.receives.is_empty()
    }
}

#[derive(Clone, Copy)]
struct Chain {
    first: u32,
    last: u32,
}

const NONE: u32 = u32::MAX;

impl Chain {
    const EMPTY: Chain = Chain { first: NONE, last: NONE };

    fn is_empty(self) -> bool {
        self.first == NONE
    }
}

/// Chains of values through one vector.
struct Chains<T> {
    nodes: Vec<(T, u32)>,
    free: u32,
}

impl<T> Default for Chains<T> {
    fn default() -> Chains<T> {
        Chains { nodes: Vec::new(), free: NONE }
    }
}

impl<T: Copy> Chains<T> {
    #[inline]
    fn push(&mut self, chain: &mut Chain, value: T) {
        let at = match self.free {
            NONE => {
                self.nodes.push((value, NONE));
                self.nodes.len() as u32 - 1
            }
            at => {
                self.free = self.nodes[at as usize].1;
                self.nodes[at as usize] = (value, NONE);
                at
            }
        };
        match chain.last {
            NONE => chain.first = at,
            last => self.nodes[last as usize].1 = at,
        }
        chain.last = at;
    }

    #[inline]
    fn pop(&mut self, chain: &mut Chain) -> Option<T> {
        if chain.is_empty() {
            return None;
        }
        let at = chain.first;
        let (value, next) = self.nodes[at as usize];
        chain.first = next;
        if next == NONE {
            chain.last = NONE;
        }
        self.nodes[at as usize].1 = self.free;
        self.free = at;
        Some(value)
    }
}

impl Matcher {
    pub fn new(ranks: usize) -> Matcher {
        Matcher { ended: vec![false; ranks], sweep_at: CHANNELS_KEPT, ..Matcher::default() }
    }

    /// The next send of a rank.
    #[inline]
    pub fn send(&mut self, sent: &Sent, out: &mut impl Matches) {
        let receiver_ended = self.has_ended(sent.dst);
        self.sweep();
        let key = sent.channel();
        let channel = self.channels.entry(key).or_insert(InFlight::IDLE);
        match self.receives.pop(&mut channel.receives) {
            Some(got) => out.pair(sent, &got),
            None if receiver_ended => out.lone_send(sent),
            None => self.sends.push(&mut channel.sends, *sent),
        }
    }

    /// The next receive of a rank.
    #[inline]
    pub fn receive(&mut self, got: &Got, out: &mut impl Matches) {
        let sender_ended = self.has_ended(got.src);
        self.sweep();
        let key = got.channel();
        let channel = self.channels.entry(key).or_insert(InFlight::IDLE);
        match self.sends.pop(&mut channel.sends) {
            Some(sent) => out.pair(&sent, got),
            None if sender_ended => out.lone_receive(got),
            None => self.receives.push(&mut channel.receives, *got),
        }
    }

    /// The log of a rank has ended: nobody will meet what waits for it.
    pub fn end(&mut self, rank: u32, out: &mut impl Matches) {
        self.ended[rank as usize] = true;
        let is_of = |key: &&Channel| key.dst() == rank || key.src() == rank;
        let mut keys: Vec<Channel> = self.channels.keys().filter(is_of).copied().collect();
        // In an order of their own: that of the table depends on all that went before.
        keys.sort_unstable();
        for key in keys {
            let Some(channel) = self.channels.get_mut(&key) else { continue };
            if key.dst() == rank {
                while let Some(sent) = self.sends.pop(&mut channel.sends) {
                    out.lone_send(&sent);
                }
            }
            if key.src() == rank {
                while let Some(got) = self.receives.pop(&mut channel.receives) {
                    out.lone_receive(&got);
                }
            }
        }
        self.channels.retain(|_, channel| !channel.is_idle());
    }

    /// There is no log of this rank.
    pub fn never_begins(&mut self, rank: u32) {
        self.ended[rank as usize] = true;
    }

    /// A rank outside the world has ended before it began.
    fn has_ended(&self, rank: u32) -> bool {
        self.ended.get(rank as usize).copied().unwrap_or(true)
    }

    #[inline]
    fn sweep(&mut self) {
        if self.channels.len() >= self.sweep_at {
            self.channels.retain(|_, channel| !channel.is_idle());
            self.sweep_at = (self.channels.len() * 2).max(CHANNELS_KEPT);
        }
    }
}
