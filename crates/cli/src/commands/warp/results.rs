//! What a run leaves: printed lines, the tables asked for, and what its folder keeps.

use super::plan::Plan;
use anyhow::{Context, Result};
use fabric::Pinning;
use record::RunFolder;
use serde_json::{Value, json};
use sim_lens::{NodeQueue, NodeSpent};
use std::io::Write;
use std::path::{Path, PathBuf};
use timewarp::{NodeCounters, ObjectId, Outcome};
use warp::{
    AnyModel, Course, CriticalPath, KindCopies, Line, NodeFiles, NodeReport, Summary, WarpError,
};

/// A finished run.
pub struct Results<'a> {
    /// What was run.
    pub plan: &'a Plan,
    /// The model.
    pub model: &'a dyn AnyModel,
    /// Of all nodes.
    pub outcome: &'a Outcome,
    /// In a few figures.
    pub summary: &'a Summary,
    /// What each node left.
    pub files: &'a [NodeFiles],
    /// Where the nodes ran, one a thread.
    pub pinned: &'a [Pinning],
    /// The critical path, once it is found.
    pub path: Option<CriticalPath>,
}

impl Results<'_> {
    /// Show what committed events printed, in canonical order.
    pub fn print_lines(&self) -> Result<()> {
        if self.plan.job.silent {
            return Ok(());
        }
        let mut out = std::io::BufWriter::new(std::io::stdout().lock());
        let paths: Vec<PathBuf> = self.files.iter().map(NodeFiles::lines_path).collect();
        let mut closed = None;
        let merged = warp::merge(&paths, |line: Line| {
            writeln!(out, "{}", line.text).map_err(|error| {
                closed = Some(error);
                WarpError::Model { reason: "the output was closed".into() }
            })
        });
        if let Some(error) = closed {
            return Err(error.into());
        }
        merged?;
        Ok(out.flush()?)
    }

    /// Write `--counts`, `--trace` and `--xl-stats`.
    pub fn write_tables(&self, node_of: &dyn Fn(ObjectId) -> u16) -> Result<()> {
        let objects = self.model.objects();
        if let Some(path) = &self.plan.common.xl_stats {
            warp::write_xl_stats(objects, self.outcome, node_of, path)?;
        }
        if let Some(path) = &self.plan.common.counts {
            warp::write_counts(objects, self.outcome, path)?;
        }
        if let Some(path) = &self.plan.common.trace {
            let paths: Vec<PathBuf> = self.files.iter().map(NodeFiles::trace_path).collect();
            warp::write_trace(objects, &paths, path)?;
        }
        Ok(())
    }

    /// Find the critical path, if it was asked for.
    pub fn find_critical_path(&mut self) -> Result<()> {
        if self.plan.job.engine.causes {
            let links: Vec<PathBuf> = self.files.iter().map(NodeFiles::links_path).collect();
            self.path = Some(CriticalPath::of_files(&links)?);
        }
        Ok(())
    }

    /// Copies of states, by kind of object, where there was not one for every event.
    pub fn copies(&self) -> Vec<KindCopies> {
        KindCopies::of(self.model.objects(), self.outcome)
    }

    /// Put what the course of this run says beside that of the sequential one, if there was one.
    pub fn keep_speedup(&self, folder: &mut RunFolder, sequential: &Path) -> Result<()> {
        if !sequential.exists() {
            return Ok(());
        }
        let nodes: Vec<Course> = self
            .files
            .iter()
            .map(|files| warp::course(&files.samples_path()))
            .collect::<Result<_, _>>()?;
        let rows = warp::speedup(&nodes, &warp::course(sequential)?);
        warp::write_speedup(&rows, &folder.path().join("warp/speedup.csv"))?;
        let points = rows.iter().step_by(rows.len() / POINTS + 1);
        let shown: Vec<_> =
            points.map(|row| [row.seconds, row.speedup, row.sequential_seconds]).collect();
        note(folder, "speedup", serde_json::to_value(shown)?);
        Ok(())
    }

    /// Put statistics and the result into the run folder.
    pub fn keep(&self, folder: &mut RunFolder, node_of: &dyn Fn(ObjectId) -> u16) -> Result<()> {
        let (objects, warp) = (self.model.objects(), folder.path().join("warp"));
        std::fs::create_dir_all(&warp)
            .with_context(|| format!("cannot make {}", warp.display()))?;
        self.plan.job.keep(folder.path())?;
        warp::write_xl_stats(objects, self.outcome, node_of, &warp.join("xl_stats.csv"))?;
        warp::write_nodes(self.outcome, &warp.join("nodes.csv"))?;
        if self.plan.job.engine.balance.is_some() {
            warp::write_load_cycles(self.outcome, &warp.join("load_cycles.csv"))?;
            warp::write_migrations(objects, self.outcome, &warp.join("migrations.csv"))?;
        }
        let result = serde_json::to_value(self.summary)?;
        folder.info_mut().parameters.insert("result".into(), result);
        if self.plan.job.keeps_arrivals() {
            let queues: Vec<NodeQueue> = self.outcome.nodes.iter().map(queue).collect();
            note(folder, NodeQueue::KEY, serde_json::to_value(queues)?);
        }
        let copies = self.copies();
        if !copies.is_empty() {
            note(folder, KindCopies::KEY, serde_json::to_value(copies)?);
        }
        if let Some(path) = &self.path {
            warp::write_critical_path(objects, &path.steps, &warp.join("critical_path.csv"))?;
            note(folder, "critical_path", summed_up(path));
        }
        Ok(())
    }
}

/// What went through a node's receive queue.
fn queue((node, counters): &(u16, NodeCounters)) -> NodeQueue {
    let NodeCounters { unqueued, overtook, .. } = *counters;
    NodeQueue { node: u32::from(*node), taken: unqueued, overtook }
}

/// Put what each node's time went to beside the result.
pub fn keep_spent(folder: &mut RunFolder, reports: &[NodeReport]) -> Result<()> {
    let ns = |ns: u64| i64::try_from(ns).unwrap_or(i64::MAX);
    let of = |report: &NodeReport| NodeSpent {
        node: u32::from(report.node),
        engine_ns: ns(report.spent.engine_ns),
        packing_ns: ns(report.spent.packing_ns),
        looking_ns: ns(report.spent.looking_ns),
        looks: report.spent.looks,
        waiting_ns: ns(report.spent.waiting_ns),
        sharing_ns: ns(report.spent.sharing_ns),
        without_core_ns: report.spent.without_core_ns.map(ns),
    };
    let spent: Vec<NodeSpent> = reports.iter().map(of).collect();
    note(folder, NodeSpent::KEY, serde_json::to_value(spent)?);
    Ok(())
}

/// Most points of the speed-up that `run.json` keeps; the table has all.
const POINTS: usize = 400;

/// Add to the result in `run.json`.
fn note(folder: &mut RunFolder, name: &str, value: Value) {
    if let Some(Value::Object(result)) = folder.info_mut().parameters.get_mut("result") {
        result.insert(name.into(), value);
    }
}

fn summed_up(path: &CriticalPath) -> Value {
    let CriticalPath { steps, length_ns, work_ns, events } = path;
    json!({ "length_ns": length_ns, "steps": steps.len(), "work_ns": work_ns, "events": events })
}
