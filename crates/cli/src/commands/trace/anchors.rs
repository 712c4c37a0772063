//! The machine's clocks beside each other, while the program runs: the kernel's stamps are on the
//! wall clock, which may be steered meanwhile, and a program that is killed compares nothing at its
//! end.

use anyhow::{Context, Result};
use clock::Clock;
use record::{Domain, Machine, RunFolder};
use std::path::Path;
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::thread::JoinHandle;
use std::time::Duration;

/// How often they are compared.
const EVERY: Duration = Duration::from_millis(500);

/// Compares clocks until it is dropped.
pub struct Anchors {
    stop: Option<Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl Anchors {
    /// Begin, for the run at `path`.
    pub fn begin(path: &Path) -> Result<Anchors> {
        let folder = RunFolder::join(path)?;
        let clock = Clock::best();
        let sheet = record::NodeSheet::with_quality(0, 0, &clock, clock::measure(&clock));
        let (stop, stopped) = channel();
        let mut news = Domain {
            id: sheet.domain,
            source: clock.source(),
            reference: false,
            error_ns: None,
            kernel_error_ns: None,
            model: None,
            anchors: Vec::new(),
            offsets: Vec::new(),
        };
        debug_assert_eq!(sheet.boot_id, Machine::here().boot_id);
        let thread = std::thread::Builder::new()
            .name("anchors".into())
            .spawn(move || {
                loop {
                    news.anchors = vec![clock.anchor()];
                    // A full disk: the program goes on, and its stamps are less exact.
                    let _ = folder.log_clock(&news);
                    if stopped.recv_timeout(EVERY) != Err(RecvTimeoutError::Timeout) {
                        return;
                    }
                }
            })
            .context("cannot start a thread")?;
        Ok(Anchors { stop: Some(stop), thread: Some(thread) })
    }
}

impl Drop for Anchors {
    fn drop(&mut self) {
        self.stop.take();
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}
