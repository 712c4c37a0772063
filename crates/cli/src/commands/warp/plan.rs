//! From arguments to what is run.

use super::absolute;
use crate::args::{
    CtlsArgs, DiaryArgs, ModelArgs, PholdArgs, PucksArgs, Receive, SlooowArgs, Stb88Args,
    WarpCommon, WarpnetArgs,
};
use crate::job::LaunchedJob;
use crate::launching;
use anyhow::{Result, bail};
use fabric::{Spec, TransportSpec, Waiting};
use models::{
    CtlsOptions, DiaryOptions, GeneratorOptions, Phold, PholdOptions, PingOptions, PucksOptions,
    SlooowOptions, TheatreOptions, Undoing, WarpnetOptions, stb88,
};
use record::RunInfo;
use serde_json::{Map, Value};
use std::time::{Duration, Instant};
use timewarp::{Limits, Unwatched, VirtualTime};
use warp::config::ConfigFile;
use warp::{AnyModel, Job, ModelSpec, NetworkSource, PucksSource, ScenarioSource, WarpnetSpec};

/// Where PHOLD ends unless it is told: it would go on for ever.
const PHOLD_CUTOFF: f64 = 1000.0;

/// Slooow's: what the memo says.
const SLOOOW_GVT_INTERVAL: Duration = Duration::from_secs(3);

/// What is run.
pub struct Plan {
    /// The simulation.
    pub job: Job,
    /// How, where to, what for.
    pub common: WarpCommon,
    /// The configuration file, and what is to be said of it.
    config: Option<ConfigFile>,
    pub remarks: Vec<String>,
}

impl Plan {
    /// As the command line says.
    pub fn new(model: &ModelArgs) -> Result<Plan> {
        let (spec, common, usual_cutoff) = match model {
            ModelArgs::Ping { stop, common } => {
                (ModelSpec::Ping(PingOptions { stop: *stop }), common, None)
            }
            ModelArgs::Phold { phold: args, common } => {
                (ModelSpec::Phold(phold(args)?), common, Some(PHOLD_CUTOFF))
            }
            ModelArgs::Warpnet { warpnet: args, common } => (warpnet(args), common, None),
            ModelArgs::Stb88 { stb88: args, common } => (battle(args), common, None),
            ModelArgs::Ctls { ctls: args, common } => {
                (ctls(args), common, Some(stb88::CTLS_CUTOFF))
            }
            ModelArgs::Diary { diary: args, common } => {
                (ModelSpec::Diary(diary(args)?), common, None)
            }
            ModelArgs::Pucks { pucks: args, common } => (pucks(args), common, None),
            ModelArgs::Slooow { slooow: args, common } => {
                (ModelSpec::Slooow(slooow(args, common)?), common, None)
            }
            ModelArgs::Study(_) | ModelArgs::Unknown(_) => bail!("there is no such model"),
        };
        let mut job = usual_job(spec, usual_cutoff);
        let config = common.config.as_deref().map(ConfigFile::read).transpose()?;
        let mut remarks = Vec::new();
        if let Some(config) = &config {
            remarks = config.settle(&common.engine.settings.names(), &mut job)?;
        }
        job.settle(&common.engine.settings.0);
        job.engine.check()?;
        job.trace = common.trace.is_some();
        let mut plan = Plan { job, common: common.clone(), config, remarks };
        plan.job.record = plan.keeps() || plan.shows_pauses();
        Ok(plan)
    }

    /// Make the model, and compare the configuration file with it.
    pub fn model(&mut self) -> Result<AnyModel> {
        let model = AnyModel::new(&self.job.model)?;
        if let Some(config) = &self.config {
            let places_count = !self.common.engine.settings.names().contains(&"placement");
            self.remarks.extend(model.agree(config, &mut self.job)?);
            if !places_count {
                self.job.places.clear();
            }
        }
        Ok(model)
    }

    /// Whether a run folder is to stay.
    pub fn keeps(&self) -> bool {
        self.common.record || self.common.out.is_some()
    }

    /// Whether the pauses for fossil collection are shown at the end, which needs a record.
    pub fn shows_pauses(&self) -> bool {
        matches!(self.job.model, ModelSpec::Slooow(_)) && !self.common.seq && !self.common.csv
    }

    /// Nodes in all.
    pub fn nodes(&self) -> u16 {
        self.common.nodes.unwrap_or(2)
    }

