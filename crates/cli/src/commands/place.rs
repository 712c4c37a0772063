//! Where a run goes when nobody says (the first free number under `runs`), and taking away one that nothing came into.

use anyhow::{Context, Result};
use std::path::{Path, PathBuf};

/// The folder asked for, or `runs/NAME-1`, `runs/NAME-2`, ...
pub fn for_run(asked: Option<&Path>, name: &str) -> Result<PathBuf> {
    if let Some(path) = asked {
        return Ok(path.to_path_buf());
    }
    let runs = Path::new("runs");
    std::fs::create_dir_all(runs).context("cannot make the folder runs here; choose a place with --out")?;
    let free = (1..).map(|number| runs.join(format!("{name}-{number}"))).find(|path| !path.exists());
    free.context("no number is free")
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
