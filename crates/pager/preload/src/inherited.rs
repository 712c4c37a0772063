//! What a forked child gets of its parent's paged memory: a copy, made before the fork, where
//! `--fork-budget` is large enough for all of it.
//!
//! The forking thread copies by reading, so the engine serves it as it serves any other. The copy
//! is ordinary memory; the child puts it where the paged memory was, and the parent gives it back.
//! A thread that wrote meanwhile would make it a mixture of two moments, so a process with several
//! threads of its own gets none, and says so.

use crate::paged::table;
use crate::state::{self, PAGE};
use crate::table::{Kind, Part};
use crate::{own, raw, say};
use libc::c_void;
use std::sync::atomic::AtomicBool;

/// The paged memory of a moment.
pub struct Copy {
    address: usize,
    bytes: usize,
    parts: Vec<(Part, Kind)>,
}

impl Copy {
    /// Of all that is paged now; `None` where there is none, or where there may be none.
    pub fn make() -> Option<Copy> {
        let budget = state::fork_budget();
        if budget == 0 || state::is_child() || own::inside() || state::running().is_none() {
            return None;
        }
        let _own = own::Own::begin();
        // What cannot be read now is not there in a child either: nobody can touch it.
        let readable = |kind| match kind {
            Kind::Shut(access) => access & libc::PROT_READ != 0,
            _ => true,
        };
        let parts: Vec<(Part, Kind)> =
            table().all_paged().filter(|(_, kind)| readable(*kind)).collect();
        let bytes = parts.iter().map(|((_, bytes), _)| bytes).sum();
        if bytes == 0 || !allowed(bytes, budget) {
            return None;
        }
        let copy = Copy { address: map(bytes)?, bytes, parts };
        copy.fill();
        Some(copy)
    }

    fn fill(&self) {
        let parts = self.parts.iter();
        let pages = parts.flat_map(|((start, bytes), _)| (*start..start + bytes).step_by(PAGE));
        for (from, to) in pages.zip((self.address..).step_by(PAGE)) {
            // SAFETY: paged memory, which may be read and which no other thread writes to; a page
            // of the copy, which nobody else has.
            unsafe {
                let from = &*(from as *const [u64; PAGE / 8]);
                // The copy is zero already.
                if from.iter().any(|word| *word != 0) {
                    *(to as *mut [u64; PAGE / 8]) = *from;
                }
            }
        }
    }

    /// In the child: each part goes to where it was, with the access that it had. `false` if one
    /// cannot.
    pub fn install(self) -> bool {
        let mut at = self.address;
        self.parts.iter().all(|((start, bytes), kind)| {
            let flags = libc::MREMAP_MAYMOVE | libc::MREMAP_FIXED;
            let (from, to) = (at as *mut c_void, *start as *mut c_void);
            at += bytes;
            // SAFETY: a part of the copy; nothing lies where it goes, because paged memory is not
            // inherited.
            unsafe {
                raw::mremap(from, *bytes, *bytes, flags, to) == to
                    && match kind {
                        Kind::Shut(access) => raw::mprotect(to, *bytes, *access) == 0,
                        _ => true,
                    }
            }
        })
    }

    /// In the parent.
    pub fn give_back(self) {
        // SAFETY: its own, and nobody refers to it.
        unsafe { raw::munmap(self.address, self.bytes) };
    }
}

fn allowed(bytes: usize, budget: u64) -> bool {
    static LARGE: AtomicBool = AtomicBool::new(false);
    static THREADS: AtomicBool = AtomicBool::new(false);
    if bytes as u64 > budget {
        say::once(
            &LARGE,
            format_args!(
                "forked children get no copy of the paged memory: it has {bytes} bytes, and \
                --fork-budget is {budget}"
            ),
        );
        return false;
    }
    if own::others() != Some(1) {
        say::once(
            &THREADS,
            format_args!(
                "forked children get no copy of the paged memory: the program has several threads, \
                and one could write to it meanwhile"
            ),
        );
        return false;
    }
    true
}

fn map(bytes: usize) -> Option<usize> {
    static SAID: AtomicBool = AtomicBool::new(false);
    let (access, flags) =
        (libc::PROT_READ | libc::PROT_WRITE, libc::MAP_PRIVATE | libc::MAP_ANONYMOUS);
    // SAFETY: a new mapping, where the kernel chooses.
    let address = unsafe { raw::mmap(std::ptr::null_mut(), bytes, access, flags, -1, 0) };
    if address == libc::MAP_FAILED {
        say::once(
            &SAID,
            format_args!(
                "forked children get no copy of the paged memory: the kernel refuses {bytes} bytes"
            ),
        );
        return None;
    }
    Some(address as usize)
}
