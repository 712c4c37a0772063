//! Reports of made-up runs.

mod agreement;
#[path = "../made/builder.rs"]
#[allow(dead_code, reason = "made for several tests")]
mod builder;
mod compared_peaks;
mod forms;
#[path = "../made/shown.rs"]
mod shown;
