//! The calls of ranks as slices of their tracks.

use super::rank_track;
use super::stretch::Stretch;
use crate::call_tables::{self, CallTables, column};
use anyhow::Result;
use record::{NULL, Run, SideReader};
use report::perfetto::{Trace, TraceSlice};
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// Hand over begin and end of each call.
pub fn starts(tables: &CallTables, add: &mut dyn FnMut(i64, i64, u64)) -> Result<()> {
    let columns = [call_tables::columns()[column::ENTER], call_tables::columns()[column::EXIT]];
    for (_, path) in &tables.files {
        let mut table = SideReader::open(path, &columns)?;
        for group in 0..table.groups() {
            let read = table.read(group)?;
            for (enter, exit) in read[0].iter().zip(&read[1]).filter(|(enter, _)| **enter != NULL) {
                add(*enter, if *exit == NULL { i64::MAX } else { *exit }, 1);
            }
        }
    }
    Ok(())
}

/// Write the calls of all ranks; how many.
pub fn write(run: &Run, tables: &CallTables, stretch: &Stretch, trace: &mut Trace) -> Result<u64> {
    let sites = call_tables::sites(run)?;
    let mut written = 0;
    for (rank, path) in &tables.files {
        let mut table = SideReader::open(path, call_tables::columns())?;
        // A call that was never left lasts as long as anything of its rank that is known.
        let mut last = NULL;
        for group in 0..table.groups() {
            let columns = table.read(group)?;
            let rows = columns[column::ENTER].len();
            for row in (0..rows).map(|row| Row { columns: &columns, row }) {
                let Some(enter) = row.value(column::ENTER) else { continue };
                let exit = row.value(column::EXIT);
                last = last.max(exit.unwrap_or(enter));
                let to = exit.unwrap_or(last);
                if stretch.overlaps(enter, to) {
                    write_call(*rank, (enter, to), row, &sites, trace)?;
                    written += 1;
                }
            }
        }
    }
    Ok(written)
}

/// A row of the table.
#[derive(Clone, Copy)]
struct Row<'a> {
    columns: &'a [Vec<i64>],
    row: usize,
}

impl Row<'_> {
    fn value(self, at: usize) -> Option<i64> {
        Some(self.columns[at][self.row]).filter(|&value| value != NULL)
    }
}

fn write_call(
    rank: u32,
    (from_ns, to_ns): (i64, i64),
    row: Row<'_>,
    sites: &BTreeMap<i64, String>,
    trace: &mut Trace,
) -> Result<()> {
    let mut name = call_tables::function_name(row.value(column::CALL).unwrap_or(NULL));
    if row.value(column::POLLS).is_some() {
        name.push_str(" (polling)");
    }
    let numbers = [
        ("tag", column::TAG),
        ("bytes", column::BYTES),
        ("communicator", column::COMMUNICATOR),
        ("polls", column::POLLS),
    ];
    let mut args: Vec<(&'static str, Value)> = Vec::new();
    match row.value(column::PEER) {
        Some(-2) => args.push(("peer", json!("any"))),
        Some(peer) => args.push(("peer", json!(peer))),
        None => {}
    }
    args.extend(numbers.iter().filter_map(|(name, at)| Some((*name, json!(row.value(*at)?)))));
    if let Some(site) = row.value(column::SITE).and_then(|site| sites.get(&site)) {
        args.push(("at", json!(site)));
    }
    if row.value(column::EXIT).is_none() {
        args.push(("never left", json!(true)));
    }
    let track = rank_track(rank, row.value(column::THREAD).unwrap_or(0));
    Ok(trace.slice(&TraceSlice {
        track,
        name: &name,
        category: "mpi",
        from_ns,
        to_ns,
        args: &args,
    })?)
}
