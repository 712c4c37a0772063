//! `fourstamp export`: a run in the formats of other tools.

mod calls;
mod flow;
mod histograms;
mod messages;
mod otf2;
mod stretch;
mod tables;

use crate::analyse::{self, Analysed};
use crate::args::ExportArgs;
use crate::choosing::must_leave_some;
use crate::new_folder::must_be_new;
use crate::show::{self, say};
use anyhow::Result;
use mpi_lens::CallTables;
use record::Run;
use report::perfetto::{Trace, Track};
use serde_json::json;
use stats::{Columns, Filter};
use std::io::Write;
use std::path::Path;
use stretch::Stretch;

/// Write what was asked for.
pub fn run(args: &ExportArgs) -> Result<()> {
    let stretch = Stretch::of(args.from, args.to)?;
    let filter = args.messages.is_given().then(|| args.messages.filter());
    let wanted = Exported { stretch, filter };
    args.csv.iter().chain(&args.otf2).try_for_each(|folder| must_be_new(folder))?;
    let run = analyse::open(&args.run)?;
    wanted.filter.iter().try_for_each(|filter| must_leave_some(&run, filter))?;
    if args.csv.is_some() || args.hdr.is_some() || args.openmetrics.is_some() {
        let analysed = analyse::analyse(&args.run, 1, &args.messages.filter())?;
        of_analysis(&run, args, &wanted, &analysed)?;
    }
    if let Some(file) = &args.perfetto {
        say(&trace(&run, &wanted, args.limit, file)?)?;
    }
    if let Some(folder) = &args.otf2 {
        say(&otf2::write(&run, &wanted, args.limit, folder)?)?;
    }
    Ok(())
}

/// Write what is about the messages that a report of the run would be about.
fn of_analysis(run: &Run, args: &ExportArgs, wanted: &Exported, analysed: &Analysed) -> Result<()> {
    let wrote = |path: &Path| say(&format!("wrote {}\n", path.display()));
    if let Some(folder) = &args.csv {
        tables::write(run, wanted, analysed, folder)?;
        wrote(folder)?;
    }
    if let Some(file) = &args.hdr {
        histograms::write(run, &analysed.analysis.population.filter, file)?;
        wrote(file)?;
    }
    if let Some(file) = &args.openmetrics {
        let (facts, analysis) = (&analysed.facts, &analysed.analysis);
        show::whole(file, |out| Ok(report::openmetrics::write(facts, analysis, out)?))?;
        wrote(file)?;
    }
    Ok(())
}

/// What is exported of a run.
struct Exported {
    stretch: Stretch,
    /// Which messages; `None` for all.
    filter: Option<Filter>,
}

impl Exported {
    /// So much of it that a trace has about `limit` events at most.
    fn limited(&self, run: &Run, tables: &CallTables, limit: u64) -> Result<Exported> {
        let stretch = self.stretch.limited(limit, |add| {
            mpi_lens::spans(tables, |from, to| add(from, to, 1))?;
            messages::starts(run, tables, self, add)
        })?;
        Ok(Exported { stretch, filter: self.filter.clone() })
    }

    /// Whether a row of a trace is wanted: what was chosen are messages, so that work stays.
    fn takes(&self, columns: &Columns, row: usize) -> bool {
        columns.is_interval(row)
            || self.filter.as_ref().is_none_or(|filter| filter.takes(columns, row))
    }

    /// Whether a row of the table of messages is wanted.
    fn takes_row(&self, columns: &Columns, row: usize) -> bool {
        let chosen = |filter: &Filter| !columns.is_interval(row) && filter.takes(columns, row);
        self.filter.as_ref().is_none_or(chosen)
    }
}

/// Write the trace, whole or not at all; what is to be said of it.
fn trace(run: &Run, asked: &Exported, limit: u64, file: &Path) -> Result<String> {
    let tables = CallTables::of(run);
    let wanted = asked.limited(run, &tables, limit)?;
    let written = show::whole(file, |out| write_events(run, &tables, &wanted, out))?;
    let text = told(file, &written, "open it in https://ui.perfetto.dev");
    Ok(text + &wanted.stretch.told(limit))
}

/// Events written.
#[derive(Clone, Copy, Debug, Default)]
struct Written {
    calls: u64,
    messages: u64,
    intervals: u64,
}

fn write_events(
    run: &Run,
    tables: &CallTables,
    wanted: &Exported,
    out: &mut dyn Write,
) -> Result<Written> {
    let stretch = &wanted.stretch;
    let mut trace = Trace::begin(out)?;
    name_tracks(run, tables, &mut trace)?;
    let mut written =
        Written { calls: calls::write(run, tables, stretch, &mut trace)?, ..Written::default() };
    (written.messages, written.intervals) = messages::write(run, tables, wanted, &mut trace)?;
    let facts = json!({
        "program": run.info.program, "workload": run.info.workload, "transport": run.info.transport,
        "started": run.info.started.to_string(), "from_ns": stretch.from_ns, "to_ns": stretch.to_ns,
    });
    trace.end(&facts)?;
    Ok(written)
}

/// A group of tracks for all ranks; for nodes without tables of calls a group each, where their
/// messages float.
fn name_tracks(run: &Run, tables: &CallTables, trace: &mut Trace) -> Result<()> {
    if !tables.is_empty() {
        trace.name_group(RANKS, "MPI ranks", 0)?;
    }
    for (launch, node) in run.info.nodes() {
        if tables.is_empty() {
            let of_launch = if run.info.launches.len() > 1 {
                format!("launch {launch}, ")
            } else {
                String::new()
            };
            let group = group_of(launch, node.node);
            trace.name_group(group, &format!("{of_launch}node {}", node.node), group)?;
            trace.name_track(Track { group, track: SENDS }, "sends")?;
            trace.name_track(Track { group, track: ARRIVALS }, "arrivals")?;
        } else {
            trace.name_track(rank_track(node.node, 0), &format!("rank {}", node.node))?;
        }
    }
    Ok(())
}

/// The tracks of a node between which arrows show its messages; its own work is on the one before.
const SENDS: u64 = 2;
const ARRIVALS: u64 = 3;

/// The group of the ranks' tracks.
const RANKS: u64 = 1;

/// The track of a thread of a rank; threads beyond the first lie below all ranks.
fn rank_track(rank: u32, thread: i64) -> Track {
    Track { group: RANKS, track: u64::from(rank) + 1 + ((thread.max(0) as u64) << 20) }
}

/// The group of a node of a launch. Groups are numbered from 1, as processes are.
fn group_of(launch: u32, node: u32) -> u64 {
    1 + (u64::from(launch) << 20) + u64::from(node)
}

/// What was written, and what to do with it.
fn told(file: &Path, written: &Written, then: &str) -> String {
    let kinds =
        [(written.calls, "call"), (written.messages, "message"), (written.intervals, "interval")];
    let counts: Vec<String> = kinds
        .iter()
        .filter(|(n, _)| *n > 0)
        .map(|(n, noun)| format!("{n} {noun}{}", if *n == 1 { "" } else { "s" }))
        .collect();
    let counts = if counts.is_empty() {
        "nothing: there are no events in this stretch".to_owned()
    } else {
        counts.join(", ")
    };
    format!("wrote {}: {counts}; {then}\n", file.display())
}
