//! Paged memory of this very process, on servers of this very process.

#![allow(clippy::unwrap_used, reason = "a test that meets what it does not expect fails")]

mod common;

use common::{Servers, config};
use fourstamp_rmem::{
    Config, Memory,
    ServerRole::{Data, Parity},
};

const PAGE: usize = 4096;

/// Numbers that no other place has.
fn number(word: usize, round: u64) -> u64 {
    (word as u64 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ round
}

fn words(address: *mut u8, bytes: usize) -> &'static mut [u64] {
    // SAFETY: the memory was mapped with this size and lives until the end of the test.
    unsafe { std::slice::from_raw_parts_mut(address.cast(), bytes / 8) }
}

#[test]
fn what_was_written_is_read_again() {
    let servers = Servers::start(&[Data, Data, Data, Parity], 256 << 20);
    for policy in ["parity-log", "none", "mirror", "disk"] {
        let memory = Memory::start(config(&servers, policy, 2 << 20)).unwrap();
        let bytes = 12 << 20;
        let array = words(memory.map(bytes).unwrap(), bytes);
        assert!(array.iter().step_by(PAGE / 8).all(|word| *word == 0));
        for round in 0..2 {
            for (at, word) in array.iter_mut().enumerate() {
                *word = number(at, round);
            }
            for (at, word) in array.iter().enumerate() {
                assert_eq!(*word, number(at, round), "{policy}: word {at}");
            }
        }
        // Now and then, here and there.
        let mut at = 12345;
        for round in 2..30_000u64 {
            at = (at * 1_103_515_245 + 12_345) % array.len();
            if round % 3 == 0 {
                array[at] = number(at, 1);
            }
            assert_eq!(array[at], number(at, 1), "{policy}: word {at}");
        }
        memory.finish();
    }
}

#[test]
fn arrays_are_slices_of_zeros_that_are_given_back() {
    let folder = tempfile::tempdir().unwrap();
    let memory = Memory::start(Config::on_disk(1 << 20, folder.path())).unwrap();
    let mut array = memory.array::<u64>(1 << 20).unwrap();
    let mut pairs = memory.array::<[f32; 2]>(1000).unwrap();
    assert!(array.len() == 1 << 20 && array.iter().all(|word| *word == 0));
    array.iter_mut().enumerate().for_each(|(at, word)| *word = number(at, 9));
    pairs[999] = [1.0, 2.0];
    std::thread::scope(|scope| {
        for half in array.chunks_mut(1 << 19) {
            scope.spawn(move || half.reverse());
        }
    });
    assert!((0..1 << 19).all(|at| array[at] == number((1 << 19) - 1 - at, 9)));
    assert_eq!(format!("{:?}", &pairs[998..]), "[[0.0, 0.0], [1.0, 2.0]]");
    drop(array.hold(0..100));
    let address = array.as_ptr() as usize;
    drop(array);
    let again = memory.array::<u64>(1 << 20).unwrap();
    assert_eq!(
        (again.as_ptr() as usize, again[12345]),
        (address, 0),
        "it was given back, and is new"
    );
    assert!(memory.array::<u8>(0).unwrap().is_empty());
    let error = memory.array::<u64>(usize::MAX).unwrap_err();
    assert!(error.to_string().contains("address space"), "{error}");
    memory.finish();
}

