//! Transport `shm`: every node is a process of this machine, and the rings lie in a segment of
//! shared memory.
//!
//! The segment's maker removes its name when it is done; the words live until the last process lets
//! go. Every node locks a byte of the segment's file for as long as it lives. The system releases
//! the lock when the process dies, however it dies, so a dead peer is told from a slow one without
//! a signal, a process number or a heartbeat.

use crate::error::FabricError;
use crate::open::{Opening, boxed};
use crate::spec::{NodeId, Spec};
use crate::transports::rings::{Layout, Liveness, Parts, Rings};
use crate::transports::{NodePlace, TransportKind};
use clock::Clock;
use memory::{Region, RegionError};
use std::fs::{File, OpenOptions};
use std::os::fd::AsRawFd;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The row of this transport.
pub static SHM: TransportKind = TransportKind {
    name: "shm",
    about: "Rings in shared memory; nodes are processes",
    nodes: NodePlace::OneMachine,
    prepare: |spec, places| {
        spec.transport.file = Some(places.file.clone());
        create_segment(spec, &places.file).map(Some)
    },
    open: |opening| {
        let Opening { spec, hosted, clock, .. } = opening;
        let path = spec.transport.file.as_deref().unwrap_or(Path::new(""));
        let ends: Result<Vec<_>, _> =
            hosted.iter().map(|me| attach(*me, spec, path, clock)).collect();
        Ok(boxed(ends?))
    },
    ..TransportKind::PLAIN
};

/// A segment of shared memory for the rings of one launch. Dropping it removes its name.
#[derive(Debug)]
pub struct Segment {
    path: PathBuf,
    /// In use by its maker, from its making until its nodes have opened it.
    _region: Region,
}

/// Make the segment that the nodes of `spec` will share, at a path that does not exist yet.
fn create_segment(spec: &Spec, path: &Path) -> Result<Segment, FabricError> {
    spec.check()?;
    let words = Layout::new(spec).words();
    let region = match Region::create(path, words) {
        // What killed runs left may be what is in the way.
        Err(RegionError::Reserve { .. }) if record::make_room() > 0 => Region::create(path, words)?,
        other => other?,
    };
    Ok(Segment { path: path.to_path_buf(), _region: region })
}

impl Segment {
    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.path
    }
}

impl Drop for Segment {
    fn drop(&mut self) {
        // Nothing can be done about a name that somebody else has removed.
        let _ = Region::remove(&self.path);
    }
}

/// Node `me`'s end of the rings in the segment at `path`.
pub(crate) fn attach(
    me: NodeId,
    spec: &Spec,
    path: &Path,
    clock: Clock,
) -> Result<Rings, FabricError> {
    let layout = Layout::new(spec);
    let region = Region::open(path)?;
    if region.words().len() != layout.words() {
        let reason = format!(
            "it has {} words and a fabric like this has {}",
            region.words().len(),
            layout.words()
        );
        return Err(FabricError::BadSegment { path: path.to_path_buf(), reason });
    }
    let liveness = Box::new(ByteLocks::take(me, path)?);
    let region = Arc::new(region);
    Ok(Rings::new(Parts { me, spec, layout: &layout, region, clock, liveness }))
}

/// One locked byte of the file for every node that lives.
struct ByteLocks {
    file: File,
}

impl ByteLocks {
    fn take(me: NodeId, path: &Path) -> Result<ByteLocks, FabricError> {
        let doing = || format!("cannot lock byte {me} of {}", path.display());
        let file = OpenOptions::new()
            .read(true)
            .write(true)
            .open(path)
            .map_err(FabricError::io(doing()))?;
        let mut lock = byte_lock(me, libc::F_WRLCK);
        // SAFETY: the descriptor is open and `lock` is a complete flock that lives across the call.
        let result = unsafe { libc::fcntl(file.as_raw_fd(), libc::F_OFD_SETLK, &raw mut lock) };
        if result != 0 {
            return Err(FabricError::io(doing())(std::io::Error::last_os_error()));
        }
        Ok(ByteLocks { file })
    }

    fn is_locked(&self, peer: NodeId) -> bool {
        let mut lock = byte_lock(peer, libc::F_WRLCK);
        // SAFETY: as in `take`; F_OFD_GETLK writes its answer into `lock`.
        let result =
            unsafe { libc::fcntl(self.file.as_raw_fd(), libc::F_OFD_GETLK, &raw mut lock) };
        result != 0 || lock.l_type != libc::F_UNLCK as libc::c_short
    }
}

impl Liveness for ByteLocks {
    fn lost(&mut self, peer: NodeId) -> Option<String> {
        (!self.is_locked(peer)).then(|| "its process ended without closing the node".to_string())
    }
}

fn byte_lock(node: NodeId, kind: libc::c_int) -> libc::flock {
    // SAFETY: flock is a plain C structure for which all zeros is a value (F_OFD_* require l_pid to
    // be zero).
    let mut lock: libc::flock = unsafe { std::mem::zeroed() };
    lock.l_type = kind as libc::c_short;
    lock.l_whence = libc::SEEK_SET as libc::c_short;
    lock.l_start = libc::off_t::from(node);
    lock.l_len = 1;
    lock
}
