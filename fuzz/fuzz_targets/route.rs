//! A packet of any bytes that reaches a node of a hypercube.
#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|input: (u16, Vec<u8>)| {
    let (me, packet) = input;
    fabric::fuzz::route(&packet, me);
});
