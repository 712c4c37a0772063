//! Where a run goes when nobody says (the first free number under `runs`), and taking away one that
//! nothing came into.

use anyhow::{Context, Result, bail};
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

/// The folder asked for, or `runs/NAME-1`, `runs/NAME-2`, ...: made here, because of several that
/// begin at once each must find a number of its own.
pub fn for_run(asked: Option<&Path>, name: &str) -> Result<PathBuf> {
    let path = match asked {
        Some(path) => path.to_path_buf(),
        None => Path::new("runs").to_path_buf(),
    };
    refuse_unspeakable(&path)?;
    if asked.is_some() {
        return Ok(path);
    }
    let failed = || "cannot create a folder in ./runs; choose another with --out";
    std::fs::create_dir_all(&path).with_context(failed)?;
    for number in 1.. {
        let folder = path.join(format!("{name}-{number}"));
        match std::fs::create_dir(&folder) {
            Ok(()) => return Ok(folder),
            Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
            Err(error) => return Err(error).with_context(failed),
        }
    }
    bail!("no number is free in ./runs; choose a folder with --out")
}

/// The same for several runs, in a folder that must be new.
pub fn for_runs(asked: Option<&Path>, name: &str) -> Result<PathBuf> {
    let folder = for_run(asked, name)?;
    if asked.is_some() {
        std::fs::create_dir(&folder).with_context(|| {
            format!(
                "cannot create {}: it must not exist yet, but its parent folder must; choose \
                another --out",
                folder.display()
            )
        })?;
    }
    Ok(folder)
}

/// Names of files travel between processes as JSON, which is text: a name that is no text cannot be
/// said there.
pub fn refuse_unspeakable(path: &Path) -> Result<()> {
    let whole = std::path::absolute(path).context("cannot find the current folder")?;
    match whole.to_str() {
        Some(_) => Ok(()),
        None => bail!("{} is not UTF-8: choose another name", whole.display()),
    }
}

/// Remove a run folder that nothing was recorded into.
pub fn remove_empty(path: &Path) {
    // Only what making it has made: whatever else lies there stays.
    for part in ["live/lock", "run.json"] {
        let _ = std::fs::remove_file(path.join(part));
    }
    for part in ["live", "messages", ""] {
        let _ = std::fs::remove_dir(path.join(part));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt;

    #[test]
    fn a_name_that_is_no_text_is_refused() {
        assert!(refuse_unspeakable(Path::new("runs/größe")).is_ok());
        let error =
            refuse_unspeakable(Path::new(OsStr::from_bytes(b"a\xffb"))).expect_err("no text");
        assert!(error.to_string().contains("not UTF-8"), "{error}");
    }
}
