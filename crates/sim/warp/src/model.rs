//! The models that a command line can name, and what is done with any of them. Here, so that the
//! engine is compiled for each of them in one place: so nothing here is generic over what a caller
//! gives.

use crate::config::ConfigFile;
use crate::critical::Step;
use crate::hosted::{Hosting, NodeReport, run_hosted};
use crate::{
    Drive, Job, Meter, ModelSpec, NetworkSource, PucksSource, Recorded, ScenarioSource, WarpError,
    compare, sequential, tables,
};
use models::pucks::{self, Audited, MESSAGES_FILE, OBJECTS_FILE};
use models::warpnet::{LINES_FILE, NODES_FILE, Table};
use models::{
    Diary, ModelError, Network, Phold, Ping, Pucks, Scenario, Slooow, Stb88, Stb88Options, Warpnet,
    stb88,
};
use std::path::{Path, PathBuf};
use timewarp::{Model, ObjectId, Options, Outcome, Placement, Status, Unwatched};

/// One of the models, made.
pub enum AnyModel {
    /// [`Ping`].
    Ping(Ping),
    /// [`Phold`].
    Phold(Phold),
    /// [`Warpnet`].
    Warpnet(Box<Warpnet>),
    /// [`Stb88`], with its own scenario or with that of the reconstruction of CTLS.
    Stb88(Box<Stb88>),
    /// [`Diary`].
    Diary(Diary),
    /// [`Slooow`].
    Slooow(Slooow),
    /// [`Pucks`].
    Pucks(Box<Pucks>),
}

macro_rules! with_model {
    ($any:expr, $model:ident => $body:expr) => {
        match $any {
            AnyModel::Ping($model) => $body,
            AnyModel::Phold($model) => $body,
            AnyModel::Diary($model) => $body,
            AnyModel::Stb88($model) => {
                let $model = &**$model;
                $body
            }
            AnyModel::Slooow($model) => $body,
            AnyModel::Warpnet($model) => {
                let $model = &**$model;
                $body
            }
            AnyModel::Pucks($model) => {
                let $model = &**$model;
                $body
            }
        }
    };
}

impl AnyModel {
    /// Make the model.
    ///
    /// # Errors
    /// When a parameter makes no sense, or a file of its data cannot be read or makes none.
    pub fn new(spec: &ModelSpec) -> Result<AnyModel, WarpError> {
        let made = match spec {
            ModelSpec::Warpnet(spec) => network(&spec.network)?
                .and_then(|network| Warpnet::new(network, &spec.options))
                .map(|warpnet| AnyModel::Warpnet(Box::new(warpnet))),
            ModelSpec::Stb88(source) => battle(source)?.map(fought),
            ModelSpec::Ctls(options) => Scenario::ctls(options).map(fought),
            ModelSpec::Ping(options) => Ping::new(options).map(AnyModel::Ping),
            ModelSpec::Diary(options) => Diary::new(options).map(AnyModel::Diary),
            ModelSpec::Phold(options) => Phold::new(options).map(AnyModel::Phold),
            ModelSpec::Slooow(options) => Slooow::new(options).map(AnyModel::Slooow),
            ModelSpec::Pucks(source) => {
                table(source)?.map(|scenario| AnyModel::Pucks(Box::new(Pucks::new(scenario))))
            }
        };
        made.map_err(|error: ModelError| WarpError::Model { reason: error.to_string() })
    }

    /// How many objects it has.
    pub fn objects(&self) -> u32 {
        with_model!(self, model => model.objects())
    }

    /// Where its objects go.
    ///
    /// # Errors
    /// When there are more nodes than objects.
    pub fn placement(&self, nodes: u16, job: &Job) -> Result<Placement, WarpError> {
        Ok(with_model!(self, model => job.placement(model, nodes))?)
    }

    /// Compare a configuration file with the model, and place objects as the file says. Returns
    /// what is to be said of it.
    ///
    /// # Errors
    /// The first name or message of the file that is none of the model's.
    pub fn agree(&self, config: &ConfigFile, job: &mut Job) -> Result<Vec<String>, WarpError> {
        Ok(with_model!(self, model => config.agree(model, job))?)
    }

