//! `fourstamp export`: a run in the formats of other tools.

mod calls;
mod flow;
mod histograms;
mod messages;
mod otf2;
mod perfetto;
mod stretch;
mod tables;
mod tracks;

use crate::analyse::{self, Analysed};
use crate::args::ExportArgs;
use crate::choosing::{must_leave_some, settled_in};
use crate::new_folder::must_be_new;
use crate::show::{self, say};
use anyhow::Result;
use mpi_lens::CallTables;
use record::Run;
use stats::{Columns, Filter};
use std::path::Path;
use stretch::Stretch;

/// Write what was asked for.
pub fn run(args: &ExportArgs) -> Result<()> {
    let stretch = Stretch::of(args.from, args.to)?;
    let filter = args.messages.is_given().then(|| args.messages.filter());
    args.csv.iter().chain(&args.otf2).try_for_each(|folder| must_be_new(folder))?;
    let run = analyse::open(&args.run)?;
    let filter = filter.map(|filter| settled_in(&run, &filter)).transpose()?;
    let wanted = Exported { stretch, filter };
    wanted.filter.iter().try_for_each(|filter| must_leave_some(&run, filter))?;
    if args.csv.is_some() || args.hdr.is_some() || args.openmetrics.is_some() {
        let analysed = analyse::analyse(&args.run, 1, &args.messages.filter())?;
        of_analysis(&run, args, &wanted, &analysed)?;
    }
    if let Some(file) = &args.perfetto {
        say(&perfetto::write(&run, &wanted, args.limit, file)?)?;
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

/// Events written.
#[derive(Clone, Copy, Debug, Default)]
struct Written {
    calls: u64,
    messages: u64,
    intervals: u64,
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
