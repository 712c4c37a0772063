//! Folders that a command makes: new ones only, and whole or not at all.

use crate::show;
use anyhow::{Result, bail};
use record::folder_of;
use std::path::Path;

/// Refuse a folder that holds something.
pub fn must_be_new(folder: &Path) -> Result<()> {
    if folder.is_file()
        || std::fs::read_dir(folder).is_ok_and(|mut entries| entries.next().is_some())
    {
        bail!("{} exists and is not empty; choose another folder", folder.display());
    }
    Ok(())
}

/// Fill a folder that has its name only when it is whole.
pub fn whole<T>(folder: &Path, fill: impl FnOnce(&Path) -> Result<T>) -> Result<T> {
    drafted(folder, fill).map_err(|error| show::unwritten(error, folder))
}

fn drafted<T>(folder: &Path, fill: impl FnOnce(&Path) -> Result<T>) -> Result<T> {
    let draft = tempfile::Builder::new().prefix(".unfinished-").tempdir_in(folder_of(folder))?;
    let filled = fill(draft.path())?;
    make_readable(draft.path())?;
    std::fs::rename(draft.path(), folder)?;
    // It has its name now: nothing is left to be removed.
    let _ = draft.keep();
    Ok(filled)
}

/// What was made for one user's eyes only, as temporary folders are, gets the rights of any new
/// folder.
fn make_readable(folder: &Path) -> std::io::Result<()> {
    use std::os::unix::fs::PermissionsExt;
    std::fs::set_permissions(folder, std::fs::Permissions::from_mode(0o755))
}
