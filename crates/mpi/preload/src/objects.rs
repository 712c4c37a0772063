//! What the loader knows of the objects that are mapped: the program and its libraries.

use std::ffi::{CStr, c_int, c_void};

/// A header of an object.
#[cfg(target_pointer_width = "64")]
pub type Header = libc::Elf64_Phdr;
/// A header of an object.
#[cfg(target_pointer_width = "32")]
pub type Header = libc::Elf32_Phdr;

/// A mapped object.
pub struct Object<'a> {
    /// Its file; empty for the program itself.
    pub file: &'a CStr,
    /// What is added to its own addresses.
    pub base: usize,
    headers: &'a [Header],
}

impl Object<'_> {
    /// Where the part of this kind (`PT_…`) begins.
    pub fn part(&self, kind: u32) -> Option<usize> {
        let part = self.headers.iter().find(|header| header.p_type == kind)?;
        Some(self.base + part.p_vaddr as usize)
    }

    /// From the first of its parts that are mapped to the end of the last.
    pub fn span(&self) -> std::ops::Range<usize> {
        let parts = || self.headers.iter().filter(|header| header.p_type == libc::PT_LOAD);
        let start = parts().map(|part| part.p_vaddr as usize).min().unwrap_or(0);
        let end = parts().map(|part| (part.p_vaddr + part.p_memsz) as usize).max().unwrap_or(0);
        self.base + start..self.base + end
    }

    /// Where the file's bytes end that are mapped around `address`, if they are this object's.
    pub fn end_of_segment(&self, address: usize) -> Option<usize> {
        self.headers.iter().filter(|header| header.p_type == libc::PT_LOAD).find_map(|header| {
            let start = self.base + header.p_vaddr as usize;
            let end = start + header.p_filesz as usize;
            (start..end).contains(&address).then_some(end)
        })
    }
}

/// What `look` finds in the first object in which it finds something.
pub fn find<T, F: FnMut(&Object) -> Option<T>>(look: F) -> Option<T> {
    let mut search = (look, None);
    // SAFETY: the callback is `each` of these types, and gets the search that lives through the
    // call.
    unsafe { libc::dl_iterate_phdr(Some(each::<T, F>), (&raw mut search).cast()) };
    search.1
}

unsafe extern "C" fn each<T, F: FnMut(&Object) -> Option<T>>(
    info: *mut libc::dl_phdr_info,
    _size: usize,
    search: *mut c_void,
) -> c_int {
    // SAFETY: the loader gives a valid entry, and `find` passed its search.
    let (info, (look, found)) = unsafe { (&*info, &mut *search.cast::<(F, Option<T>)>()) };
    let file = match info.dlpi_name.is_null() {
        true => c"",
        // SAFETY: not null, and so a terminated string.
        false => unsafe { CStr::from_ptr(info.dlpi_name) },
    };
    // SAFETY: the loader's own table of so many headers.
    let headers =
        unsafe { std::slice::from_raw_parts(info.dlpi_phdr, usize::from(info.dlpi_phnum)) };
    *found = look(&Object { file, base: info.dlpi_addr as usize, headers });
    c_int::from(found.is_some())
}

/// The file that `address` is mapped from, and where it begins. What is mapped stays: nobody
/// unloads a library whose functions are being called.
pub fn at(address: usize) -> Option<(&'static CStr, *const u8)> {
    // SAFETY: an all-zero value is a valid Dl_info: null pointers.
    let mut info: libc::Dl_info = unsafe { std::mem::zeroed() };
    // SAFETY: dladdr only reads the loader's tables; `info` is there to be written.
    let found = unsafe { libc::dladdr(address as *const c_void, &raw mut info) } != 0;
    if !found || info.dli_fname.is_null() {
        return None;
    }
    // SAFETY: the loader's name of a mapped object is a terminated string.
    Some((unsafe { CStr::from_ptr(info.dli_fname) }, info.dli_fbase.cast()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn this_program_is_found_with_its_code() {
        let here = this_program_is_found_with_its_code as fn() as usize;
        let own = std::env::current_exe().unwrap().canonicalize().unwrap();
        let (file, _) = at(here).expect("it is mapped");
        let file = std::fs::canonicalize(file.to_str().unwrap()).unwrap();
        assert_eq!(file, own);
        let end = find(|object| object.end_of_segment(here)).expect("a segment");
        assert!(end > here);
        let is_mine = |object: &Object| object.end_of_segment(here).map(|_| object.span());
        let span = find(is_mine).expect("a segment");
        assert!(span.contains(&here) && span.end >= end);
        assert!(find(|object| object.part(libc::PT_DYNAMIC)).is_some());
        assert!(at(8).is_none() && find(|object| object.end_of_segment(8)).is_none());
    }
}
