//! Closing a traced run: logs become messages.
//!
//! The logs are read twice: the survey learns how much each connection moved, the walk goes through
//! all calls in the order of time, finds messages and exchanges, and writes them as they are found.
//! Where a connection turns out to be other than it seemed, there is one more walk.

use crate::entry::{Birth, head};
use crate::framing::{RuleError, Rules};
use crate::logs::Process;
use crate::parents::Parents;
use crate::round::{Out, Plan, Round};
use crate::row;
use crate::survey::Survey;
use crate::walk;
use crate::writers::{Rows, Writers};
use crate::{
    CloseError, FRAMING_KEY, KEY, LOG_ENDING, Noticed, ProcessSummary, SocketsFacts, connections,
    hosts,
};
use clock::{Clock, Model, Ticks};
use record::{Closing, Machine, NodeSheet, RunInfo};
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;
use std::path::Path;
use std::time::Duration;

/// Whether the run at `run` holds logs of traced processes, so that [`close`] closes it.
pub fn has_logs(run: &Path) -> bool {
    let entries = std::fs::read_dir(run.join("live")).into_iter().flatten().flatten();
    entries
        .map(|entry| entry.path())
        .any(|path| path.extension().is_some_and(|ending| ending == LOG_ENDING))
}

/// Close a run of traced processes. `progress` hears now and then how much of the logs is done, of
/// how much. Memory holds what is in flight, and a row group of each file.
///
/// # Errors
/// When a log cannot be read or a file not be written. The logs stay then, and closing can be done
/// again.
pub fn close(
    mut closing: Closing,
    progress: &mut dyn FnMut(u64, u64),
) -> Result<RunInfo, CloseError> {
    closing.remove_begun(&["sockets"])?;
    let run = closing.info().id;
    let live = closing.live();
    let mut processes = Vec::new();
    for sheet in closing.sheets()? {
        processes.extend(Process::find(&live, sheet, run)?);
    }
    cut(&mut processes);
    hosts::relate(&mut processes, &mut closing)?;
    let sheets: Vec<_> = processes.iter().map(|process| process.sheet.clone()).collect();
    closing.fit(&sheets);
    let mut work = Work { done: 0, of: 2 * chunks(&processes), progress };
    let mut survey = survey(&closing, &processes, &mut work)?;
    answer_for_clocks(&mut closing, &processes, &mut survey);
    let (rules, unread_rules) = match rules(closing.info()) {
        Ok(rules) => (rules, None),
        Err(error) => (Rules::default(), Some(error.to_string())),
    };
    let ground = Ground {
        closing: &closing,
        processes: &processes,
        sheets: with_outside(sheets),
        survey: &survey,
        rules: &rules,
    };
    let mut plan = Plan::of(&survey.ends);
    let found = loop {
        let mut round = ground.walk(&plan, &mut work)?;
        let troubles = std::mem::take(&mut round.troubles);
        if troubles.is_empty() {
            connections::write(closing.path(), plan.connections(&survey.ends))?;
            break ground.found(round)?;
        }
        plan.learn(&troubles);
        work.of += chunks(&processes);
    };
    let facts = SocketsFacts { unread_rules, ..found.facts };
    let nodes = ground.nodes(&found.rows);
    let info = closing.info_mut();
    info.lost.unmatched_sends += found.lone.0;
    info.lost.unmatched_receives += found.lone.1;
    info.lost.damaged_chunks += survey.damaged;
    let facts = serde_json::to_value(facts).expect("plain data is JSON");
    info.parameters.insert(KEY.into(), facts);
    Ok(closing.finish(&nodes)?)
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

/// Processes may still run, and log. Their logs are read one after another, and twice: what comes
/// from now on is left, or a read would be there whose write is not.
fn cut(processes: &mut [Process]) {
    /// In this time a thread has stored what it is about to store, unless it lost its core.
    const ABOUT_TO: Duration = Duration::from_millis(5);
    let (clock, boot_id) = (Clock::best(), Machine::boot_id_here());
    let is_here = |sheet: &NodeSheet| sheet.boot_id == boot_id && sheet.source == clock.source();
    let now = clock.now().0;
    for process in processes.iter_mut().filter(|process| is_here(&process.sheet)) {
        process.until = now;
        process.goes_on = process.is_alive();
    }
    std::thread::sleep(ABOUT_TO);
}

/// How much of the logs is done, in chunks.
struct Work<'a> {
    done: u64,
    of: u64,
    progress: &'a mut dyn FnMut(u64, u64),
}

impl Work<'_> {
    fn step(&mut self) {
        self.done += 1;
        (self.progress)(self.done, self.of.max(self.done));
    }
}

fn chunks(processes: &[Process]) -> u64 {
    processes.iter().map(Process::chunks).sum()
}

/// The sheets, with one of a node that stands for all programs that were not traced.
fn with_outside(mut sheets: Vec<NodeSheet>) -> Vec<NodeSheet> {
    let outside = sheets.iter().map(|sheet| sheet.node + 1).max().unwrap_or(0);
    if let Some(first) = sheets.first() {
        sheets.push(NodeSheet { node: outside, pid: 0, ..first.clone() });
    }
    sheets.iter_mut().for_each(|sheet| sheet.schema = row::schema());
    sheets
}

fn survey(
    closing: &Closing,
    processes: &[Process],
    work: &mut Work<'_>,
) -> Result<Survey, CloseError> {
    let mut survey = Survey::default();
    for process in processes {
        match closing.model(&process.sheet) {
            Some(model) => survey.add(process, model, || work.step())?,
            None => survey.skip(),
        }
    }
    survey.complete();
    Ok(survey)
}

