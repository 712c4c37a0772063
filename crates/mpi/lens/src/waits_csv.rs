//! The blocked calls of a run as a table.

use crate::blocked_calls::BlockedOf;
use crate::{BlockedCall, CallTables, LensError, function_name};
use calls::table::CallColumn;
use record::NULL;
use std::io::{self, Write};

/// Names of the columns. `call` is the row of the call in its rank's table, from 0 on; `function`
/// is the function called, `collective` the collective that it waited for.
const HEAD: &str = "rank,call,function,from_ns,until_ns,blocked_ns,cause,by,collective,site,\
    other_site,tag,src,seq,bytes,ready_ns,taken_ns";

/// Write the calls that were blocked in a stretch that `takes` takes, by their begin and end, as
/// CSV, rank by rank in the order of the calls. A run without an account of blocked calls has none.
///
/// # Errors
/// When a table is damaged, or `out` refuses the text.
pub fn waits_csv<E: From<LensError> + From<io::Error>>(
    tables: &CallTables,
    takes: impl Fn(i64, i64) -> bool,
    out: &mut dyn Write,
) -> Result<(), E> {
    writeln!(out, "{HEAD}")?;
    let mut blocked = BlockedOf::new(tables);
    tables.each_call(|call| {
        if let Some(wait) = blocked.at(call.rank(), call.number())?
            && takes(wait.from_ns, wait.until_ns)
        {
            let function = call.value(CallColumn::Call).unwrap_or(NULL);
            row(wait, function, out)?;
        }
        Ok(())
    })
}

fn row(wait: &BlockedCall, function: i64, out: &mut dyn Write) -> io::Result<()> {
    let [site, other_site] = wait.sites;
    let known = |value: Option<i64>| value.map_or_else(String::new, |value| value.to_string());
    let name = |function: Option<i64>| function.map_or_else(String::new, function_name);
    let src = wait.seq.map(|_| i64::from(wait.way().0));
    let cells = [
        wait.rank.to_string(),
        wait.call.to_string(),
        name(Some(function)),
        wait.from_ns.to_string(),
        wait.until_ns.to_string(),
        wait.ns().to_string(),
        wait.wait().key().to_owned(),
        wait.by.to_string(),
        name(wait.function),
        known(site),
        known(other_site),
        known(wait.tag),
        known(src),
        known(wait.seq),
        known(wait.seq.map(|_| wait.bytes)),
        known(wait.ready_ns),
        known(wait.taken_ns),
    ];
    writeln!(out, "{}", cells.join(","))
}
