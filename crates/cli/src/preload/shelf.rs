//! A private folder for the libraries that this program carries: `fourstamp/HASH` in the user's
//! cache.
//!
//! Whoever can write such a file runs code in the programs of its user. So the folder must be this
//! user's and closed to all others, nobody else may be able to move it, and each file is compared
//! with what is carried before each use; a file that differs is replaced by one that appears whole.
//! The hash only keeps the libraries of several builds apart.
//!
//! The cache comes first because the hosts of a cluster often share a home, and their ranks load
//! the library from there; a folder whose file system is mounted noexec cannot serve.

use super::Carried;
use anyhow::{Context, Result, bail, ensure};
use std::fs::{DirBuilder, File, Metadata, Permissions};
use std::io::{ErrorKind, Read, Write};
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};
use twox_hash::XxHash3_128;

/// A place where a private folder may be.
#[derive(Debug, PartialEq)]
struct Place {
    /// What it lies in.
    parent: PathBuf,
    /// What it is called there.
    name: String,
}

/// A folder that holds these files, and in which nobody else can change them.
pub fn folder(files: &[Carried]) -> Result<PathBuf> {
    ensure!(
        files.iter().all(|file| !file.bytes.is_empty()),
        "this fourstamp was built without its preload libraries"
    );
    let mut passed_over = Vec::new();
    for place in own_places() {
        match place.fill(files) {
            Ok(folder) => {
                if !passed_over.is_empty() {
                    let chosen = folder.display();
                    eprintln!("the library is in {chosen}, because {}", passed_over.join("; "));
                }
                return Ok(folder);
            }
            Err(why) => passed_over.push(crate::failure::one_line(&why)),
        }
    }
    bail!("{}", passed_over.join("; "))
}

/// Folders that other builds have left: not those of `ours`.
pub fn of_other_builds(ours: &[&[Carried]]) -> Vec<PathBuf> {
    let ours: Vec<String> = ours.iter().map(|files| hash(files)).collect();
    let all = own_places().into_iter().map(|place| place.parent.join(place.name));
    all.flat_map(|own| others_in(&own, &ours)).collect()
}

/// Folders in a private one that are called as by us, and are none of these.
fn others_in(own: &Path, ours: &[String]) -> Vec<PathBuf> {
    if check_private(own).is_err() {
        return Vec::new();
    }
    let is_other = |path: &PathBuf| {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let is_hash = name.len() == 32 && name.bytes().all(|byte| byte.is_ascii_hexdigit());
        is_hash && ours.iter().all(|known| *known != name) && check_private(path).is_ok()
    };
    let entries = std::fs::read_dir(own).into_iter().flatten().flatten();
    entries.map(|entry| entry.path()).filter(is_other).collect()
}

fn own_places() -> Vec<Place> {
    places(|name| std::env::var_os(name).map(PathBuf::from), own_id())
}

/// The user's cache, the folder of the session, the temporary one.
fn places(variable: impl Fn(&str) -> Option<PathBuf>, user: u32) -> Vec<Place> {
    let variable = |name| variable(name).filter(|path| path.is_absolute());
    let cache =
        variable("XDG_CACHE_HOME").or_else(|| variable("HOME").map(|home| home.join(".cache")));
    let session = variable("XDG_RUNTIME_DIR");
    let own = [cache, session].into_iter().flatten();
    let own = own.map(|parent| Place { parent, name: "fourstamp".into() });
    // Here other users have theirs too.
    let parent = variable("TMPDIR").unwrap_or_else(|| "/tmp".into());
    own.chain([Place { parent, name: format!("fourstamp-{user}") }]).collect()
}

impl Place {
    /// The folder of these files, with them in it.
    fn fill(&self, files: &[Carried]) -> Result<PathBuf> {
        ensure!(
            can_be_listed(&self.parent),
            "the path {} contains a space or a colon",
            self.parent.display()
        );
        make(&self.parent)?;
        check_parent(&self.parent)?;
        let own = self.parent.join(&self.name);
        make(&own)?;
        check_private(&own)?;
        let flags = rustix::fs::statvfs(&own).with_context(|| cannot("look at", &own))?.f_flag;
        ensure!(
            !flags.contains(rustix::fs::StatVfsMountFlags::NOEXEC),
            "{} is on a file system mounted noexec",
            own.display()
        );
        let folder = own.join(hash(files));
        make(&folder)?;
        check_private(&folder)?;
        files.iter().try_for_each(|file| keep(&folder, file))?;
        Ok(folder)
    }
}

