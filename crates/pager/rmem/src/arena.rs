//! The address space that paged memory is cut from: one reserved range, so that "is this address
//! ours?" is one comparison; and places that the program itself asked for ([`Places`]).

use crate::RmemError;
use crate::places::Places;
use pager::PAGE_BYTES;
use std::collections::BTreeMap;
use std::sync::Mutex;

/// What is reserved where address space is not limited.
const MOST_BYTES: usize = 1 << 42;
const LEAST_BYTES: usize = 1 << 30;

/// A reserved range. Reserving takes no memory.
#[derive(Debug)]
pub struct Arena {
    base: usize,
    bytes: usize,
    /// Unused ranges, by address.
    free: Mutex<BTreeMap<usize, usize>>,
    places: Places,
}

impl Arena {
    /// Reserve as much as may be had.
    pub fn reserve() -> Result<Arena, RmemError> {
        let mut bytes = MOST_BYTES;
        loop {
            match map(0, bytes, libc::PROT_NONE, 0) {
                Ok(base) => {
                    let free = Mutex::new(BTreeMap::from([(base, bytes)]));
                    return Ok(Arena { base, bytes, free, places: Places::none() });
                }
                Err(source) if bytes <= LEAST_BYTES => {
                    return Err(RmemError::System {
                        action: "reserve address space (see ulimit -v)",
                        source,
                    });
                }
                Err(_) => bytes /= 2,
            }
        }
    }

    /// Whether any part of a range is within it, or in a place of the program's choice.
    #[inline]
    pub fn covers(&self, address: usize, bytes: usize) -> bool {
        self.has(address, bytes) || self.places.meet(address, bytes)
    }

    #[inline]
    fn has(&self, address: usize, bytes: usize) -> bool {
        address < self.base + self.bytes && address.saturating_add(bytes) > self.base
    }

    /// Take a range of whole pages, to which nobody has access yet.
    pub fn take_closed(&self, bytes: usize) -> Result<usize, RmemError> {
        let mut free = self.free.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        let Some((&at, &length)) = free.iter().find(|(_, length)| **length >= bytes) else {
            return Err(no_room(bytes));
        };
        cut(&mut free, at, length, at, bytes);
        Ok(at)
    }

    /// The same at an address of the program's choice; `None` where something lies there, or where
    /// there are too many such places.
    pub fn take_place(&self, address: usize, bytes: usize) -> Option<usize> {
        let fixed = libc::MAP_FIXED_NOREPLACE;
        let taken = map(address, bytes, libc::PROT_NONE, fixed).ok()?;
        let ours = taken == address && self.places.add(address, bytes);
        if !ours {
            // SAFETY: mapped a moment ago, and nobody knows of it. An older kernel takes the
            // address for a hint.
            unsafe { libc::syscall(libc::SYS_munmap, taken, bytes) };
        }
        ours.then_some(address)
    }

    /// Take a range of whole pages and make it readable and writable: all missing, never in huge
    /// pages, not in a forked child.
    pub fn take(&self, bytes: usize) -> Result<usize, RmemError> {
        let address = self.take_closed(bytes)?;
        self.open(address, bytes).inspect_err(|_| self.put_back(address, bytes))?;
        Ok(address)
    }

    /// The same at a given address; `None` if it is taken.
    pub fn take_at(&self, address: usize, bytes: usize) -> Result<Option<()>, RmemError> {
        {
            let mut free = self.free.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
            let before = free.range(..=address).next_back().map(|(at, length)| (*at, *length));
            let Some((at, length)) = before.filter(|(at, length)| at + length >= address + bytes)
            else {
                return Ok(None);
            };
            cut(&mut free, at, length, address, bytes);
        }
        self.open(address, bytes).inspect_err(|_| self.put_back(address, bytes))?;
        Ok(Some(()))
    }

    /// Close a range and keep it reserved, not yet for others.
    pub fn close(&self, address: usize, bytes: usize) -> Result<(), RmemError> {
        map(address, bytes, libc::PROT_NONE, libc::MAP_FIXED)
            .map(drop)
            .map_err(|source| RmemError::System { action: "give memory back", source })
    }

    /// A closed range may be taken again; a place of the program's choice is the kernel's.
    pub fn put_back(&self, address: usize, bytes: usize) {
        if !self.has(address, bytes) {
            self.places.remove(address, bytes);
            // SAFETY: closed: nothing is there, and the program has given it up.
            unsafe { libc::syscall(libc::SYS_munmap, address, bytes) };
            return;
        }
        let mut free = self.free.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        let (mut start, mut length) = (address, bytes);
        if let Some((&at, &before)) = free.range(..address).next_back()
            && at + before == address
        {
            free.remove(&at);
            (start, length) = (at, before + length);
        }
        if let Some(after) = free.remove(&(address + bytes)) {
            length += after;
        }
        free.insert(start, length);
    }

