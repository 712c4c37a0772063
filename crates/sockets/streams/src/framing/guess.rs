//! A rule that is guessed where none was given: by the first byte that the end writes which
//! connected. The rules themselves see to the rest: what is no request of HTTP/1, or no command of
//! Redis, ends the framing before its first message; and where bytes do not follow the rule later,
//! the whole connection counts as if it had none.

use super::http::Http;
use super::reason::Reason;
use super::resp::Resp;
use super::rules::{Any, PortRule};
use super::step::Rule;

/// What was guessed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Guess {
    /// HTTP/1: the name of a method has capitals only.
    Http = 1,
    /// Redis: an array, as every client sends it.
    Resp = 2,
}

impl Guess {
    /// By a connection's first byte.
    pub(super) fn of(first: u8) -> Option<Guess> {
        match first {
            b'A'..=b'Z' => Some(Guess::Http),
            b'*' => Some(Guess::Resp),
            _ => None,
        }
    }

    /// The one with this number.
    pub fn from_code(code: u8) -> Option<Guess> {
        [Guess::Http, Guess::Resp].into_iter().find(|one| *one as u8 == code)
    }

    /// Its rule, for connections to a port.
    pub fn rule(self, port: u16) -> PortRule {
        let name = match self {
            Guess::Http => Http::NAME,
            Guess::Resp => Resp::NAME,
        };
        PortRule { port, name: name.to_owned(), rule: self.any() }
    }

    pub(super) fn any(self) -> Any {
        let any = match self {
            Guess::Http => Http::new(None).map(Any::Http),
            Guess::Resp => Resp::new(None).map(Any::Resp),
        };
        any.expect("these take no argument")
    }

    /// Whether the end of a framing shows that the guess was wrong.
    pub fn is_refuted_by(reason: Reason) -> bool {
        matches!(
            reason,
            Reason::NotThis | Reason::TooLong | Reason::Unasked | Reason::Contradiction
        )
    }
}
