//! A run's times as a log of HdrHistograms.

use crate::analyse::analyse;
use crate::args::ExportArgs;
use crate::show;
use anyhow::{Result, ensure};
use record::{Batch, Field, Run};
use report::{HistogramLog, histogram_fields};
use stats::{Columns, FILTER_FIELDS, Filter};
use std::path::Path;

/// Write it, of the messages that a report of the run would be about.
pub fn write(run: &Run, args: &ExportArgs, file: &Path) -> Result<()> {
    let filter = analyse(&args.run, 1, &args.messages.filter())?.analysis.population.filter;
    let log = gathered(run, &filter)?;
    ensure!(
        !log.is_empty(),
        "{} has no time of a message to make a histogram of",
        args.run.display()
    );
    show::whole(file, |out| Ok(log.write(run.info.origin.realtime_ns, out)?))
}

fn gathered(run: &Run, filter: &Filter) -> Result<HistogramLog> {
    let fields: Vec<Field> = [&FILTER_FIELDS[..], &histogram_fields()].concat();
    let (mut log, mut batch) = (HistogramLog::default(), Batch::new());
    for chunk in run.chunks() {
        chunk.read(&fields, &mut batch)?;
        let columns = Columns::of(&batch);
        let messages = (0..batch.rows()).filter(|&row| !columns.is_interval(row));
        for row in messages.filter(|&row| filter.takes(&columns, row)) {
            log.add(chunk.launch(), &columns, row);
        }
    }
    Ok(log)
}
