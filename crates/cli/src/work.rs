//! What a node process does once it is assigned: open its nodes, play the plan on each, close them.

use anyhow::{Context, Result, anyhow};
use bench::{Length, Meter, Outcome, Plan};
use fabric::{Node, NodeOptions, Opening, Pinning, Recording, Transport, pin_node};
use launch::{Assignment, Control};
use record::{NodeSheet, Recorder, RunFolder, Schema};
use serde::{Deserialize, Serialize};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Barrier, Mutex};
use std::time::Duration;

/// A benchmark as it travels from the coordinator to the nodes.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Job {
    /// What to do.
    pub plan: Plan,
    /// What to write down.
    pub recording: What,
    /// Whether nodes get cores of their own.
    pub pin: bool,
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

/// Do the job on every node that this process hosts; outcomes in the order of the nodes.
pub fn work(assignment: &Assignment, control: &Control) -> Result<Vec<Outcome>> {
    let job: Job =
        serde_json::from_value(assignment.plan.clone()).context("the plan is not one of this version")?;
    let folder = RunFolder::join(&assignment.run_folder)?;
    if matches!(job.plan.length, Length::Count(_)) {
        control.goal.store(job.plan.goal(), Ordering::Relaxed);
    }
    // For shm and tcp this waits for the peers; for thread it makes all nodes.
    let transports = fabric::open(Opening {
        spec: &assignment.fabric,
        hosted: &assignment.hosted,
        key: control.key(),
        listener: control.take_listener(0),
        clock: control.clock(),
    })?;
    let gate = Gate::new(assignment.hosted.len());
    let worker = Worker { assignment, job: &job, folder: &folder, control, gate };
    let outcomes: Vec<Result<Outcome>> = std::thread::scope(|scope| {
        let worker = &worker;
        let start = |(node, transport)| scope.spawn(move || worker.run(node, transport));
        let handles: Vec<_> = assignment.hosted.iter().copied().zip(transports).map(start).collect();
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
    job: &'a Job,
    folder: &'a RunFolder,
    control: &'a Control,
    gate: Gate,
}

impl Worker<'_> {
    fn run(&self, id: u16, transport: Box<dyn Transport>) -> Result<Outcome> {
        let prepared = self.prepare(id, transport);
        // Everybody passes the gate, also who could not be prepared: the others wait there.
        self.gate.pass(prepared.is_ok());
        let mut node = prepared?;
        if !self.gate.may_begin() {
            return Ok(Outcome::default());
        }
        let unwatched = AtomicU64::new(0);
        let leads =
            self.assignment.hosted.iter().find(|node| self.job.plan.leads(**node, self.assignment.nodes));
        let done = if leads == Some(&id) { &self.control.done } else { &unwatched };
        let outcome = bench::run(&mut node, &self.job.plan, &Meter { stop: &self.control.stop, done });
        let closed = outcome.is_ok().then(|| node.close());
        let finished = self.finish(node);
        let outcome = outcome?;
        closed.transpose()?;
        finished?;
        Ok(outcome)
    }

    fn prepare(&self, id: u16, transport: Box<dyn Transport>) -> Result<Node> {
        let pinning = match self.job.pin {
            true => pin_node(usize::from(id), usize::from(self.assignment.nodes)),
            false => Pinning::Free("not asked for".into()),
        };
        let spec = &self.assignment.fabric;
        let recorder = self.recorder(id, pinning)?;
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
            halves: spec.bare_bytes.is_some(),
        };
        Ok(Node::new(transport, options))
    }

    fn recorder(&self, id: u16, pinning: Pinning) -> Result<Recorder> {
        let mut sheet = NodeSheet::with_quality(
            self.assignment.launch,
            u32::from(id),
            &self.control.clock(),
            self.control.quality(),
        );
        sheet.halves = self.assignment.fabric.bare_bytes.is_some();
        match pinning {
            Pinning::Core(core) => sheet.core = Some(core as u32),
            Pinning::Free(reason) => sheet.notes.push(format!("not pinned to a core: {reason}")),
        }
        let schema = Schema::new(&fabric::columns(&self.assignment.fabric));
        Ok(self.folder.recorder(sheet, &schema, self.assignment.recorder)?)
    }

    fn finish(&self, node: Node) -> Result<()> {
        if let Recording::Full(recorder) | Recording::Cycles(recorder) = node.into_recording() {
            recorder.finish(self.control.clock().anchor())?;
        }
        Ok(())
    }
}

/// Where the nodes of a process wait for each other and for the coordinator's word.
struct Gate {
    ready: Barrier,
    go: Barrier,
    state: Mutex<GateState>,
}

#[derive(Clone, Copy)]
struct GateState {
    all_ready: bool,
    go: bool,
}

impl Gate {
    fn new(nodes: usize) -> Gate {
        let state = Mutex::new(GateState { all_ready: true, go: false });
        Gate { ready: Barrier::new(nodes + 1), go: Barrier::new(nodes + 1), state }
    }

    fn pass(&self, ready: bool) {
        self.change(|state| state.all_ready &= ready);
        self.ready.wait();
        self.go.wait();
    }

    fn open_when_all_are_ready(&self, control: &Control) {
        self.ready.wait();
        let all_ready = self.change(|state| state.all_ready);
        let go = all_ready && control.ready_and_wait_go().is_ok();
        self.change(|state| state.go = go);
        self.go.wait();
    }

    fn may_begin(&self) -> bool {
        self.change(|state| state.go)
    }

    fn change<T>(&self, act: impl FnOnce(&mut GateState) -> T) -> T {
        // A panic cannot leave two flags half written.
        act(&mut self.state.lock().unwrap_or_else(std::sync::PoisonError::into_inner))
    }
}
