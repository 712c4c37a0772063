//! What the programs of this folder share: their argument, their data, their last line.

use std::hint::black_box;
use std::process::ExitCode;

/// Bytes of data that `--size 256M` asks for; `default` without it. Ends the program with code 2 if
/// it is no size, or if something else is asked for.
pub fn size_bytes(default: usize) -> usize {
    asked(default).0
}

/// How often each unit of computing is done, as `--slow 100` asks: a slower processor, whose
/// results are the same.
#[allow(dead_code)] // not every program of the folder is slowed down
pub fn slow() -> u32 {
    asked(64 << 10).1
}

/// Do a unit of computing so often. What it computes from is hidden from the compiler each time, so
/// that it cannot be done once for all.
#[allow(dead_code)]
#[inline(always)]
pub fn work<T>(slow: u32, unit: impl Fn() -> T) -> T {
    for _ in 1..slow {
        black_box(black_box(&unit)());
    }
    unit()
}

fn asked(default: usize) -> (usize, u32) {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let mut asked = Some((default, 1));
    for pair in words.chunks(2) {
        asked = asked.and_then(|(size, slow)| match pair {
            [name, value] if name == "--size" => Some((bytes(value)?, slow)),
            [name, value] if name == "--slow" => {
                Some((size, value.parse().ok().filter(|slow| *slow >= 1)?))
            }
            _ => None,
        });
    }
    asked.unwrap_or_else(|| {
        eprintln!(
            "usage: [--size BYTES] [--slow N]: sizes as 256M (K, M and G are powers of 1024; at \
            least 64K); N, at least 1, is how often each unit of computing is done"
        );
        std::process::exit(2)
    })
}

fn bytes(text: &str) -> Option<usize> {
    let unit = text.trim_start_matches(|c: char| c.is_ascii_digit());
    let number: usize = text[..text.len() - unit.len()].parse().ok()?;
    let shift = match unit.to_ascii_uppercase().as_str() {
        "" => 0,
        "K" => 10,
        "M" => 20,
        "G" => 30,
        _ => return None,
    };
    number.checked_mul(1 << shift).filter(|bytes| *bytes >= 64 << 10)
}

/// A random-looking number that depends on nothing but `index`: so that the input can be made
/// again, and needs no copy.
pub fn noise(index: u64) -> u64 {
    // splitmix64, by Sebastiano Vigna, in the public domain.
    let mut z = index.wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

/// The same as a number in -1..1.
#[allow(dead_code)] // not every program of the folder wants fractions
pub fn fraction(index: u64) -> f64 {
    (noise(index) >> 11) as f64 / (1u64 << 52) as f64 - 1.0
}

/// The one line that a program prints, and its exit code.
pub fn verdict(right: bool, said: &str) -> ExitCode {
    println!("{said}: {}", if right { "right" } else { "WRONG" });
    ExitCode::from(u8::from(!right))
}
