//! A block of shared words.

use crate::lease::{Claim, Lease};
use rustix::fs::{FallocateFlags, Mode, OFlags, fallocate, fstat, open, unlink};
use rustix::mm::{MapFlags, ProtFlags, mmap, mmap_anonymous, munmap};
use std::path::{Path, PathBuf};
use std::ptr::NonNull;
use std::sync::atomic::{AtomicU64, Ordering};

/// A block of zeroed words with every page present. Dropping it unmaps it; a named one stays in its
/// file system until [`Region::remove`].
#[derive(Debug)]
pub struct Region {
    start: NonNull<AtomicU64>,
    words: usize,
    path: Option<PathBuf>,
    /// Says that somebody uses a named one; gone with the process at the latest.
    lease: Option<Lease>,
}

// SAFETY: a region is a fixed mapping whose contents are reached only through atomics or through
// raw pointers whose users state their own protocol; the mapping itself may move between threads.
unsafe impl Send for Region {}
// SAFETY: as above; `&Region` gives out `&[AtomicU64]`, which is Sync.
unsafe impl Sync for Region {}

/// Why a region could not be had.
#[derive(Debug, thiserror::Error)]
pub enum RegionError {
    /// The memory is not there.
    #[error("cannot reserve {mib} MiB of memory{at}: {source}; ask for less, or free some")]
    Reserve {
        /// Size asked for.
        mib: u64,
        /// Where it was to be, as ` at PATH`, or nothing.
        at: String,
        /// What the system said.
        source: std::io::Error,
    },
    /// A named region could not be opened or made.
    #[error("cannot {action} shared memory at {}: {source}", path.display())]
    File {
        /// `open` or `create`.
        action: &'static str,
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
}

/// The folder for named regions: memory, not disk, where the machine has it.
pub fn shared_folder() -> PathBuf {
    let shm = Path::new("/dev/shm");
    if shm.is_dir() { shm.to_path_buf() } else { std::env::temp_dir() }
}

impl Region {
    /// Words that only this process sees. Gone with the process.
    pub fn private(words: usize) -> Result<Region, RegionError> {
        let bytes = byte_len(words);
        let flags = MapFlags::SHARED | MapFlags::POPULATE;
        // SAFETY: a fresh anonymous mapping at an address of the kernel's choosing aliases nothing.
        let start = unsafe {
            mmap_anonymous(std::ptr::null_mut(), bytes, ProtFlags::READ | ProtFlags::WRITE, flags)
        }
        .map_err(|error| reserve_error(bytes, None, error))?;
        Ok(Region { start: non_null(start), words, path: None, lease: None })
    }

    /// A new named region, readable by this user only. The space is reserved here, so that running
    /// out of it is this error and not a signal later.
    pub fn create(path: &Path, words: usize) -> Result<Region, RegionError> {
        let bytes = byte_len(words);
        for _ in 0..TRIES {
            let flags = OFlags::RDWR | OFlags::CREATE | OFlags::EXCL | OFlags::CLOEXEC;
            let failed = |error| file_error("create", path, error);
            let file = open(path, flags, Mode::RUSR | Mode::WUSR).map_err(failed)?;
            let Some(lease) = Lease::on_new(file, path).map_err(failed)? else { continue };
            if let Err(error) = fallocate(&lease, FallocateFlags::empty(), 0, bytes as u64) {
                let _ = unlink(path);
                return Err(reserve_error(bytes, Some(path), error));
            }
            return Region::leased(lease, path, words).inspect_err(|_| {
                let _ = unlink(path);
            });
        }
        Err(file_error("create", path, rustix::io::Errno::AGAIN))
    }

    /// Map a named region that exists. Its length is the file's.
    pub fn open(path: &Path) -> Result<Region, RegionError> {
        let failed = |error| file_error("open", path, error);
        // What is no file must not keep us waiting, nor be mapped.
        let flags = OFlags::RDWR | OFlags::CLOEXEC | OFlags::NONBLOCK | OFlags::NOFOLLOW;
        let file = open(path, flags, Mode::empty()).map_err(failed)?;
        let lease = Lease::on(file).map_err(failed)?;
        let words = words_of(&lease, path)?;
        Region::leased(lease, path, words)
    }

    /// Map what nobody uses. The claim must be kept as long as that shall stay so.
    pub fn of_claim(claim: &Claim) -> Result<Region, RegionError> {
        let path = claim.path();
        Region::map(claim, path, words_of(claim, path)?)
    }

    /// Remove the name. The words stay for whoever has them mapped.
    pub fn remove(path: &Path) -> std::io::Result<()> {
        Ok(unlink(path)?)
    }

    /// The words.
    #[inline(always)]
    pub fn words(&self) -> &[AtomicU64] {
        // SAFETY: the mapping holds exactly `words` words, aligned to a page, for as long as `self`
        // lives, and every bit pattern is a valid AtomicU64.
        unsafe { std::slice::from_raw_parts(self.start.as_ptr(), self.words) }
    }

    /// Begin to fetch a word's cache line for writing, so that a store that comes soon does not
    /// wait for it (and the stores behind it do not either). A word beyond the end is ignored.
    #[inline(always)]
    pub fn prefetch_for_writing(&self, word: usize) {
        if let Some(word) = self.words().get(word) {
            crate::prefetch_for_writing(word);
        }
    }

