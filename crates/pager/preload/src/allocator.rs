//! Whether the program has its allocations from another allocator than the C library's (jemalloc,
//! tcmalloc, a sanitizer).
//!
//! Such an allocator takes its memory with `mmap` while it holds its own locks, keeps its lists in
//! that memory, and is what the C library itself allocates from, in the engine's threads too: an
//! engine that needs a page which only it can bring would wait for ever. So such a program is
//! refused. An allocator that a program keeps to itself, under other names than `malloc`, does no
//! harm: what it maps is paged.

use crate::next;
use std::ffi::{CStr, c_int, c_void};
use std::sync::OnceLock;

/// The file of the other allocator, if there is one.
static OTHER: OnceLock<Option<&'static CStr>> = OnceLock::new();

/// Look, while no lock of an allocator is held: looking may allocate.
pub fn look() {
    let _ = OTHER.set(other());
}

/// The file that it comes from.
pub fn other_file() -> Option<&'static CStr> {
    OTHER.get().copied().flatten()
}

fn other() -> Option<&'static CStr> {
    let own = object(std::ptr::from_ref(&OTHER).cast())?;
    // SAFETY: a terminated name.
    let found = unsafe { libc::dlsym(libc::RTLD_DEFAULT, c"malloc".as_ptr()) };
    let first = object(found)?;
    if first.dli_fbase != own.dli_fbase && defines(found) {
        return Some(file(&first));
    }
    let library = object(next::of_the_library())?;
    // SAFETY: as above.
    let behind = object(unsafe { libc::dlsym(libc::RTLD_NEXT, c"malloc".as_ptr()) })?;
    (behind.dli_fbase != library.dli_fbase).then(|| file(&behind))
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
