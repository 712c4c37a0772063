//! Closing a traced run: logs become messages and tables.

use crate::CloseError;
use crate::call_table::CallTable;
use crate::clocks::{self, ClockErrors};
use crate::doubts::Doubts;
use crate::elsewhere;
use crate::ranks::{Rank, Ranks};
use crate::recording::{Known, Recording};
use crate::row;
use crate::sampling::Sampling;
use crate::shards::{Meeting, Part, Share};
use crate::summary::summary;
use crate::table::{
    CALL_COLUMNS, calls_file, calls_files, columns_in_file, wait_columns_in_file, waits_file,
};
use crate::traffic::walk;
use crate::usual::Usual;
use crate::writers::{RankOut, Writers, group_rows};
use mpi_facts::{ELSEWHERE_FILE, MpiFacts};
use record::{Closing, NodeSheet, RunInfo, SideWriter};
use std::ops::Range;
use std::path::Path;

/// Whether the run at `run` holds call logs, or says where they are, so that [`close`] closes it.
pub fn has_logs(run: &Path) -> bool {
    let entries = std::fs::read_dir(run.join("live")).into_iter().flatten().flatten();
    entries.map(|entry| entry.path()).any(|path| {
        path.extension().is_some_and(|ending| ending == "calls")
            || path.file_name().is_some_and(|name| name == ELSEWHERE_FILE)
    })
}

/// Close a run of MPI ranks.
///
/// # Errors
/// When a log cannot be read or a file not be written. The logs stay then, and closing can be done
/// again.
pub fn close(closing: Closing) -> Result<RunInfo, CloseError> {
    close_in(closing, 1, &mut |_, _| {})
}

/// The same in `shares`, one after another, so that memory holds what is in flight to and from the
/// ranks of one of them. `progress` hears now and then how many words of the logs are done, of how
/// many.
///
/// # Errors
/// As [`close`].
pub fn close_in(
    mut closing: Closing,
    shares: u32,
    progress: &mut dyn FnMut(u64, u64),
) -> Result<RunInfo, CloseError> {
    closing.remove_begun(&["mpi"])?;
    let mut ground = Ground::prepare(&mut closing)?;
    let agreed = ground
        .rounds(&closing, 0..shares.max(1), shares.max(1), progress, |_, parts| Ok(Some(parts)))?
        .expect("only one who waits for others hears that the run is closed");
    finish(closing, &ground.ranks, &agreed)
}

/// The same, of which other processes take all shares but the first: each calls [`help`].
///
/// # Errors
/// As [`close`], and when another does not come or dies.
pub fn close_together(
    mut closing: Closing,
    shares: u32,
    progress: &mut dyn FnMut(u64, u64),
) -> Result<RunInfo, CloseError> {
    closing.remove_begun(&["mpi"])?;
    let meeting = Meeting::call(closing.path(), shares)?;
    let mut ground = Ground::prepare(&mut closing)?;
    let agreed = ground
        .rounds(&closing, 0..1, shares, progress, |round, parts| {
            meeting.exchange(round, &parts[0])
        })?
        .expect("the first closes the run itself");
    finish(closing, &ground.ranks, &agreed)
}

/// Take share `at` of `shares` of the run at `run`, which another process closes, and wait until it
/// has. Nothing is done where the run is closed already.
///
/// # Errors
/// As [`close_together`].
pub fn help(
    run: &Path,
    at: u32,
    shares: u32,
    progress: &mut dyn FnMut(u64, u64),
) -> Result<(), CloseError> {
    let Some(meeting) = Meeting::join(run, at, shares)? else { return Ok(()) };
    let Some(mut closing) = Closing::beside(run)? else { return Ok(()) };
    let mut ground = Ground::prepare(&mut closing)?;
    let exchange = |round, parts: Vec<Part>| meeting.exchange(round, &parts[0]);
    ground.rounds(&closing, at..at + 1, shares, progress, exchange)?;
    meeting.wait_for_the_end()
}

/// What all shares have come to.
struct Agreed {
    doubts: Doubts,
    part: Part,
    /// See [`Usual::waits_from`].
    waits_from: Option<u64>,
}

/// What every share stands on, and finds by itself from the same logs.
struct Ground {
    ranks: Ranks,
    errors: ClockErrors,
}

impl Ground {
    fn prepare(closing: &mut Closing) -> Result<Ground, CloseError> {
        elsewhere::check(closing.path())?;
        let mut ranks = Ranks::find(closing)?;
        clocks::synchronise(&mut ranks, closing);
        let sheets: Vec<_> = ranks.present().map(|(_, rank)| rank.sheet.clone()).collect();
        closing.fit(&sheets);
        let errors = ClockErrors::of(&ranks, closing);
        Ok(Ground { ranks, errors })
    }

