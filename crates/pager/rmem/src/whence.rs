//! Where in the program threads are when they wait for a page: some of them are looked at while
//! their request is on its way, which costs them nothing.

mod caller;
mod code;
mod stopped;

use code::{Code, Spot};
use pager_facts::{CodePlace, FaultPlace, SampledFaults};
use std::collections::HashMap;
use stopped::Stopped;

/// One fault of so many is looked at, in the mean. The steps vary, or a program with a rhythm of
/// its own could always be met at the same beat.
const EVERY: u64 = 8;
/// Where the steps begin. They follow from it, and are the same in every run.
const SEED: u64 = 0x9e37_79b9_7f4a_7c15;
/// Places beyond these are counted together.
const PLACES_MAX: usize = 4096;
/// Places that are told, the most frequent ones.
const TOLD_MAX: usize = 256;

/// The places seen so far.
pub struct Whence {
    /// Faults until the next one that is looked at.
    left: u64,
    random: u64,
    /// The thread that is to be looked at.
    next: Option<u32>,
    stopped: Stopped,
    code: Code,
    faults: u64,
    counts: HashMap<(Spot, Option<Spot>), u64>,
}

impl Whence {
    /// None yet.
    pub fn new() -> Whence {
        Whence {
            left: 1,
            random: SEED,
            next: None,
            stopped: Stopped::default(),
            code: Code::default(),
            faults: 0,
            counts: HashMap::new(),
        }
    }

    /// A thread waits for a page that has to come from a place. A number of 0 is no thread: the
    /// kernel does not say.
    pub fn waits(&mut self, thread: u32) {
        self.left -= 1;
        if self.left > 0 {
            return;
        }
        self.left = self.step();
        self.next = Some(thread).filter(|thread| *thread != 0);
    }

    /// Look at the thread that is to be looked at, if there is one. `paged` says whether any part
    /// of so many bytes at an address is paged: those are not read here, because nobody else would
    /// serve that fault.
    pub fn look(&mut self, paged: impl Fn(usize, usize) -> bool) {
        let Some(thread) = self.next.take() else { return };
        let Some((instruction, stack)) = self.stopped.registers(thread) else { return };
        let at = self.code.spot(instruction);
        let from = if self.code.is_of_the_program(&at) {
            None
        } else {
            caller::nearest(stack, &self.code, paged)
        };
        self.faults += 1;
        let full = self.counts.len() >= PLACES_MAX;
        match self.counts.get_mut(&(at, from)) {
            Some(count) => *count += 1,
            None if full => {}
            None => {
                self.counts.insert((at, from), 1);
            }
        }
    }

    /// What was seen.
    pub fn sampled(&self) -> SampledFaults {
        let mut counts: Vec<_> =
            self.counts.iter().map(|(place, count)| (*count, *place)).collect();
        counts.sort_unstable_by_key(|(count, place)| (std::cmp::Reverse(*count), *place));
        counts.truncate(TOLD_MAX);
        let place = |spot: Spot| CodePlace {
            object: self.code.name(&spot).to_owned(),
            offset: spot.offset,
            ..CodePlace::default()
        };
        let places = counts.into_iter().map(|(faults, (at, from))| FaultPlace {
            faults,
            at: place(at),
            called_from: from.map(place),
        });
        SampledFaults { faults: self.faults, places: places.collect() }
    }

    /// From 1 to twice the mean, by xorshift.
    fn step(&mut self) -> u64 {
        self.random ^= self.random << 13;
        self.random ^= self.random >> 7;
        self.random ^= self.random << 17;
        1 + self.random % (2 * EVERY - 1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::fd::AsRawFd;
    use std::sync::mpsc::channel;

    #[test]
    fn one_of_eight_is_looked_at_in_the_mean_and_the_first_one_is() {
        let mut whence = Whence::new();
        let chosen = (0..80_000).filter(|_| {
            whence.waits(1);
            whence.next.take().is_some()
        });
        let chosen = chosen.count();
        assert!((9_800..10_200).contains(&chosen), "{chosen}");
        let mut whence = Whence::new();
        whence.waits(0);
        assert_eq!(whence.next, None, "no thread");
    }

    /// A thread that waits within `read` of the C library stands for one that waits for a page.
    #[inline(never)]
    fn a_call_that_waits(pipe: i32) -> isize {
        let mut byte = 0u8;
        // SAFETY: one byte may be written there.
        let read = unsafe { libc::read(pipe, (&raw mut byte).cast(), 1) };
        std::hint::black_box(read)
    }

    #[test]
    fn a_thread_that_waits_in_a_library_is_found_and_who_called_it() {
        let (reader, writer) = std::io::pipe().unwrap();
        let (tell, told) = channel();
        let thread = std::thread::spawn(move || {
            // SAFETY: a call without arguments.
            tell.send(unsafe { libc::gettid() } as u32).unwrap();
            a_call_that_waits(reader.as_raw_fd())
        });
        let number = told.recv().unwrap();
        let mut whence = Whence::new();
        for _ in 0..500 {
            whence.next = Some(number);
            whence.look(|_, _| false);
            std::thread::sleep(std::time::Duration::from_millis(1));
        }
        drop(writer);
        assert_eq!(thread.join().unwrap(), 0);
        let sampled = whence.sampled();
        if std::fs::read("/proc/thread-self/syscall").is_err() {
            println!("skipped: this kernel does not tell where a thread waits");
            return;
        }
        let most = &sampled.places[0];
        assert!(most.faults > sampled.faults / 2 && most.at.object.contains("libc"), "{most:?}");
        if cfg!(target_arch = "x86_64") {
            let own = std::env::current_exe().unwrap();
            let from = most.called_from.as_ref().unwrap();
            assert_eq!(std::path::Path::new(&from.object), own);
        }
        whence.next = Some(number);
        whence.look(|_, _| false);
        assert_eq!(whence.faults, sampled.faults, "a thread that is gone is nowhere");
    }
}
