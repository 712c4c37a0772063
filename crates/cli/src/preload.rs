//! Libraries of ours that are loaded before somebody's program: they travel inside this one, and
//! must lie in a file when they are used. And which programs they can precede.

mod shelf;

use anyhow::{Context, Result, anyhow, bail};
use std::ffi::{OsStr, OsString};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

/// A library that is loaded before a program.
pub struct Preload {
    /// Its file, and what must lie beside it.
    files: &'static [Carried],
    /// The environment variable that may name another.
    variable: &'static str,
}

/// A file that this program carries.
struct Carried {
    name: &'static str,
    bytes: &'static [u8],
}

/// Logs the calls of MPI programs.
pub static TRACER: Preload = Preload {
    files: &[Carried { name: "libmpitrace.so", bytes: embed::library!(mpitrace) }],
    variable: "FOURSTAMP_MPITRACE",
};
/// Gives a program paged memory.
pub static PAGING: Preload = Preload {
    files: &[Carried { name: "librmem_preload.so", bytes: embed::library!(rmem_preload) }],
    variable: "FOURSTAMP_RMEM",
};

/// Logs the calls of programs on their sockets.
pub static SOCKETS: Preload = Preload {
    files: &[Carried { name: "libsockettrace.so", bytes: embed::library!(sockettrace) }],
    variable: "FOURSTAMP_SOCKETTRACE",
};

impl Preload {
    /// Its path: named by the environment; or beside this program, if what lies there is what it
    /// carries (other hosts of a job see the folder of an installation, and not every private
    /// one); or in a private folder, into which it is written where it is not there yet.
    pub fn find(&self) -> Result<PathBuf> {
        let Preload { files, variable } = self;
        if let Some(named) = std::env::var_os(variable).map(PathBuf::from) {
            return named.canonicalize().with_context(|| {
                format!(
                    "cannot find {}, which {variable} names; correct or unset the variable",
                    named.display()
                )
            });
        }
        let folder = match beside(files) {
            Some(folder) => folder,
            None => shelf::folder(files).map_err(|why| {
                anyhow!(
                    "no folder is suitable for {}: {why}; set XDG_CACHE_HOME to a folder of \
                    yours, or {variable} to the library's path",
                    files[0].name
                )
            })?,
        };
        Ok(folder.join(files[0].name))
    }
}

/// What `LD_PRELOAD` must be: `library`, before whatever else is to be loaded anyway.
pub fn list(library: &Path) -> OsString {
    let earlier = std::env::var_os("LD_PRELOAD").filter(|earlier| !earlier.is_empty());
    let all: Vec<OsString> = [Some(library.into()), earlier].into_iter().flatten().collect();
    all.join(OsStr::new(":"))
}

/// Folders in which other builds have left their libraries.
pub fn of_other_builds() -> Vec<PathBuf> {
    shelf::of_other_builds(&[TRACER.files, PAGING.files, SOCKETS.files])
}

/// The folder near this program that holds just these files, as a build or an installation leaves
/// them.
fn beside(files: &[Carried]) -> Option<PathBuf> {
    let program = std::env::current_exe().ok()?;
    let folder = program.parent()?;
    let places = ["deps", "", "../lib", "../lib/fourstamp"].map(|place| folder.join(place));
    let same = |folder: &PathBuf| {
        let is = |file: &Carried| shelf::is_same(&folder.join(file.name), file.bytes);
        shelf::can_be_listed(folder) && files.iter().all(is)
    };
    places.iter().filter_map(|place| place.canonicalize().ok()).find(same)
}

/// Refuse what no library can be loaded into.
///
/// # Errors
/// For a statically linked program, and for one that runs with other rights than its caller's: the
/// loader ignores `LD_PRELOAD` then.
pub fn check(program: &Path) -> Result<()> {
    if changes_rights(program) {
        bail!(
            "LD_PRELOAD cannot be used with {}, which runs with other rights than yours (setuid, \
            setgid or capabilities); run it as its owner, or run a copy without them",
            program.display()
        );
    }
    if std::fs::read(program).is_ok_and(|bytes| is_static(&bytes)) {
        bail!(
            "LD_PRELOAD cannot be used with {}, which is statically linked; link it dynamically \
            (without -static)",
            program.display()
        );
    }
    Ok(())
}

/// What the run is called.
pub fn name(program: Option<&Path>, words: &[OsString]) -> String {
    let file = program.or_else(|| words.first().map(Path::new)).and_then(Path::file_name);
    let name = file.unwrap_or_default().to_string_lossy();
    name.chars()
        .map(|letter| if letter.is_alphanumeric() || "-_.".contains(letter) { letter } else { '-' })
        .collect()
}

fn changes_rights(program: &Path) -> bool {
    const SET_USER: u32 = 0o4000;
    // without the group's right to run it, the bit is no more than a mark
    const SET_GROUP: u32 = 0o2010;
    let Ok(file) = std::fs::metadata(program) else { return false };
    let sets = |bits: u32| file.mode() & bits == bits;
    let user = sets(SET_USER) && file.uid() != rustix::process::getuid().as_raw();
    let group = sets(SET_GROUP) && file.gid() != rustix::process::getgid().as_raw();
    let capable = rustix::fs::getxattr(program, "security.capability", &mut [0u8; 64]).is_ok();
    user || group || capable && !rustix::process::getuid().is_root()
}

/// Whether this is an ELF program that names no loader.
fn is_static(bytes: &[u8]) -> bool {
    const INTERPRETER: u32 = 3;
    const ELF64_LITTLE: &[u8] = b"\x7fELF\x02\x01";
    if !bytes.starts_with(ELF64_LITTLE) {
        return false;
    }
    let number = |at: usize, width: usize| {
        let field = bytes.get(at..at + width)?;
        Some(field.iter().rev().fold(0u64, |number, byte| number << 8 | u64::from(*byte)))
    };
    let (Some(start), Some(size), Some(count)) = (number(32, 8), number(54, 2), number(56, 2))
    else {
        return false;
    };
    let kind = |segment: u64| number(start.checked_add(segment * size)? as usize, 4);
    !(0..count).any(|segment| kind(segment) == Some(u64::from(INTERPRETER)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::PermissionsExt;

    #[test]
    fn this_test_is_not_static_and_text_is_no_program() {
        let own = std::fs::read(std::env::current_exe().unwrap()).unwrap();
        assert!(!is_static(&own));
        assert!(!is_static(b"#!/bin/sh\n"));
        let mut without = own.clone();
        without[56..58].fill(0);
        assert!(is_static(&without), "an ELF file without segments names no loader");
        assert!(!is_static(&own[..20]), "a cut file is not judged");
    }

    #[test]
    fn a_program_with_others_rights_is_refused() {
        let file = tempfile::NamedTempFile::new().unwrap();
        let set = |mode| {
            std::fs::set_permissions(file.path(), std::fs::Permissions::from_mode(mode)).unwrap()
        };
        set(0o4755);
        assert!(check(file.path()).is_ok(), "its caller owns it, so no right changes");
        if !rustix::process::getuid().is_root() {
            println!("skipped: a file of another user's, for which this user has no right");
            return;
        }
        std::os::unix::fs::chown(file.path(), Some(65534), None).unwrap();
        set(0o755);
        assert!(check(file.path()).is_ok());
        set(0o4755);
        assert!(check(file.path()).unwrap_err().to_string().contains("other rights"));
    }

    #[test]
    fn a_run_is_called_like_its_program() {
        assert_eq!(name(Some(Path::new("/x/my app")), &[]), "my-app");
    }
}
