//! From arguments to what is run.

use super::absolute;
use crate::args::{ModelRun, Receive, WarpCommon};
use crate::job::LaunchedJob;
use crate::launching;
use anyhow::{Result, bail};
use fabric::{Spec, TransportSpec, Waiting};
use models::argument::Value as Given;
use record::RunInfo;
use std::cell::Cell;
use warp::config::ConfigFile;
use warp::{AnyModel, Costs, Job};

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
    pub fn new(run: &ModelRun) -> Result<Plan> {
        let ModelRun { row, given, common } = run;
        let ranks = || LaunchedJob::here().map(|job| job.ranks);
        let nodes = common.nodes.or_else(ranks).unwrap_or(USUAL_NODES);
        let given: Vec<_> = given.iter().map(|(name, value)| (*name, whole_path(value))).collect();
        let stated = Cell::new(None);
        let steps = |us: f64| match &common.on {
            None => work_steps(us),
            Some(_) => stated_work(us, &stated),
        };
        let mut job = Job::usual(row.spec(&given, nodes, steps)?);
        job.costs = match &common.on {
            None => None,
            Some(machine) => Some(Costs::of(machine, stated.get())?),
        };
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
    pub fn model(&mut self) -> Result<Box<dyn AnyModel>> {
        let model = self.job.model.make()?;
        if let Some(config) = &self.config {
            let places_count = !self.common.engine.settings.names().contains(&"placement");
            self.remarks.extend(config.agree(model.objects(), &mut self.job)?);
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

    /// Whether a program reads the result: then it stands alone.
    pub fn is_for_scripts(&self) -> bool {
        self.common.csv || self.common.json
    }

    /// Whether the pauses for fossil collection are shown at the end, which needs a record.
    pub fn shows_pauses(&self) -> bool {
        let looks_at_them = self.job.model.row().is_some_and(|row| row.gvt_seconds.is_some());
        looks_at_them && !self.common.seq && !self.is_for_scripts()
    }

    /// Nodes in all.
    pub fn nodes(&self) -> u16 {
        self.common.nodes.unwrap_or(USUAL_NODES)
    }

    /// What connects the nodes.
    pub fn spec(&self) -> Spec {
        let topology = launching::topology(self.common.topology, self.common.packet);
        let transport = self.transport();
        Spec {
            nodes: self.nodes(),
            path_room: warp::path_room(self.nodes(), transport.kind, topology),
            wait: match self.common.engine.wait {
                _ if self.common.on.is_some() => Waiting::Blocking,
                Receive::Polling => Waiting::Polling,
                Receive::Blocking => Waiting::Blocking,
            },
            peer_timeout_ms: launching::patience(transport.kind, self.common.peer_timeout),
            transport,
            topology,
            plant: None,
        }
    }

    fn transport(&self) -> TransportSpec {
        match &self.common.on {
            Some(machine) => TransportSpec::simulated(machine),
            None => TransportSpec::of(self.common.transport.unwrap_or(&fabric::THREAD)),
        }
    }

    /// What it is called while it goes on.
    pub fn label(&self, over: &str) -> String {
        match self.common.seq {
            true => format!("{}, in order", &self.job.model.name),
            false => format!("{} on {} nodes over {over}", &self.job.model.name, self.nodes()),
        }
    }

    /// What `run.json` says of it from the beginning.
    pub fn info(&self, spec: Option<&Spec>) -> RunInfo {
        let mut info = RunInfo::new(&self.job.model.name);
        let (transport, topology) =
            spec.map_or(("none", "none"), |spec| (spec.transport.name(), spec.topology_name()));
        (info.transport, info.topology) = (transport.into(), topology.into());
        info.parameters = self.job.parameters((!self.common.seq).then_some(self.nodes()));
        if let Some(config) = &self.common.config {
            info.parameters.insert("config".into(), config.display().to_string().into());
        }
        let polls = match spec {
            Some(spec) => spec.wait == Waiting::Polling,
            None => self.common.engine.wait == Receive::Polling,
        };
        info.parameters.insert("receive".into(), if polls { "polling" } else { "blocking" }.into());
        if let Some(spec) = spec {
            launching::note_machine(&mut info, spec);
        }
        if let Some(costs) = &self.job.costs {
            info.parameters.insert("event_cost_ns".into(), costs.event.into());
        }
        info
    }
}

/// Nodes unless somebody says otherwise.
const USUAL_NODES: u16 = 2;

/// A folder as nodes find it, wherever they are started.
fn whole_path(given: &Given) -> Given {
    match given {
        Given::Path(path) => Given::Path(absolute(path)),
        other => other.clone(),
    }
}

/// On a simulated machine work takes as long as it is said to, and nothing is worked.
fn stated_work(us: f64, stated: &Cell<Option<u64>>) -> Result<u32> {
    if !(0.0..=1e9).contains(&us) {
        bail!("--work {us}: give 0 to 1000000000 µs");
    }
    stated.set(Some((us * 1e3) as u64));
    Ok(0)
}

/// How many steps of work so many µs are on this machine.
fn work_steps(us: f64) -> Result<u32> {
    if !(0.0..=1e6).contains(&us) {
        bail!("--work {us}: give 0 to 1000000 µs");
    }
    Ok((us * warp::steps_per_us()?) as u32)
}
