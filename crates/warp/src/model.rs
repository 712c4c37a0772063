//! The models that a command line can name, and what is done with any of them. Here, so that the engine is compiled for
//! each of them in one place.

use crate::hosted::{Hosting, NodeReport, run_hosted};
use crate::{Ending, Job, Meter, ModelSpec, NetworkSource, Recorded, WarpError, compare, sequential, tables};
use models::warpnet::{LINES_FILE, NODES_FILE, Table};
use models::{Diary, ModelError, Network, Phold, Ping, Warpnet};
use std::path::{Path, PathBuf};
use timewarp::{Model, ObjectId, Outcome, Placement};

/// One of the models, made.
pub enum AnyModel {
    /// [`Ping`].
    Ping(Ping),
    /// [`Phold`].
    Phold(Phold),
    /// [`Warpnet`].
    Warpnet(Box<Warpnet>),
    /// [`Diary`].
    Diary(Diary),
}

macro_rules! with_model {
    ($any:expr, $model:ident => $body:expr) => {
        match $any {
            AnyModel::Ping($model) => $body,
            AnyModel::Phold($model) => $body,
            AnyModel::Diary($model) => $body,
            AnyModel::Warpnet($model) => {
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
            ModelSpec::Ping(options) => Ping::new(options).map(AnyModel::Ping),
            ModelSpec::Diary(options) => Diary::new(options).map(AnyModel::Diary),
            ModelSpec::Phold(options) => Phold::new(options).map(AnyModel::Phold),
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
        Ok(with_model!(self, model => Placement::deal(model, nodes, job.dealing))?)
    }

    /// Run it in order, on this thread, watched by nobody.
    ///
    /// # Errors
    /// The first event that breaks a rule.
    pub fn run_sequential(&self, cutoff: f64, meter: Meter<'_>) -> Result<(Outcome, Ending), WarpError> {
        with_model!(self, model => sequential::run(model, cutoff, &mut timewarp::Unwatched, meter))
    }

    /// Run it in order, on this thread, and keep what is asked for. An outcome is only what was asked to the end.
    ///
    /// # Errors
    /// The first event that breaks a rule.
    pub fn run_sequential_recorded(
        &self,
        cutoff: f64,
        watch: &mut Recorded,
        meter: Meter<'_>,
    ) -> Result<(Outcome, Ending), WarpError> {
        with_model!(self, model => sequential::run(model, cutoff, watch, meter))
    }

    /// Run the nodes that this process hosts; `meanwhile` runs on the calling thread.
    ///
    /// # Errors
    /// The first cause among its nodes.
    pub fn run_hosted(
        &self,
        hosting: &Hosting<'_>,
        transports: Vec<Box<dyn fabric::Transport>>,
        meanwhile: impl FnOnce(),
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

fn network(source: &NetworkSource) -> Result<Result<Network, ModelError>, WarpError> {
    let folder = match source {
        NetworkSource::Generated(options) => return Ok(Network::generate(options)),
        NetworkSource::Files(folder) => folder,
    };
    let read = |name: &str| {
        let path = folder.join(name);
        std::fs::read_to_string(&path).map_err(|error| WarpError::Model {
            reason: format!(
                "cannot read {}: {error}; --data names the folder with {NODES_FILE} and {LINES_FILE}",
                path.display()
            ),
        })
    };
    let (nodes, lines) = (read(NODES_FILE)?, read(LINES_FILE)?);
    Ok(Network::read(Table { file: NODES_FILE, text: &nodes }, Table { file: LINES_FILE, text: &lines }))
}
