//! `cargo xtask hog`: takes a core for some time and does nothing with it. The suite `contention`
//! of `cargo xtask soak` starts it with the priority and on the core that it wants; others have
//! some of them beside what they run ([`Others`]).

use anyhow::{Context, Result};
use rustix::time::{ClockId, clock_gettime};
use std::process::{Child, Command, Stdio};
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

/// Programs that take cores, ended when this goes.
pub struct Others(Vec<Child>);

impl Others {
    /// So many, which end by themselves after this time.
    pub fn start(count: u64, time: Duration) -> Result<Others> {
        let this = std::env::current_exe()?;
        let start = |_| {
            let mut hog = Command::new(&this);
            hog.args(["hog", "--ms", &time.as_millis().to_string()]).stdout(Stdio::null()).spawn()
        };
        let others: std::io::Result<Vec<Child>> = (0..count).map(start).collect();
        Ok(Others(others.context("cannot start a hog")?))
    }
}

impl Drop for Others {
    fn drop(&mut self) {
        for other in &mut self.0 {
            // It may have ended by itself.
            let _ = other.kill();
            let _ = other.wait();
        }
    }
}

/// `CLOCK_MONOTONIC_RAW`, on which `run.json` says where its timeline begins, ns.
pub fn now_ns() -> i64 {
    let time = clock_gettime(ClockId::MonotonicRaw);
    time.tv_sec * 1_000_000_000 + time.tv_nsec
}
