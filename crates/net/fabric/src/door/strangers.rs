//! Those who were not let in, counted by kind: a flood of them must not become a flood of notes.

use crate::handshake::HandshakeError;
use std::fmt;

/// Why somebody was not let in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StrangerKind {
    /// Connected and sent nothing.
    Silent,
    /// Began the handshake and did not finish it.
    Unfinished,
    /// Closed the connection before the end of the handshake.
    HungUp,
    /// Sent something else than the handshake.
    Foreign,
    /// Could not prove that it holds the run key.
    WrongKey,
    /// Another version, launch or role, or another kind of connection.
    Misdirected,
}

/// All kinds with their words, in the order of their codes.
const KINDS: [(StrangerKind, &str); 6] = [
    (StrangerKind::Silent, "sent nothing"),
    (StrangerKind::Unfinished, "did not finish the handshake"),
    (StrangerKind::HungUp, "disconnected before the end of the handshake"),
    (StrangerKind::Foreign, "did not speak Fourstamp's protocol"),
    (StrangerKind::WrongKey, "did not hold the run key"),
    (StrangerKind::Misdirected, "were of another version, launch or role"),
];

impl StrangerKind {
    /// What a failed handshake says of the other end; `has_begun`: it had sent something.
    pub(super) fn of(error: &HandshakeError, has_begun: bool) -> StrangerKind {
        match error {
            HandshakeError::Foreign { .. } | HandshakeError::Malformed { .. } => {
                StrangerKind::Foreign
            }
            HandshakeError::WrongKey { .. } => StrangerKind::WrongKey,
            HandshakeError::OtherVersion { .. }
            | HandshakeError::BadLength { .. }
            | HandshakeError::Reflected { .. }
            | HandshakeError::OtherPurpose { .. }
            | HandshakeError::OtherSession { .. } => StrangerKind::Misdirected,
            HandshakeError::Truncated { .. }
            | HandshakeError::TurnedAway { .. }
            | HandshakeError::Io { .. }
            | HandshakeError::Random { .. } => StrangerKind::HungUp,
            HandshakeError::Timeout { .. } | HandshakeError::Crowded { .. } => match has_begun {
                true => StrangerKind::Unfinished,
                false => StrangerKind::Silent,
            },
        }
    }
}

/// How many were not let in.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Strangers {
    counts: [u64; KINDS.len()],
    /// Of these, how many had to make room for later ones.
    crowded: u64,
}

impl Strangers {
    /// One more; whether it is the first of its kind.
    pub(super) fn add(&mut self, kind: StrangerKind, is_crowded: bool) -> bool {
        self.crowded += u64::from(is_crowded);
        let count = &mut self.counts[kind as usize];
        *count += 1;
        *count == 1
    }

    /// All of them.
    pub fn total(&self) -> u64 {
        self.counts.iter().sum()
    }

    /// Those of one kind.
    pub fn of(&self, kind: StrangerKind) -> u64 {
        self.counts[kind as usize]
    }

    /// Those that have come since `before` was read from the same door.
    pub fn since(&self, before: &Strangers) -> Strangers {
        Strangers {
            counts: std::array::from_fn(|kind| {
                self.counts[kind].saturating_sub(before.counts[kind])
            }),
            crowded: self.crowded.saturating_sub(before.crowded),
        }
    }
}

impl fmt::Display for Strangers {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let plural = if self.total() == 1 { "connection was" } else { "connections were" };
        write!(out, "{} {plural} refused", self.total())?;
        let some = KINDS.iter().filter(|(kind, _)| self.of(*kind) > 0);
        for (at, (kind, words)) in some.enumerate() {
            write!(out, "{} {} {words}", if at == 0 { ":" } else { "," }, self.of(*kind))?;
        }
        match self.crowded {
            0 => Ok(()),
            crowded => write!(out, "; {crowded} dropped to make room for later ones"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_kind_has_its_own_place_and_words() {
        for (at, (kind, _)) in KINDS.iter().enumerate() {
            assert_eq!(*kind as usize, at);
        }
        let mut strangers = Strangers::default();
        assert!(strangers.add(StrangerKind::Silent, true));
        assert!(!strangers.add(StrangerKind::Silent, false));
        let before = strangers;
        assert!(strangers.add(StrangerKind::WrongKey, false));
        assert_eq!(
            strangers.to_string(),
            "3 connections were refused: 2 sent nothing, 1 did not hold the run key; 1 dropped \
            to make room for later ones"
        );
        assert_eq!(
            strangers.since(&before).to_string(),
            "1 connection was refused: 1 did not hold the run key"
        );
    }
}
