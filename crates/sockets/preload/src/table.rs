//! What each descriptor of the process is.
//!
//! A word for each, which is read on the way of every call and costs one load. Descriptors beyond
//! the table are passed through.

use std::sync::atomic::{AtomicU64, Ordering};
use streams::entry::SOCKETS_MAX;

/// Descriptors that are known; the usual hard limit of a process.
const SIZE: usize = 1 << 20;

static TABLE: [AtomicU64; SIZE] = [const { AtomicU64::new(0) }; SIZE];

/// What a descriptor is. Neither `OTHER` nor `STREAM`: not known; what else is said then holds of a
/// stream socket, if it is one. Where pipes are looked at, they are streams, too.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Known(u64);

/// No stream socket.
const OTHER: u64 = 1;
/// A stream socket; its number and the process that numbered it are in the upper bits.
const STREAM: u64 = 2;
/// Calls on it never wait.
const NON_BLOCKING: u64 = 4;
/// The kernel's stamps come with what it receives.
const STAMPED: u64 = 8;
/// The program asked for control data itself: what it receives is left alone.
const LEFT_ALONE: u64 = 16;
/// Where messages end in its bytes is looked for.
const FRAMED: u64 = 32;
/// Who made it is known, or it was there before the program.
const ACCOUNTED: u64 = 128;
/// Where a stream's number begins, below the flags above it.
const NUMBER_AT: u32 = 8;
/// It is an end of a pipe.
const PIPE: u64 = 1 << 28;
/// It was said that not all of its bytes are seen.
const HIDING: u64 = 1 << 29;
/// It is an end of a Unix-domain connection.
const UNIX: u64 = 1 << 30;

const _: () = assert!((SOCKETS_MAX as u64) << NUMBER_AT <= PIPE);

impl Known {
    /// No stream socket.
    pub const OTHER: Known = Known(OTHER);
    /// One of which it is known where it comes from, and nothing else.
    pub const ACCOUNTED: Known = Known(ACCOUNTED);

    /// A stream socket of this number, of the process of this generation.
    pub fn stream(number: u32, generation: u32) -> Known {
        Known(STREAM | u64::from(number) << NUMBER_AT | u64::from(generation) << 32)
    }

    /// The same of an end of a pipe.
    pub fn pipe(number: u32, generation: u32) -> Known {
        Known(Known::stream(number, generation).0 | PIPE)
    }

    /// Whether it is an end of a pipe.
    #[inline(always)]
    pub fn is_pipe(self) -> bool {
        self.0 & PIPE != 0
    }

    /// The same of an end of a Unix-domain connection.
    pub fn unix(self) -> Known {
        Known(self.0 | UNIX)
    }

    /// Whether the kernel counts none of its bytes.
    #[inline(always)]
    pub fn is_uncounted(self) -> bool {
        self.0 & (PIPE | UNIX) != 0
    }

    /// Whether it was said that not all of its bytes are seen.
    #[inline(always)]
    pub fn is_hiding(self) -> bool {
        self.0 & HIDING != 0
    }

    /// The same where that was said.
    pub fn hiding(self) -> Known {
        Known(self.0 | HIDING)
    }

    /// Whether it was looked at.
    #[inline(always)]
    pub fn is_known(self) -> bool {
        self.0 & (OTHER | STREAM) != 0
    }

    /// Whether nothing at all is said of it.
    #[inline(always)]
    pub fn is_blank(self) -> bool {
        self.0 == 0
    }

    /// Whether it is left alone.
    pub fn is_left_alone(self) -> bool {
        self.0 & LEFT_ALONE != 0
    }

    /// Whether it is a stream socket.
    #[inline(always)]
    pub fn is_stream(self) -> bool {
        self.0 & STREAM != 0
    }

    /// Whether it was numbered by the process of this generation, and not by its parent.
    #[inline(always)]
    pub fn is_of(self, generation: u32) -> bool {
        (self.0 >> 32) as u32 == generation
    }

    /// Its number.
    #[inline(always)]
    pub fn number(self) -> u32 {
        (self.0 >> NUMBER_AT) as u32 & (SOCKETS_MAX - 1)
    }

    /// Whether calls on it never wait.
    #[inline(always)]
    pub fn is_non_blocking(self) -> bool {
        self.0 & NON_BLOCKING != 0
    }

    /// Whether stamps come with what it receives, for us.
    #[inline(always)]
    pub fn is_stamped(self) -> bool {
        self.0 & (STAMPED | LEFT_ALONE) == STAMPED
    }

    /// Whether ends of messages are looked for.
    #[inline(always)]
    pub fn is_framed(self) -> bool {
        self.0 & FRAMED != 0
    }

    /// The same, framed or not.
    pub fn with_framing(self, is_so: bool) -> Known {
        Known(if is_so { self.0 | FRAMED } else { self.0 & !FRAMED })
    }

    /// The same where calls wait, or do not.
    pub fn with_non_blocking(self, is_so: bool) -> Known {
        Known(if is_so { self.0 | NON_BLOCKING } else { self.0 & !NON_BLOCKING })
    }

    /// The same with stamps.
    pub fn with_stamps(self) -> Known {
        Known(self.0 | STAMPED)
    }

    /// The same, left alone from now on.
    pub fn left_alone(self) -> Known {
        Known(self.0 | LEFT_ALONE)
    }
}

/// What this descriptor is.
#[inline(always)]
pub fn get(descriptor: i32) -> Known {
    match TABLE.get(descriptor as usize) {
        Some(word) => Known(word.load(Ordering::Relaxed)),
        None => Known::OTHER,
    }
}

/// From now on it is this.
pub fn set(descriptor: i32, known: Known) {
    if let Some(word) = TABLE.get(descriptor as usize) {
        word.store(known.0, Ordering::Relaxed);
    }
}

/// It is a new one, or there is none of that number any more.
#[inline(always)]
pub fn forget(descriptor: i32) {
    if let Some(word) = TABLE.get(descriptor as usize)
        && word.load(Ordering::Relaxed) != 0
    {
        word.store(0, Ordering::Relaxed);
    }
}

/// The same of all from one to another, both included.
pub fn forget_range(first: usize, last: usize) {
    for word in &TABLE[first.min(SIZE)..last.saturating_add(1).min(SIZE)] {
        if word.load(Ordering::Relaxed) != 0 {
            word.store(0, Ordering::Relaxed);
        }
    }
}