#[test]
fn memory_grows_moves_shrinks_and_is_given_up() {
    let servers = Servers::start(&[Data, Data, Parity], 64 << 20);
    let memory = Memory::start(config(&servers, "parity-log", 1 << 20)).unwrap();
    let (mut bytes, mut address) = (PAGE, memory.map(PAGE).unwrap());
    let neighbour = memory.map(PAGE).unwrap();
    words(address, bytes)[0] = number(0, 0);
    // In steps of odd sizes, with something behind it now and then, so that it grows in place
    // sometimes and moves at others.
    for step in 1..60 {
        let more = bytes + PAGE * (step * step % 97 + 1);
        let old = bytes / 8;
        address = memory.remap(address as usize, bytes, more, true).unwrap().unwrap();
        bytes = more;
        let array = words(address, bytes);
        for at in (0..old).step_by(PAGE / 8) {
            assert_eq!(array[at], number(at, 0), "step {step}, word {at}");
        }
        for at in (old..bytes / 8).step_by(PAGE / 8) {
            assert_eq!(array[at], 0);
            array[at] = number(at, 0);
        }
        if step % 7 == 0 {
            memory.map(PAGE * step).unwrap();
        }
    }
    assert!(bytes > 8 << 20, "most of it is outside");
    assert!(memory.covers(neighbour as usize, 1));
    let half = bytes / 2 / PAGE * PAGE;
    memory.forget(address as usize, half);
    let array = words(address, bytes);
    for at in (0..bytes / 8).step_by(PAGE / 8) {
        assert_eq!(array[at], if at * 8 < half { 0 } else { number(at, 0) }, "word {at}");
    }
    // The middle is given back, the rest stays.
    memory.unmap(address as usize + half, 64 * PAGE);
    assert_eq!(words(address, bytes)[bytes / 8 - PAGE / 8], number(bytes / 8 - PAGE / 8, 0));
}

#[test]
fn threads_fault_at_the_same_time() {
    let servers = Servers::start(&[Data, Data, Parity], 64 << 20);
    let memory = Memory::start(config(&servers, "parity-log", 1 << 20)).unwrap();
    let bytes = 8 << 20;
    let address = memory.map(bytes).unwrap() as usize;
    std::thread::scope(|scope| {
        for thread in 0..8 {
            scope.spawn(move || {
                // Each its own words, of pages that they share.
                let array = words(address as *mut u8, bytes);
                for round in 1..4 {
                    for at in (thread..array.len()).step_by(64) {
                        assert_eq!(array[at], if round == 1 { 0 } else { number(at, round - 1) });
                        array[at] = number(at, round);
                    }
                }
            });
        }
    });
}

#[test]
fn a_kernel_that_cannot_move_pages_serves_too() {
    let servers = Servers::start(&[Data, Data, Parity], 64 << 20);
    let memory =
        Memory::start(Config { old_kernel: true, ..config(&servers, "parity-log", 1 << 20) })
            .unwrap();
    let bytes = 6 << 20;
    let array = words(memory.map(bytes).unwrap(), bytes);
    std::thread::scope(|scope| {
        for part in array.chunks_mut(bytes / 8 / 4) {
            scope.spawn(move || {
                for round in 0..3 {
                    part.iter_mut().enumerate().for_each(|(at, word)| *word = number(at, round));
                    assert!(part.iter().enumerate().all(|(at, word)| *word == number(at, round)));
                }
            });
        }
    });
    let moved = memory.map(PAGE).unwrap();
    words(moved, PAGE)[5] = 77;
    memory.map(PAGE).unwrap();
    let moved = memory.remap(moved as usize, PAGE, 3 * PAGE, true).unwrap().unwrap();
    assert_eq!(words(moved, PAGE)[5], 77);
}

/// Neighbours in memory that the kernel keeps as mappings of their own.
#[test]
fn pages_of_neighbouring_mappings_travel_together() {
    let servers = Servers::start(&[Data, Data, Parity], 64 << 20);
    let memory = Memory::start(config(&servers, "parity-log", 1 << 20)).unwrap();
    // Touched before its neighbour is made: then the two are not merged.
    let bytes = 37 * PAGE;
    let first = memory.map(bytes).unwrap();
    let mut all = bytes;
    words(first, PAGE)[0] = 1;
    while all < 8 << 20 {
        let next = memory.map(bytes).unwrap();
        assert_eq!(next as usize, first as usize + all, "the first free place is the next");
        words(next, PAGE)[0] = 1;
        all += bytes;
    }
    let array = words(first, all);
    for round in 0..3 {
        array.iter_mut().enumerate().for_each(|(at, word)| *word = number(at, round));
        assert!(
            array.iter().enumerate().all(|(at, word)| *word == number(at, round)),
            "round {round}"
        );
    }
}

