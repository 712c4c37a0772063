//! What killed processes left in shared memory and among temporary files, and the libraries of
//! other builds.

use super::{Finding, good, limited, loaded};
use crate::preload;
use document::{Cell, Column, Table, Unit};
use record::{Leftover, Verdict};
use std::fmt::Write as _;
use std::path::Path;

/// What there is.
pub fn finding() -> Finding {
    let all = Leftover::all();
    let rubbish: Vec<_> = all.iter().filter(|leftover| leftover.verdict.is_rubbish()).collect();
    let unread =
        all.iter().filter(|leftover| matches!(leftover.verdict, Verdict::Unread { .. })).count();
    if rubbish.is_empty() && unread == 0 {
        return good("leftovers", "killed processes left nothing behind".into());
    }
    let bytes: u64 = rubbish.iter().map(|leftover| leftover.bytes).sum();
    let seen = match unread {
        0 => format!("{} no longer needed, {}", things(rubbish.len()), size(bytes)),
        _ => format!(
            "{} no longer needed, {}; {} with unread rows of killed runs",
            things(rubbish.len()),
            size(bytes),
            things(unread)
        ),
    };
    limited(
        "leftovers",
        seen,
        "fourstamp doctor --clean removes the former and names the runs of the latter",
    )
}

/// A leftover that was looked at.
pub struct Done {
    path: String,
    bytes: u64,
    removed: bool,
    reason: String,
}

/// Remove what belongs to nobody; what was removed, and what was left and why.
pub fn clean() -> Vec<Done> {
    let one = |leftover: Leftover| {
        let (path, bytes) = (leftover.path.display().to_string(), leftover.bytes);
        let (path, reason) = (path.escape_debug().to_string(), why(&leftover.verdict));
        let rubbish = leftover.verdict.is_rubbish();
        match leftover.remove() {
            Ok(()) => Done { path, bytes, removed: rubbish, reason },
            Err(error) => {
                let reason = format!("cannot remove it: {error}");
                Done { path, bytes, removed: false, reason }
            }
        }
    };
    let libraries = preload::of_other_builds().into_iter().map(|folder| clean_libraries(&folder));
    Leftover::all().into_iter().map(one).chain(libraries).collect()
}

/// Remove the libraries of another build, but for those that are in use.
fn clean_libraries(folder: &Path) -> Done {
    let files = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let bytes = files.filter_map(|file| file.metadata().ok()).map(|about| about.len()).sum();
    let (removed, reason) = match loaded::from(folder) {
        true => (false, "libraries of another build, which a program that runs has loaded".into()),
        false => match std::fs::remove_dir_all(folder) {
            Ok(()) => (true, "libraries of another build".into()),
            Err(error) => (false, format!("cannot remove it: {error}")),
        },
    };
    Done { path: folder.display().to_string(), bytes, removed, reason }
}

impl Done {
    fn what(&self) -> &'static str {
        if self.removed { "removed" } else { "left" }
    }
}

/// A line each, and how many they are.
pub fn text(all: &[Done]) -> String {
    let mut text = String::new();
    for done in all {
        let Done { path, bytes, reason, .. } = done;
        let _ = writeln!(text, "{:<8} {path} ({}): {reason}", done.what(), size(*bytes));
    }
    let removed = || all.iter().filter(|done| done.removed);
    let freed = removed().map(|done| done.bytes).sum();
    let (gone, left) = (removed().count(), all.len() - removed().count());
    let _ = writeln!(text, "{} removed, {}; {} left", things(gone), size(freed), things(left));
    text
}

/// For scripts.
pub fn table(all: &[Done]) -> Table {
    let columns = [
        Column::text("done", ""),
        Column::text("path", ""),
        Column::new("bytes", "", Unit::Bytes),
        Column::text("reason", ""),
    ];
    let row = |done: &Done| -> [Cell; 4] {
        let (path, reason) = (done.path.as_str().into(), done.reason.as_str().into());
        [done.what().into(), path, done.bytes.into(), reason]
    };
    Table::new("leftovers", columns).with(all.iter().map(row))
}

fn why(verdict: &Verdict) -> String {
    let shown = |run: &Path| run.display().to_string().escape_debug().to_string();
    match verdict {
        Verdict::InUse => "in use".into(),
        Verdict::Unread { run, rows } => {
            let run = shown(run);
            format!(
                "{rows} rows of the killed run {run}; `fourstamp report {run}` reads them and \
                removes it"
            )
        }
        Verdict::Useless => "nobody uses it".into(),
        Verdict::Orphaned { run, rows } => {
            format!("{rows} rows of a killed run whose folder {} is gone", shown(run))
        }
        Verdict::Unknown(reason) => reason.clone(),
    }
}

fn things(count: usize) -> String {
    if count == 1 { "1 file or folder".into() } else { format!("{count} files and folders") }
}

fn size(bytes: u64) -> String {
    match bytes {
        0..1024 => format!("{bytes} B"),
        1024..1_048_576 => format!("{:.1} KiB", bytes as f64 / 1024.0),
        _ => format!("{:.1} MiB", bytes as f64 / 1_048_576.0),
    }
}
