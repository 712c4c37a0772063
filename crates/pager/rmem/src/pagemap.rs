//! What the kernel says of pages of this process: `/proc/self/pagemap`, as in
//! `Documentation/admin-guide/mm/pagemap.rst`.

use pager::PAGE_BYTES;
use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;

const ENTRY_BYTES: usize = 8;
const PRESENT: u64 = 1 << 63;
const SWAPPED: u64 = 1 << 62;
const PROTECTED: u64 = 1 << 57;

/// How a page is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PageState {
    /// The kernel has nothing there.
    Absent,
    /// In memory, or in swap.
    Open,
    /// The same, and userfaultfd holds writers up.
    Protected,
}

/// The file.
pub struct Pagemap(File);

impl Pagemap {
    /// The most that one look sees.
    pub const MANY: usize = 64;

    /// Open it. Some systems have no `/proc`.
    pub fn open() -> io::Result<Pagemap> {
        File::open("/proc/self/pagemap").map(Pagemap)
    }

    /// How the pages from an address on are, at most [`Pagemap::MANY`].
    pub fn look(&self, address: usize, states: &mut [PageState]) -> io::Result<()> {
        let mut buffer = [0; Self::MANY * ENTRY_BYTES];
        let buffer = &mut buffer[..states.len() * ENTRY_BYTES];
        self.0.read_exact_at(buffer, (address / PAGE_BYTES * ENTRY_BYTES) as u64)?;
        for (state, entry) in states.iter_mut().zip(buffer.as_chunks().0) {
            *state = decode(u64::from_ne_bytes(*entry));
        }
        Ok(())
    }
}

fn decode(entry: u64) -> PageState {
    match (entry & (PRESENT | SWAPPED) != 0, entry & PROTECTED != 0) {
        (false, _) => PageState::Absent,
        (true, false) => PageState::Open,
        (true, true) => PageState::Protected,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::uffd::Uffd;

    #[test]
    fn pages_are_seen_as_they_are() {
        let uffd = Uffd::open(false).unwrap();
        let (bytes, flags) = (3 * PAGE_BYTES, libc::MAP_PRIVATE | libc::MAP_ANONYMOUS);
        // SAFETY: a new mapping, which nobody else knows.
        let address = unsafe {
            libc::mmap(
                std::ptr::null_mut(),
                bytes,
                libc::PROT_READ | libc::PROT_WRITE,
                flags,
                -1,
                0,
            ) as usize
        };
        uffd.register(address, bytes).unwrap();
        uffd.copy(address, &[1; PAGE_BYTES]).1.unwrap();
        let protects = uffd.abilities().protects;
        if protects {
            uffd.copy_protected(address + PAGE_BYTES, &[2; PAGE_BYTES]).1.unwrap();
        }
        let mut states = [PageState::Protected; 3];
        Pagemap::open().unwrap().look(address, &mut states).unwrap();
        let second = if protects { PageState::Protected } else { PageState::Absent };
        assert_eq!(states, [PageState::Open, second, PageState::Absent]);
        // SAFETY: nobody uses it any more.
        unsafe { libc::munmap(address as *mut libc::c_void, bytes) };
    }
}
