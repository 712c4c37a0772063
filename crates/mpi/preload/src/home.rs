//! The run folder that a rank logs into: the job's, or, where the rank's host does not see that,
//! one of the host's own, which `fourstamp collect` fetches when the program has ended.
//!
//! A host's own folder is a run folder of the same id, so that it can be read by itself too. All
//! ranks of the host share it: the first makes it.

use mpi_facts::{FOLDER_START, variables};
use record::{RecordError, RunFolder, RunId, RunInfo};
use std::io::{Error, ErrorKind};
use std::os::unix::fs::{DirBuilderExt, MetadataExt};
use std::path::{Path, PathBuf};

/// Where a rank logs.
pub struct Home {
    /// The run.
    pub folder: RunFolder,
    /// It is not the job's.
    pub is_elsewhere: bool,
    /// It was not there before.
    pub is_new: bool,
}

impl Home {
    /// The job's folder `run`. Else the host's own, which a spawned rank cannot use: only the
    /// job's folder says which numbers the ranks before it have.
    ///
    /// # Errors
    /// When the run has ended, is damaged, or no folder can be made.
    pub fn find(run: &Path, is_spawned: bool) -> Result<Home, RecordError> {
        let id: Option<RunId> =
            std::env::var(variables::RUN_ID).ok().and_then(|id| id.parse().ok());
        let unseen = match (RunFolder::join(run), id) {
            (Ok(folder), Some(id)) if folder.info().id != Some(id) => {
                RecordError::NotARun { path: folder.path().to_path_buf(), inside: None }
            }
            (Ok(folder), _) => return Ok(Home { folder, is_elsewhere: false, is_new: false }),
            (Err(error), _) => error,
        };
        let is_unseen = matches!(unseen, RecordError::NotARun { .. } | RecordError::File { .. });
        match id.filter(|_| is_unseen && !is_spawned) {
            Some(id) => Home::of_host(run, id),
            None => Err(unseen),
        }
    }

    fn of_host(run: &Path, id: RunId) -> Result<Home, RecordError> {
        let set = |name: &str| std::env::var_os(name).filter(|folder| !folder.is_empty());
        let local = set(variables::LOCAL).or_else(|| set("TMPDIR"));
        let local = local.map_or_else(|| PathBuf::from("/tmp"), PathBuf::from);
        let path = local.join(format!("{FOLDER_START}{id}"));
        let is_new = !path.exists() && begin(run, id, &path)?;
        is_ours(&path).map_err(|error| RecordError::File {
            action: "use",
            path: path.clone(),
            source: error,
        })?;
        Ok(Home { folder: RunFolder::join(&path)?, is_elsewhere: true, is_new })
    }
}

/// Make the folder under another name, and give it its own if no other rank has been faster.
fn begin(run: &Path, id: RunId, path: &Path) -> Result<bool, RecordError> {
    let draft = path.with_extension(std::process::id().to_string());
    let failed = |action, source| RecordError::File { action, path: path.to_path_buf(), source };
    std::fs::DirBuilder::new()
        .mode(0o700)
        .create(&draft)
        .map_err(|source| failed("create", source))?;
    let made = RunFolder::create(&draft, info(run, id)).and_then(|_| {
        match std::fs::rename(&draft, path) {
            Ok(()) => Ok(true),
            Err(_) if path.exists() => Ok(false),
            Err(source) => Err(failed("create", source)),
        }
    });
    if !matches!(made, Ok(true)) {
        let _ = std::fs::remove_dir_all(&draft);
    }
    made
}

fn info(run: &Path, id: RunId) -> RunInfo {
    let program = std::env::current_exe().unwrap_or_default();
    let name = program.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let mut info = RunInfo::new(&name);
    info.id = Some(id);
    info.transport = "mpi".into();
    info.notes.push(format!(
        "these are the ranks of one host, which did not see {}; fourstamp collect brings all of \
        them together",
        run.display()
    ));
    info
}

/// Others can make folders in the same place; what is in this one must be this user's alone.
fn is_ours(path: &Path) -> std::io::Result<()> {
    let found = std::fs::symlink_metadata(path)?;
    // SAFETY: no arguments, and it cannot fail.
    let own = unsafe { libc::geteuid() };
    match found.is_dir() && found.uid() == own && found.mode() & 0o022 == 0 {
        true => Ok(()),
        false => Err(Error::new(ErrorKind::PermissionDenied, "it is not a folder of this user's")),
    }
}
