//! From arguments to what is run.

use super::absolute;
use crate::args::{DiaryArgs, ModelArgs, PholdArgs, Receive, Transport, WarpCommon, WarpnetArgs};
use crate::launching;
use anyhow::{Result, bail};
use fabric::{Spec, Waiting};
use models::{DiaryOptions, GeneratorOptions, Phold, PholdOptions, PingOptions, Undoing, WarpnetOptions};
use record::RunInfo;
use serde_json::{Map, Value};
use std::time::{Duration, Instant};
use timewarp::{Limits, Unwatched, VirtualTime};
use warp::{Job, ModelSpec, NetworkSource, WarpnetSpec};

/// Where PHOLD ends unless it is told: it would go on for ever.
const PHOLD_CUTOFF: f64 = 1000.0;

/// What is run.
pub struct Plan {
    /// The simulation.
    pub job: Job,
    /// How, where to, what for.
    pub common: WarpCommon,
}

impl Plan {
    /// As the command line says.
    pub fn new(model: &ModelArgs) -> Result<Plan> {
        let (spec, common, usual_cutoff) = match model {
            ModelArgs::Ping { stop, common } => (ModelSpec::Ping(PingOptions { stop: *stop }), common, None),
            ModelArgs::Phold { phold: args, common } => {
                (ModelSpec::Phold(phold(args)?), common, Some(PHOLD_CUTOFF))
            }
            ModelArgs::Warpnet { warpnet: args, common } => (warpnet(args), common, None),
            ModelArgs::Diary { diary: args, common } => (ModelSpec::Diary(diary(args)?), common, None),
            ModelArgs::Unknown(_) => bail!("there is no such model"),
        };
        let cutoff = common.cutoff.or(usual_cutoff).unwrap_or(VirtualTime::POSINF.simtime());
        let job = Job {
            model: spec,
            engine: common.engine.options(cutoff),
            dealing: common.engine.dealing(),
            gvt_interval_us: common.engine.gvt_interval.as_micros() as u64,
            record: common.record || common.out.is_some(),
            trace: common.trace.is_some(),
        };
        Ok(Plan { job, common: common.clone() })
    }

    /// Nodes in all.
    pub fn nodes(&self) -> u16 {
        self.common.nodes.unwrap_or(2)
    }

    /// What connects the nodes.
    pub fn spec(&self) -> Spec {
        Spec {
            nodes: self.nodes(),
            transport: launching::transport(self.common.transport.unwrap_or(Transport::Thread)),
            topology: launching::topology(self.common.topology, self.common.packet),
            wait: match self.common.engine.wait {
                Receive::Polling => Waiting::Polling,
                Receive::Blocking => Waiting::Blocking,
            },
            bare_bytes: None,
            peer_timeout_ms: self.common.peer_timeout.as_millis() as u64,
            plant: None,
        }
    }

    /// What it is called while it goes on.
    pub fn label(&self, over: &str) -> String {
        match self.common.seq {
            true => format!("{}, in order", self.job.model.name()),
            false => format!("{} on {} nodes over {over}", self.job.model.name(), self.nodes()),
        }
    }

    /// The simtime at which it ends, if that is known.
    pub fn end(&self) -> Option<f64> {
        let stop = match &self.job.model {
            ModelSpec::Ping(options) => options.stop,
            ModelSpec::Phold(_) | ModelSpec::Warpnet(_) | ModelSpec::Diary(_) => f64::INFINITY,
        };
        let end = self.job.engine.cutoff.min(stop);
        (end < VirtualTime::POSINF.simtime()).then_some(end)
    }

    /// What `run.json` says of it from the beginning.
    pub fn info(&self, transport: &str, topology: &str) -> RunInfo {
        let mut info = RunInfo::new(self.job.model.name());
        (info.transport, info.topology) = (transport.into(), topology.into());
        info.parameters = self.parameters();
        info
    }

