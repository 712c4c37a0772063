//! Any text as `run.json` and as a node's sheet; what is taken comes back the same.
#![no_main]

use libfuzzer_sys::fuzz_target;
use record::{NodeSheet, RunInfo};
use std::path::Path;

fuzz_target!(|text: &[u8]| {
    let path = Path::new("run.json");
    if let Ok(info) = RunInfo::parse(text, path) {
        let _ = (info.rows(), info.error_between_ns(0, 0, 1));
    }
    if let Ok(sheet) = NodeSheet::parse(text, path) {
        let _ = (sheet.stem(), sheet.is_planted());
    }
});
