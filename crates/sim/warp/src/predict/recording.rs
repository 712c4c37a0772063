//! What a run folder says of a simulation that is to be predicted: what was run, how long it took,
//! what each event took and what the engine took beside.

use super::event_times::{EventTimes, Execution};
use super::steps::RecordedSteps;
use crate::{Costs, Job, Spent, Summary, WarpError, unknown};
use fabric::Machine;
use record::{Batch, Field, Kind, NULL, Run, State, Values};
use serde::Deserialize;
use std::path::Path;
use std::sync::Arc;

/// A recorded simulation.
#[derive(Clone, Debug)]
pub struct Recording {
    /// What was run.
    pub job: Job,
    /// On so many nodes.
    pub nodes: u16,
    /// Its result.
    pub summary: Summary,
    /// What each event took; `None`: all took what was stated, in simulated time.
    pub times: Option<Arc<EventTimes>>,
    /// The machine in whose time it ran, if that was simulated.
    pub simulated_on: Option<Machine>,
    work: Work,
    spent: Vec<Spent>,
}

/// What rows say besides event sections.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Work {
    rollbacks_ns: u64,
    undone: u64,
    /// Messages to other nodes, and the frames that they travelled in.
    parcels: u64,
    frames: f64,
}

/// The part of `run.json` that is ours.
#[derive(Deserialize)]
struct Parameters {
    engine: String,
    nodes: u16,
    result: Option<Summary>,
}

#[derive(Deserialize)]
struct NodeTimes {
    nodes: Vec<Spent>,
}

const FIELDS: [Field; 9] = [
    Field::Kind,
    Field::Src,
    Field::Dst,
    Field::ReadyNs,
    Field::TakenNs,
    Field::DstObject,
    Field::VirtualReceive,
    Field::Packets,
    Field::Batch,
];

impl Recording {
    /// Whether this is a run of a simulation, of whatever model.
    pub fn is_of(run: &Run) -> bool {
        let engine = run.info.parameters.get("engine").and_then(|engine| engine.as_str());
        matches!(engine, Some("optimistic" | "sequential"))
    }

    /// Read it.
    ///
    /// # Errors
    /// When it has no result, or not all that a prediction needs.
    pub fn read(run: &Run) -> Result<Recording, WarpError> {
        let path = run.path();
        let parameters = parameters(run)?;
        let summary = parameters.result.filter(|_| run.info.state == State::Closed);
        let Some(summary) = summary else {
            return refuse(path, "it was cut, so it has no result: record it again");
        };
        if parameters.engine != "optimistic" {
            return refuse(
                path,
                "it was run in order, which saves no states and undoes nothing: record it without \
                --seq, on one node for example",
            );
        }
        let Some(job) = Job::kept(path)? else {
            return refuse(
                path,
                "its folder has no warp/job.json, which says how to run it again: record it with \
                this version",
            );
        };
        if job.model.row().is_none() {
            return refuse(path, &unknown(&job.model.name));
        }
        if job.engine.balance.is_some() || job.engine.migration {
            return refuse(
                path,
                "its objects moved between nodes by what they were measured to take, and that is \
                not predicted: record it without --balance",
            );
        }
        let nodes = match run.info.parameters.get("result").map(NodeTimes::deserialize) {
            Some(Ok(times)) => times.nodes,
            _ => Vec::new(),
        };
        let mut recording = Recording {
            job,
            nodes: parameters.nodes,
            summary,
            times: None,
            simulated_on: serde_json::from_value(run.info.simulated_on.clone()).ok(),
            work: Work::default(),
            spent: nodes,
        };
        if recording.job.costs.is_none() {
            recording.read_rows(run)?;
        }
        Ok(recording)
    }

    /// How long it took, ns.
    pub fn measured_ns(&self) -> u64 {
        (self.summary.seconds * 1e9).round() as u64
    }