/// The clocks are as good as the worst of the stamps that they place.
fn answer_for_clocks(closing: &mut Closing, processes: &[Process], survey: &mut Survey) {
    for (process, span) in processes.iter().zip(&survey.spans) {
        if let Some(span) = span {
            closing.answer_for(&process.sheet, span.ticks.map(Ticks), span.kernel_ns);
        }
    }
    let errors: FxHashMap<u32, i64> = processes
        .iter()
        .map(|process| (process.sheet.node, clock_error(closing, &process.sheet)))
        .collect();
    for end in &mut survey.ends {
        end.clock.error_ns = errors.get(&end.node).copied().unwrap_or(i64::MAX);
    }
    let notes = hosts::notes(processes, closing);
    closing.info_mut().notes.extend(notes);
}

/// How far a clock may be off, ns; anything where it is not known.
fn clock_error(closing: &Closing, sheet: &NodeSheet) -> i64 {
    let domain = closing.info().domains.iter().find(|domain| domain.id == sheet.domain);
    domain.and_then(|domain| domain.error_ns).map_or(i64::MAX, |error| error.ceil() as i64)
}

/// What every walk stands on.
struct Ground<'a> {
    closing: &'a Closing,
    processes: &'a [Process],
    /// Of the processes, and of what stands for all others.
    sheets: Vec<NodeSheet>,
    survey: &'a Survey,
    rules: &'a Rules,
}

/// What the last walk has come to.
struct Found {
    facts: SocketsFacts,
    lone: (u64, u64),
    rows: Vec<Rows>,
}

impl<'a> Ground<'a> {
    fn walk(&self, plan: &'a Plan, work: &mut Work<'_>) -> Result<Round<'a>, CloseError> {
        let nodes: Vec<u32> = self.sheets.iter().map(|sheet| sheet.node).collect();
        let outside = nodes.last().copied().unwrap_or(0);
        let out = Out::new(Writers::start(self.closing, &self.sheets)?, &nodes, outside);
        let mut round = Round::new(self.survey, plan, self.rules, out);
        let model = |process: &'a Process| (process, self.closing.model(&process.sheet));
        let logs: Vec<(&Process, Option<&Model>)> = self.processes.iter().map(model).collect();
        walk::each(
            self.survey,
            &logs,
            |event, now| {
                round.take(&event, now);
                round.out.writers.check()
            },
            || work.step(),
        )?;
        round.finish();
        Ok(round)
    }

    /// Complete the files.
    fn found(&self, round: Round<'_>) -> Result<Found, CloseError> {
        let Round { out, facts, lone, .. } = round;
        let outside = self.sheets.len().checked_sub(1).filter(|_| out.has_outside);
        let mut facts = facts;
        facts.outside = outside.map(|place| self.sheets[place].node);
        facts.processes = self.summaries(&out.messages);
        let is_wanted = |place| place < self.processes.len() || outside == Some(place);
        Ok(Found { facts, lone, rows: out.writers.finish(is_wanted)? })
    }

    /// The sheets of the nodes that have a messages file, with its rows.
    fn nodes(&self, rows: &[Rows]) -> Vec<(NodeSheet, u64)> {
        let rows: FxHashMap<u32, u64> = rows.iter().copied().collect();
        let of = |sheet: &NodeSheet| Some((sheet.clone(), *rows.get(&sheet.node)?));
        self.sheets.iter().filter_map(of).collect()
    }

    /// What the run will say of its processes.
    fn summaries(&self, messages: &[u64]) -> Vec<ProcessSummary> {
        let (ports, parents) = (self.ports_served(), Parents::of(self.processes));
        let counts = self.survey.used.iter().zip(messages);
        let summary = |(process, of): (&Process, _)| {
            let mut summary = self.summary(process, of);
            if let Some(port) = ports.get(&summary.node) {
                summary.name.push_str(&format!(":{port}"));
            }
            summary.parent = parents.node(process);
            summary
        };
        self.processes.iter().zip(counts).map(summary).collect()
    }

    fn summary(&self, process: &Process, (connections, messages): (&u64, &u64)) -> ProcessSummary {
        let stopped = process.head[head::STOPPED_AT];
        let model = self.closing.model(&process.sheet).filter(|_| stopped != 0);
        let noticed = Noticed::of(process.head[head::NOTICED_AT]);
        ProcessSummary {
            node: process.sheet.node,
            name: process.facts.name.clone(),
            pid: process.facts.pid,
            parent: None,
            connections: *connections,
            messages: *messages,
            datagram_sockets: process.head[head::DATAGRAM_SOCKETS_AT],
            unseen_connections: process.head[head::UNSEEN_AT],
            noticed: Noticed { io_uring: noticed.io_uring || process.has_rings, ..noticed },
            goes_on: process.goes_on,
            stopped_ns: model.map(|model| model.timeline(Ticks(stopped)).0),
        }
    }

    /// The port at which most of a process's connections were accepted, by node.
    fn ports_served(&self) -> FxHashMap<u32, u16> {
        let mut accepted: BTreeMap<(u32, u16), u64> = BTreeMap::new();
        let ends = self.survey.ends.iter();
        for end in ends.filter(|end| end.birth == Some(Birth::Accepted) && end.transport.is_tcp()) {
            *accepted.entry((end.node, end.local.port)).or_default() += 1;
        }
        let mut by_count: Vec<_> = accepted.into_iter().map(|(at, count)| (count, at)).collect();
        by_count.sort_unstable();
        by_count.into_iter().map(|(_, (node, port))| (node, port)).collect()
    }
}
