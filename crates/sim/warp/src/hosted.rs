//! The nodes that one process hosts, a thread each: from their transports to their reports.

use crate::files::NodeFiles;
use crate::object_clock::object_clock;
use crate::rows::Rows;
use crate::spent::{Spent, without_core_ns};
use crate::witness::{Quiet, Witness};
use crate::{Ending, EventCosts, Gauge, Job, Meter, Recorded, WarpError, abort, drive};
use clock::Clock;
use fabric::{NodeId, NodeOptions, Recording, Spec, Transport};
use record::Recorder;
use serde::{Deserialize, Serialize};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;
use timewarp::{Model, Node, Outcome, RunError};

/// What the nodes of a process are given.
pub struct Hosting<'a> {
    /// What to run.
    pub job: &'a Job,
    /// Over what.
    pub spec: &'a Spec,
    /// The nodes here, in the order of their transports.
    pub hosted: &'a [NodeId],
    /// What stamps are taken with.
    pub clock: Clock,
    /// The folder of the run, for what nodes leave besides rows.
    pub folder: &'a Path,
    /// Where each of them shows how far it is, in their order.
    pub gauges: &'a [Gauge],
    /// Set to end the run early.
    pub stop: &'a AtomicBool,
    /// Makes a node's recorder, if the job wants one; called on the node's own thread.
    pub recorder: &'a (dyn Fn(NodeId) -> Result<Recorder, WarpError> + Sync),
    /// Called on a node's own thread instead if nothing is recorded.
    pub unrecorded: &'a (dyn Fn(NodeId) + Sync),
    /// What is played again, if this is a recorded run's prediction.
    pub replayed: Option<&'a Replayed>,
    /// Called on the node's own thread once it is set up, or could not be: waits for all, and says
    /// whether to begin.
    pub begin: &'a (dyn Fn(bool) -> bool + Sync),
}

/// A recorded run that is played again in simulated time.
pub struct Replayed {
    /// What its events take.
    pub events: Arc<dyn EventCosts>,
    /// Whether its messages carry stamps, as those of a recorded run do.
    pub stamped: bool,
}

/// How one node's part went.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct NodeReport {
    /// Which node.
    pub node: NodeId,
    /// Whether the simulation came to its end.
    pub finished: bool,
    /// From its first step to its last, ns.
    pub elapsed_ns: u64,
    /// What that time went to.
    #[serde(default)]
    pub spent: Spent,
    /// What its committed events take one after another, ns, where time is simulated.
    #[serde(default)]
    pub in_order_ns: Option<u64>,
}

/// Run the nodes; `meanwhile` runs on the calling thread.
///
/// # Errors
/// The first cause among its nodes: not what followed from another node's failure.
pub(crate) fn run_hosted<M: Model>(
    model: &M,
    hosting: &Hosting<'_>,
    transports: Vec<Box<dyn Transport>>,
    meanwhile: &mut dyn FnMut(),
) -> Result<Vec<NodeReport>, WarpError> {
    let results: Vec<Result<NodeReport, WarpError>> = std::thread::scope(|scope| {
        let start = |(place, transport): (usize, Box<dyn Transport>)| {
            scope.spawn(move || Part::new(model, hosting, place).run(transport))
        };
        let handles: Vec<_> = transports.into_iter().enumerate().map(start).collect();
        meanwhile();
        let joined = handles.into_iter().zip(hosting.hosted).map(|(handle, node)| {
            handle.join().unwrap_or_else(|_| {
                Err(RunError::Identity { what: format!("node {node} panicked") }.into())
            })
        });
        joined.collect()
    });
    let (reports, mut failures): (Vec<_>, Vec<_>) = results.into_iter().partition(Result::is_ok);
    failures.sort_by_key(|failure| failure.as_ref().err().map(follows));
    match failures.into_iter().find_map(Result::err) {
        Some(first) => Err(first),
        None => Ok(reports.into_iter().flatten().collect()),
    }
}

/// Whether a failure is likely to follow from another node's.
fn follows(error: &WarpError) -> bool {
    matches!(error, WarpError::Fabric(_) | WarpError::Silent { .. })
}

/// One node's part.
struct Part<'a, M> {
    model: &'a M,
    hosting: &'a Hosting<'a>,
    place: usize,
    id: NodeId,
    files: NodeFiles,
}