    /// Run it in order, on this thread, watched by nobody; see [`sequential::run`].
    ///
    /// # Errors
    /// The first event that breaks a rule.
    pub fn run_sequential(
        &self,
        options: &Options,
        meter: Meter<'_>,
        looked: &mut dyn FnMut(f64, &Status),
    ) -> Result<(Outcome, Drive), WarpError> {
        with_model!(self, model => sequential::run(model, options, &mut Unwatched, meter, looked))
    }

    /// Run it in order, on this thread, and keep what is asked for. An outcome is only what was
    /// asked to the end.
    ///
    /// # Errors
    /// The first event that breaks a rule.
    pub fn run_sequential_recorded(
        &self,
        options: &Options,
        watch: &mut Recorded,
        meter: Meter<'_>,
        looked: &mut dyn FnMut(f64, &Status),
    ) -> Result<(Outcome, Drive), WarpError> {
        with_model!(self, model => sequential::run(model, options, watch, meter, looked))
    }

    /// Whether [`AnyModel::audit`] looks at anything.
    pub fn says_what_must_hold(&self) -> bool {
        matches!(self, AnyModel::Pucks(_) | AnyModel::Stb88(_))
    }

    /// Run it in order once more and look at what must always hold, where the model says what that
    /// is. `found` becomes what is to be said of it.
    ///
    /// # Errors
    /// The first event at which something does not hold.
    pub fn audit(
        &self,
        cutoff: f64,
        meter: Meter<'_>,
        found: &mut Option<String>,
    ) -> Result<(Outcome, Drive), WarpError> {
        let options = Options { cutoff, ..Options::default() };
        let looked: &mut dyn FnMut(f64, &Status) = &mut |_, _| {};
        match self {
            AnyModel::Pucks(pucks) => {
                let audited = Audited::new(pucks);
                let ran = sequential::run(&audited, &options, &mut Unwatched, meter, looked)?;
                *found = Some(hold_on_the_table(&audited.findings()));
                Ok(ran)
            }
            AnyModel::Stb88(battle) => {
                let watched = Stb88::new(battle.scenario().clone(), &Stb88Options { watch: true });
                let ran = sequential::run(&watched, &options, &mut Unwatched, meter, looked)?;
                *found = Some(HOLD.into());
                Ok(ran)
            }
            other => other.run_sequential(&options, meter, looked),
        }
    }

    /// Run the nodes that this process hosts; `meanwhile` runs on the calling thread.
    ///
    /// # Errors
    /// The first cause among its nodes.
    pub fn run_hosted(
        &self,
        hosting: &Hosting<'_>,
        transports: Vec<Box<dyn fabric::Transport>>,
        meanwhile: &mut dyn FnMut(),
    ) -> Result<Vec<NodeReport>, WarpError> {
        with_model!(self, model => run_hosted(model, hosting, transports, meanwhile))
    }

    /// See [`compare()`].
    ///
    /// # Errors
    /// What differs first.
    pub fn compare(&self, ours: &Outcome, sequential: &Outcome) -> Result<(), WarpError> {
        with_model!(self, model => compare::compare(model, ours, sequential))
    }

    /// See [`crate::write_counts`].
    ///
    /// # Errors
    /// When the file cannot be written.
    pub fn write_counts(&self, outcome: &Outcome, path: &Path) -> Result<(), WarpError> {
        with_model!(self, model => tables::write_counts(model, outcome, path))
    }

    /// See [`crate::write_trace`].
    ///
    /// # Errors
    /// When a node's file cannot be read, or the trace cannot be written.
    pub fn write_trace(&self, of_nodes: &[PathBuf], path: &Path) -> Result<(), WarpError> {
        with_model!(self, model => tables::write_trace(model, of_nodes, path))
    }

    /// See [`crate::CriticalPath`].
    ///
    /// # Errors
    /// When the file cannot be written.
    pub fn write_critical_path(&self, steps: &[Step], path: &Path) -> Result<(), WarpError> {
        with_model!(self, model => tables::write_critical_path(model, steps, path))
    }