    /// The model's parameters, and the engine's options.
    fn parameters(&self) -> Map<String, Value> {
        let mut parameters = Map::new();
        parameters.insert("nodes".into(), if self.common.seq { 1 } else { self.nodes() }.into());
        parameters.insert("engine".into(), if self.common.seq { "sequential" } else { "optimistic" }.into());
        let model = serde_json::to_value(&self.job.model).unwrap_or_default();
        let options = serde_json::to_value(&self.job.engine).unwrap_or_default();
        for value in [model.get("parameters").cloned().unwrap_or_default(), options] {
            if let Value::Object(fields) = value {
                flatten(fields, &mut parameters);
            }
        }
        parameters.insert("placement".into(), serde_json::to_value(self.job.dealing).unwrap_or_default());
        parameters.insert("gvt_interval_us".into(), self.job.gvt_interval_us.into());
        let wait = if self.common.engine.wait == Receive::Polling { "polling" } else { "blocking" };
        parameters.insert("receive".into(), wait.into());
        parameters
    }
}

/// Parameters stand side by side, as those of a benchmark do; what is absent is not said.
fn flatten(fields: Map<String, Value>, into: &mut Map<String, Value>) {
    for (name, value) in fields {
        match value {
            Value::Object(inner) if matches!(name.as_str(), "options" | "network") => flatten(inner, into),
            Value::Object(inner) if name == "generated" => {
                let prefixed = inner.into_iter().map(|(inner, value)| (format!("network_{inner}"), value));
                into.extend(prefixed);
            }
            Value::Null => {}
            value => drop(into.insert(name, value)),
        }
    }
}

fn phold(args: &PholdArgs) -> Result<PholdOptions> {
    let work_steps = if args.work != 0.0 { work_steps(args.work)? } else { args.work_steps };
    Ok(PholdOptions {
        objects: args.objects,
        start: args.start,
        remote: args.remote,
        mean: args.mean,
        lookahead: args.lookahead,
        seed: args.seed,
        groups: args.groups,
        work_steps,
        undo: args.undo,
    })
}

fn diary(args: &DiaryArgs) -> Result<DiaryOptions> {
    let work_steps = args.work_steps.map_or_else(|| work_steps(args.work), Ok)?;
    Ok(DiaryOptions { days: args.days, work_steps, notes: args.notes })
}

/// How many steps of work so many µs are on this machine.
fn work_steps(us: f64) -> Result<u32> {
    if !(0.0..=1e6).contains(&us) {
        bail!("--work {us}: give µs from 0 to a million");
    }
    Ok((us * steps_per_us()?) as u32)
}

/// How many steps of PHOLD's work this machine does in a µs: the best of some short runs, for what disturbs them only
/// makes them slower.
fn steps_per_us() -> Result<f64> {
    const STEPS: u32 = 20_000;
    let options = PholdOptions {
        objects: 1,
        remote: 0.0,
        work_steps: STEPS,
        undo: Undoing::Copy,
        ..PholdOptions::default()
    };
    let model = Phold::new(&options)?;
    let limits = Limits { cutoff: 40.0, ..Limits::default() };
    let mut best = 0.0f64;
    for _ in 0..5 {
        let begun = Instant::now();
        let events = timewarp::sequential::run(&model, &limits, &mut Unwatched)?.total().events;
        let us = begun.elapsed().max(Duration::from_nanos(1)).as_secs_f64() * 1e6;
        best = best.max(events as f64 * f64::from(STEPS) / us);
    }
    Ok(best)
}

fn warpnet(args: &WarpnetArgs) -> ModelSpec {
    let network = match &args.data {
        Some(folder) => NetworkSource::Files(absolute(folder)),
        None => NetworkSource::Generated(GeneratorOptions { nodes: args.network_nodes, seed: args.seed }),
    };
    let options = WarpnetOptions { packets_per_node: args.packets_per_node, update_nodes: args.update_nodes };
    ModelSpec::Warpnet(WarpnetSpec { network, options })
}
