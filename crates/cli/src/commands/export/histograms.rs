//! A run's times as a log of HdrHistograms.

use crate::show;
use anyhow::{Result, ensure};
use record::{Batch, Field, Run};
use report::{HISTOGRAM_FIELDS, HistogramLog};
use stats::{Columns, FILTER_FIELDS, Filter};
use std::path::Path;

/// Write it, of the messages that `filter` takes.
pub fn write(run: &Run, filter: &Filter, file: &Path) -> Result<()> {
    let log = gathered(run, filter)?;
    ensure!(
        !log.is_empty(),
        "{} has no message times to make a histogram of",
        run.path().display()
    );
    show::whole(file, |out| Ok(log.write(run.info.origin.realtime_ns, out)?))
}

fn gathered(run: &Run, filter: &Filter) -> Result<HistogramLog> {
    let own = HISTOGRAM_FIELDS.into_iter().filter(|field| !FILTER_FIELDS.contains(field));
    let fields: Vec<Field> = FILTER_FIELDS.into_iter().chain(own).collect();
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
