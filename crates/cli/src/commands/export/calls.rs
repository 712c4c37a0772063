//! The calls of ranks as slices of their tracks.

use super::stretch::Stretch;
use super::tracks::rank_track;
use anyhow::Result;
use mpi_lens::CallTables;
use record::Run;
use report::perfetto::{Trace, TraceSlice};
use std::collections::BTreeSet;

/// Write the calls of all ranks; how many.
pub fn write(
    run: &Run,
    tables: &CallTables,
    stretch: &Stretch,
    trace: &mut dyn Trace,
) -> Result<u64> {
    let mut written = 0;
    let mut threads = BTreeSet::new();
    mpi_lens::slices(
        run,
        tables,
        |from, to| stretch.overlaps(from, to),
        |call| {
            written += 1;
            let track = rank_track(call.rank, call.thread);
            if call.thread > 0 && threads.insert((call.rank, call.thread)) {
                trace.name_track(track, &format!("rank {}, thread {}", call.rank, call.thread))?;
            }
            let (from_ns, to_ns, args) = (call.from_ns, call.to_ns, &call.args);
            let slice =
                TraceSlice { track, name: &call.name, category: "mpi", from_ns, to_ns, args };
            Ok::<(), anyhow::Error>(trace.slice(&slice)?)
        },
    )?;
    Ok(written)
}
