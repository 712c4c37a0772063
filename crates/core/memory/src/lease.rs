//! Names that outlive a killed process, and the proof that nobody uses one any more.
//!
//! Named memory and temporary folders stay when their process is killed. So everybody who uses one
//! holds a shared lock (`flock`) on it, its maker from before anybody could rely on the name, and
//! the system drops the lock with the process, in whatever namespace that ran. Whoever gets the
//! lock alone has the proof that nobody lives who uses the thing: a [`Claim`]. A process number in
//! a name proves nothing, because numbers are used again.
//!
//! A maker and a claimant may meet: the maker has made the name and not yet locked it. Then the
//! claimant removes it, and the maker, who looks after locking whether the name still leads to what
//! it has locked, makes another.

use rustix::fs::{
    AtFlags, CWD, FileType, FlockOperation, Mode, OFlags, Stat, flock, fstat, open, statat, unlink,
};
use rustix::io::Errno;
use std::ffi::OsStr;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::path::{Path, PathBuf};

/// A shared lock on a file or folder: whoever holds one uses it.
#[derive(Debug)]
pub struct Lease(OwnedFd);

/// A file or folder of this user that nobody uses, nor begins to while this lives.
#[derive(Debug)]
pub struct Claim {
    file: OwnedFd,
    path: PathBuf,
    is_folder: bool,
    bytes: u64,
}

/// Why something cannot be claimed.
#[derive(Debug, thiserror::Error)]
pub enum Unclaimed {
    /// There is nothing.
    #[error("it does not exist")]
    Gone,
    /// A process uses it.
    #[error("a running process is using it")]
    InUse,
    /// It is no thing that this program makes.
    #[error("{0}")]
    Foreign(&'static str),
    /// The system refused.
    #[error("{0}")]
    System(std::io::Error),
}

impl From<Errno> for Unclaimed {
    fn from(error: Errno) -> Unclaimed {
        match error {
            Errno::NOENT => Unclaimed::Gone,
            Errno::WOULDBLOCK => Unclaimed::InUse,
            Errno::LOOP | Errno::NOTDIR | Errno::NXIO => Unclaimed::Foreign(NO_FILE),
            other => Unclaimed::System(other.into()),
        }
    }
}

const NO_FILE: &str = "it is neither a file nor a folder";

/// What everything with a lease is called: the program, whose it is, what it is.
const PREFIX: &str = "fourstamp-";
/// Digits of an owner's number.
const OWNER_DIGITS: usize = 32;

/// The name for a thing that belongs to `owner`, 32 hexadecimal digits: `fourstamp-OWNER-WHAT`.
pub fn leased_name(owner: u128, what: &str) -> String {
    format!("{PREFIX}{owner:032x}-{what}")
}

/// Whose thing a name says that it is; `None` if it is no such name.
pub fn owner_of(name: &OsStr) -> Option<u128> {
    let (owner, what) = name.to_str()?.strip_prefix(PREFIX)?.split_at_checked(OWNER_DIGITS)?;
    let digits = owner.bytes().all(|digit| matches!(digit, b'0'..=b'9' | b'a'..=b'f'));
    (digits && what.starts_with('-')).then(|| u128::from_str_radix(owner, 16).ok()).flatten()
}

/// A number that nobody else has, for an owner.
pub fn new_owner() -> u128 {
    use std::collections::hash_map::RandomState;
    use std::hash::{BuildHasher, Hasher};
    // A hasher of the standard library is seeded by the system: enough for a name that nobody else
    // has.
    let half = || u128::from(RandomState::new().build_hasher().finish());
    half() << 64 | half()
}

impl Lease {
    /// On what was just made and opened at `path`. `None`: it was taken for a leftover and removed
    /// in between.
    pub(crate) fn on_new(file: OwnedFd, path: &Path) -> rustix::io::Result<Option<Lease>> {
        match flock(&file, FlockOperation::LockShared) {
            Ok(()) => {}
            // A file system without locks: what is there can never be claimed, and stays until
            // somebody removes it.
            Err(Errno::NOTSUP | Errno::NOLCK | Errno::INVAL | Errno::NOSYS) => {}
            Err(error) => return Err(error),
        }
        Ok(same(&fstat(&file)?, path)?.then_some(Lease(file)))
    }

    /// On what somebody else made, unless it is being removed at this moment.
    pub(crate) fn on(file: OwnedFd) -> rustix::io::Result<Lease> {
        match flock(&file, FlockOperation::NonBlockingLockShared) {
            Ok(()) | Err(Errno::NOTSUP | Errno::NOLCK | Errno::INVAL | Errno::NOSYS) => {
                Ok(Lease(file))
            }
            Err(Errno::WOULDBLOCK) => Err(Errno::NOENT),
            Err(error) => Err(error),
        }
    }
}

impl AsFd for Lease {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.0.as_fd()
    }
}

