//! How a connection ends: in good order, or why not. Pure.
//!
//! A stream may end after the peer's good-bye; how the connection goes down then does not matter.
//! Without one, the peer is lost.

use crate::error::FabricError;
use crate::spec::NodeId;
use crate::transports::sockets::Failure;

/// How far a connection has come towards its end.
#[derive(Default)]
pub(super) struct Ending {
    pub said_bye: bool,
    ended: bool,
    failure: Option<Failure>,
    reported: bool,
}

impl Ending {
    /// Whether nothing comes any more.
    #[inline]
    pub fn is_over(&self) -> bool {
        self.ended || self.failure.is_some()
    }

    /// Whether it broke.
    #[inline]
    pub fn has_failed(&self) -> bool {
        self.failure.is_some()
    }

    /// The stream has ended.
    pub fn stream_ended(&mut self, bye_seen: bool) {
        self.ended = true;
        if !bye_seen {
            self.failure = Some(Failure::Lost("its connection ended unexpectedly".to_string()));
        }
    }

    /// The connection broke.
    pub fn broke(&mut self, error: &std::io::Error, bye_seen: bool) {
        if bye_seen {
            self.ended = true;
        } else {
            self.failure.get_or_insert(Failure::Lost(format!("its connection broke: {error}")));
        }
    }

    /// The peer has sent what no peer sends.
    pub fn nonsense(&mut self, what: impl ToString) {
        self.failure = Some(Failure::Garbage(what.to_string()));
    }

    /// Why the peer is gone, once; `again`: even if told before.
    pub fn tell(&mut self, node: NodeId, again: bool) -> Option<FabricError> {
        let failure = self.failure.as_ref()?;
        if self.reported && !again {
            return None;
        }
        self.reported = true;
        Some(failure.error(node))
    }

    /// Why nothing can be sent to the peer any more.
    #[inline]
    pub fn refusal(&self, node: NodeId) -> Option<FabricError> {
        match &self.failure {
            Some(failure) => Some(failure.error(node)),
            None if self.ended => Some(Failure::Lost("it has left".to_string()).error(node)),
            None => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::ErrorKind;

    #[test]
    fn an_end_after_a_good_bye_is_good_however_it_comes() {
        for breaks in [false, true] {
            let mut ending = Ending::default();
            match breaks {
                true => ending.broke(&ErrorKind::ConnectionReset.into(), true),
                false => ending.stream_ended(true),
            }
            assert!(ending.is_over() && !ending.has_failed() && ending.tell(3, true).is_none());
            let refusal = ending.refusal(3).unwrap().to_string();
            assert!(refusal.contains("it has left"), "{refusal}");
        }
    }

    #[test]
    fn the_first_reason_stays_and_is_told_once() {
        let mut ending = Ending::default();
        assert!(ending.refusal(3).is_none());
        ending.stream_ended(false);
        ending.broke(&ErrorKind::BrokenPipe.into(), false);
        let told = ending.tell(3, false).unwrap().to_string();
        assert!(told.contains("ended unexpectedly"), "{told}");
        assert!(ending.tell(3, false).is_none() && ending.tell(3, true).is_some());
    }
}
