//! What the flags of a logged call mean for requests and messages.

use crate::entry::{ANY_PEER, Call, flags};
use crate::list::{CLASSES, Class, Operation, PLAIN};
use crate::message::Mode;

impl Call {
    #[inline]
    fn is(&self, flag: u16) -> bool {
        self.flags & flag != 0
    }

    pub(crate) fn class(&self) -> Class {
        CLASSES.get(usize::from(self.operation)).copied().unwrap_or(Class::Other)
    }

    /// The request that it begins. A matched receive goes on with the request of its probe, a call
    /// that failed began nothing, and giving up or giving back names a request that is there.
    #[inline]
    pub(crate) fn begins(&self) -> Option<u32> {
        let not = flags::POLLS | flags::FAILED | flags::MATCHED | flags::FREED;
        let message = self.is(flags::SENDS | flags::RECEIVES);
        let begins = self.request != 0
            && self.flags & not == 0
            && (message || self.class() != Class::Request);
        begins.then_some(self.request)
    }

    /// The request that it gives back before it is complete.
    #[inline]
    pub(crate) fn gives_back(&self) -> Option<u32> {
        (self.is(flags::FREED) && self.request != 0).then_some(self.request)
    }

    /// Whether a send takes its place in the order of sends.
    #[inline]
    pub(crate) fn posts_send(&self) -> bool {
        self.flags & (flags::SENDS | flags::POLLS | flags::FAILED) == flags::SENDS && self.peer >= 0
    }

    /// Whether a receive takes its place in the order of receives.
    #[inline]
    pub(crate) fn posts_receive(&self) -> bool {
        let not = flags::POLLS | flags::FAILED | flags::MATCHED;
        self.flags & (flags::RECEIVES | not) == flags::RECEIVES
            && (self.peer >= 0 || self.peer == ANY_PEER)
    }

    /// Whether it has received its message by itself, without a request.
    #[inline]
    pub(crate) fn took_a_message(&self) -> bool {
        self.posts_receive() && self.request == 0 && self.exit != 0 && self.peer >= 0
    }

    /// What its send asks for.
    #[inline]
    pub(crate) fn mode(&self) -> Mode {
        if self.is(flags::SYNCHRONOUS) {
            return Mode::Synchronous;
        }
        let local = |plain: Operation| {
            use Operation::{Bsend, Ibsend, Irsend, Rsend};
            matches!(plain, Bsend | Ibsend | Rsend | Irsend)
        };
        let plain = PLAIN.get(usize::from(self.operation));
        if plain.is_some_and(|plain| local(*plain)) { Mode::Local } else { Mode::Standard }
    }

    #[inline]
    pub(crate) fn is_continued(&self) -> bool {
        self.is(flags::CONTINUED)
    }

    #[inline]
    pub(crate) fn is_polls(&self) -> bool {
        self.is(flags::POLLS)
    }

    #[inline]
    pub(crate) fn is_partitioned(&self) -> bool {
        self.is(flags::PARTITIONED)
    }

    /// Whether its message did not fit.
    #[inline]
    pub(crate) fn is_truncated(&self) -> bool {
        self.is(flags::TRUNCATED)
    }

    /// Whether it takes part in a collective: calls it, or starts one that was prepared.
    #[inline]
    pub(crate) fn is_of_a_collective(&self) -> bool {
        match self.class() {
            Class::Collective | Class::StartCollective | Class::Window => true,
            Class::PrepareCollective => self.request != 0,
            _ => false,
        }
    }

    /// Whether it opens, closes or waits within an epoch of a window, or moves data in one.
    #[inline]
    pub(crate) fn is_one_sided(&self) -> bool {
        matches!(self.class(), Class::Epoch | Class::OneSided)
    }

    /// Whether the lock is exclusive.
    pub(crate) fn is_exclusive(&self) -> bool {
        self.is(flags::EXCLUSIVE)
    }

    /// Whether it returned an error.
    pub(crate) fn has_failed(&self) -> bool {
        self.is(flags::FAILED)
    }

    #[inline]
    pub(crate) fn has_message(&self) -> bool {
        self.is(flags::MESSAGE)
    }

    /// Whether it left a message in the queue that it found there.
    #[inline]
    pub(crate) fn found_a_message(&self) -> bool {
        let plain = self.flags & (flags::MESSAGE | flags::POLLS | flags::FAILED) == flags::MESSAGE;
        plain && self.class() == Class::Probe && self.exit != 0 && self.peer >= 0
    }
}