impl<'a, M: Model> Part<'a, M> {
    fn new(model: &'a M, hosting: &'a Hosting<'a>, place: usize) -> Part<'a, M> {
        let id = hosting.hosted[place];
        Part { model, hosting, place, id, files: NodeFiles::new(hosting.folder, id) }
    }

    fn run(&self, transport: Box<dyn Transport>) -> Result<NodeReport, WarpError> {
        let job = self.hosting.job;
        if !job.record && !job.trace && !job.engine.causes && job.costs.is_none() {
            (self.hosting.unrecorded)(self.id);
            let watch = self.files.prepare().map(|()| Quiet::new(self.files.lines()));
            let (report, watch) = self.play(transport, watch)?;
            watch.finish()?;
            return report;
        }
        let (report, watch) = self.play(transport, self.recorded())?;
        let in_order_ns = watch.in_order_ns();
        let report = report.map(|report| NodeReport { in_order_ns, ..report });
        let recorder = match &report {
            Ok(_) => watch.finish()?,
            Err(_) => watch.into_recorder(),
        };
        if let Some(recorder) = recorder {
            let finished = recorder.finish(self.hosting.clock.anchor());
            finished.map_err(|error| WarpError::Model { reason: error.to_string() })?;
        }
        report
    }

    fn recorded(&self) -> Result<Recorded, WarpError> {
        self.files.prepare()?;
        let Hosting { job, clock, recorder, spec, .. } = self.hosting;
        let rows = match job.record {
            true => {
                let rows = Rows::new(self.id, *clock, recorder(self.id)?, job.keeps_arrivals());
                Some(rows.in_packets(fabric::packet_bytes(spec)))
            }
            false => {
                (self.hosting.unrecorded)(self.id);
                None
            }
        };
        let mut watch =
            Recorded::new(rows, job.trace.then(|| self.files.trace()), self.files.lines());
        if job.engine.causes {
            watch = watch.with_links(self.files.links());
        }
        let stamped = self.hosting.replayed.is_some_and(|replayed| replayed.stamped);
        // A look at a node puts what has come into its queues: it changes what happens next.
        let every = if stamped { job.samples_when_recorded() } else { job.sample_every() };
        if let Some(every) = every {
            watch = watch.with_samples(self.files.samples(every)?);
        }
        if stamped {
            watch = watch.with_stamps();
        }
        if let Some(costs) = self.event_costs() {
            let machine = fabric::machine_of(self.hosting.spec);
            let speed = machine.map_or(1.0, |machine| machine.value("processor.speed"));
            watch = watch.with_costs(costs, speed);
        }
        Ok(watch)
    }

    /// What events take where time is simulated: what was recorded, or else what is stated.
    fn event_costs(&self) -> Option<Arc<dyn EventCosts>> {
        let stated = || Some(Arc::new(self.hosting.job.costs?) as Arc<dyn EventCosts>);
        self.hosting.replayed.map(|replayed| Arc::clone(&replayed.events)).or_else(stated)
    }

    /// Everybody passes the gate, also who could not be set up: the others wait there.
    #[allow(clippy::type_complexity)]
    fn play<W: Witness>(
        &self,
        transport: Box<dyn Transport>,
        watch: Result<W, WarpError>,
    ) -> Result<(Result<NodeReport, WarpError>, W), WarpError> {
        let engine = watch.and_then(|watch| self.engine(watch));
        let may_begin = (self.hosting.begin)(engine.is_ok());
        let mut engine = engine?;
        let mut fabric = self.fabric(transport);
        if !may_begin {
            let (_, watch) = engine.finish();
            return Ok((Ok(self.report(Ending::Stopped, 0, Spent::default())), watch));
        }
        let meter = Meter { stop: self.hosting.stop, gauge: &self.hosting.gauges[self.place] };
        let options = self.hosting.job.drive_options(self.hosting.spec);
        let queued = without_core_ns();
        let driven = drive(&mut fabric, &mut engine, &options, meter);
        let without_core_ns =
            without_core_ns().zip(queued).map(|(now, then)| now.saturating_sub(then));
        if driven.is_err() {
            abort(&mut fabric);
        }
        let closed = fabric.close();
        let (outcome, watch) = engine.finish();
        let report = driven.and_then(|drive| {
            if drive.ending == Ending::Finished {
                closed?;
                self.leave(&outcome)?;
            }
            Ok(self.report(
                drive.ending,
                drive.elapsed_ns,
                Spent { without_core_ns, ..drive.spent },
            ))
        });
        Ok((report, watch))
    }

    fn engine<W: Witness>(&self, watch: W) -> Result<Node<'a, M, W>, WarpError> {
        let Hosting { job, spec, clock, .. } = self.hosting;
        let placement = job.placement(self.model, spec.nodes)?;
        let mut node = Node::new(self.model, &placement, self.id, &job.engine, watch)?;
        if let Some(clock) = object_clock(job.engine.timing, *clock) {
            node.time_objects(clock);
        }
        Ok(node)
    }

    fn fabric(&self, transport: Box<dyn Transport>) -> fabric::Node {
        let Hosting { job, spec, clock, .. } = self.hosting;
        fabric::Node::new(
            transport,
            NodeOptions {
                id: self.id,
                nodes: spec.nodes,
                clock: *clock,
                recording: if job.record { Recording::Delegated } else { Recording::Off },
                wait: spec.wait,
                peer_timeout: Duration::from_millis(spec.peer_timeout_ms),
            },
        )
    }

    fn leave(&self, outcome: &Outcome) -> Result<(), WarpError> {
        self.files.leave(outcome)
    }

    fn report(&self, ending: Ending, elapsed_ns: u64, spent: Spent) -> NodeReport {
        let finished = ending == Ending::Finished;
        NodeReport { node: self.id, finished, elapsed_ns, spent, in_order_ns: None }
    }
}
