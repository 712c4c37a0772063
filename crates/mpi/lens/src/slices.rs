//! The calls of ranks as slices of a trace.

use crate::blocked_calls::BlockedOf;
use crate::found::Activity;
use crate::functions::activity_of;
use crate::{BlockedCall, CallRow, CallTables, LensError, function_name, sites};
use calls::entry::ANY_PEER;
use calls::table::CallColumn;
use record::{NULL, Run};
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// A call as a trace shows it.
pub struct CallSlice {
    /// Who called.
    pub rank: u32,
    /// Its thread, numbered by their first calls.
    pub thread: i64,
    /// When it was entered, ns on the timeline.
    pub from_ns: i64,
    /// When it was left; of one that never was, the last that is known of its rank.
    pub to_ns: i64,
    /// The function.
    pub name: String,
    /// What it means for its rank.
    pub activity: Activity,
    /// A row of `communicators.csv`.
    pub communicator: Option<i64>,
    /// The rank at its other end, or the root of a collective, in the world.
    pub peer: Option<u32>,
    /// Sent or received; of a collective what this rank gives.
    pub bytes: Option<i64>,
    /// What else is known: names and values.
    pub args: Vec<(&'static str, Value)>,
}

/// Hand over begin and end of each call; the end of time for one that was never left.
///
/// # Errors
/// When a table is damaged.
pub fn spans(tables: &CallTables, mut add: impl FnMut(i64, i64)) -> Result<(), LensError> {
    tables.each_group(&[CallColumn::Enter, CallColumn::Exit], |group| {
        let values = |column| group.column(column).iter(group.rows());
        let both = values(CallColumn::Enter).zip(values(CallColumn::Exit));
        for (enter, exit) in both.filter(|(enter, _)| *enter != NULL) {
            add(enter, if exit == NULL { i64::MAX } else { exit });
        }
        Ok(())
    })
}

/// Hand over the calls of all ranks that `takes` takes, by their begin and end.
///
/// # Errors
/// When a table is damaged, and what `each` gives back.
pub fn slices<E: From<LensError>>(
    run: &Run,
    tables: &CallTables,
    takes: impl Fn(i64, i64) -> bool,
    mut each: impl FnMut(&CallSlice) -> Result<(), E>,
) -> Result<(), E> {
    let sites = sites(run)?;
    let mut blocked = BlockedOf::new(tables);
    // A call that was never left lasts as long as anything of its rank that is known.
    let mut last = (0, NULL);
    tables.each_call(|call| {
        if last.0 != call.rank() {
            last = (call.rank(), NULL);
        }
        let Some(enter) = call.value(CallColumn::Enter) else { return Ok(()) };
        let exit = call.value(CallColumn::Exit);
        last.1 = last.1.max(exit.unwrap_or(enter));
        let to = exit.unwrap_or(last.1);
        if !takes(enter, to) {
            return Ok(());
        }
        let mut slice = slice(call, (enter, to), &sites);
        slice.args.extend(blocked.at(call.rank(), call.number())?.into_iter().flat_map(held));
        each(&slice)
    })
}

/// How it was blocked.
fn held(blocked: &BlockedCall) -> [(&'static str, Value); 3] {
    [
        ("blocked_ns", json!(blocked.ns())),
        ("cause", json!(blocked.wait().key())),
        ("for_rank", json!(blocked.by)),
    ]
}

fn slice(
    call: CallRow<'_>,
    (from_ns, to_ns): (i64, i64),
    sites: &BTreeMap<i64, String>,
) -> CallSlice {
    let function = call.value(CallColumn::Call).unwrap_or(NULL);
    let mut name = function_name(function);
    if call.value(CallColumn::Polls).is_some() {
        name.push_str(" (polling)");
    }
    let thread = call.value(CallColumn::Thread).unwrap_or(0);
    CallSlice {
        rank: call.rank(),
        thread,
        from_ns,
        to_ns,
        name,
        activity: activity_of(function),
        communicator: call.value(CallColumn::Communicator),
        peer: call.value(CallColumn::Peer).and_then(|peer| u32::try_from(peer).ok()),
        bytes: call.value(CallColumn::Bytes),
        args: args(call, sites),
    }
}

fn args(call: CallRow<'_>, sites: &BTreeMap<i64, String>) -> Vec<(&'static str, Value)> {
    const NUMBERS: [CallColumn; 4] =
        [CallColumn::Tag, CallColumn::Bytes, CallColumn::Communicator, CallColumn::Polls];
    let mut args: Vec<(&'static str, Value)> = Vec::new();
    match call.value(CallColumn::Peer) {
        Some(peer) if peer == i64::from(ANY_PEER) => args.push(("peer", json!("any"))),
        Some(peer) => args.push(("peer", json!(peer))),
        None => {}
    }
    let number = |column: &CallColumn| Some((column.in_file().name, json!(call.value(*column)?)));
    args.extend(NUMBERS.iter().filter_map(number));
    if let Some(site) = call.value(CallColumn::Site).and_then(|site| sites.get(&site)) {
        args.push(("at", json!(site)));
    }
    if call.value(CallColumn::Exit).is_none() {
        args.push(("never left", json!(true)));
    }
    args
}
