//! Places in the program that call MPI: from return addresses to numbers.

use crate::handles::HandleMap;
use crate::layers;
use crate::mpi4py;
use crate::objects;
use calls::entry::Site;
use std::collections::BTreeMap;

/// Places that are found without searching the map.
const QUICK: usize = 64;
/// Bytes of a name that are kept: an entry has an end.
const NAME_MAX: usize = 4096;
/// Layers that a call may come through: Fortran 2008's, on that of older Fortran.
const LAYERS_MAX: usize = 4;
/// Bit of what is known of an address: it is a layer's, and the rest are bytes to the place on the
/// stack of the layer's own return address.
const LAYER: u64 = 1 << 63;

/// The places seen so far.
pub struct Sites {
    /// Address, and what is known of it: its number, or [`LAYER`].
    quick: [(usize, u64); QUICK],
    all: HandleMap,
    /// Lines of source: function, file and line.
    lines: BTreeMap<(Vec<u8>, Vec<u8>, u32), u32>,
    last: u32,
}

impl Sites {
    /// None yet.
    pub fn new() -> Sites {
        Sites { quick: [(0, 0); QUICK], all: HandleMap::new(), lines: BTreeMap::new(), last: 0 }
    }

    /// The number of a line of source, in the same way.
    #[cold]
    pub fn line(&mut self, line: u32, file: &[u8], function: &[u8]) -> (u32, Option<Vec<u64>>) {
        let [file, function] = [file, function].map(|name| &name[..name.len().min(NAME_MAX)]);
        let next = self.last + 1;
        let number = *self.lines.entry((function.into(), file.into(), line)).or_insert(next);
        if number != next {
            return (number, None);
        }
        self.last = next;
        (next, Some(Site::encode_line(next, line, file, function)))
    }

    /// The number of the place that the return address at `at` leads to; 0 if that is not known. A
    /// place that is new comes with its entry. Of a call through a layer, the place behind it.
    ///
    /// # Safety
    /// `at` must be where a call of the program's that has not returned keeps its return address,
    /// or lead to 0.
    #[inline(always)]
    pub unsafe fn number(&mut self, at: *const usize) -> (u32, Option<Vec<u64>>) {
        // SAFETY: the caller says that it is there.
        let address = unsafe { *at };
        let (seen, known) = self.quick[slot(address)];
        if seen == address && known & LAYER == 0 {
            return (known as u32, None);
        }
        // SAFETY: as the caller says.
        unsafe { self.behind(at, 0) }
    }

    /// The same, behind so many layers.
    ///
    /// # Safety
    /// As for [`number`](Sites::number).
    unsafe fn behind(&mut self, at: *const usize, layers: usize) -> (u32, Option<Vec<u64>>) {
        // SAFETY: the caller says that it is there.
        let address = unsafe { *at };
        let (seen, quick) = self.quick[slot(address)];
        let (known, entry) = if seen == address { (quick, None) } else { self.search(address) };
        self.quick[slot(address)] = (address, known);
        if known & LAYER == 0 {
            return (known as u32, entry);
        }
        if layers == LAYERS_MAX {
            return (0, None);
        }
        let step = (known & !LAYER) as usize;
        // SAFETY: the layer's own table says that its return address is there, and the layer's call
        // has not returned.
        unsafe { self.behind(at.byte_add(step), layers + 1) }
    }

    #[cold]
    fn search(&mut self, address: usize) -> (u64, Option<Vec<u64>>) {
        if address == 0 {
            return (0, None);
        }
        if let Some(known) = self.all.get(address) {
            return (known, None);
        }
        mpi4py::meet(address);
        if let Some(step) = layers::step(address) {
            self.all.insert(address, LAYER | step as u64);
            return (LAYER | step as u64, None);
        }
        self.last += 1;
        self.all.insert(address, u64::from(self.last));
        let (path, offset) = locate(address);
        (self.last.into(), Some(Site::encode(self.last, offset, &path)))
    }
}

#[inline(always)]
fn slot(address: usize) -> usize {
    (address ^ address >> 6) % QUICK
}

/// The file that `address` is mapped from, and the address as the file numbers it.
fn locate(address: usize) -> (Vec<u8>, u64) {
    let Some((file, base)) = objects::at(address) else { return (Vec::new(), address as u64) };
    let offset = if is_fixed(base) { address } else { address - base as usize };
    (absolute(file.to_bytes()), offset as u64)
}

/// Whether the object at `base` was linked to lie there (ET_EXEC), so that its addresses are
/// numbered from 0.
fn is_fixed(base: *const u8) -> bool {
    const TYPE_AT: usize = 16;
    const EXECUTABLE: u16 = 2;
    // SAFETY: a mapped object begins with its ELF header, whose type is the half word at 16.
    unsafe { base.add(TYPE_AT).cast::<u16>().read_unaligned() == EXECUTABLE }
}

/// The loader knows the program itself by what it was called, which may be relative to a folder
/// that it has left.
fn absolute(name: &[u8]) -> Vec<u8> {
    use std::os::unix::ffi::{OsStrExt, OsStringExt};
    let path = std::path::Path::new(std::ffi::OsStr::from_bytes(name));
    let own = std::env::args_os().next().is_some_and(|own| own.as_bytes() == name);
    let found =
        if own { std::fs::read_link("/proc/self/exe") } else { std::fs::canonicalize(path) };
    found.map_or_else(|_| name.to_vec(), |path| path.into_os_string().into_vec())
}

#[cfg(test)]
mod tests {
    use super::*;
    use calls::entry::Location;

    #[test]
    fn a_line_has_one_number_and_one_entry_whatever_code_it_is_of() {
        let mut sites = Sites::new();
        let (first, entry) = sites.line(41, b"/heat.py", b"solve");
        let (file, function) = ("/heat.py".to_owned(), "solve".to_owned());
        let site = Site { id: 1, location: Location::Line { file, line: 41, function } };
        assert_eq!((first, Site::decode(&entry.expect("the first time"))), (1, site));
        assert_eq!(sites.line(42, b"/heat.py", b"solve").0, 2);
        assert_eq!(sites.line(41, b"/heat.py", b"solve"), (1, None));
        let long = vec![b'x'; 1 << 20];
        let (number, entry) = sites.line(1, &long, &long);
        assert!(number == 3 && calls::entry::is_sound(&entry.expect("the first time")));
    }

    #[test]
    fn a_place_has_one_number_and_one_entry() {
        let mut sites = Sites::new();
        // SAFETY: the number is there, and is no return address of a layer.
        let mut number = |address: usize| unsafe { sites.number(&raw const address) };
        let here = locate as fn(usize) -> (Vec<u8>, u64) as usize;
        let (first, entry) = number(here);
        let entry = entry.expect("the first time");
        assert_eq!(first, 1);
        let Location::Code { object, offset } = Site::decode(&entry).location else { panic!() };
        let own = std::env::current_exe().unwrap().canonicalize().unwrap();
        assert_eq!(std::path::Path::new(&object), own);
        assert!(offset < here as u64, "an offset in a file that is loaded anywhere");
        assert_eq!(number(here), (1, None));
        assert_eq!(number(0), (0, None));
        assert_eq!(number(here + 64 * 64).0, 2);
        assert_eq!(number(here), (1, None), "also when its quick place was taken");
    }
}
