//! `cargo xtask hog`: takes a core for some time and does nothing with it. The suite `contention`
//! of `cargo xtask soak` starts it with the priority and on the core that it wants.

use anyhow::Result;
use rustix::time::{ClockId, clock_gettime};
use std::time::Duration;

/// For how long.
#[derive(clap::Args, Debug)]
pub struct Options {
    /// Milliseconds.
    #[arg(long)]
    ms: u64,
}

/// Prints when it began and ended, as [`now_ns`] has it.
pub fn hog(options: &Options) -> Result<bool> {
    let begin = now_ns();
    let end = begin + Duration::from_millis(options.ms).as_nanos() as i64;
    while now_ns() < end {
        std::hint::spin_loop();
    }
    println!("{begin} {}", now_ns());
    Ok(true)
}

/// `CLOCK_MONOTONIC_RAW`, on which `run.json` says where its timeline begins, ns.
pub fn now_ns() -> i64 {
    let time = clock_gettime(ClockId::MonotonicRaw);
    time.tv_sec * 1_000_000_000 + time.tv_nsec
}
