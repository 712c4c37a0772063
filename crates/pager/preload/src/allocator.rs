//! Whether the program has its allocations from another allocator than the C library's (jemalloc,
//! tcmalloc, a sanitizer).
//!
//! Such an allocator takes its memory with `mmap` while it holds its own locks, and keeps its lists
//! in that memory. An engine that allocated from it would wait for ever for a page which only it
//! can bring, and the C library allocates in the engine's threads, too. An allocator in a library
//! stands behind this one, in the loader's order, and need not hear of them ([`is_behind`],
//! [`behind`](crate::behind)). One in the program itself stands in front: such a program is
//! refused. An allocator that a program keeps to itself, under other names than `malloc`, does no
//! harm: what it maps is paged.

use crate::next;
use std::ffi::{CStr, c_int, c_void};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};

/// The file of an allocator in front, if there is one.
static IN_FRONT: OnceLock<Option<&'static CStr>> = OnceLock::new();
/// Whether there is one behind.
static BEHIND: AtomicBool = AtomicBool::new(false);

/// Look, while no lock of an allocator is held: looking may allocate.
pub fn look() {
    let _ = IN_FRONT.set(in_front());
    BEHIND.store(other_behind().unwrap_or(false), Ordering::Relaxed);
}

/// The file of an allocator that the program asks before this library.
pub fn file_in_front() -> Option<&'static CStr> {
    IN_FRONT.get().copied().flatten()
}

/// Whether what this library passes on goes to another allocator than the C library's.
#[inline(always)]
pub fn is_behind() -> bool {
    BEHIND.load(Ordering::Relaxed)
}

fn in_front() -> Option<&'static CStr> {
    let own = object(std::ptr::from_ref(&IN_FRONT).cast())?;
    // SAFETY: a terminated name.
    let found = unsafe { libc::dlsym(libc::RTLD_DEFAULT, c"malloc".as_ptr()) };
    let first = object(found)?;
    (first.dli_fbase != own.dli_fbase && defines(found)).then(|| file(&first))
}

fn other_behind() -> Option<bool> {
    let library = object(next::of_the_library())?;
    // SAFETY: a terminated name.
    let behind = object(unsafe { libc::dlsym(libc::RTLD_NEXT, c"malloc".as_ptr()) })?;
    Some(behind.dli_fbase != library.dli_fbase)
}

/// Whether a function is defined where it is found. A program that is linked to a fixed address and
/// takes the address of a function has a stub for it, which is found first and calls the real one:
/// that of the next object, and this library is loaded before all others.
fn defines(function: *const c_void) -> bool {
    const SYMBOL: c_int = 1;
    unsafe extern "C" {
        /// Of the GNU C library: the entry of the symbol, too.
        fn dladdr1(
            address: *const c_void,
            about: *mut libc::Dl_info,
            entry: *mut *const libc::Elf64_Sym,
            which: c_int,
        ) -> c_int;
    }
    let mut about = std::mem::MaybeUninit::zeroed();
    let mut entry: *const libc::Elf64_Sym = std::ptr::null();
    // SAFETY: room for both answers; an entry is the loader's own, of an object that stays loaded.
    unsafe {
        let known = dladdr1(function, about.as_mut_ptr(), &raw mut entry, SYMBOL) != 0;
        !known || entry.as_ref().is_none_or(|entry| entry.st_shndx != 0)
    }
}

/// The object in which an address lies.
fn object(address: *const c_void) -> Option<libc::Dl_info> {
    let mut found = std::mem::MaybeUninit::zeroed();
    // SAFETY: room for the answer, which is filled in where it is not 0.
    unsafe { (libc::dladdr(address, found.as_mut_ptr()) != 0).then(|| found.assume_init()) }
}

fn file(object: &libc::Dl_info) -> &'static CStr {
    // SAFETY: the loader's own terminated text, for as long as the object is loaded; an allocator
    // is never unloaded.
    unsafe { CStr::from_ptr(object.dli_fname) }
}
