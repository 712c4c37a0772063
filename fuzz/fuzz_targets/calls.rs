//! A rank's log of any bytes: entries or damage, never a panic, and every word is one or the other.
#![no_main]

use calls::entry;
use calls::log::LogReader;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let mut reader = LogReader::new(bytes);
    let mut sound = 0;
    while let Some(words) = reader.next_entry().expect("reading memory does not fail") {
        sound += words.len() as u64;
        if let Some((_, completions)) = entry::decode(words) {
            let _ = entry::completions(completions).count();
        }
        if entry::kind_and_words(words[0]).0 == entry::kinds::SITE {
            let _ = entry::Site::decode(words);
        }
    }
    assert_eq!(sound + reader.damage().words, (bytes.len() / 8) as u64);
});