    /// The same memory for code that copies bytes under a protocol of its own.
    #[inline(always)]
    pub fn as_ptr(&self) -> *mut u8 {
        self.start.as_ptr().cast()
    }

    /// Length in bytes.
    pub fn byte_len(&self) -> usize {
        byte_len(self.words)
    }

    /// Where a named region lives.
    pub fn path(&self) -> Option<&Path> {
        self.path.as_deref()
    }

    fn leased(lease: Lease, path: &Path, words: usize) -> Result<Region, RegionError> {
        let mut region = Region::map(&lease, path, words)?;
        region.lease = Some(lease);
        Ok(region)
    }

    fn map(file: impl std::os::fd::AsFd, path: &Path, words: usize) -> Result<Region, RegionError> {
        let bytes = byte_len(words);
        let flags = MapFlags::SHARED | MapFlags::POPULATE;
        // SAFETY: a fresh mapping at an address of the kernel's choosing; the file is at least this
        // long, and nobody truncates it (it is private to this user and the name is random).
        let start = unsafe {
            mmap(std::ptr::null_mut(), bytes, ProtFlags::READ | ProtFlags::WRITE, flags, file, 0)
        }
        .map_err(|error| reserve_error(bytes, Some(path), error))?;
        let path = Some(path.to_path_buf());
        let region = Region { start: non_null(start), words, path, lease: None };
        region.touch();
        Ok(region)
    }

    /// Make every page present and writable in this process: mapping alone leaves write faults.
    fn touch(&self) {
        const PAGE_WORDS: usize = 4096 / size_of::<u64>();
        for word in self.words().iter().step_by(PAGE_WORDS) {
            word.fetch_or(0, Ordering::Relaxed);
        }
    }
}

impl Drop for Region {
    fn drop(&mut self) {
        // SAFETY: the mapping was made by this region with this length, and no borrow of it
        // outlives `self`.
        let unmapped = unsafe { munmap(self.start.as_ptr().cast(), byte_len(self.words)) };
        debug_assert!(unmapped.is_ok());
    }
}

/// Tries to make a region: each fails only when somebody cleans up at the very moment between its
/// making and its lock.
const TRIES: usize = 100;

/// Words of a file that is to be mapped.
fn words_of(file: impl std::os::fd::AsFd, path: &Path) -> Result<usize, RegionError> {
    use rustix::fs::FileType;
    let about = fstat(&file).map_err(|error| file_error("open", path, error))?;
    let words = usize::try_from(about.st_size).unwrap_or(0) / size_of::<u64>();
    match FileType::from_raw_mode(about.st_mode) {
        FileType::RegularFile if words > 0 => Ok(words),
        _ => Err(file_error("open", path, rustix::io::Errno::NODATA)),
    }
}

fn byte_len(words: usize) -> usize {
    words * size_of::<u64>()
}

fn non_null(start: *mut std::ffi::c_void) -> NonNull<AtomicU64> {
    NonNull::new(start.cast()).expect("the kernel does not map page zero")
}

fn reserve_error(bytes: usize, path: Option<&Path>, error: rustix::io::Errno) -> RegionError {
    let at = path.map(|path| format!(" at {}", path.display())).unwrap_or_default();
    RegionError::Reserve { mib: (bytes as u64).div_ceil(1 << 20), at, source: error.into() }
}

fn file_error(action: &'static str, path: &Path, error: rustix::io::Errno) -> RegionError {
    RegionError::File { action, path: path.to_path_buf(), source: error.into() }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fresh_path(name: &str) -> PathBuf {
        shared_folder().join(crate::leased_name(crate::new_owner(), name))
    }

    #[test]
    fn words_written_under_a_name_are_read_back_through_it() {
        let path = fresh_path("shared");
        let ours = Region::create(&path, 1000).expect("create");
        ours.words()[999].store(7, Ordering::Release);
        drop(ours);
        let theirs = Region::open(&path).expect("open");
        Region::remove(&path).expect("remove");
        assert_eq!(theirs.words().len(), 1000);
        assert_eq!(theirs.words()[999].load(Ordering::Acquire), 7);
    }

    #[test]
    fn a_name_is_not_taken_twice() {
        let path = fresh_path("twice");
        let first = Region::create(&path, 1).expect("create");
        let second = Region::create(&path, 1).expect_err("must refuse").to_string();
        Region::remove(&path).expect("remove");
        assert!(second.contains("cannot create shared memory"), "{second}");
        drop(first);
    }

    #[test]
    fn too_much_is_an_error_and_leaves_no_file() {
        let path = fresh_path("huge");
        let error =
            Region::create(&path, 1 << 50).expect_err("more than any machine has").to_string();
        assert!(error.contains("cannot reserve"), "{error}");
        assert!(!path.exists());
    }

    #[test]
    fn an_empty_file_is_refused() {
        let path = fresh_path("empty");
        std::fs::write(&path, b"").expect("write");
        let opened = Region::open(&path);
        Region::remove(&path).expect("remove");
        assert!(opened.is_err());
    }
}
