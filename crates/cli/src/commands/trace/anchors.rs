//! The machine's clocks beside each other, while the program runs: the kernel's stamps are on the
//! wall clock, which may be steered meanwhile, and a program that is killed compares nothing at its
//! end.

use anyhow::{Context, Result};
use clock::{Clock, Quality};
use record::{Domain, NodeSheet, RunFolder};
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
    /// Begin, for the run at `path`, with the clock that its processes read.
    pub fn begin(path: &Path, clock: Clock, quality: Quality) -> Result<Anchors> {
        let folder = RunFolder::join(path)?;
        let (stop, stopped) = channel();
        let mut news =
            Domain::new(NodeSheet::with_quality(0, 0, &clock, quality).domain, clock.source());
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
