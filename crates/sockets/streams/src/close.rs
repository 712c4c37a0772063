//! Closing a traced run: logs become messages.

use crate::ends::Ends;
use crate::entry::{Birth, head, noticed};
use crate::exchanges::ExchangeWriter;
use crate::found::Found;
use crate::framing::{RuleError, Rules};
use crate::logs::Process;
use crate::row::{self, MessageRow};
use crate::{CloseError, FRAMING_KEY, KEY, LOG_ENDING, ProcessSummary, SocketsFacts};
use clock::Ticks;
use record::{Closing, NodeSheet, RunInfo};
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::path::Path;

/// Whether the run at `run` holds logs of traced processes, so that [`close`] closes it.
pub fn has_logs(run: &Path) -> bool {
    let entries = std::fs::read_dir(run.join("live")).into_iter().flatten().flatten();
    entries
        .map(|entry| entry.path())
        .any(|path| path.extension().is_some_and(|ending| ending == LOG_ENDING))
}

/// Close a run of traced processes.
///
/// # Errors
/// When a log cannot be read or a file not be written. The logs stay then, and closing can be done
/// again.
pub fn close(mut closing: Closing) -> Result<RunInfo, CloseError> {
    let run = closing.info().id;
    let live = closing.live();
    let mut processes = Vec::new();
    for sheet in closing.sheets()? {
        processes.extend(Process::find(&live, sheet, run)?);
    }
    let sheets: Vec<_> = processes.iter().map(|process| process.sheet.clone()).collect();
    closing.fit(&sheets);
    let mut ends = Ends::default();
    for process in &processes {
        match closing.model(&process.sheet) {
            Some(model) => ends.add(process, model)?,
            None => ends.used.push(0),
        }
    }
    ends.sort();
    let outside = processes.iter().map(|process| process.sheet.node + 1).max().unwrap_or(0);
    let rules = rules(closing.info());
    let found = Found::of(&ends, outside, rules.as_ref().unwrap_or(&Rules::default()));
    let mut facts = facts(&found, &closing, &processes, &ends);
    facts.unread_rules = rules.err().map(|error| error.to_string());
    write(closing, processes, found, (facts, ends.damaged))
}

/// The rules that the run was begun with.
///
/// # Errors
/// When they are none that this version knows.
pub fn rules(info: &RunInfo) -> Result<Rules, RuleError> {
    match info.parameters.get(FRAMING_KEY) {
        None => Ok(Rules::default()),
        Some(text) => text.as_str().map_or_else(|| text.to_string().parse(), str::parse),
    }
}

/// What the run will say of itself.
fn facts(found: &Found, closing: &Closing, processes: &[Process], ends: &Ends) -> SocketsFacts {
    let mut facts = found.facts.clone();
    let is_outside = |row: &MessageRow| row.src == found.outside || row.dst == found.outside;
    facts.outside = found.rows.iter().any(is_outside).then_some(found.outside);
    let mut messages: FxHashMap<u32, u64> = FxHashMap::default();
    for row in &found.rows {
        *messages.entry(row.src).or_default() += 1;
        *messages.entry(row.dst).or_default() += u64::from(row.dst != row.src);
    }
    for (process, connections) in processes.iter().zip(&ends.used) {
        let node = process.sheet.node;
        let noticed = process.head[head::NOTICED_AT];
        let stopped = process.head[head::STOPPED_AT];
        let model = closing.model(&process.sheet).filter(|_| stopped != 0);
        facts.processes.push(ProcessSummary {
            node,
            name: name(process, ends),
            pid: process.facts.pid,
            connections: *connections,
            messages: messages.get(&node).copied().unwrap_or(0),
            datagram_sockets: process.head[head::DATAGRAM_SOCKETS_AT],
            io_uring: noticed & noticed::IO_URING != 0,
            streams: noticed & noticed::STREAMS != 0,
            urgent: noticed & noticed::URGENT != 0,
            lost_child: noticed & noticed::LOST_CHILD != 0,
            stopped_ns: model.map(|model| model.timeline(Ticks(stopped)).0),
        });
    }
    facts
}

/// A process's name, with the port at which most of its connections were accepted.
fn name(process: &Process, ends: &Ends) -> String {
    let mut ports: FxHashMap<u16, u64> = FxHashMap::default();
    for end in &ends.list {
        if end.node == process.sheet.node && end.birth == Some(Birth::Accepted) && !end.is_unix {
            *ports.entry(end.local.port).or_default() += 1;
        }
    }
    let name = &process.facts.name;
    match ports.into_iter().max_by_key(|(port, count)| (*count, *port)) {
        Some((port, _)) => format!("{name}:{port}"),
        None => name.clone(),
    }
}

fn write(
    mut closing: Closing,
    processes: Vec<Process>,
    mut found: Found,
    (facts, damaged): (SocketsFacts, u64),
) -> Result<RunInfo, CloseError> {
    let mut sheets: Vec<NodeSheet> = processes.into_iter().map(|process| process.sheet).collect();
    if let (Some(outside), Some(first)) = (facts.outside, sheets.first()) {
        sheets.push(NodeSheet { node: outside, pid: 0, ..first.clone() });
    }
    sheets.iter_mut().for_each(|sheet| sheet.schema = row::schema());
    let mut order = found.number();
    order.sort_by_key(|at| found.rows[*at as usize].dst);
    let mut nodes = Vec::new();
    for sheet in sheets {
        let of = |at: &u32| found.rows[*at as usize].dst;
        let begun = order.partition_point(|at| of(at) < sheet.node);
        let taken = order[begun..].iter().take_while(|at| of(at) == sheet.node);
        let rows: Vec<MessageRow> = taken.map(|at| found.rows[*at as usize]).collect();
        let mut file = closing.messages(&sheet)?;
        file.push(&rows, MessageRow::put)?;
        nodes.push((sheet, file.finish()?));
    }
    write_exchanges(closing.path(), &mut found)?;
    let info = closing.info_mut();
    info.lost.unmatched_sends += found.lone_sends;
    info.lost.unmatched_receives += found.lone_receives;
    info.lost.damaged_chunks += damaged;
    let facts = serde_json::to_value(facts).expect("plain data is JSON");
    info.parameters.insert(KEY.into(), facts);
    Ok(closing.finish(&nodes)?)
}

fn write_exchanges(run: &Path, found: &mut Found) -> Result<(), CloseError> {
    let mut tables: BTreeMap<u32, ExchangeWriter> = BTreeMap::new();
    for (answerer, exchange) in found.exchanges() {
        let table = match tables.entry(answerer) {
            Entry::Occupied(table) => table.into_mut(),
            Entry::Vacant(place) => place.insert(ExchangeWriter::create(run, answerer)?),
        };
        table.push(&exchange)?;
    }
    tables.into_values().try_for_each(ExchangeWriter::finish)?;
    Ok(())
}