    /// What connects the nodes.
    pub fn spec(&self) -> Spec {
        Spec {
            nodes: self.nodes(),
            transport: TransportSpec::of(self.common.transport.unwrap_or(&fabric::THREAD)),
            topology: launching::topology(self.common.topology, self.common.packet),
            wait: match self.common.engine.wait {
                Receive::Polling => Waiting::Polling,
                Receive::Blocking => Waiting::Blocking,
            },
            path_room: None,
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
            ModelSpec::Slooow(options) => f64::from(options.stop),
            ModelSpec::Pucks(_) => models::pucks::HORIZON,
            ModelSpec::Phold(_) | ModelSpec::Warpnet(_) | ModelSpec::Diary(_) => f64::INFINITY,
            ModelSpec::Stb88(_) | ModelSpec::Ctls(_) => f64::INFINITY,
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
        parameters.insert(
            "engine".into(),
            if self.common.seq { "sequential" } else { "optimistic" }.into(),
        );
        let model = serde_json::to_value(&self.job.model).unwrap_or_default();
        let options = serde_json::to_value(&self.job.engine).unwrap_or_default();
        for value in [model.get("parameters").cloned().unwrap_or_default(), options] {
            if let Value::Object(fields) = value {
                flatten(fields, &mut parameters);
            }
        }
        parameters
            .insert("placement".into(), serde_json::to_value(self.job.dealing).unwrap_or_default());
        parameters.insert("gvt_interval_us".into(), self.job.gvt_interval_us.into());
        if let Some(config) = &self.common.config {
            parameters.insert("config".into(), config.display().to_string().into());
        }
        parameters.extend(self.job.gvt_change.map(|simtime| ("gvt_change".into(), simtime.into())));
        if !self.job.places.is_empty() {
            parameters.insert("placed".into(), self.job.places.len().into());
        }
        let wait = if self.common.engine.wait == Receive::Polling { "polling" } else { "blocking" };
        parameters.insert("receive".into(), wait.into());
        parameters
    }
}

/// As it is before anybody says otherwise.
fn usual_job(model: ModelSpec, cutoff: Option<f64>) -> Job {
    let is_slooow = matches!(model, ModelSpec::Slooow(_));
    let mut job = Job::new(model);
    job.engine.cutoff = cutoff.unwrap_or(VirtualTime::POSINF.simtime());
    if is_slooow {
        job.engine.gvt_events = u32::MAX;
        job.gvt_interval_us = SLOOOW_GVT_INTERVAL.as_micros() as u64;
    }
    job
}

/// Parameters stand side by side, as those of a benchmark do; what is absent is not said.
fn flatten(fields: Map<String, Value>, into: &mut Map<String, Value>) {
    for (name, value) in fields {
        match value {
            Value::Object(inner)
                if matches!(name.as_str(), "options" | "network" | "drawn" | "table") =>
            {
                flatten(inner, into)
            }
            Value::Object(inner) if name == "generated" => {
                let prefixed =
                    inner.into_iter().map(|(inner, value)| (format!("network_{inner}"), value));
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

/// One object a node, unless it is told otherwise.
fn slooow(args: &SlooowArgs, common: &WarpCommon) -> Result<SlooowOptions> {
    let ranks = || LaunchedJob::here().map(|job| job.ranks);
    let nodes = || common.nodes.or_else(ranks).unwrap_or(2);
    Ok(SlooowOptions {
        objects: args.objects.unwrap_or_else(|| u32::from(nodes())),
        stop: args.stop,
        work_steps: args.work_steps.map_or_else(|| work_steps(args.work), Ok)?,
    })
}

/// How many steps of work so many µs are on this machine.
fn work_steps(us: f64) -> Result<u32> {
    if !(0.0..=1e6).contains(&us) {
        bail!("--work {us}: give µs from 0 to a million");
    }
    Ok((us * steps_per_us()?) as u32)
}

/// How many steps of PHOLD's work this machine does in a µs: the best of some short runs, for what
/// disturbs them only makes them slower.
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

fn battle(args: &Stb88Args) -> ModelSpec {
    let Stb88Args { corps, blue_divisions, red_divisions, seed, .. } = *args;
    ModelSpec::Stb88(match &args.data {
        Some(folder) => ScenarioSource::Files(absolute(folder)),
        None => {
            ScenarioSource::Drawn(TheatreOptions { corps, blue_divisions, red_divisions, seed })
        }
    })
}

fn ctls(args: &CtlsArgs) -> ModelSpec {
    ModelSpec::Ctls(CtlsOptions { corps: args.corps, seed: args.seed })
}

fn pucks(args: &PucksArgs) -> ModelSpec {
    ModelSpec::Pucks(match &args.data {
        Some(folder) => PucksSource::Files(absolute(folder)),
        None => PucksSource::Generated(PucksOptions {
            rows: args.rows,
            columns: args.columns,
            width: args.sector_width,
            height: args.sector_height,
            pucks: args.pucks,
            radius: args.radius,
            seed: args.seed,
        }),
    })
}

fn warpnet(args: &WarpnetArgs) -> ModelSpec {
    let network = match &args.data {
        Some(folder) => NetworkSource::Files(absolute(folder)),
        None => NetworkSource::Generated(GeneratorOptions {
            nodes: args.network_nodes,
            seed: args.seed,
        }),
    };
    let options =
        WarpnetOptions { packets_per_node: args.packets_per_node, update_nodes: args.update_nodes };
    ModelSpec::Warpnet(WarpnetSpec { network, options })
}
