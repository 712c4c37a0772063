//! How long one thread has been ready without a core, for whoever wants to know it while it runs.

use crate::kernel::run_queue_ns;
use std::fs::File;
use std::os::unix::fs::FileExt;

/// The count of the thread that opened it.
#[derive(Debug)]
pub struct OwnQueue {
    file: Option<File>,
}

impl OwnQueue {
    /// Of the calling thread.
    pub fn open() -> OwnQueue {
        OwnQueue { file: File::open("/proc/thread-self/schedstat").ok() }
    }

    /// Until now, ns; `None` where the kernel does not count.
    pub fn ns(&self) -> Option<u64> {
        let mut text = [0; 96];
        let read = self.file.as_ref()?.read_at(&mut text, 0).ok()?;
        run_queue_ns(std::str::from_utf8(&text[..read]).ok()?)
    }
}
