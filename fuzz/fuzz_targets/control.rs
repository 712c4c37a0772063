//! Control messages of any bytes: whole, in part, and followed by others.
#![no_main]

use launch::decode_control;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let mut rest = bytes;
    while let Ok(Some((_, taken))) = decode_control(rest) {
        assert!(taken > 0 && taken <= rest.len());
        rest = &rest[taken..];
    }
});
