//! Python's package for MPI, mpi4py: where its machine code lies, and which source files are its
//! own. A call that comes from that code comes from a line of Python.

use crate::objects;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Where the code begins, and how long it is: nowhere, before it is found.
static FROM: AtomicUsize = AtomicUsize::new(0);
static LENGTH: AtomicUsize = AtomicUsize::new(0);
/// The folder of the package, with the slash at its end.
static PACKAGE: OnceLock<Vec<u8>> = OnceLock::new();

/// Whether the return address `address` leads into the package's machine code.
#[inline(always)]
pub fn has(address: usize) -> bool {
    let from = FROM.load(Ordering::Relaxed);
    address.wrapping_sub(from) < LENGTH.load(Ordering::Relaxed)
}

/// Whether a source file is the package's own.
pub fn is_own(source: &[u8]) -> bool {
    PACKAGE.get().is_some_and(|package| source.starts_with(package))
}

/// Look for it among what is mapped. It stays where it is found: Python unloads no extension.
#[cold]
pub fn look() {
    let found = objects::find(|object| {
        let file = object.file.to_bytes();
        is_extension(file).then(|| (file.to_vec(), object.span()))
    });
    let Some((file, span)) = found else { return };
    let end = file.iter().rposition(|byte| *byte == b'/').map_or(0, |slash| slash + 1);
    if PACKAGE.set(file[..end].to_vec()).is_ok() {
        FROM.store(span.start, Ordering::Relaxed);
        LENGTH.store(span.len(), Ordering::Relaxed);
    }
}

/// The same, if `address` is of a file that is called like it: one that was loaded late.
#[cold]
pub fn meet(address: usize) {
    let is_its = || objects::at(address).is_some_and(|(file, _)| is_extension(file.to_bytes()));
    if PACKAGE.get().is_none() && is_its() {
        look();
    }
}

/// `…/mpi4py/MPI.*.so`: one file for each MPI library, or one for the only one.
fn is_extension(file: &[u8]) -> bool {
    let path = Path::new(std::ffi::OsStr::from_bytes(file));
    let name = |path: &Path| path.file_name().map(|name| name.as_bytes().to_vec());
    let folder = path.parent().and_then(name);
    let file = name(path).unwrap_or_default();
    folder.is_some_and(|folder| folder == b"mpi4py")
        && file.starts_with(b"MPI.")
        && file.ends_with(b"so")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_extension_is_known_by_its_file() {
        assert!(is_extension(b"/py/mpi4py/MPI.openmpi.cpython-311-x86_64-linux-gnu.so"));
        assert!(is_extension(b"/py/mpi4py/MPI.so") && is_extension(b"mpi4py/MPI.abi3.so"));
        assert!(!is_extension(b"/py/petsc4py/MPI.so") && !is_extension(b"/py/mpi4py/dl.so"));
        assert!(!is_extension(b"libmpi.so.40") && !is_extension(b""));
        assert!(!has(is_extension as fn(&[u8]) -> bool as usize) && !has(0) && !has(usize::MAX));
    }
}