/// Pages that a stream has read are protected from writing until somebody writes: the program, the
/// kernel for it, or where they have moved.
#[test]
fn writes_to_what_a_stream_has_read_are_kept() {
    use std::io::{Read, Write};
    let servers = Servers::start(&[Data, Data, Parity], 256 << 20);
    let memory = Memory::start(config(&servers, "parity-log", 2 << 20)).unwrap();
    let bytes = 16 << 20;
    let mut start = memory.map(bytes).unwrap();
    words(start, bytes).iter_mut().enumerate().for_each(|(at, word)| *word = number(at, 0));
    let mut expected: Vec<u64> = (0..bytes / 8).map(|at| number(at, 0)).collect();
    let (mut output, mut input) = std::os::unix::net::UnixStream::pair().unwrap();
    for round in 1..=4 {
        let array = words(start, bytes);
        // A hundred pages further on, those behind are still there, and a few in each hundred are
        // written to.
        for at in 0..array.len() {
            assert_eq!(array[at], expected[at], "round {round}: word {at}");
            if at % 51_200 == 51_199 {
                let (stored, received) = (at - 30_000, at - 20_000);
                (array[stored], expected[stored]) = (round, round);
                output.write_all(&[number(at, round), !0].map(u64::to_ne_bytes).concat()).unwrap();
                expected[received..received + 2].copy_from_slice(&[number(at, round), !0]);
                // SAFETY: the words are the array's own.
                let target = unsafe {
                    std::slice::from_raw_parts_mut(array[received..].as_mut_ptr().cast(), 16)
                };
                input.read_exact(target).unwrap();
            }
        }
        if round == 2 {
            // Something right behind it, so that it cannot grow where it is.
            memory.map(PAGE).unwrap();
            start = memory.remap(start as usize, bytes, bytes + PAGE, true).unwrap().unwrap();
            let array = words(start, bytes);
            for at in (array.len() - 100_000..array.len()).step_by(777) {
                (array[at], expected[at]) = (1, 1);
            }
        }
    }
    memory.finish();
}

/// The kernel moves pages about itself when it wants large pieces of memory (or, as here, is told
/// to): what is taken out must be counted right then, too. `FOURSTAMP_ROUNDS` sets how often all
/// memory is written; `cargo xtask soak --only pager-servers` does it 200 times.
#[test]
fn nothing_is_lost_while_the_kernel_compacts_memory() {
    const COMPACT: &str = "/proc/sys/vm/compact_memory";
    if let Err(error) = std::fs::write(COMPACT, "1") {
        println!("skipped: {COMPACT}: {error}");
        return;
    }
    let rounds = std::env::var("FOURSTAMP_ROUNDS").ok().and_then(|text| text.parse().ok());
    let rounds: u64 = rounds.unwrap_or(15);
    let servers = Servers::start(&[Data, Data, Parity], 64 << 20);
    let memory = Memory::start(config(&servers, "parity-log", 1 << 20)).unwrap();
    let bytes = 8 << 20;
    let array = words(memory.map(bytes).unwrap(), bytes);
    let ended = std::sync::atomic::AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            while !ended.load(std::sync::atomic::Ordering::Relaxed) {
                std::fs::write(COMPACT, "1").unwrap();
            }
        });
        for round in 0..rounds {
            array.iter_mut().enumerate().for_each(|(at, word)| *word = number(at, round));
            let wrong =
                array.iter().enumerate().filter(|(at, word)| **word != number(*at, round)).count();
            if wrong > 0 {
                ended.store(true, std::sync::atomic::Ordering::Relaxed);
            }
            assert_eq!(wrong, 0, "words of round {round}");
        }
        ended.store(true, std::sync::atomic::Ordering::Relaxed);
    });
}
