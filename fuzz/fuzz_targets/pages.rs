//! A recording of pages of any text: a program, or an error.
#![no_main]

use libfuzzer_sys::fuzz_target;
use pager_lens::followed::Recording;

fuzz_target!(|text: &str| {
    let Ok(events) = text.lines().map(str::parse).collect::<Result<Vec<_>, _>>() else { return };
    if let Some(recording) = Recording::of_events(events, Default::default(), Vec::new(), 1.0) {
        let program = recording.program();
        assert!(program.threads.iter().all(|thread| thread.tail_s >= 0.0));
    }
});
