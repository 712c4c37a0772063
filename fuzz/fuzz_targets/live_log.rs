//! A live log of any bytes: rows or damage, never a panic, and never more rows than bytes.
#![no_main]

use libfuzzer_sys::fuzz_target;
use record::{BASE_WORDS, LogReader, Row};

fuzz_target!(|bytes: &[u8]| {
    let Ok(mut reader) = LogReader::new(bytes).expect("reading memory does not \
    fail") else { return };
    let stride = reader.head().schema.stride();
    let (mut rows, mut words) = (Vec::new(), 0);
    while reader.next_rows(&mut rows).expect("reading memory does not fail") {
        assert!(rows.len() % stride == 0);
        words += rows.len();
        for row in rows.chunks_exact(stride) {
            let base = row[..BASE_WORDS].try_into().expect("a row has its base");
            let _ = Row::unpack(base);
        }
    }
    assert!(words * 8 <= bytes.len());
});
