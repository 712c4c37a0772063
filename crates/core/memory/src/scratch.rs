//! Temporary folders that a later process knows to be left over.

use crate::lease::{Lease, leased_name, new_owner};
use rustix::fs::{Mode, OFlags, open};
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};

/// A temporary folder of this process, removed when this is dropped. After a kill it stays, without
/// its lease: a [`Claim`](crate::Claim) can be had on it.
#[derive(Debug)]
pub struct Scratch {
    path: PathBuf,
    _lease: Lease,
}

/// Tries: each fails only when somebody cleans up at the very moment between a folder's making and
/// its lock.
const TRIES: usize = 100;

impl Scratch {
    /// A new folder in the system's folder for temporary files, for this user only. `what` is part
    /// of its name.
    ///
    /// # Errors
    /// When it cannot be made.
    pub fn new(what: &str) -> std::io::Result<Scratch> {
        Scratch::within(&std::env::temp_dir(), what)
    }

    fn within(folder: &Path, what: &str) -> std::io::Result<Scratch> {
        for _ in 0..TRIES {
            let path = folder.join(leased_name(new_owner(), what));
            std::fs::DirBuilder::new().mode(0o700).create(&path)?;
            let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
            let Ok(file) = open(&path, flags, Mode::empty()) else { continue };
            if let Some(lease) = Lease::on_new(file, &path)? {
                return Ok(Scratch { path, _lease: lease });
            }
        }
        Err(std::io::Error::other("temporary folders are removed as soon as they are made"))
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.path
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        // What cannot be removed now is a leftover that can be claimed.
        let _ = std::fs::remove_dir_all(&self.path);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Claim, Unclaimed};

    #[test]
    fn a_folder_goes_with_its_owner_and_can_be_claimed_when_it_did_not() {
        let scratch = Scratch::new("test").unwrap();
        let path = scratch.path().to_path_buf();
        std::fs::write(path.join("file"), vec![1; 10_000]).unwrap();
        assert!(matches!(Claim::on(&path), Err(Unclaimed::InUse)));
        // As a kill leaves it: the lease is gone, the folder is not.
        let Scratch { path: _, _lease } = &scratch;
        rustix::fs::flock(_lease, rustix::fs::FlockOperation::Unlock).unwrap();
        let claim = Claim::on(&path).unwrap();
        assert!(claim.is_folder() && claim.bytes() >= 10_000);
        claim.remove().unwrap();
        assert!(!path.exists());
        drop(scratch);
        let second = Scratch::new("test").unwrap();
        let path = second.path().to_path_buf();
        drop(second);
        assert!(!path.exists());
    }
}
