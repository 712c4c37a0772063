//! Files that appear whole or not at all: written under a temporary name beside their place, then
//! renamed.

use crate::RecordError;
use serde::Serialize;
use std::io::{self, BufWriter, Write};
use std::path::Path;

/// Write `value` as readable JSON to `path`, whole or not at all.
pub(crate) fn write_json(path: &Path, value: &impl Serialize) -> Result<(), RecordError> {
    let failed = |error| RecordError::file("write", path, error);
    let mut text = serde_json::to_vec_pretty(value).map_err(|error| failed(error.into()))?;
    text.push(b'\n');
    let folder = path.parent().expect("files of a run lie in its folder");
    let mut file = named_temporary(folder).map_err(failed)?;
    file.write_all(&text).map_err(failed)?;
    file.as_file().sync_data().map_err(failed)?;
    file.persist(path).map_err(|error| failed(error.error))?;
    Ok(())
}

/// A temporary file that readers of `*.parquet` and `*.json` do not see, and that others may read
/// once it has its name: `persist` gives it that, when it is whole.
///
/// # Errors
/// When the folder cannot be written.
pub fn named_temporary(folder: &Path) -> io::Result<tempfile::NamedTempFile> {
    use std::os::unix::fs::PermissionsExt;
    tempfile::Builder::new()
        .prefix(".unfinished-")
        .permissions(std::fs::Permissions::from_mode(0o644))
        .tempfile_in(folder)
}

/// Write a file by `write`, whole or not at all, and give back what `write` gave.
///
/// # Errors
/// What `write` says; the system's word where the folder or the disk refuses the file.
pub fn write_whole<T, E: From<io::Error>>(
    path: &Path,
    write: impl FnOnce(&mut dyn Write) -> Result<T, E>,
) -> Result<T, E> {
    let draft = named_temporary(folder_of(path))?;
    let mut out = BufWriter::with_capacity(1 << 18, draft);
    let written = write(&mut out)?;
    let draft = out.into_inner().map_err(io::IntoInnerError::into_error)?;
    draft.persist(path).map_err(|error| error.error)?;
    Ok(written)
}

/// The folder that `path` lies in: the present one where it names none.
pub fn folder_of(path: &Path) -> &Path {
    path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// Refuse a file of a newer format before anything else in it is looked at.
pub(crate) fn check_format(text: &[u8], path: &Path) -> Result<(), RecordError> {
    #[derive(serde::Deserialize)]
    struct Head {
        format: u64,
    }
    let head: Head = serde_json::from_slice(text).map_err(|error| {
        RecordError::damaged(path, format!("is not JSON with a format number: {error}"))
    })?;
    if head.format > u64::from(crate::FORMAT) {
        return Err(RecordError::TooNew { path: path.to_path_buf(), found: head.format });
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_fails_half_way_leaves_the_file_that_was_there() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("page.html");
        let write = |text: &str, end: io::Result<u8>| {
            write_whole(&path, |out| {
                out.write_all(text.as_bytes())?;
                end
            })
        };
        assert_eq!(write("first", Ok(7)).unwrap(), 7);
        assert!(write("second", Err(io::Error::other("no"))).is_err());
        assert_eq!(std::fs::read_to_string(&path).unwrap(), "first");
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
    }

    #[test]
    fn a_bare_name_lies_in_the_present_folder() {
        assert_eq!(folder_of(Path::new("page.html")), Path::new("."));
        assert_eq!(folder_of(Path::new("a/page.html")), Path::new("a"));
    }
}
