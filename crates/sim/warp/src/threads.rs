//! A whole run in this process, on its threads: for programs that use the engine as a library, for
//! tests and benchmarks.

use crate::hosted::run_hosted;
use crate::hosting::{Hosting, NodeReport, Replayed};
use crate::outgoing::path_room;
use crate::{Gauge, Job, NodeFiles, WarpError};
use clock::Clock;
use fabric::{Opening, RunKey, Spec, Topology, Transport, TransportSpec, Waiting};
use std::path::Path;
use std::sync::Barrier;
use std::sync::atomic::{AtomicBool, Ordering};
use timewarp::{Model, Outcome};

/// A node that says nothing for so long is lost, ms.
const PATIENCE_MS: u64 = 20_000;
/// A day.
pub(crate) const DAY_MS: u64 = 24 * 3600 * 1000;

/// A finished run.
#[derive(Clone, Debug, PartialEq)]
pub struct Ran {
    /// Of all nodes.
    pub outcome: Outcome,
    /// Of the node that took longest, ns.
    pub elapsed_ns: u64,
}

/// Nodes of this process.
pub(crate) struct Here<'a> {
    /// Where they leave files.
    pub folder: &'a Path,
    /// What stamps are taken with.
    pub clock: Clock,
    /// What is played again, if anything is.
    pub replayed: Option<&'a Replayed>,
}

/// Runs the nodes of a model on these transports.
pub(crate) type RunsNodes<'a> =
    &'a mut dyn FnMut(&Hosting<'_>, Vec<Box<dyn Transport>>) -> Result<Vec<NodeReport>, WarpError>;

impl Here<'_> {
    /// Open a transport for each node, and have `nodes` run them. Nothing is recorded.
    pub fn play(
        &self,
        spec: &Spec,
        job: &Job,
        stop: &AtomicBool,
        nodes: RunsNodes<'_>,
    ) -> Result<Vec<NodeReport>, WarpError> {
        let (hosted, clock): (Vec<u16>, _) = ((0..spec.nodes).collect(), self.clock);
        // Nodes of one process trust each other; the key is not used.
        let key =
            RunKey::generate().map_err(|error| WarpError::Model { reason: error.to_string() })?;
        let transports =
            fabric::open(Opening { spec, hosted: &hosted, key: &key, listener: None, clock })?;
        let crews = job.crews(spec, hosted.len());
        let gauges: Vec<Gauge> = hosted.iter().map(|_| Gauge::default()).collect();
        let (barrier, all_ready) = (Barrier::new(crews.threads()), AtomicBool::new(true));
        let begin = |ready: bool| {
            all_ready.fetch_and(ready, Ordering::SeqCst);
            barrier.wait();
            all_ready.load(Ordering::SeqCst)
        };
        let nobody = |_| Err(WarpError::Model { reason: "nothing is recorded here".into() });
        let hosting = Hosting {
            job,
            spec,
            hosted: &hosted,
            crews,
            clock,
            folder: self.folder,
            gauges: &gauges,
            stop,
            recorder: &nobody,
            unrecorded: &|_| {},
            replayed: self.replayed,
            begin: &begin,
        };
        nodes(&hosting, transports)
    }
}

/// Run `model` on so many threads. `job.model` is not looked at, nothing is recorded, and files (a
/// trace, printed lines) are left in `folder`: [`NodeFiles`] finds them.
///
/// # Errors
/// Whatever ends the run early.
pub fn run<M: Model>(model: &M, job: &Job, nodes: u16, folder: &Path) -> Result<Ran, WarpError> {
    run_over(TransportSpec::of(&fabric::THREAD), model, job, nodes, folder)
}

/// The same over a transport whose nodes are threads of one process.
pub(crate) fn run_over<M: Model>(
    transport: TransportSpec,
    model: &M,
    job: &Job,
    nodes: u16,
    folder: &Path,
) -> Result<Ran, WarpError> {
    // Where time is simulated, a day's silence is nothing.
    let simulated = transport.kind.clock;
    let spec = Spec {
        nodes,
        path_room: path_room(nodes, transport.kind, Topology::Mesh),
        transport,
        topology: Topology::Mesh,
        wait: Waiting::Blocking,
        peer_timeout_ms: if simulated.is_some() { DAY_MS } else { PATIENCE_MS },
        plant: None,
    };
    let clock = simulated.map_or_else(Clock::best, |clock| clock());
    let job = Job { record: false, ..job.clone() };
    let (stop, played) = (AtomicBool::new(false), Here { folder, clock, replayed: None });
    let reports = played.play(&spec, &job, &stop, &mut |hosting, transports| {
        run_hosted(model, hosting, transports, &mut || {})
    })?;
    let outcome = NodeFiles::outcome_of_all(folder, nodes)?;
    outcome.check()?;
    Ok(Ran {
        outcome,
        elapsed_ns: reports.iter().map(|report| report.elapsed_ns).max().unwrap_or(0),
    })
}
