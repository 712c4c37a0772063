//! Whether traced processes have set up io_uring, by a look from outside at what their descriptors
//! are: most programs do so without the C library, and one that is killed says nothing at its end.

use std::collections::BTreeMap;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::thread::JoinHandle;
use std::time::Duration;
use streams::entry::HEAD_BYTES;
use streams::{LOG_ENDING, ProcessFacts, rings_file};

/// How often it is looked.
const EVERY: Duration = Duration::from_secs(1);
/// Descriptors of a process that are looked at; those of io_uring are made early.
const DESCRIPTORS_MAX: usize = 4096;

/// Looks until it is dropped.
pub struct Rings {
    stop: Option<Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl Rings {
    /// Begin, for the run at `path`. Without a thread nobody looks.
    pub fn begin(path: &Path) -> Rings {
        let (stop, stopped) = channel();
        let mut watch = Watch { live: path.join("live"), processes: BTreeMap::new() };
        let thread = std::thread::Builder::new().name("rings".into()).spawn(move || {
            while stopped.recv_timeout(EVERY) == Err(RecvTimeoutError::Timeout) {
                watch.look();
            }
        });
        Rings { stop: Some(stop), thread: thread.ok() }
    }
}

impl Drop for Rings {
    fn drop(&mut self) {
        self.stop.take();
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

struct Watch {
    live: PathBuf,
    /// By the name of each one's log: its node and pid; `None` when nothing more is to be learnt of
    /// it.
    processes: BTreeMap<PathBuf, Option<(u32, u32)>>,
}

impl Watch {
    fn look(&mut self) {
        for file in std::fs::read_dir(&self.live).into_iter().flatten().flatten() {
            let path = file.path();
            let is_new = path.extension().is_some_and(|ending| ending == LOG_ENDING)
                && !self.processes.contains_key(&path);
            if is_new && let Some(known) = node_of(&path).zip(pid_in(&path)) {
                self.processes.insert(path, Some(known));
            }
        }
        for known in self.processes.values_mut() {
            let Some((node, pid)) = *known else { continue };
            match has_ring(pid) {
                Some(false) => {}
                Some(true) => {
                    // A full disk: it is not said.
                    let _ = std::fs::write(rings_file(&self.live, node), "");
                    *known = None;
                }
                None => *known = None,
            }
        }
    }
}

fn node_of(log: &Path) -> Option<u32> {
    log.file_stem()?.to_str()?.rsplit('-').next()?.parse().ok()
}

/// `None` where the process has not said it yet.
fn pid_in(log: &Path) -> Option<u32> {
    let mut head = [0; HEAD_BYTES];
    std::fs::File::open(log).ok()?.read_exact(&mut head).ok()?;
    ProcessFacts::in_head(&head).map(|facts| facts.pid)
}

/// Whether a process has a descriptor of io_uring; `None` where that is not told.
fn has_ring(pid: u32) -> Option<bool> {
    let descriptors = std::fs::read_dir(format!("/proc/{pid}/fd")).ok()?.flatten();
    let mut links =
        descriptors.take(DESCRIPTORS_MAX).flat_map(|one| std::fs::read_link(one.path()));
    Some(links.any(|link| link.as_os_str() == "anon_inode:[io_uring]"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_process_without_io_uring_has_none_and_one_that_is_gone_tells_nothing() {
        assert_eq!(has_ring(std::process::id()), Some(false));
        assert_eq!(has_ring(u32::MAX), None);
    }
}
