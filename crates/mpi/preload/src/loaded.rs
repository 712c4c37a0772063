//! Symbols of libraries that are mapped but not in the loader's common scope.

use crate::objects;
use std::ffi::{CStr, CString};

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
    objects::find(|object| {
        let file = object.file.to_bytes().rsplit(|byte| *byte == b'/').next().unwrap_or_default();
        if file.starts_with(b"libmpi") && !file.starts_with(b"libmpitrace") {
            libraries.push(object.file.to_owned());
        }
        None::<()>
    });
    libraries
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