/// `LD_PRELOAD` is a list: the loader cuts it at these.
pub fn can_be_listed(path: &Path) -> bool {
    !path.as_os_str().as_encoded_bytes().iter().any(|byte| b": \t\n".contains(byte))
}

/// Make a folder of our own, if there is none.
fn make(folder: &Path) -> Result<()> {
    match DirBuilder::new().mode(0o700).create(folder) {
        Err(error) if error.kind() != ErrorKind::AlreadyExists => {
            Err(error).with_context(|| cannot("make", folder))
        }
        _ => Ok(()),
    }
}

/// Nobody else can move what lies in it.
fn check_parent(folder: &Path) -> Result<()> {
    const STICKY: u32 = 0o1000;
    let about = folder.metadata().with_context(|| cannot("look at", folder))?;
    ensure!(
        about.uid() == own_id() || about.uid() == 0,
        "{} belongs to another user",
        folder.display()
    );
    ensure!(
        about.mode() & 0o022 == 0 || about.mode() & STICKY != 0,
        "other users can write to {} (mode {:o})",
        folder.display(),
        about.mode() & 0o7777
    );
    Ok(())
}

/// It is a folder, ours, and closed to others.
fn check_private(folder: &Path) -> Result<()> {
    let about = folder.symlink_metadata().with_context(|| cannot("look at", folder))?;
    let shown = folder.display();
    ensure!(about.is_dir(), "{shown} is not a folder");
    ensure!(about.uid() == own_id(), "{shown} belongs to another user");
    let mode = about.mode() & 0o777;
    ensure!(mode == 0o700, "{shown} has mode {mode:o} and must have 700 (chmod 700 {shown})");
    Ok(())
}

/// Have the file in the folder, just as it is carried.
fn keep(folder: &Path, file: &Carried) -> Result<()> {
    let path = folder.join(file.name);
    if is_ours(&path) && is_same(&path, file.bytes) {
        return Ok(());
    }
    let write = || {
        let mut draft = tempfile::NamedTempFile::new_in(folder)?;
        draft.write_all(file.bytes)?;
        draft.as_file().set_permissions(Permissions::from_mode(0o500))?;
        draft.persist(&path).map_err(|error| error.error)
    };
    write().with_context(|| cannot("write", &path))?;
    ensure!(is_same(&path, file.bytes), "{} differs from what was written to it", path.display());
    Ok(())
}

fn is_ours(path: &Path) -> bool {
    let ours = |about: Metadata| {
        about.is_file() && about.uid() == own_id() && about.mode() & 0o777 == 0o500
    };
    path.symlink_metadata().is_ok_and(ours)
}

/// Whether it is a file that holds these bytes.
pub fn is_same(path: &Path, bytes: &[u8]) -> bool {
    // A pipe in its place would keep its reader waiting.
    let nonblocking = rustix::fs::OFlags::NONBLOCK.bits() as i32;
    let Ok(mut file) = File::options().read(true).custom_flags(nonblocking).open(path) else {
        return false;
    };
    let same_length =
        file.metadata().is_ok_and(|about| about.is_file() && about.len() == bytes.len() as u64);
    let mut found = Vec::with_capacity(bytes.len() + 1);
    same_length && file.read_to_end(&mut found).is_ok() && found == bytes
}

fn hash(files: &[Carried]) -> String {
    let mut all = XxHash3_128::new();
    files.iter().for_each(|file| all.write(file.bytes));
    format!("{:032x}", all.finish_128())
}

fn own_id() -> u32 {
    rustix::process::geteuid().as_raw()
}

fn cannot(what: &str, path: &Path) -> String {
    format!("cannot {what} {}", path.display())
}

#[cfg(test)]
mod tests {
    use super::*;

    const FILES: &[Carried] =
        &[Carried { name: "liba.so", bytes: b"a" }, Carried { name: "libb.so", bytes: b"bb" }];

    fn set(path: &Path, mode: u32) {
        std::fs::set_permissions(path, Permissions::from_mode(mode)).unwrap();
    }

    fn place() -> (tempfile::TempDir, Place) {
        let parent = tempfile::tempdir().unwrap();
        let place = Place { parent: parent.path().join("cache"), name: "fourstamp".into() };
        (parent, place)
    }

    fn refused(place: &Place) -> String {
        format!("{:#}", place.fill(FILES).unwrap_err())
    }

