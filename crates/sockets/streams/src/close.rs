//! Closing a traced run: logs become messages.

use crate::ends::Ends;
use crate::entry::{Birth, head, noticed};
use crate::logs::Process;
use crate::matching::{self, Counts};
use crate::pairing;
use crate::row::{self, MessageRow};
use crate::{CloseError, KEY, LOG_ENDING, ProcessSummary, SocketsFacts};
use clock::Ticks;
use record::{Closing, NodeSheet, RunInfo};
use rustc_hash::FxHashMap;
use std::path::Path;

/// Receives without a send are numbered from here, beyond every send of their source.
const LONE_RECEIVES_FROM: u64 = 1 << 40;

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
    let mut found = Found { outside, ..Found::default() };
    found.match_all(&ends);
    let facts = found.facts(&closing, &processes, &ends);
    write(closing, processes, found, (facts, ends.damaged))
}

/// What the matching found.
#[derive(Default)]
struct Found {
    rows: Vec<MessageRow>,
    outside: u32,
    facts: SocketsFacts,
    lone_sends: u64,
    lone_receives: u64,
}

impl Found {
    fn match_all(&mut self, ends: &Ends) {
        let partners = pairing::partners(&ends.list);
        for (at, partner) in partners.iter().enumerate() {
            match partner {
                Some(other) if *other > at => self.connection(ends, at, *other),
                Some(_) => {}
                None => self.half(ends, at, false),
            }
        }
    }

    fn connection(&mut self, ends: &Ends, one: usize, other: usize) {
        let pair = [&ends.list[one], &ends.list[other]];
        if pair.iter().any(|end| end.birth.is_none()) {
            self.half(ends, one, false);
            return self.half(ends, other, false);
        }
        let begun = self.rows.len();
        let mut both = Vec::new();
        for [from, to] in [[pair[0], pair[1]], [pair[1], pair[0]]] {
            let how = (from.is_unix, to.node);
            both.extend(matching::between(&from.sends, &to.receives, how, &mut self.rows));
        }
        if both.len() < 2 {
            self.rows.truncate(begun);
            self.facts.doubtful_connections += 1;
            self.half(ends, one, true);
            return self.half(ends, other, true);
        }
        self.facts.whole_connections += 1;
        both.iter().for_each(|counts| self.count(counts));
    }

    fn half(&mut self, ends: &Ends, at: usize, is_doubtful: bool) {
        let end = &ends.list[at];
        let is_used = !end.sends.is_empty() || !end.receives.is_empty();
        if is_used && !is_doubtful {
            self.facts.half_connections += 1;
            self.facts.older_connections += u64::from(end.birth.is_none());
        }
        let calls = (&end.sends[..], &end.receives[..]);
        let counts = matching::halves(calls, self.outside, &mut self.rows);
        self.count(&counts);
    }

    fn count(&mut self, counts: &Counts) {
        let facts = &mut self.facts;
        facts.matched += counts.matched;
        facts.bytes_sent += counts.bytes_sent;
        facts.bytes_matched += counts.bytes_matched;
        facts.overlapping += counts.overlapping;
        self.lone_sends += counts.lone_sends;
        self.lone_receives += counts.lone_receives;
    }

    /// Number the rows: those of each source in the order of time.
    fn number(&mut self) {
        self.rows.sort_by_key(MessageRow::time);
        let mut next: FxHashMap<u32, u64> = FxHashMap::default();
        let mut lone = LONE_RECEIVES_FROM;
        for row in &mut self.rows {
            let number = match row.src == self.outside {
                true => &mut lone,
                false => next.entry(row.src).or_default(),
            };
            row.seq = *number;
            *number += 1;
        }
    }

    fn facts(&self, closing: &Closing, processes: &[Process], ends: &Ends) -> SocketsFacts {
        let mut facts = self.facts.clone();
        let is_outside = |row: &MessageRow| row.src == self.outside || row.dst == self.outside;
        facts.outside = self.rows.iter().any(is_outside).then_some(self.outside);
        let mut messages: FxHashMap<u32, u64> = FxHashMap::default();
        for row in &self.rows {
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
                stopped_ns: model.map(|model| model.timeline(Ticks(stopped)).0),
            });
        }
        facts
    }
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
    found.number();
    let mut sheets: Vec<NodeSheet> = processes.into_iter().map(|process| process.sheet).collect();
    if let (Some(outside), Some(first)) = (facts.outside, sheets.first()) {
        sheets.push(NodeSheet { node: outside, pid: 0, ..first.clone() });
    }
    sheets.iter_mut().for_each(|sheet| sheet.schema = row::schema());
    let mut by_node: FxHashMap<u32, Vec<MessageRow>> = FxHashMap::default();
    for row in std::mem::take(&mut found.rows) {
        by_node.entry(row.dst).or_default().push(row);
    }
    let mut nodes = Vec::new();
    for sheet in sheets {
        let mut file = closing.messages(&sheet)?;
        if let Some(rows) = by_node.get(&sheet.node) {
            file.push(rows, MessageRow::put)?;
        }
        nodes.push((sheet, file.finish()?));
    }
    let info = closing.info_mut();
    info.lost.unmatched_sends += found.lone_sends;
    info.lost.unmatched_receives += found.lone_receives;
    info.lost.damaged_chunks += damaged;
    let facts = serde_json::to_value(facts).expect("plain data is JSON");
    info.parameters.insert(KEY.into(), facts);
    Ok(closing.finish(&nodes)?)
}
