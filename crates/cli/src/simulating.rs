//! What a node process does in a simulation: the nodes that it hosts, driven by the crate `warp`.

use crate::gate::Gate;
use crate::hosting::{open, pinning, recorder};
use crate::watching::Watching;
use anyhow::{Result, bail};
use fabric::Pinning;
use launch::{Assignment, Control};
use record::RunFolder;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::sync::{Arc, OnceLock};
use warp::{Crews, Gauge, Hosting, Job, NodeReport, Readings, WarpError};

/// A simulation as it travels from the coordinator to the nodes.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct WarpJob {
    /// What to run.
    pub job: Job,
    /// Whether nodes get cores of their own.
    pub pin: bool,
    /// What the coordinator knows its model by, where nodes may be other programs or read other
    /// files.
    pub fingerprint: Option<u64>,
}

/// What became of the nodes of a process.
#[derive(Debug, Default, Serialize, Deserialize)]
pub struct Simulated {
    /// One a node.
    pub reports: Vec<NodeReport>,
    /// Where they ran, one a thread.
    pub pinned: Vec<Pinning>,
}

/// Run the nodes that this process hosts.
pub fn simulate(job: &WarpJob, assignment: &Assignment, control: &Control) -> Result<Simulated> {
    let WarpJob { job, pin, fingerprint } = job;
    let folder = RunFolder::join(&assignment.run_folder)?;
    let model = job.model.make()?;
    if fingerprint.is_some_and(|known| known != model.fingerprint()) {
        bail!(
            "its model {} is made of other objects, first messages or input files than where the \
            run was started: give every host the same program and the same files",
            job.model.name
        );
    }
    let crews = job.crews(&assignment.fabric, assignment.hosted.len());
    let first: Vec<u16> =
        (0..crews.threads()).map(|thread| assignment.hosted[crews.places(thread).start]).collect();
    let watching = Watching::new(job.record, assignment, control, &folder, &first);
    let transports = open(assignment, control)?;
    let gauges = show_gauges(control, assignment.hosted.len());
    let gate = Gate::new(crews.threads());
    let columns = warp::columns(&assignment.fabric);
    let pins = Pins::new(assignment, crews, *pin);
    let made = |id| {
        let turn = watching.turn(id);
        recorder(assignment, control, &folder, id, pins.of(id), &columns)
            .and_then(|mut recorder| {
                watching.begin(id, turn, recorder.time_pauses(control.clock()))?;
                Ok(recorder)
            })
            .map_err(|error| WarpError::Model { reason: format!("{error:#}") })
    };
    let begin = |ready: bool| {
        gate.pass(ready);
        gate.may_begin()
    };
    let hosting = Hosting {
        job,
        spec: &assignment.fabric,
        hosted: &assignment.hosted,
        crews,
        clock: control.clock(),
        folder: folder.path(),
        gauges: &gauges,
        stop: &control.stop,
        recorder: &made,
        replayed: None,
        unrecorded: &|id| _ = pins.of(id),
        begin: &begin,
    };
    let opened = &mut || gate.open_when_all_are_ready(control);
    let reports = model.run_hosted(&hosting, transports, opened)?;
    Ok(Simulated { reports, pinned: first.iter().map(|id| pins.of(*id).clone()).collect() })
}

/// Where the threads of this process run, each from when its first node asks.
struct Pins<'a> {
    assignment: &'a Assignment,
    crews: Crews,
    pin: bool,
    of_threads: Vec<OnceLock<Pinning>>,
}

impl Pins<'_> {
    fn new(assignment: &Assignment, crews: Crews, pin: bool) -> Pins<'_> {
        let of_threads = (0..crews.threads()).map(|_| OnceLock::new()).collect();
        Pins { assignment, crews, pin, of_threads }
    }

    /// Of the calling thread, which is that of this node.
    fn of(&self, id: u16) -> &Pinning {
        let hosted = &self.assignment.hosted;
        let thread = self.crews.thread(hosted.iter().position(|node| *node == id).unwrap_or(0));
        let among = match self.crews.threads() < hosted.len() {
            true => (thread, self.crews.threads()),
            false => (usize::from(id), usize::from(self.assignment.nodes)),
        };
        self.of_threads[thread].get_or_init(|| pinning(self.assignment, among, self.pin))
    }
}

/// One gauge a node, shown to the coordinator when it asks.
fn show_gauges(control: &Control, nodes: usize) -> Arc<[Gauge]> {
    let gauges: Arc<[Gauge]> = (0..nodes).map(|_| Gauge::default()).collect();
    let shown = Arc::clone(&gauges);
    control.tell_status(move || {
        let readings = Readings::of_all(shown.iter().filter_map(Gauge::read));
        serde_json::to_value(readings).unwrap_or(Value::Null)
    });
    gauges
}
