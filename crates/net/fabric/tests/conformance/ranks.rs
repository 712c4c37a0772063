//! This process as one of several ranks that all run the suite.

use fabric::{MpiProcess, NodeId};
use std::path::{Path, PathBuf};
use std::sync::Mutex;

static PROCESS: Mutex<Option<MpiProcess>> = Mutex::new(None);

/// From now on until [`end`] this process is a rank.
pub fn begin() {
    *PROCESS.lock().unwrap() = Some(MpiProcess::begin().unwrap());
}

/// Until all have come here.
pub fn end() {
    *PROCESS.lock().unwrap() = None;
}

/// End the whole job: one rank has failed.
pub fn abort() -> ! {
    let process = PROCESS.lock().unwrap_or_else(std::sync::PoisonError::into_inner).take();
    match process {
        Some(process) => process.abort(1),
        None => std::process::abort(),
    }
}

pub fn rank() -> NodeId {
    with(MpiProcess::rank)
}

pub fn ranks() -> u16 {
    with(MpiProcess::ranks)
}

/// Memory that all ranks of this machine see.
pub fn shared_words(words: usize) -> memory::Region {
    let path = share_path(&super::new_segment_path());
    with(|process| {
        if process.rank() == 0 {
            memory::Region::create(&path, words).unwrap();
        }
        process.meet();
        let region = memory::Region::open(&path).unwrap();
        process.meet();
        if process.rank() == 0 {
            memory::Region::remove(&path).unwrap();
        }
        region
    })
}

/// Rank 0's path, at every rank.
pub fn share_path(path: &Path) -> PathBuf {
    let path = with(|process| process.share(path.to_str().unwrap().as_bytes()));
    PathBuf::from(String::from_utf8(path).unwrap())
}

/// Wait for all ranks.
pub fn meet() {
    with(MpiProcess::meet);
}

fn with<T>(act: impl FnOnce(&MpiProcess) -> T) -> T {
    act(PROCESS.lock().unwrap().as_ref().expect("the suite has begun"))
}
