//! A TCP stream of any bytes, cut into reads of any length, and a single header.
#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|input: (u8, Vec<u8>)| {
    let (cut, bytes) = input;
    fabric::fuzz::frames(&bytes, usize::from(cut));
    fabric::fuzz::frame(&bytes);
});
