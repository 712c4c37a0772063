//! A rank's log of any bytes and format: entries or damage, never a panic, and all words are read.
#![no_main]

use calls::entry;
use calls::entry::files::FORMAT;
use calls::log::{Entry, LogReader};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let (format, bytes) = match bytes.split_first() {
        Some((first, rest)) => (u32::from(*first) % (FORMAT + 1), rest),
        None => (FORMAT, bytes),
    };
    let mut reader = LogReader::new(bytes, format);
    while let Some(entry) = reader.next_entry().expect("reading memory does not fail") {
        match entry {
            Entry::Call(_, completions) => {
                let _ = entry::completions(completions).count();
            }
            Entry::Other(words) if entry::kind_and_words(words[0]).0 == entry::kinds::SITE => {
                let _ = entry::Site::decode(words);
            }
            Entry::Other(_) => {}
        }
    }
    assert_eq!(reader.words_read(), (bytes.len() / 8) as u64);
    assert!(reader.damage().words <= reader.words_read());
});
