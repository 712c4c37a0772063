//! Playing a recorded program in simulated time.

use super::interval::{Draw, RecordedCosts};
use super::recording::Recording;
use super::steps::Steps;
use crate::hosting::Replayed;
use crate::threads::{DAY_MS, Here};
use crate::{AnyModel, Costs, EventCosts, Job, NodeFiles, NodeReport, Summary, WarpError};
use clock::Clock;
use fabric::{Machine, Spec, Topology, TransportSpec, Waiting};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::atomic::{AtomicBool, AtomicU64};
use timewarp::{ObjectId, Timing, VirtualTime};

/// A recorded program, and the machine to play it on.
pub struct Replay<'a> {
    recording: &'a Recording,
    /// The machine it was recorded on.
    from: &'a Machine,
    /// The machine to play it on.
    on: &'a Machine,
    /// What the engine's steps take there.
    pub steps: Steps,
    /// Whether figures with a range are drawn from it: not of the machine that time was simulated
    /// on, which is known.
    ranges: bool,
}

/// What came of it.
#[derive(Clone, Debug, PartialEq)]
pub struct Played {
    /// Nodes.
    pub nodes: u16,
    /// From the first step to the last of the node that took longest, ns.
    pub elapsed_ns: u64,
    /// The same events one after another, ns.
    pub in_order_ns: u64,
    /// The result.
    pub summary: Summary,
    /// The share of the nodes' time in which they had nothing to do.
    pub waiting: f64,
    /// Times that an executed event was not in the recording, and took the mean of its object.
    pub not_recorded: u64,
    /// It was broken off, because it undid so much that it might never end: it takes longer.
    pub broken_off: bool,
}

/// A play that executes so many times the recorded events is broken off.
pub const TIMES_EVENTS: u64 = 25;

/// Costs of a play that ends when it is stopped, or has executed too much.
struct Bounded {
    costs: Arc<dyn EventCosts>,
    executed: AtomicU64,
    most: u64,
    interrupted: &'static AtomicBool,
    stop: Arc<AtomicBool>,
}

impl EventCosts for Bounded {
    fn event_ns(&self, object: ObjectId, time: VirtualTime) -> u64 {
        let executed = self.executed.fetch_add(1, Relaxed);
        if executed >= self.most || self.interrupted.load(Relaxed) {
            self.stop.store(true, Relaxed);
        }
        self.costs.event_ns(object, time)
    }
}

