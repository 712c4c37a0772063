//! One node of a process: what it is set up with, and what it leaves.

use crate::driver::{Drive, Ending};
use crate::files::NodeFiles;
use crate::hosting::{Hosting, NodeReport};
use crate::object_clock::object_clock;
use crate::rows::Rows;
use crate::witness::{Quiet, Witness};
use crate::{EventCosts, Meter, Recorded, WarpError};
use clock::Clock;
use fabric::{FabricError, NodeId, NodeOptions, Recording, Transport};
use std::sync::Arc;
use std::time::Duration;
use timewarp::{Model, Node};

/// One node's part.
pub(crate) struct Part<'a, M> {
    model: &'a M,
    hosting: &'a Hosting<'a>,
    place: usize,
    id: NodeId,
    files: NodeFiles,
}

/// What watches a node, from its beginning to what it leaves.
pub(crate) trait Kept: Witness + Sized {
    /// On the node's thread.
    fn begin<M: Model>(part: &Part<'_, M>) -> Result<Self, WarpError>;

    /// Leave what was kept, and complete the report.
    fn conclude(
        self,
        clock: Clock,
        report: Result<NodeReport, WarpError>,
    ) -> Result<NodeReport, WarpError>;
}

impl Kept for Quiet {
    fn begin<M: Model>(part: &Part<'_, M>) -> Result<Quiet, WarpError> {
        (part.hosting.unrecorded)(part.id);
        part.files.prepare()?;
        Ok(Quiet::new(part.files.lines()))
    }

    fn conclude(
        self,
        _: Clock,
        report: Result<NodeReport, WarpError>,
    ) -> Result<NodeReport, WarpError> {
        self.finish()?;
        report
    }
}

impl Kept for Recorded {
    fn begin<M: Model>(part: &Part<'_, M>) -> Result<Recorded, WarpError> {
        part.recorded()
    }

    fn conclude(
        self,
        clock: Clock,
        report: Result<NodeReport, WarpError>,
    ) -> Result<NodeReport, WarpError> {
        let in_order_ns = self.in_order_ns();
        let report = report.map(|report| NodeReport { in_order_ns, ..report });
        let recorder = match &report {
            Ok(_) => self.finish()?,
            Err(_) => self.into_recorder(),
        };
        if let Some(recorder) = recorder {
            let finished = recorder.finish(clock.anchor());
            finished.map_err(|error| WarpError::Model { reason: error.to_string() })?;
        }
        report
    }
}

impl<'a, M: Model> Part<'a, M> {
    pub fn new(model: &'a M, hosting: &'a Hosting<'a>, place: usize) -> Part<'a, M> {
        let id = hosting.hosted[place];
        Part { model, hosting, place, id, files: NodeFiles::new(hosting.folder, id) }
    }

    pub fn engine<W: Witness>(&self, watch: W) -> Result<Node<'a, M, W>, WarpError> {
        let Hosting { job, spec, clock, .. } = self.hosting;
        let placement = job.placement(self.model, spec.nodes)?;
        let mut node = Node::new(self.model, &placement, self.id, &job.engine, watch)?;
        if let Some(clock) = object_clock(job.engine.timing, *clock) {
            node.time_objects(clock);
        }
        Ok(node)
    }

    pub fn fabric(&self, transport: Box<dyn Transport>) -> fabric::Node {
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

    pub fn meter(&self) -> Meter<'a> {
        Meter { stop: self.hosting.stop, gauge: &self.hosting.gauges[self.place] }
    }

    /// The node has come to its end, or failed.
    pub fn conclude<W: Kept>(
        &self,
        engine: Node<'a, M, W>,
        driven: Result<Drive, WarpError>,
        closed: Result<(), FabricError>,
    ) -> Result<NodeReport, WarpError> {
        let (outcome, watch) = engine.finish();
        let report = driven.and_then(|drive| {
            if drive.ending == Ending::Finished {
                closed?;
                self.files.leave(&outcome)?;
            }
            Ok(self.report(drive))
        });
        watch.conclude(self.hosting.clock, report)
    }

    fn report(&self, Drive { ending, elapsed_ns, spent }: Drive) -> NodeReport {
        let finished = ending == Ending::Finished;
        NodeReport { node: self.id, finished, elapsed_ns, spent, in_order_ns: None }
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
}
