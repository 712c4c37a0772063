//! The strangers of a door while their handshakes go on: how many, how long, and who leaves first.
//!
//! No socket and no clock: bytes and times are arguments, and a connection is whatever the door
//! holds. A stranger that takes too long is put out; when the lobby is full, the one that has been
//! in it longest makes room for the next. So nobody can keep a peer out by holding places: a peer's
//! handshake takes two round trips, and one that a flood has pushed out comes again
//! ([`reach`](crate::reach::reach)).

use super::strangers::{StrangerKind, Strangers};
use crate::handshake::{Handshake, HandshakeError, Introduction, Proved};
use crate::key_ring::KeyRing;
use std::collections::VecDeque;
use std::net::SocketAddr;
use std::time::{Duration, Instant};

/// What strangers may take.
#[derive(Clone, Copy, Debug)]
pub(super) struct Limits {
    /// Handshakes at one time.
    pub at_once: usize,
    /// Time for a handshake.
    pub patience: Duration,
}

/// The strangers, oldest first.
pub(super) struct Lobby<C> {
    keys: KeyRing,
    ours: Introduction,
    limits: Limits,
    strangers: VecDeque<Stranger<C>>,
    counts: Strangers,
}

struct Stranger<C> {
    connection: C,
    peer: SocketAddr,
    handshake: Handshake,
    since: Instant,
    has_begun: bool,
}

/// Somebody was not let in.
#[derive(Debug)]
pub(super) struct Refusal {
    pub reason: HandshakeError,
    /// Nobody was refused for this kind of reason before.
    pub is_first: bool,
}

/// What came of some bytes.
pub(super) enum Heard<C> {
    /// The handshake goes on; these bytes are to be sent.
    Waits(Vec<u8>),
    /// It has proved who it is. These bytes are to be sent before anything else.
    Proved { connection: C, peer: SocketAddr, proved: Box<Proved>, say: Vec<u8> },
    /// It is refused; these bytes may tell it so.
    Refused { connection: C, refusal: Refusal, say: Vec<u8> },
}

impl<C> Lobby<C> {
    pub fn new(keys: KeyRing, ours: Introduction, limits: Limits) -> Lobby<C> {
        let (strangers, counts) = Default::default();
        Lobby { keys, ours, limits, strangers, counts }
    }

    /// Let somebody into the lobby. Returns who had to make room.
    pub fn enter(&mut self, connection: C, peer: SocketAddr, now: Instant) -> Option<Refusal> {
        let refusal =
            if self.strangers.len() >= self.limits.at_once { self.crowd_out() } else { None };
        // Without random bytes nobody can come in: whoever is there comes again.
        let Ok(handshake) = Handshake::new(self.keys.clone(), self.ours, peer.to_string()) else {
            return refusal;
        };
        self.strangers.push_back(Stranger {
            connection,
            peer,
            handshake,
            since: now,
            has_begun: false,
        });
        refusal
    }

    /// The oldest leaves.
    pub fn crowd_out(&mut self) -> Option<Refusal> {
        let Stranger { peer, has_begun, .. } = self.strangers.pop_front()?;
        let reason = HandshakeError::Crowded { peer: peer.to_string() };
        Some(self.refuse(reason, has_begun))
    }

    /// How many are here.
    pub fn len(&self) -> usize {
        self.strangers.len()
    }

    /// Their connections, oldest first.
    pub fn connections(&self) -> impl Iterator<Item = &C> {
        self.strangers.iter().map(|stranger| &stranger.connection)
    }

    /// The connection of the stranger at `place`, and how many bytes it may say now.
    pub fn listen(&mut self, place: usize) -> (&mut C, usize) {
        let stranger = &mut self.strangers[place];
        (&mut stranger.connection, stranger.handshake.wants())
    }

    /// The stranger at `place` has said something. If it does not stay, those behind it move up.
    pub fn hear(&mut self, place: usize, bytes: &[u8]) -> Heard<C> {
        let stranger = &mut self.strangers[place];
        stranger.has_begun |= !bytes.is_empty();
        let heard = stranger.handshake.receive(bytes);
        let say = stranger.handshake.outgoing();
        if heard.is_ok() && stranger.handshake.finished().is_none() {
            return Heard::Waits(say);
        }
        let Stranger { connection, peer, has_begun, handshake, .. } = self.take(place);
        match (heard, handshake.into_proved()) {
            (Ok(_), Some(proved)) => {
                Heard::Proved { connection, peer, proved: Box::new(proved), say }
            }
            (Ok(_), None) => unreachable!("it waits, which was returned above"),
            (Err(reason), _) => {
                Heard::Refused { connection, refusal: self.refuse(reason, has_begun), say }
            }
        }
    }

    /// The stranger at `place` has ended its connection. Those behind it move up.
    pub fn hang_up(&mut self, place: usize) -> Refusal {
        let Stranger { peer, handshake, has_begun, .. } = self.take(place);
        let reason =
            HandshakeError::Truncated { peer: peer.to_string(), missing_bytes: handshake.wants() };
        self.refuse(reason, has_begun)
    }

    /// Put out everybody whose time is over.
    pub fn expire(&mut self, now: Instant) -> Vec<Refusal> {
        let mut refusals = Vec::new();
        while self.next_deadline().is_some_and(|deadline| deadline <= now) {
            let Some(Stranger { peer, since, has_begun, .. }) = self.strangers.pop_front() else {
                break;
            };
            let waited_ms = now.saturating_duration_since(since).as_millis() as u64;
            let reason = HandshakeError::Timeout { peer: peer.to_string(), waited_ms };
            refusals.push(self.refuse(reason, has_begun));
        }
        refusals
    }

    /// When the next one's time is over. All have the same time, so it is the oldest.
    pub fn next_deadline(&self) -> Option<Instant> {
        self.strangers.front().map(|stranger| stranger.since + self.limits.patience)
    }

    /// All that were not let in so far.
    pub fn counts(&self) -> Strangers {
        self.counts
    }

    fn take(&mut self, place: usize) -> Stranger<C> {
        self.strangers.remove(place).expect("the caller names a stranger that is here")
    }

    fn refuse(&mut self, reason: HandshakeError, has_begun: bool) -> Refusal {
        let is_crowded = matches!(reason, HandshakeError::Crowded { .. });
        let is_first = self.counts.add(StrangerKind::of(&reason, has_begun), is_crowded);
        Refusal { reason, is_first }
    }
}