    /// What the engine's steps took, ns on a processor of speed 1, recorded on this machine.
    pub(crate) fn steps(&self, from: &Machine) -> RecordedSteps {
        if let Some(Costs { save, send, enqueue, undo, look, .. }) = self.job.costs {
            let [save, send, enqueue, undo, look] = [save, send, enqueue, undo, look].map(Some);
            return RecordedSteps { save, send, enqueue, undo, look };
        }
        let speed = from.value("processor.speed");
        let each = |ns: f64, count: u64| {
            (count > 0).then(|| (ns.max(0.0) * speed / count as f64).round() as u64)
        };
        let sum = |of: fn(&Spent) -> u64| self.spent.iter().map(of).sum::<u64>() as f64;
        let sections = self.times.as_ref().map_or(0, |times| times.sum_ns()) as f64;
        let Work { rollbacks_ns, undone, parcels, frames } = self.work;
        // One node looks for nothing and packs nothing: that is the loop around the engine.
        let around = match parcels {
            0 => sum(|spent| spent.looking_ns + spent.packing_ns),
            _ => 0.0,
        };
        let engine = sum(|spent| spent.engine_ns) + around - sections - rollbacks_ns as f64;
        let handing = frames * from.value("processor.send");
        let looks = if parcels == 0 { 0 } else { self.spent.iter().map(|one| one.looks).sum() };
        let by_machine =
            looks as f64 * from.value("processor.look") + frames * from.value("processor.receive");
        RecordedSteps {
            save: each(engine, self.summary.executed).filter(|_| !self.spent.is_empty()),
            send: each(sum(|spent| spent.packing_ns) - handing, parcels),
            enqueue: None,
            undo: each(rollbacks_ns as f64, undone),
            look: each(sum(|spent| spent.looking_ns) - by_machine, looks),
        }
    }

    /// The share of the nodes' time in which one was ready and had no core, where the kernel said.
    pub fn without_core(&self) -> Option<f64> {
        let of = |spent: &Spent| spent.without_core_ns.map(|ns| ns as f64);
        let without: f64 = self.spent.iter().map(of).sum::<Option<f64>>()?;
        let whole = self.measured_ns() as f64 * self.spent.len() as f64;
        (whole > 0.0).then(|| without / whole)
    }

    fn read_rows(&mut self, run: &Run) -> Result<(), WarpError> {
        let (mut executions, mut batch) = (Vec::new(), Batch::new());
        for chunk in run.chunks() {
            chunk.read(&FIELDS, &mut batch).map_err(|error| {
                let reason = format!("cannot read {}: {error}", run.path().display());
                WarpError::Model { reason }
            })?;
            let rows = Rows { columns: FIELDS.map(|field| batch.column(field)) };
            for row in 0..batch.rows() {
                executions.extend(rows.read(row, &mut self.work));
            }
        }
        let (recorded, executed) = (executions.len() as u64, self.summary.executed);
        if recorded != executed {
            return refuse(
                run.path(),
                &format!(
                    "its record has {recorded} of {executed} executed events: record it again, \
                    with --when-full block"
                ),
            );
        }
        self.times = Some(Arc::new(EventTimes::of(executions)));
        Ok(())
    }
}

/// The columns of a chunk, in the order of [`FIELDS`].
struct Rows<'a> {
    columns: [Values<'a>; FIELDS.len()],
}

impl Rows<'_> {
    /// An execution, if the row is one; what else it says is added to `work`.
    fn read(&self, row: usize, work: &mut Work) -> Option<Execution> {
        let [kind, src, dst, begin, end, object, time, count, batch] =
            self.columns.map(|values| match values {
                Values::Absent => NULL,
                Values::Constant(value) => value,
                Values::Each(values) => values[row],
            });
        let took = end.checked_sub(begin).filter(|_| begin != NULL && end != NULL);
        let took = took.map_or(0, |ns| ns.max(0).unsigned_abs());
        if kind == Kind::Rollback as i64 {
            work.rollbacks_ns += took;
            work.undone += count.max(0).unsigned_abs();
        } else if kind != Kind::Execution as i64 {
            let between = src != dst && batch > 0;
            work.parcels += u64::from(between);
            work.frames += if between { 1.0 / batch as f64 } else { 0.0 };
        }
        (kind == Kind::Execution as i64).then(|| Execution {
            object: u32::try_from(object).unwrap_or(u32::MAX),
            simtime: f64::from_bits(time as u64),
            begin,
            ns: took,
        })
    }
}

fn parameters(run: &Run) -> Result<Parameters, WarpError> {
    let all = serde_json::Value::Object(run.info.parameters.clone());
    serde_json::from_value(all).or_else(|error| {
        refuse(run.path(), &format!("run.json is not that of a simulation of ours ({error})"))
    })
}

fn refuse<T>(run: &Path, why: &str) -> Result<T, WarpError> {
    Err(WarpError::Model { reason: format!("{} cannot be predicted: {why}", run.display()) })
}
