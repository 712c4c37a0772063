//! Opening files that somebody sent us.
//!
//! Anything may stand in a run folder under the name of a file: a pipe that never ends, a device, a
//! folder, a file of a terabyte. A reader opens regular files only and never waits in opening; what
//! it writes into, or removes from, it reaches through no link.

use crate::RecordError;
use rustix::fs::{Mode, OFlags, open};
use std::fs::File;
use std::io::{Error, ErrorKind, Read};
use std::path::Path;

/// Most bytes that a text of a run may have, such as its `run.json`.
pub const TEXT_BYTES_MAX: u64 = 256 << 20;

/// Open a regular file for reading.
///
/// # Errors
/// When it cannot be opened, or is something else.
pub fn open_input(path: &Path) -> std::io::Result<File> {
    let flags = OFlags::RDONLY | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::CLOEXEC;
    regular(File::from(open(path, flags, Mode::empty())?))
}

/// Read a text of at most [`TEXT_BYTES_MAX`].
///
/// # Errors
/// As [`open_input`], and when it is longer.
pub fn read_input(path: &Path) -> std::io::Result<Vec<u8>> {
    let mut text = Vec::new();
    open_input(path)?.take(TEXT_BYTES_MAX + 1).read_to_end(&mut text)?;
    if text.len() as u64 > TEXT_BYTES_MAX {
        return Err(Error::new(ErrorKind::InvalidData, "it is larger than any file of its kind"));
    }
    Ok(text)
}

/// The same, of a text that must be UTF-8.
///
/// # Errors
/// As [`read_input`], and when it is not UTF-8.
pub fn read_text(path: &Path) -> std::io::Result<String> {
    String::from_utf8(read_input(path)?)
        .map_err(|error| Error::new(ErrorKind::InvalidData, error.utf8_error()))
}

/// Open the file that is locked, or make it: never the file that a link leads to.
pub(crate) fn open_lock(path: &Path) -> std::io::Result<File> {
    let flags =
        OFlags::RDWR | OFlags::CREATE | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
    regular(File::from(open(path, flags, Mode::from_raw_mode(0o644))?))
}

fn regular(file: File) -> std::io::Result<File> {
    match file.metadata()?.is_file() {
        true => Ok(file),
        false => Err(Error::new(ErrorKind::InvalidInput, "it is not a regular file")),
    }
}

/// Folders of a run into which closing writes.
const WRITTEN: [&str; 5] = ["live", "messages", "causes", "mpi", "sockets"];

/// Refuse a run whose folders are links: what is written into them would go elsewhere.
pub(crate) fn refuse_links(run: &Path) -> Result<(), RecordError> {
    for folder in WRITTEN.map(|name| run.join(name)) {
        match folder.symlink_metadata() {
            Ok(about) if !about.is_dir() => {
                return Err(RecordError::damaged(&folder, "is not a folder"));
            }
            _ => {}
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pipes_devices_folders_and_links_to_lock_are_refused_at_once() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        rustix::fs::mknodat(
            rustix::fs::CWD,
            at("pipe"),
            rustix::fs::FileType::Fifo,
            Mode::from_raw_mode(0o600),
            0,
        )
        .unwrap();
        std::fs::create_dir(at("folder")).unwrap();
        for path in [at("pipe"), at("folder"), "/dev/zero".into(), at("nothing")] {
            assert!(read_input(&path).is_err(), "{}", path.display());
            assert!(open_lock(&path).is_err() || path == at("nothing"), "{}", path.display());
        }
        let target = at("target");
        std::os::unix::fs::symlink(&target, at("link")).unwrap();
        assert!(open_lock(&at("link")).is_err() && !target.exists());
        std::fs::write(&target, "text").unwrap();
        assert_eq!(read_text(&at("link")).unwrap(), "text");
        std::fs::write(&target, [b'a', 0xff]).unwrap();
        assert_eq!(read_text(&target).unwrap_err().kind(), ErrorKind::InvalidData);
        let long = File::create(at("long")).unwrap();
        long.set_len(TEXT_BYTES_MAX + 1).unwrap();
        assert!(read_input(&at("long")).is_err());
    }
}
