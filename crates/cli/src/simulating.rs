//! What a node process does in a simulation: the nodes that it hosts, driven by the crate `warp`.

use crate::gate::Gate;
use crate::hosting::{open, pinning, recorder};
use crate::watching::Watching;
use anyhow::{Result, bail};
use launch::{Assignment, Control};
use record::RunFolder;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::sync::Arc;
use warp::{Gauge, Hosting, Job, NodeReport, Readings, WarpError};

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

/// Run the nodes that this process hosts.
pub fn simulate(
    job: &WarpJob,
    assignment: &Assignment,
    control: &Control,
) -> Result<Vec<NodeReport>> {
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
    let watching = Watching::new(job.record, assignment, control, &folder);
    let transports = open(assignment, control)?;
    let gauges = show_gauges(control, assignment.hosted.len());
    let gate = Gate::new(assignment.hosted.len());
    let columns = warp::columns(&assignment.fabric);
    let made = |id| {
        let turn = watching.turn(id);
        recorder(assignment, control, &folder, id, *pin, &columns)
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
    let unrecorded = |place: u16| pinning(assignment, place, *pin);
    let hosting = Hosting {
        job,
        spec: &assignment.fabric,
        hosted: &assignment.hosted,
        clock: control.clock(),
        folder: folder.path(),
        gauges: &gauges,
        stop: &control.stop,
        recorder: &made,
        replayed: None,
        unrecorded: &|id| drop(unrecorded(id)),
        begin: &begin,
    };
    Ok(model.run_hosted(&hosting, transports, &mut || gate.open_when_all_are_ready(control))?)
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
