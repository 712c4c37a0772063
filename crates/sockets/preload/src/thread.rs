//! What each thread has of its own: a few words, zeros at first.
//!
//! A library finds its `thread_local!` by a call, which takes some nanoseconds, several times a
//! message. The words of a library that is there from the program's start lie at a distance from
//! the thread's pointer that the loader knows, so on x86-64 they are found by an addition.

use std::cell::Cell;
use std::sync::atomic::AtomicUsize;

/// A thread's words. Its signal handlers use them, too; no other thread does.
pub struct Thread {
    /// Where the next slot is; 0 when there is none. At the end of a window it points past it,
    /// which is where no slot of the window lies: windows are aligned to their size.
    pub next: AtomicUsize,
    /// The end of the window before, which is not written out yet: whoever is interrupted between
    /// taking a slot and filling it may find that the signal's handler has gone on to the next one.
    pub before: AtomicUsize,
    /// The last call in which it waited and found something: when it was entered and returned,
    /// ticks; 0 while there was none. And for how many descriptors, or 0.
    pub wait: Cell<[u64; 3]>,
    /// Calls that send and in which this thread is: more than one where a signal came.
    pub sending: Cell<u32>,
    /// This thread is at work for the tracer, whose own calls are not logged.
    pub inside: Cell<bool>,
    /// The last wait is in the window.
    pub has_logged_wait: Cell<bool>,
}

/// Bytes of the words, which the assembler must know.
const BYTES: usize = 48;
const _: () = assert!(size_of::<Thread>() == BYTES && align_of::<Thread>() <= 8);

/// This thread's.
#[inline(always)]
pub fn with<T>(use_them: impl FnOnce(&Thread) -> T) -> T {
    #[cfg(target_arch = "x86_64")]
    {
        let words: *const Thread;
        // SAFETY: reads the distance that the loader has filled in and the thread's pointer, which
        // lies where it points to; nothing else is touched.
        unsafe {
            std::arch::asm!(
                "mov {words}, qword ptr [rip + fourstamp_thread_words@GOTTPOFF]",
                "add {words}, qword ptr fs:[0]",
                words = out(reg) words,
                options(nostack, pure, readonly),
            );
        }
        // SAFETY: zeros are a `Thread`, and they are this thread's while it lives.
        use_them(unsafe { &*words })
    }
    #[cfg(not(target_arch = "x86_64"))]
    {
        thread_local! {
            static WORDS: Thread = const {
                Thread {
                    next: AtomicUsize::new(0),
                    before: AtomicUsize::new(0),
                    wait: Cell::new([0; 3]),
                    sending: Cell::new(0),
                    inside: Cell::new(false),
                    has_logged_wait: Cell::new(false),
                }
            };
        }
        WORDS.with(use_them)
    }
}

#[cfg(target_arch = "x86_64")]
std::arch::global_asm!(
    ".section .tbss.fourstamp_thread_words, \"awT\", @nobits",
    ".balign 8",
    ".hidden fourstamp_thread_words",
    ".globl fourstamp_thread_words",
    ".type fourstamp_thread_words, @object",
    ".size fourstamp_thread_words, {bytes}",
    "fourstamp_thread_words:",
    ".zero {bytes}",
    ".text",
    bytes = const BYTES,
);

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::Ordering;

    #[test]
    fn each_thread_has_words_of_its_own_which_are_zeros_at_first() {
        let use_all = |value: usize| {
            with(|words| {
                assert_eq!(words.next.swap(value, Ordering::Relaxed), 0);
                assert_eq!(words.before.swap(value + 1, Ordering::Relaxed), 0);
                assert_eq!(words.wait.replace([value as u64; 3]), [0; 3]);
                assert_eq!(words.sending.replace(value as u32 + 2), 0);
                assert!(!words.inside.replace(true) && !words.has_logged_wait.replace(true));
            });
            let found = with(|words| {
                let places = [&words.next, &words.before].map(|word| word.load(Ordering::Relaxed));
                let are_set = words.inside.get() && words.has_logged_wait.get();
                (places, words.wait.get(), words.sending.get(), are_set)
            });
            let expected = ([value, value + 1], [value as u64; 3], value as u32 + 2, true);
            assert_eq!(found, expected);
        };
        std::thread::scope(|scope| {
            for value in 1..8 {
                scope.spawn(move || use_all(value));
            }
        });
    }
}