impl Claim {
    /// Claim what is at `path`: a file or folder itself, no link to one, of this user.
    ///
    /// # Errors
    /// Says what stands against it.
    pub fn on(path: &Path) -> Result<Claim, Unclaimed> {
        let seen = statat(CWD, path, AtFlags::SYMLINK_NOFOLLOW)?;
        let is_folder = match FileType::from_raw_mode(seen.st_mode) {
            FileType::Directory => true,
            FileType::RegularFile if seen.st_nlink == 1 => false,
            FileType::RegularFile => {
                return Err(Unclaimed::Foreign("it has a second name (a hard link)"));
            }
            _ => return Err(Unclaimed::Foreign(NO_FILE)),
        };
        if seen.st_uid != rustix::process::geteuid().as_raw() {
            return Err(Unclaimed::Foreign("it belongs to another user"));
        }
        let how = if is_folder { OFlags::RDONLY | OFlags::DIRECTORY } else { OFlags::RDWR };
        let flags = how | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
        let file = open(path, flags, Mode::empty())?;
        flock(&file, FlockOperation::NonBlockingLockExclusive)?;
        // Between the look and the lock it may have become something else.
        let held = fstat(&file)?;
        if (held.st_ino, held.st_dev) != (seen.st_ino, seen.st_dev) || !same(&held, path)? {
            return Err(Unclaimed::Gone);
        }
        let bytes = if is_folder { bytes_within(path) } else { bytes_of(&held) };
        Ok(Claim { file, path: path.to_path_buf(), is_folder, bytes })
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Whether it is a folder.
    pub fn is_folder(&self) -> bool {
        self.is_folder
    }

    /// Memory or disk that it takes up.
    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Remove it.
    ///
    /// # Errors
    /// When the system refuses.
    pub fn remove(self) -> std::io::Result<()> {
        if self.is_folder { std::fs::remove_dir_all(&self.path) } else { Ok(unlink(&self.path)?) }
    }
}

impl AsFd for Claim {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.file.as_fd()
    }
}

/// Whether `path` itself leads to the file of `held`.
fn same(held: &Stat, path: &Path) -> rustix::io::Result<bool> {
    match statat(CWD, path, AtFlags::SYMLINK_NOFOLLOW) {
        Ok(there) => Ok((there.st_ino, there.st_dev) == (held.st_ino, held.st_dev)),
        Err(Errno::NOENT) => Ok(false),
        Err(error) => Err(error),
    }
}

/// Blocks are of 512 bytes whatever the file system's are.
fn bytes_of(stat: &Stat) -> u64 {
    u64::try_from(stat.st_blocks).unwrap_or(0) * 512
}

/// What the files of a folder take up; links are not followed.
fn bytes_within(folder: &Path) -> u64 {
    use std::os::unix::fs::MetadataExt;
    let mut bytes = 0;
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        let Ok(about) = entry.metadata() else { continue };
        bytes += about.blocks() * 512;
        if about.is_dir() {
            bytes += bytes_within(&entry.path());
        }
    }
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Region, shared_folder};

    fn new_path(what: &str) -> PathBuf {
        shared_folder().join(leased_name(new_owner(), what))
    }

    #[test]
    fn names_say_whose_they_are_and_others_say_nothing() {
        let name = leased_name(0xabc, "launch-0-node-1");
        assert_eq!(owner_of(OsStr::new(&name)), Some(0xabc));
        for foreign in ["fourstamp-", "fourstamp-123-x", "other", &name[..42], &name.to_uppercase()]
        {
            assert_eq!(owner_of(OsStr::new(foreign)), None, "{foreign}");
        }
    }

    #[test]
    fn what_is_used_is_not_claimed_and_what_is_left_is() {
        let path = new_path("test");
        let region = Region::create(&path, 1000).unwrap();
        assert!(matches!(Claim::on(&path), Err(Unclaimed::InUse)));
        let second = Region::open(&path).unwrap();
        drop(region);
        assert!(matches!(Claim::on(&path), Err(Unclaimed::InUse)));
        drop(second);
        let claim = Claim::on(&path).unwrap();
        assert!(claim.bytes() >= 8000, "{}", claim.bytes());
        assert!(Region::open(&path).is_err(), "what is being removed was opened");
        claim.remove().unwrap();
        assert!(matches!(Claim::on(&path), Err(Unclaimed::Gone)));
    }

    #[test]
    fn links_devices_and_files_with_two_names_are_left_alone() {
        let target = new_path("target");
        std::fs::write(&target, "kept").unwrap();
        let (link, second) = (new_path("link"), new_path("second"));
        std::os::unix::fs::symlink(&target, &link).unwrap();
        assert!(matches!(Claim::on(&link), Err(Unclaimed::Foreign(_))));
        std::fs::hard_link(&target, &second).unwrap();
        assert!(matches!(Claim::on(&target), Err(Unclaimed::Foreign(_))));
        assert!(matches!(Claim::on(Path::new("/dev/null")), Err(Unclaimed::Foreign(_))));
        for path in [target, link, second] {
            std::fs::remove_file(path).unwrap();
        }
    }

    /// Makers and claimants meet at every point of each other's way: no maker ever holds what was
    /// removed.
    #[test]
    fn a_maker_whose_thing_was_claimed_before_its_lock_makes_another() {
        let owner = new_owner();
        let folder = shared_folder();
        let stop = std::sync::atomic::AtomicBool::new(false);
        std::thread::scope(|scope| {
            scope.spawn(|| {
                while !stop.load(std::sync::atomic::Ordering::Relaxed) {
                    for entry in std::fs::read_dir(&folder).unwrap().flatten() {
                        if owner_of(&entry.file_name()) == Some(owner)
                            && let Ok(claim) = Claim::on(&entry.path())
                        {
                            let _ = claim.remove();
                        }
                    }
                }
            });
            for number in 0..300 {
                let path = folder.join(leased_name(owner, &format!("race-{number}")));
                let region = Region::create(&path, 1).unwrap();
                assert!(path.exists(), "a thing in use was removed");
                Region::remove(&path).unwrap();
                drop(region);
            }
            stop.store(true, std::sync::atomic::Ordering::Relaxed);
        });
    }
}