    /// Write `mine` of the `of` shares until all agree; `exchange` gives what all of them have
    /// counted. `None` when it does so because the run is closed.
    fn rounds(
        &mut self,
        closing: &Closing,
        mine: Range<u32>,
        of: u32,
        progress: &mut dyn FnMut(u64, u64),
        mut exchange: impl FnMut(u32, Vec<Part>) -> Result<Option<Vec<Part>>, CloseError>,
    ) -> Result<Option<Agreed>, CloseError> {
        let mut doubts = Doubts::default();
        for round in 0.. {
            let usual = learn(&self.ranks, closing, &self.errors, &doubts)?;
            let mut parts = Vec::new();
            for at in mine.clone() {
                let share = Share::of(at, of, self.ranks.list.len());
                let (before, count) = (u64::from(at - mine.start), mine.len() as u64);
                let mut here =
                    |done: u64, of: u64| progress(done + before * of, of.saturating_mul(count));
                parts.push(self.write(closing, share, (&usual, &doubts), &mut here)?);
            }
            let Some(all) = exchange(round, parts)?.and_then(Part::together) else { break };
            // Once more without the pairs that were matched wrongly: what was concluded from them
            // is in what was written.
            if !doubts.add(&all.written.doubts) {
                let waits_from = usual.waits_from();
                return Ok(Some(Agreed { doubts, part: all, waits_from }));
            }
        }
        Ok(None)
    }

    /// Write the messages and calls of a share's ranks.
    fn write(
        &mut self,
        closing: &Closing,
        share: Share,
        (usual, doubts): (&Usual, &Doubts),
        progress: &mut dyn FnMut(u64, u64),
    ) -> Result<Part, CloseError> {
        let ranks = &mut self.ranks;
        let group_rows = group_rows(ranks.present().count());
        let (mut files, mut tables) = (Vec::new(), Vec::new());
        for (at, rank) in ranks.list.iter_mut().enumerate() {
            let rank = rank.as_mut().filter(|_| share.owns(at as u32));
            let out = rank.map(|rank| rank_out(rank, closing, group_rows)).transpose()?;
            let (out, table) = out.unzip();
            files.push(out);
            tables.push(table);
        }
        let present = ranks.list.iter().map(Option::is_some).collect();
        let ended_well = |rank: &Option<Rank>| rank.as_ref().is_some_and(Rank::ended_well);
        let ended_well = ranks.list.iter().map(ended_well).collect();
        let writers = (Writers::start(files), share);
        let known = Known { errors: &self.errors, usual, doubts };
        let words = ranks.words();
        progress(0, words);
        let mut recording = Recording::new(writers, (present, ended_well), known, progress, words);
        let counts = walk(ranks, closing, tables, &mut recording)?;
        let (written, rows) = recording.finish()?;
        Ok(Part { counts, written, rows })
    }
}

/// All messages are written: the rest of the tables, and `run.json`.
fn finish(mut closing: Closing, ranks: &Ranks, agreed: &Agreed) -> Result<RunInfo, CloseError> {
    let part = &agreed.part;
    write_text(&closing, "communicators.csv", &ranks.groups.csv())?;
    write_text(&closing, "sites.csv", &ranks.sites.csv())?;
    tell(&mut closing, ranks, agreed);
    let forgone = elsewhere::forgone(closing.path())?;
    closing.info_mut().failures.extend(forgone);
    let sheet = |rank: &Rank| NodeSheet { schema: row::schema(), ..rank.sheet.clone() };
    let nodes: Vec<_> = part
        .rows
        .iter()
        .filter_map(|rows| Some((sheet(ranks.list[rows.rank].as_ref()?), rows.messages)))
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
    walk(ranks, closing, Vec::new(), &mut sampling)?;
    Ok(sampling.learn())
}

fn rank_out(
    rank: &mut Rank,
    closing: &Closing,
    group_rows: usize,
) -> Result<(RankOut, CallTable), CloseError> {
    rank.sheet.schema = row::schema();
    let path = closing.path().join(calls_file(rank.sheet.launch, rank.sheet.node));
    let columns = columns_in_file(CALL_COLUMNS);
    let calls = SideWriter::create(&path, &columns, rank.sheet.launch, rank.sheet.node)?;
    let path = closing.path().join(waits_file(rank.sheet.launch, rank.sheet.node));
    let columns = wait_columns_in_file();
    let waits = SideWriter::create(&path, &columns, rank.sheet.launch, rank.sheet.node)?;
    let out = RankOut {
        messages: closing
            .messages(&rank.sheet)?
            .with_calls(&calls_files(rank.sheet.launch))
            .with_group_rows(group_rows),
        waits: waits.with_group_rows(group_rows),
    };
    Ok((out, CallTable::new(calls.with_group_rows(group_rows))))
}

/// What `run.json` will say of it.
fn tell(closing: &mut Closing, ranks: &Ranks, agreed: &Agreed) {
    let Agreed { doubts, part: Part { counts, written, .. }, waits_from } = agreed;
    let facts = MpiFacts {
        waits_from_bytes: *waits_from,
        ..summary(ranks, closing, counts, written, doubts)
    };
    let facts = serde_json::to_value(facts);
    let damaged: u64 = ranks.present().map(|(_, rank)| rank.survey.damage.places).sum();
    let info = closing.info_mut();
    info.transport = "mpi".to_string();
    info.parameters.insert(mpi_facts::KEY.to_string(), facts.expect("plain data is JSON"));
    info.lost.unmatched_sends += written.lone_sends;
    info.lost.unmatched_receives += written.lone_receives;
    info.lost.damaged_chunks += damaged;
}

/// A text beside the tables, whole or not at all.
fn write_text(closing: &Closing, name: &str, text: &str) -> Result<(), CloseError> {
    let folder = closing.path().join("mpi");
    let path = folder.join(name);
    let failed = |error| CloseError::file("write", &path, error);
    std::fs::create_dir_all(&folder).map_err(failed)?;
    record::write_whole(&path, |file| file.write_all(text.as_bytes())).map_err(failed)
}
