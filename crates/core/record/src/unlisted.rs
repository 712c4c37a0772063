//! Rows that are there and cannot be read, because what says whose they are and on which clock is
//! missing.
//!
//! A log, or a buffer, needs its node's sheet; a messages file needs its node in `run.json`. Such
//! rows are counted and named, never passed over, and a log of them is kept.

use crate::buffer::Stray;
use crate::chunk::File;
use crate::input::open_input;
use crate::log::LogReader;
use crate::run_files::live;
use crate::{NodeSheet, RecordError, RunInfo};
use std::collections::HashSet;
use std::path::Path;

/// Where logs go that cannot be read: closing a run removes `live/`.
const KEPT: &str = "unread";

/// Count the rows of logs and buffers without a sheet, and keep the logs.
pub(crate) fn note_logs(
    run: &Path,
    sheets: &[NodeSheet],
    strays: &[Stray],
    info: &mut RunInfo,
) -> Result<(), RecordError> {
    let folder = live(run);
    let failed = |error| RecordError::file("read", &folder, error);
    for entry in std::fs::read_dir(&folder).map_err(failed)? {
        let path = entry.map_err(failed)?.path();
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        // Besides its rows a node has other logs, named after what is in them.
        let Some(stem) = name.strip_suffix(".log").filter(|stem| !stem.contains('.')) else {
            continue;
        };
        if sheets.iter().any(|sheet| sheet.stem() == stem) {
            continue;
        }
        let rows = rows_of(&path);
        if rows == 0 {
            continue;
        }
        info.lost.rows_without_sheet += rows;
        let kept = keep(run, &path, &name);
        info.failures.push(format!(
            "live/{}.json is missing or damaged: without this sheet the clock of {rows} rows is \
            unknown{}",
            stem.escape_debug(),
            if kept {
                format!(" (their log is now {KEPT}/{})", name.escape_debug())
            } else {
                String::new()
            }
        ));
    }
    for Stray { launch, node, rows } in strays {
        info.lost.rows_without_sheet += rows;
        let sheet = NodeSheet::stem_of(*launch, *node);
        info.failures.push(format!(
            "live/{sheet}.json is missing or damaged: {rows} rows of its buffer are lost"
        ));
    }
    Ok(())
}

fn rows_of(log: &Path) -> u64 {
    let Some(Ok(mut reader)) = open_input(log).ok().and_then(|file| LogReader::new(file).ok())
    else {
        return 0;
    };
    let (mut words, mut rows) = (Vec::new(), 0);
    let stride = reader.head().schema.stride();
    while let Ok(true) = reader.next_rows(&mut words) {
        rows += (words.len() / stride) as u64;
    }
    rows
}

fn keep(run: &Path, log: &Path, name: &str) -> bool {
    let folder = run.join(KEPT);
    let made = std::fs::create_dir(&folder).is_ok()
        || folder.symlink_metadata().is_ok_and(|about| about.is_dir());
    made && !folder.join(name).exists() && std::fs::rename(log, folder.join(name)).is_ok()
}

/// Count the rows of messages files that `run.json` names no node for.
pub(crate) fn note_files(run: &Path, info: &mut RunInfo) {
    let entries = std::fs::read_dir(run.join("messages")).into_iter().flatten().flatten();
    let mut names: Vec<String> =
        entries.map(|entry| format!("messages/{}", entry.file_name().to_string_lossy())).collect();
    names.sort();
    let listed: HashSet<String> = info.nodes().map(|(_, node)| node.file.clone()).collect();
    names.retain(|name| name.ends_with(".parquet") && !listed.contains(name));
    for name in &names {
        let rows = File::open(run.join(name), false).map_or(0, |file| file.rows());
        info.lost.rows_without_sheet += rows;
        info.failures.push(format!(
            "run.json lists no node whose file is {}: its {rows} rows are not read (see \
            \"launches\" in docs/FORMAT.md)",
            name.escape_debug()
        ));
    }
}