    #[test]
    fn files_are_written_once_and_mended() {
        let (_parent, place) = place();
        let folder = place.fill(FILES).unwrap();
        for (at, mode) in
            [(&place.parent, 0o700), (&folder, 0o700), (&folder.join("liba.so"), 0o500)]
        {
            assert_eq!(at.metadata().unwrap().mode() & 0o777, mode, "{}", at.display());
        }
        let number = |name: &str| folder.join(name).metadata().unwrap().ino();
        let before = [number("liba.so"), number("libb.so")];
        assert_eq!(place.fill(FILES).unwrap(), folder);
        assert_eq!([number("liba.so"), number("libb.so")], before, "what is good stays");
        for damage in ["x", "", "longer"] {
            set(&folder.join("libb.so"), 0o700);
            std::fs::write(folder.join("libb.so"), damage).unwrap();
            place.fill(FILES).unwrap();
            assert_eq!(std::fs::read(folder.join("libb.so")).unwrap(), b"bb");
        }
        assert_eq!(std::fs::read_dir(&folder).unwrap().count(), 2, "no draft is left");
    }

    #[test]
    fn a_link_to_a_file_is_replaced_and_what_it_names_is_left_alone() {
        let (parent, place) = place();
        let folder = place.fill(FILES).unwrap();
        let other = parent.path().join("other");
        std::fs::write(&other, "a").unwrap();
        std::fs::remove_file(folder.join("liba.so")).unwrap();
        std::os::unix::fs::symlink(&other, folder.join("liba.so")).unwrap();
        place.fill(FILES).unwrap();
        assert!(folder.join("liba.so").symlink_metadata().unwrap().is_file());
        assert!(other.is_file());
    }

    #[test]
    fn what_others_can_change_is_refused() {
        let (parent, place) = place();
        let folder = place.fill(FILES).unwrap();
        let own = place.parent.join("fourstamp");
        for (at, mode, word) in [(&own, 0o755, "mode 755"), (&folder, 0o770, "chmod 700")] {
            set(at, mode);
            assert!(refused(&place).contains(word), "{}", refused(&place));
            set(at, 0o700);
        }
        set(&place.parent, 0o777);
        assert!(refused(&place).contains("other users can write to"));
        set(&place.parent, 0o1777);
        assert!(place.fill(FILES).is_ok(), "what is sticky is moved by its owner alone");
        let elsewhere = parent.path().join("elsewhere");
        std::fs::rename(&own, &elsewhere).unwrap();
        std::os::unix::fs::symlink(&elsewhere, &own).unwrap();
        assert!(refused(&place).contains("is not a folder"));
        if !rustix::process::geteuid().is_root() {
            println!("skipped: a folder of another user's, for which this user has no right");
            return;
        }
        std::fs::remove_file(&own).unwrap();
        std::fs::rename(&elsewhere, &own).unwrap();
        std::os::unix::fs::chown(&own, Some(65534), None).unwrap();
        assert!(refused(&place).contains("belongs to another user"));
    }

    #[test]
    fn what_other_builds_left_is_found_and_nothing_else() {
        let (_parent, place) = place();
        let folder = place.fill(FILES).unwrap();
        let other = place.fill(&FILES[..1]).unwrap();
        let own = place.parent.join(&place.name);
        std::fs::create_dir(own.join("notes")).unwrap();
        assert_eq!(others_in(&own, &[hash(FILES)]), [other]);
        assert!(others_in(&folder, &[]).is_empty() && others_in(&own.join("none"), &[]).is_empty());
    }

    #[test]
    fn a_name_at_which_the_loader_cuts_is_refused() {
        let parent = tempfile::tempdir().unwrap();
        for name in ["a b", "a:b"] {
            let place = Place { parent: parent.path().join(name), name: "fourstamp".into() };
            assert!(refused(&place).contains("space or a colon"));
            assert!(!place.parent.exists());
        }
    }

    #[test]
    fn the_cache_comes_first_and_relative_paths_do_not_count() {
        let given = |all: &'static [(&str, &str)]| {
            let variable = |name: &str| {
                all.iter().find(|(known, _)| *known == name).map(|(_, value)| PathBuf::from(value))
            };
            let shown = |place: Place| place.parent.join(place.name).display().to_string();
            places(variable, 7).into_iter().map(shown).collect::<Vec<_>>()
        };
        assert_eq!(
            given(&[("HOME", "/home/a"), ("XDG_RUNTIME_DIR", "/run/user/7")]),
            ["/home/a/.cache/fourstamp", "/run/user/7/fourstamp", "/tmp/fourstamp-7"]
        );
        assert_eq!(
            given(&[("HOME", "/home/a"), ("XDG_CACHE_HOME", "/c"), ("TMPDIR", "tmp")]),
            ["/c/fourstamp", "/tmp/fourstamp-7"]
        );
    }
}