    /// What an object is called.
    pub fn name_of(&self, object: ObjectId) -> String {
        with_model!(self, model => model.name(object))
    }

    /// See [`crate::write_migrations`].
    ///
    /// # Errors
    /// When the file cannot be written.
    pub fn write_migrations(&self, outcome: &Outcome, path: &Path) -> Result<(), WarpError> {
        with_model!(self, model => tables::write_migrations(model, outcome, path))
    }

    /// See [`crate::write_xl_stats`].
    ///
    /// # Errors
    /// When the file cannot be written.
    pub fn write_xl_stats(
        &self,
        outcome: &Outcome,
        node_of: impl Fn(ObjectId) -> u16,
        path: &Path,
    ) -> Result<(), WarpError> {
        with_model!(self, model => tables::write_xl_stats(model, outcome, node_of, path))
    }
}

/// What is said where nothing is left to be said.
const HOLD: &str = "the model's invariants hold throughout";

/// What is said of a table of pucks. After a stale prediction has changed it, it is not looked at
/// as a whole any more.
fn hold_on_the_table(findings: &pucks::Findings) -> String {
    let pucks::Findings { rejected, jumps, .. } = findings;
    match rejected + jumps {
        0 => HOLD.into(),
        _ => format!(
            "the model's invariants hold as far as they were looked at: stale predictions, which \
            the rules allow, made pucks reject \
             {rejected} collisions and changed the energy at {jumps} simtimes; from the first of \
             these on nobody looked at overlaps and at who is where"
        ),
    }
}

fn fought(scenario: Scenario) -> AnyModel {
    AnyModel::Stb88(Box::new(Stb88::new(scenario, &Stb88Options::default())))
}

fn battle(source: &ScenarioSource) -> Result<Result<Scenario, ModelError>, WarpError> {
    let folder = match source {
        ScenarioSource::Drawn(options) => return Ok(Scenario::generate(options)),
        ScenarioSource::Files(folder) => folder,
    };
    let mut texts = Vec::with_capacity(stb88::FILES.len());
    for file in stb88::FILES {
        texts.push(read(folder, file, "the tables stb88_objects.csv, stb88_corps.csv and so on")?);
    }
    let tables: stb88::Tables<'_> = std::array::from_fn(|table| texts[table].as_str());
    Ok(Scenario::read(tables))
}

fn read(folder: &Path, file: &str, what: &str) -> Result<String, WarpError> {
    let path = folder.join(file);
    record::read_text(&path).map_err(|error| WarpError::Model {
        reason: format!(
            "cannot read {}: {error}; --data names the folder with {what}",
            path.display()
        ),
    })
}

fn network(source: &NetworkSource) -> Result<Result<Network, ModelError>, WarpError> {
    let folder = match source {
        NetworkSource::Generated(options) => return Ok(Network::generate(options)),
        NetworkSource::Files(folder) => folder,
    };
    let what = format!("{NODES_FILE} and {LINES_FILE}");
    let (nodes, lines) = (read(folder, NODES_FILE, &what)?, read(folder, LINES_FILE, &what)?);
    Ok(Network::read(
        Table { file: NODES_FILE, text: &nodes },
        Table { file: LINES_FILE, text: &lines },
    ))
}

fn table(source: &PucksSource) -> Result<Result<pucks::Scenario, ModelError>, WarpError> {
    let folder = match source {
        PucksSource::Generated(options) => return Ok(pucks::Scenario::generate(options)),
        PucksSource::Files(folder) => folder,
    };
    let what = format!("{OBJECTS_FILE} and {MESSAGES_FILE}");
    let (objects, messages) =
        (read(folder, OBJECTS_FILE, &what)?, read(folder, MESSAGES_FILE, &what)?);
    let table = |file, text| Table { file, text };
    Ok(pucks::Scenario::read(table(OBJECTS_FILE, &objects), table(MESSAGES_FILE, &messages)))
}
