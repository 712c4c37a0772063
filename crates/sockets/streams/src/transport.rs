//! What a connection is made of, and what only pipes have.
//!
//! Both ends of a pipe have one number in the system, so which end it is belongs to the kind. The
//! kernel counts none of a pipe's bytes, but tells how many lie in it: at any moment that is what
//! was written without what was read ([`Look`]). Where calls that were seen do not add up to it,
//! others have moved bytes.

/// What a socket or a pipe is an end of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[repr(u8)]
pub enum Transport {
    /// A TCP connection.
    Tcp = 0,
    /// A pair of Unix-domain sockets.
    Unix = 1,
    /// A pipe, or a FIFO, as who reads it has it.
    PipeRead = 2,
    /// The same, as who writes it has it.
    PipeWrite = 3,
}

impl Transport {
    /// The one of this code.
    pub fn from_code(code: u8) -> Option<Transport> {
        use Transport::{PipeRead, PipeWrite, Tcp, Unix};
        [Tcp, Unix, PipeRead, PipeWrite].into_iter().find(|one| *one as u8 == code)
    }

    /// Whether bytes go one way only, from one descriptor to another.
    #[inline]
    pub fn is_pipe(self) -> bool {
        matches!(self, Transport::PipeRead | Transport::PipeWrite)
    }

    /// Whether the kernel stamps what arrives there, and both ends have addresses.
    #[inline]
    pub fn is_tcp(self) -> bool {
        self == Transport::Tcp
    }
}

/// Why the calls that were seen at an end of a pipe do not show all of its bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[repr(u8)]
pub enum Hiding {
    /// The C library's streams used it (`printf`, `fdopen`), whose calls are internal.
    Streams = 1,
    /// It carries packets (`O_DIRECT`), of which a read may drop the rest.
    Packets = 2,
    /// A descriptor of it both reads and writes.
    BothWays = 3,
}

impl Hiding {
    /// The one of this code.
    pub fn from_code(code: u8) -> Option<Hiding> {
        let all = [Hiding::Streams, Hiding::Packets, Hiding::BothWays];
        all.into_iter().find(|one| *one as u8 == code)
    }
}

/// A look at how much lay in a pipe.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Look<T> {
    /// It was not before that.
    pub from: T,
    /// It was not after that.
    pub until: T,
    /// Bytes that lay there.
    pub unread: u32,
}

impl Look<u64> {
    /// The fourth word of a call: bytes, and how long the look took, in ticks. `None`: too long
    /// to tell when it was.
    #[inline(always)]
    pub fn word(self) -> Option<u64> {
        let took = u32::try_from(self.until.wrapping_sub(self.from)).ok()?;
        Some(u64::from(self.unread) | u64::from(took) << 32)
    }

    /// The look behind a call that returned at `exit`.
    pub fn behind(exit: u64, word: u64) -> Look<u64> {
        Look { from: exit, until: exit.saturating_add(word >> 32), unread: word as u32 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_look_comes_back_from_its_word_unless_it_took_too_long() {
        let look = Look { from: 1 << 40, until: (1 << 40) + 77, unread: u32::MAX };
        assert_eq!(look.word().map(|word| Look::behind(look.from, word)), Some(look));
        assert_eq!(Look { until: look.from + (1 << 32), ..look }.word(), None);
    }

    #[test]
    fn an_unknown_code_is_nothing_else() {
        assert!((0..4).all(|code| Transport::from_code(code).unwrap() as u8 == code));
        assert!((1..4).all(|code| Hiding::from_code(code).unwrap() as u8 == code));
        assert_eq!((Transport::from_code(4), Hiding::from_code(0)), (None, None));
    }
}
