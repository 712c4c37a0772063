//! Files that appear whole or not at all: written under a temporary name beside their place, then
//! renamed.

use crate::RecordError;
use serde::Serialize;
use std::io::Write;
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
pub fn named_temporary(folder: &Path) -> std::io::Result<tempfile::NamedTempFile> {
    use std::os::unix::fs::PermissionsExt;
    tempfile::Builder::new()
        .prefix(".unfinished-")
        .permissions(std::fs::Permissions::from_mode(0o644))
        .tempfile_in(folder)
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
