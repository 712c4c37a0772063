//! Symbols of libraries that are mapped but not in the loader's common scope.

use std::ffi::{CStr, CString, c_int, c_void};

/// Whether a library is mapped whose file is called like an MPI library.
pub fn is_there() -> bool {
    !libraries().is_empty()
}

/// Find `name` in a mapped library whose file is called like an MPI library.
pub fn symbol(name: &CStr) -> Option<usize> {
    libraries().iter().find_map(|library| symbol_of(library, name))
}

fn libraries() -> Vec<CString> {
    let mut libraries: Vec<CString> = Vec::new();
    // SAFETY: the callback gets the vector that lives through the call.
    unsafe { libc::dl_iterate_phdr(Some(remember), (&raw mut libraries).cast()) };
    libraries
}

unsafe extern "C" fn remember(
    info: *mut libc::dl_phdr_info,
    _size: usize,
    libraries: *mut c_void,
) -> c_int {
    // SAFETY: the loader gives a valid entry, whose name is null or a terminated string.
    let name = unsafe { (*info).dlpi_name };
    if !name.is_null() {
        // SAFETY: just said.
        let name = unsafe { CStr::from_ptr(name) };
        // SAFETY: `symbol` passed the address of its vector.
        let libraries = unsafe { &mut *libraries.cast::<Vec<CString>>() };
        let file = name.to_bytes().rsplit(|byte| *byte == b'/').next().unwrap_or_default();
        if file.starts_with(b"libmpi") && !file.starts_with(b"libmpitrace") {
            libraries.push(name.to_owned());
        }
    }
    0
}

fn symbol_of(library: &CStr, name: &CStr) -> Option<usize> {
    // SAFETY: a terminated name; RTLD_NOLOAD opens only what is there already. The handle is kept:
    // it holds nothing that would go away.
    let handle = unsafe { libc::dlopen(library.as_ptr(), libc::RTLD_NOLOAD | libc::RTLD_LAZY) };
    if handle.is_null() {
        return None;
    }
    // SAFETY: an open handle and a terminated name.
    let address = unsafe { libc::dlsym(handle, name.as_ptr()) } as usize;
    (address != 0).then_some(address)
}
