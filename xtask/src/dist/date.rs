//! How old packed files are: as the newest commit, or as `SOURCE_DATE_EPOCH` says
//! (reproducible-builds.org/specs/source-date-epoch).

use crate::process;
use crate::workspace::Workspace;
use anyhow::{Context, Result};

/// Seconds since 1970.
pub fn seconds(workspace: &Workspace) -> Result<u64> {
    match std::env::var("SOURCE_DATE_EPOCH") {
        Ok(given) => given.trim().parse().with_context(|| {
            format!("SOURCE_DATE_EPOCH is {given:?}; give it whole seconds since 1970")
        }),
        Err(_) => of_newest_commit(workspace),
    }
}

fn of_newest_commit(workspace: &Workspace) -> Result<u64> {
    let mut git = workspace.command("git", &["log", "-1", "--format=%ct"]);
    let text = process::capture(&mut git)
        .context("no newest commit; outside a checkout of git, set SOURCE_DATE_EPOCH")?;
    text.trim().parse().with_context(|| format!("git says that the commit's date is {text:?}"))
}
