//! The MPI library of this process: chosen, loaded and looked up as the program runs, so that one
//! binary serves every job.
//!
//! Which library that is, `choice.rs` says. What the libraries differ in for us is in
//! `constants.rs`, and what we call of them in `functions.rs`. A library that has been loaded stays
//! so: none of them can be unloaded safely.

use crate::error::FabricError;
use choice::Candidate;
use constants::Constants;
use functions::Functions;
use std::ffi::{CStr, CString, c_int, c_void};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::sync::{Mutex, OnceLock, PoisonError};

mod choice;
mod constants;
mod functions;

pub(super) use choice::srun_without_mpi;
pub use choice::{MPI_LIBRARY_VARIABLE, MpiFamily};
pub(super) use functions::Handle;

static LOADED: OnceLock<Library> = OnceLock::new();
static LOADING: Mutex<()> = Mutex::new(());

/// The longest text that a library may write: MPICH's version has room for so much.
const TEXT_BYTES: usize = 8192;

/// A loaded MPI library.
pub(super) struct Library {
    pub functions: Functions,
    pub constants: Constants,
    /// As it calls itself: name and version.
    name: String,
}

/// An MPI library, as others know it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MpiLibrary {
    /// As it calls itself: `Open MPI v4.1.4`.
    pub name: &'static str,
    /// Whose launchers start its processes.
    pub family: MpiFamily,
}

/// The MPI library that this process uses; outside of a job one of the family that is preferred.
///
/// # Errors
/// When there is none, or none that we know.
pub fn mpi_library(preferred: Option<MpiFamily>) -> Result<MpiLibrary, FabricError> {
    let library = load(preferred)?;
    Ok(MpiLibrary { name: &library.name, family: library.constants.family })
}

/// Load the library, if that has not been done.
pub(super) fn load(preferred: Option<MpiFamily>) -> Result<&'static Library, FabricError> {
    if !functions::FITS {
        let reason =
            "the transport mpi passes handles as a little-endian machine of 64 bits does, \
                      which this one is not; give --transport tcp"
                .into();
        return Err(FabricError::BadSpec { reason });
    }
    let _turn = LOADING.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(library) = LOADED.get() {
        return Ok(library);
    }
    let candidates = choice::here(preferred);
    let library = first_of(&candidates).map_err(|reason| FabricError::BadSpec { reason })?;
    Ok(LOADED.get_or_init(|| library))
}

/// The first candidate that is there. One that is there and cannot be used ends the search: it is
/// what the job has, and another would not find the other ranks.
fn first_of(candidates: &[Candidate]) -> Result<Library, String> {
    if is_loaded_already() {
        return Library::of("the MPI library that is already loaded");
    }
    let mut troubles = Vec::new();
    for candidate in candidates {
        match open(&candidate.file) {
            Ok(()) => return Library::of(&candidate.file.to_string_lossy()),
            Err(why) if candidate.must_be => return Err(choice::cannot_load(candidate, &why)),
            Err(why) => troubles.push(why),
        }
    }
    Err(choice::none_found(candidates, &troubles))
}

/// Asked by its file's name: a tracer has the functions of MPI as well.
fn is_loaded_already() -> bool {
    choice::sonames().any(|name| open_with(Path::new(name), libc::RTLD_NOLOAD).is_ok())
}

fn open(file: &Path) -> Result<(), String> {
    open_with(file, 0)
}

fn open_with(file: &Path, how: c_int) -> Result<(), String> {
    let name = CString::new(file.as_os_str().as_bytes()).map_err(|error| error.to_string())?;
    // Its plug-ins look for its symbols in the common scope, and a tracer that was loaded before
    // must come before it.
    let flags = libc::RTLD_NOW | libc::RTLD_GLOBAL | how;
    // SAFETY: a terminated name. What the library does while it is loaded is its own business, as
    // it is for every program that is linked with it.
    let handle = unsafe { libc::dlopen(name.as_ptr(), flags) };
    if !handle.is_null() {
        return Ok(());
    }
    // SAFETY: the loader's text of the error just made, null or terminated; read at once.
    let why = unsafe { libc::dlerror().as_ref().map(|text| CStr::from_ptr(text)) };
    Err(why.map_or("unknown error".into(), |text| text.to_string_lossy().into_owned()))
}

/// The first of that name in the common scope; null if there is none.
fn symbol(name: &CStr) -> *mut c_void {
    // SAFETY: a terminated name.
    unsafe { libc::dlsym(libc::RTLD_DEFAULT, name.as_ptr()) }
}

impl Library {
    /// What is in the common scope now. `file`: what it is called in errors.
    fn of(file: &str) -> Result<Library, String> {
        let functions = Functions::find(symbol).map_err(|name| choice::lacks(file, name))?;
        let name = functions.text(|text, len| {
            // SAFETY: allowed at any time; the text has the room that every library asks for.
            unsafe { (functions.get_library_version)(text, len) }
        });
        let name = short(&name.unwrap_or_default());
        let constants = Constants::find(symbol, &name);
        let constants = constants.ok_or_else(|| choice::neither(file, &name))?;
        Ok(Library { functions, constants, name })
    }

    pub fn name(&self) -> &str {
        &self.name
    }

    /// What the library says of an error.
    pub fn error_text(&self, code: c_int) -> String {
        let text = self.functions.text(|text, len| {
            // SAFETY: the text has the room that every library asks for.
            unsafe { (self.functions.error_string)(code, text, len) }
        });
        text.unwrap_or_else(|| format!("MPI error {code}"))
    }
}

impl Functions {
    /// The text that a function writes.
    fn text(&self, write: impl Fn(*mut libc::c_char, *mut c_int) -> c_int) -> Option<String> {
        let (mut text, mut len) = (vec![0u8; TEXT_BYTES + 1], 0);
        if write(text.as_mut_ptr().cast(), &raw mut len) != 0 {
            return None;
        }
        text.truncate(usize::try_from(len).unwrap_or(0));
        Some(String::from_utf8_lossy(&text).into_owned())
    }
}

/// Name and version alone, of lines about packages and dates: `Open MPI v4.1.4`, `MPICH 4.0.2`.
fn short(text: &str) -> String {
    let line = text.trim_end_matches('\0').lines().next().unwrap_or_default();
    let name = line.split(',').next().unwrap_or_default();
    name.split_whitespace().filter(|word| *word != "Version:").collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_library_is_called_by_name_and_version() {
        for (text, name) in [
            ("Open MPI v4.1.4, package: Debian OpenMPI, ident: 4.1.4", "Open MPI v4.1.4"),
            ("MPICH Version:      4.0.2\nMPICH Release date: Thu\n\0", "MPICH 4.0.2"),
            (
                "Intel(R) MPI Library 2021.19.0 for Linux* OS\n",
                "Intel(R) MPI Library 2021.19.0 for Linux* OS",
            ),
            ("", ""),
        ] {
            assert_eq!(short(text), name);
        }
    }
}
