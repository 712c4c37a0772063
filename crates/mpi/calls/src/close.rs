//! Closing a traced run: logs become messages and tables.

use crate::CloseError;
use crate::clocks::{self, ClockErrors};
use crate::doubts::Doubts;
use crate::limits::allow_many_files;
use crate::ranks::{Rank, Ranks};
use crate::recording::{Recording, Written};
use crate::row;
use crate::sampling::Sampling;
use crate::summary::summary;
use crate::table::{CALL_COLUMNS, calls_file, columns_in_file, wait_columns_in_file, waits_file};
use crate::traffic::{Counts, walk};
use crate::usual::Usual;
use crate::writers::{RankOut, Rows, Writers, group_rows};
use record::{Closing, RunInfo, SideWriter};
use std::io::ErrorKind;
use std::path::Path;

/// Whether the run at `run` holds call logs, so that [`close`] closes it.
pub fn has_logs(run: &Path) -> bool {
    let entries = std::fs::read_dir(run.join("live")).into_iter().flatten().flatten();
    entries
        .map(|entry| entry.path())
        .any(|path| path.extension().is_some_and(|ending| ending == "calls"))
}

/// Close a run of MPI ranks.
///
/// # Errors
/// When a log cannot be read or a file not be written. The logs stay then, and closing can be done
/// again.
pub fn close(closing: Closing) -> Result<RunInfo, CloseError> {
    close_with(closing, &mut |_, _| {})
}

/// The same; `progress` hears now and then how many words of the logs are done, of how many.
///
/// # Errors
/// As [`close`].
pub fn close_with(
    mut closing: Closing,
    progress: &mut dyn FnMut(u64, u64),
) -> Result<RunInfo, CloseError> {
    allow_many_files();
    remove_tables(closing.path())?;
    let mut ranks = Ranks::find(&mut closing)?;
    clocks::synchronise(&mut ranks, &mut closing);
    let sheets: Vec<_> = ranks.present().map(|(_, rank)| rank.sheet.clone()).collect();
    closing.fit(&sheets);
    let errors = ClockErrors::of(&ranks, &closing);
    let mut doubts = Doubts::default();
    let (counts, written, rows) = loop {
        let usual = learn(&ranks, &closing, &errors, &doubts)?;
        let known = (&usual, &doubts);
        let (counts, written, rows) = write(&mut ranks, &closing, &errors, known, progress)?;
        // Once more without the pairs that were matched wrongly: what was concluded from them is
        // in what was written.
        if !doubts.add(&written.doubts) {
            break (counts, written, rows);
        }
        remove_tables(closing.path())?;
    };
    write_text(&closing, "communicators.csv", &ranks.groups.csv())?;
    write_text(&closing, "sites.csv", &ranks.sites.csv())?;
    tell(&mut closing, &ranks, &counts, (&written, &doubts));
    let nodes: Vec<_> = rows
        .iter()
        .filter_map(|rows| Some((ranks.list[rows.rank].as_ref()?.sheet.clone(), rows.messages)))
        .collect();
    Ok(closing.finish(&nodes)?)
}

/// What is usual, from the run's beginning.
fn learn(
    ranks: &Ranks,
    closing: &Closing,
    errors: &ClockErrors,
    doubts: &Doubts,
) -> Result<Usual, CloseError> {
    let mut sampling = Sampling::new(errors, doubts);
    walk(ranks, closing, &mut sampling)?;
    Ok(sampling.learn())
}

/// Write the messages and calls of all ranks.
fn write(
    ranks: &mut Ranks,
    closing: &Closing,
    errors: &ClockErrors,
    known: (&Usual, &Doubts),
    progress: &mut dyn FnMut(u64, u64),
) -> Result<(Counts, Written, Vec<Rows>), CloseError> {
    let group_rows = group_rows(ranks.present().count());
    let mut files = Vec::new();
    for rank in &mut ranks.list {
        files.push(rank.as_mut().map(|rank| rank_out(rank, closing, group_rows)).transpose()?);
    }
    let present = files.iter().map(Option::is_some).collect();
    let ended_well = |rank: &Option<Rank>| rank.as_ref().is_some_and(Rank::ended_well);
    let ended_well = ranks.list.iter().map(ended_well).collect();
    let writers = Writers::start(files);
    let words = ranks.words();
    let mut recording =
        Recording::new(writers, (present, ended_well), errors, known, progress, words);
    let counts = walk(ranks, closing, &mut recording)?;
    let (written, mut rows) = recording.finish()?;
    rows.sort_by_key(|rows| rows.rank);
    Ok((counts, written, rows))
}

fn rank_out(rank: &mut Rank, closing: &Closing, group_rows: usize) -> Result<RankOut, CloseError> {
    rank.sheet.schema = row::schema();
    let path = closing.path().join(calls_file(rank.sheet.launch, rank.sheet.node));
    let columns = columns_in_file(CALL_COLUMNS);
    let calls = SideWriter::create(&path, &columns, rank.sheet.launch, rank.sheet.node)?;
    let path = closing.path().join(waits_file(rank.sheet.launch, rank.sheet.node));
    let columns = wait_columns_in_file();
    let waits = SideWriter::create(&path, &columns, rank.sheet.launch, rank.sheet.node)?;
    Ok(RankOut {
        messages: closing.messages(&rank.sheet)?.with_group_rows(group_rows),
        calls: calls.with_group_rows(group_rows),
        waits: waits.with_group_rows(group_rows),
    })
}

/// What `run.json` will say of it.
fn tell(
    closing: &mut Closing,
    ranks: &Ranks,
    counts: &Counts,
    (written, doubts): (&Written, &Doubts),
) {
    let facts = serde_json::to_value(summary(ranks, closing, counts, written, doubts));
    let damaged: u64 = ranks.present().map(|(_, rank)| rank.survey.damage.places).sum();
    let info = closing.info_mut();
    info.transport = "mpi".to_string();
    info.parameters.insert(mpi_facts::KEY.to_string(), facts.expect("plain data is JSON"));
    info.lost.unmatched_sends += written.lone_sends;
    info.lost.unmatched_receives += written.lone_receives;
    info.lost.damaged_chunks += damaged;
}

/// Tables that a closing that was cut has left.
fn remove_tables(run: &Path) -> Result<(), CloseError> {
    let folder = run.join("mpi");
    match std::fs::remove_dir_all(&folder) {
        Err(error) if error.kind() != ErrorKind::NotFound => {
            Err(CloseError::file("remove", &folder, error))
        }
        _ => Ok(()),
    }
}

/// A text beside the tables, whole or not at all.
fn write_text(closing: &Closing, name: &str, text: &str) -> Result<(), CloseError> {
    let folder = closing.path().join("mpi");
    let path = folder.join(name);
    let failed = |error| CloseError::file("write", &path, error);
    std::fs::create_dir_all(&folder).map_err(failed)?;
    record::write_whole(&path, |file| file.write_all(text.as_bytes())).map_err(failed)
}