impl<'a> Replay<'a> {
    /// Play what was recorded on one machine on another.
    ///
    /// # Errors
    /// When the machine's file has costs that there are not.
    pub fn new(
        recording: &'a Recording,
        from: &'a Machine,
        on: &'a Machine,
    ) -> Result<Replay<'a>, WarpError> {
        let steps = Steps::on(on, &recording.steps(from))?;
        Ok(Replay { recording, from, on, steps, ranges: true })
    }

    /// The same with the machine's figures as they are.
    pub fn without_ranges(self) -> Replay<'a> {
        Replay { ranges: false, ..self }
    }

    /// Whether draws can differ: nothing is drawn where all events take the same on a machine whose
    /// figures are known.
    pub fn leaves_something_to_chance(&self) -> bool {
        let constants = self.on.constants.values();
        let mut all = constants.chain(self.on.costs.values().flat_map(|of| of.values()));
        self.recording.times.is_some()
            || self.on.value("network.loss") > 0.0
            || (self.ranges && all.any(|constant| constant.range.is_some()))
    }

    /// What the nodes run over.
    ///
    /// # Errors
    /// When the machine has no such number of nodes, or the model too few objects.
    pub fn check(&self, model: &dyn AnyModel, nodes: u16) -> Result<(), WarpError> {
        self.spec(self.on, nodes, Draw::AsRecorded).check()?;
        model.placement(nodes, &self.recording.job).map(drop)
    }

    /// Play it on so many nodes. Files are left in `folder`.
    ///
    /// # Errors
    /// When it is stopped, its events fail, or they are not those that were recorded.
    pub fn play(
        &self,
        model: &dyn AnyModel,
        nodes: u16,
        draw: Draw,
        interrupted: &'static AtomicBool,
        folder: &Path,
    ) -> Result<Played, WarpError> {
        let on = if self.ranges { draw.machine(self.on) } else { self.on.clone() };
        let recorded = self.recording.steps(self.from);
        let times = self.recording.times.as_ref();
        let costs = Steps::on(&on, &recorded)?.costs(draw.pace(times.map(|times| &**times)));
        let speed = self.from.value("processor.speed");
        let drawn = times.map(|times| Arc::new(RecordedCosts::new(Arc::clone(times), draw, speed)));
        let stop = Arc::new(AtomicBool::new(false));
        let bounded = Bounded {
            costs: match &drawn {
                Some(drawn) => Arc::clone(drawn) as _,
                None => Arc::new(self.recording.job.costs.unwrap_or_default()),
            },
            executed: AtomicU64::new(0),
            most: self.recording.summary.events.saturating_mul(TIMES_EVENTS),
            interrupted,
            stop: Arc::clone(&stop),
        };
        let replayed = Replayed { events: Arc::new(bounded), stamped: true };
        let job = self.job(costs);
        let spec = self.spec(&on, nodes, draw);
        let here = Here { folder, clock: Clock::simulated(), replayed: Some(&replayed) };
        let reports = here.play(&spec, &job, &stop, &mut |hosting, transports| {
            model.run_hosted(hosting, transports, &mut || {})
        })?;
        let not_recorded = drawn.map_or(0, |drawn| drawn.not_recorded());
        if interrupted.load(Relaxed) {
            return Err(WarpError::Model { reason: "stopped: nothing is predicted".into() });
        }
        let played = match reports.iter().all(|report| report.finished) {
            true => self.finished(&on, folder, &reports)?,
            false => broken_off(&reports),
        };
        Ok(Played { not_recorded, ..played })
    }

    fn finished(
        &self,
        on: &Machine,
        folder: &Path,
        reports: &[NodeReport],
    ) -> Result<Played, WarpError> {
        let nodes = reports.len() as u16;
        let outcome = NodeFiles::outcome_of_all(folder, nodes)?;
        outcome.check()?;
        let elapsed_ns = longest_ns(reports);
        let summary = Summary::new(&outcome, elapsed_ns);
        let recorded = &self.recording.summary.trace_digest;
        if summary.trace_digest != *recorded {
            let reason = format!(
                "the events of {} are not those that were recorded (digests {} and {recorded}): \
                this version's model, or its data, is another; record it again",
                self.recording.job.model.name, summary.trace_digest
            );
            return Err(WarpError::Model { reason });
        }
        let in_order: u64 = reports.iter().filter_map(|report| report.in_order_ns).sum();
        Ok(Played {
            nodes,
            elapsed_ns,
            in_order_ns: (in_order as f64 / on.value("processor.speed")) as u64,
            summary,
            waiting: waiting(reports),
            not_recorded: 0,
            broken_off: false,
        })
    }

    /// The recorded job, without what only takes real time.
    fn job(&self, costs: Costs) -> Job {
        let mut job = Job {
            record: false,
            trace: false,
            silent: true,
            costs: Some(costs),
            ..self.recording.job.clone()
        };
        job.model = job.model.without_work();
        let engine = &mut job.engine;
        (engine.causes, engine.undo_check) = (false, false);
        (engine.timing, engine.stretch) = (Timing::None, 1.0);
        job
    }

    fn spec(&self, on: &Machine, nodes: u16, draw: Draw) -> Spec {
        let mut transport = TransportSpec::simulated(on);
        if let Draw::Drawn { seed, number } = draw {
            transport = transport.seeded(seed.wrapping_add(u64::from(number)));
        }
        Spec {
            nodes,
            transport,
            topology: Topology::Mesh,
            wait: Waiting::Blocking,
            path_room: None,
            peer_timeout_ms: DAY_MS,
            plant: None,
        }
    }
}

fn longest_ns(reports: &[NodeReport]) -> u64 {
    reports.iter().map(|report| report.elapsed_ns).max().unwrap_or(0)
}

fn waiting(reports: &[NodeReport]) -> f64 {
    let sum = |of: fn(&NodeReport) -> u64| reports.iter().map(of).sum::<u64>() as f64;
    sum(|report| report.spent.waiting_ns) / sum(|report| report.elapsed_ns).max(1.0)
}

/// What is known of a play that has not ended.
fn broken_off(reports: &[NodeReport]) -> Played {
    Played {
        nodes: reports.len() as u16,
        elapsed_ns: longest_ns(reports),
        in_order_ns: 0,
        summary: Summary::default(),
        waiting: waiting(reports),
        not_recorded: 0,
        broken_off: true,
    }
}