    /// Make a range that was taken readable and writable, as [`take`](Self::take) does.
    pub fn open(&self, address: usize, bytes: usize) -> Result<(), RmemError> {
        let failed = |source| RmemError::System { action: "map paged memory", source };
        map(address, bytes, libc::PROT_READ | libc::PROT_WRITE, libc::MAP_FIXED).map_err(failed)?;
        for advice in [libc::MADV_NOHUGEPAGE, libc::MADV_DONTFORK] {
            // SAFETY: the range has just been mapped and belongs to us.
            let result = unsafe { libc::madvise(address as *mut libc::c_void, bytes, advice) };
            // A kernel without huge pages refuses the first, and needs it not.
            if result < 0 && advice == libc::MADV_DONTFORK {
                return Err(failed(std::io::Error::last_os_error()));
            }
        }
        Ok(())
    }
}

/// Bytes rounded up to whole pages.
pub fn whole_pages(bytes: usize) -> usize {
    bytes.max(1).div_ceil(PAGE_BYTES) * PAGE_BYTES
}

fn no_room(bytes: usize) -> RmemError {
    let source =
        std::io::Error::other(format!("{bytes} contiguous bytes of address space are not free"));
    RmemError::System { action: "map paged memory", source }
}

/// Take `[address, address + bytes)` out of the free range `[at, at + length)`.
fn cut(free: &mut BTreeMap<usize, usize>, at: usize, length: usize, address: usize, bytes: usize) {
    free.remove(&at);
    if at < address {
        free.insert(at, address - at);
    }
    let (end, free_end) = (address + bytes, at + length);
    if end < free_end {
        free.insert(end, free_end - end);
    }
}

/// Private anonymous memory that counts for nothing until it is touched.
pub(crate) fn map(
    address: usize,
    bytes: usize,
    protection: libc::c_int,
    fixed: libc::c_int,
) -> std::io::Result<usize> {
    let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE | fixed;
    // SAFETY: without MAP_FIXED the kernel chooses an unused range; with it, callers name ranges of
    // their own arena, which nothing refers to. The system call is made directly: a library that is
    // loaded before the program's may stand in for `mmap`, and it calls us.
    let address = unsafe {
        libc::syscall(
            libc::SYS_mmap,
            address,
            bytes,
            protection,
            flags,
            -1 as libc::c_long,
            0 as libc::c_long,
        )
    };
    if address == -1 { Err(std::io::Error::last_os_error()) } else { Ok(address as usize) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_are_taken_and_given_back_whole() {
        let arena = Arena::reserve().unwrap();
        let whole = arena.free.lock().unwrap().clone();
        let pieces: Vec<usize> =
            (1..5).map(|pages| arena.take(pages * PAGE_BYTES).unwrap()).collect();
        for pair in pieces.windows(2) {
            assert!(pair[0] < pair[1]);
        }
        assert!(arena.take_at(pieces[0], PAGE_BYTES).unwrap().is_none(), "it is taken");
        for (pages, at) in (1..5).zip(&pieces) {
            arena.close(*at, pages * PAGE_BYTES).unwrap();
            arena.put_back(*at, pages * PAGE_BYTES);
        }
        assert_eq!(*arena.free.lock().unwrap(), whole);
        assert!(arena.take_at(pieces[2], 3 * PAGE_BYTES).unwrap().is_some());
        assert!(arena.covers(pieces[0], 1) && !arena.covers(&raw const arena as usize, 8));
    }

    #[test]
    fn a_place_of_the_programs_choice_is_its_own_until_it_is_given_back() {
        let arena = Arena::reserve().unwrap();
        let bytes = 8 * PAGE_BYTES;
        let place = map(0, bytes, libc::PROT_NONE, 0).unwrap();
        assert_eq!(arena.take_place(place, bytes), None, "something lies there");
        // SAFETY: mapped above, by this test.
        unsafe { libc::syscall(libc::SYS_munmap, place, bytes) };
        assert_eq!(arena.take_place(place, bytes), Some(place));
        arena.open(place, PAGE_BYTES).unwrap();
        assert!(arena.covers(place + bytes - 1, 1) && !arena.covers(place + bytes, 1));
        arena.close(place, bytes).unwrap();
        arena.put_back(place, 2 * PAGE_BYTES);
        assert!(!arena.covers(place, 2 * PAGE_BYTES) && arena.covers(place, bytes));
        arena.put_back(place + 2 * PAGE_BYTES, bytes - 2 * PAGE_BYTES);
        assert_eq!(arena.take_place(place, bytes), Some(place), "it is free again");
        arena.put_back(place, bytes);
    }
}
