//! A message header of any bytes; what is taken is written as the same bytes.
#![no_main]

use libfuzzer_sys::fuzz_target;
use record::{HEADER_BYTES, Header};

fuzz_target!(|bytes: [u8; HEADER_BYTES]| {
    if let Ok(header) = Header::from_bytes(&bytes) {
        assert_eq!(header.to_bytes(), bytes);
    }
});
