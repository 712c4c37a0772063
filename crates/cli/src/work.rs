//! What a node process does once it is assigned: open its nodes, play the plan on each, close them.

use crate::counted::Played;
use crate::gate::Gate;
use crate::hosting::{open, pinning, recorder};
use crate::simulating;
use crate::watching::Watching;
use anyhow::{Context, Result, anyhow};
use bench::{Meter, Outcome, Plan};
use fabric::{Node, NodeOptions, Recording, Transport};
use launch::{Assignment, Control};
use record::RunFolder;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

/// What travels from the coordinator to the nodes.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", tag = "work")]
pub enum Job {
    /// A benchmark.
    Bench(BenchJob),
    /// A simulation.
    Warp(Box<simulating::WarpJob>),
}

/// A benchmark.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct BenchJob {
    /// What to do.
    pub plan: Plan,
    /// What to write down.
    pub recording: What,
    /// Whether nodes get cores of their own.
    pub pin: bool,
    /// Whether what else the machine does is written down.
    pub watch: bool,
    /// Whether nodes run before everything else on their cores.
    #[serde(default)]
    pub real_time: bool,
}

/// What to write down.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum What {
    /// Every message.
    Messages,
    /// Whole cycles only: what recording costs is measured against this.
    Cycles,
}

/// Do the job on every node that this process hosts; what each came to, in the order of the nodes.
pub fn work(assignment: &Assignment, control: &Control) -> Result<Value> {
    let job: Job = serde_json::from_value(assignment.plan.clone())
        .context("cannot read the plan; is it from another version of fourstamp?")?;
    Ok(match job {
        Job::Bench(job) => serde_json::to_value(measure(&job, assignment, control)?)?,
        Job::Warp(job) => serde_json::to_value(simulating::simulate(&job, assignment, control)?)?,
    })
}

fn measure(job: &BenchJob, assignment: &Assignment, control: &Control) -> Result<Vec<Played>> {
    let folder = RunFolder::join(&assignment.run_folder)?;
    control.goal.store(job.plan.goal(&assignment.hosted, assignment.nodes), Ordering::Relaxed);
    let watching = Watching::new(job.watch, assignment, control, &folder, &assignment.hosted);
    let transports = open(assignment, control)?;
    let gate = Gate::new(assignment.hosted.len());
    let worker = Worker { assignment, job, folder: &folder, control, gate, watching };
    let outcomes: Vec<Result<Played>> = std::thread::scope(|scope| {
        let worker = &worker;
        let start = |(node, transport)| {
            // Named, for whoever looks at threads from outside.
            let thread = std::thread::Builder::new().name(format!("node-{node}"));
            thread
                .spawn_scoped(scope, move || worker.run(node, transport))
                .expect("a node needs a thread")
        };
        let handles: Vec<_> =
            assignment.hosted.iter().copied().zip(transports).map(start).collect();
        worker.gate.open_when_all_are_ready(control);
        handles
            .into_iter()
            .map(|handle| handle.join().unwrap_or_else(|_| Err(anyhow!("a node panicked"))))
            .collect()
    });
    outcomes.into_iter().collect()
}

struct Worker<'a> {
    assignment: &'a Assignment,
    job: &'a BenchJob,
    folder: &'a RunFolder,
    control: &'a Control,
    gate: Gate,
    watching: Watching<'a>,
}

impl Worker<'_> {
    fn run(&self, id: u16, transport: Box<dyn Transport>) -> Result<Played> {
        let prepared = self.prepare(id, transport);
        // Everybody passes the gate, also who could not be prepared: the others wait there.
        self.gate.pass(prepared.is_ok());
        let mut node = prepared?;
        if !self.gate.may_begin() {
            return Ok(Played { outcome: Outcome::default(), counted: None });
        }
        let unwatched = AtomicU64::new(0);
        let leads = self
            .assignment
            .hosted
            .iter()
            .find(|node| self.job.plan.leads(**node, self.assignment.nodes));
        let done = if leads == Some(&id) { &self.control.done } else { &unwatched };
        let outcome =
            bench::run(&mut node, &self.job.plan, &Meter { stop: &self.control.stop, done });
        let closed = outcome.is_ok().then(|| node.close_after_peers(&self.control.stop));
        self.watching.end(id, &node.happenings());
        let counted = node.transport_report();
        let finished = self.finish(node);
        let outcome = outcome?;
        closed.transpose()?;
        finished?;
        Ok(Played { outcome, counted })
    }

    fn prepare(&self, id: u16, transport: Box<dyn Transport>) -> Result<Node> {
        let spec = &self.assignment.fabric;
        let columns = fabric::columns(spec);
        let turn = self.watching.turn(id);
        let among = (usize::from(id), usize::from(self.assignment.nodes));
        let pinned = pinning(self.assignment, among, self.job.pin);
        let mut recorder =
            recorder(self.assignment, self.control, self.folder, id, &pinned, &columns)?;
        if self.job.real_time {
            fabric::real_time().context(
                "real-time priority is refused here: run as root, raise the limit rtprio, or drop \
                it",
            )?;
        }
        self.watching.begin(id, turn, recorder.time_pauses(self.control.clock()))?;
        let recording = match self.job.recording {
            What::Messages => Recording::Full(recorder),
            What::Cycles => Recording::Cycles(recorder),
        };
        let options = NodeOptions {
            id,
            nodes: self.assignment.nodes,
            clock: self.control.clock(),
            recording,
            wait: spec.wait,
            peer_timeout: Duration::from_millis(spec.peer_timeout_ms),
        };
        Ok(Node::new(transport, options))
    }

    fn finish(&self, node: Node) -> Result<()> {
        if let Recording::Full(recorder) | Recording::Cycles(recorder) = node.into_recording() {
            recorder.finish(self.control.clock().anchor())?;
        }
        Ok(())
    }
}
