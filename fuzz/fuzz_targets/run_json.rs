//! Any text as `run.json` and as a node's sheet; what is taken comes back the same.
#![no_main]

use libfuzzer_sys::fuzz_target;
use record::{NodeSheet, RunInfo};
use std::path::Path;

fuzz_target!(|text: &[u8]| {
    let path = Path::new("run.json");
    if let Ok(info) = RunInfo::parse(text, path) {
        let errors = info.launches.iter().map(|launch| info.largest_error_ns(launch));
        let _ = (info.rows(), errors.fold(0.0, f64::max));
    }
    if let Ok(sheet) = NodeSheet::parse(text, path) {
        let _ = (sheet.stem(), sheet.is_planted());
    }
});
