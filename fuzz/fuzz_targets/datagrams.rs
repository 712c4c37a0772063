//! A datagram of any bytes, and a pair that gets any datagrams under the right tag.
#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|datagrams: Vec<Vec<u8>>| {
    for datagram in &datagrams {
        fabric::fuzz::datagram(datagram);
    }
    fabric::fuzz::pair(&datagrams);
});
