//! What is done with any of the models. Here, so that the engine is compiled for each of them in
//! one place: so nothing here is generic over what a caller gives.

use crate::config::ConfigFile;
use crate::critical::Step;
use crate::hosted::{Hosting, NodeReport, run_hosted};
use crate::{Drive, Job, Meter, Recorded, WarpError, compare, sequential, tables};
use models::{Auditor, Recipe};
use std::path::{Path, PathBuf};
use timewarp::{Model, ObjectId, Options, Outcome, Placement, Status, Unwatched};

/// One of the models, made.
pub trait AnyModel {
    /// How many objects it has.
    fn objects(&self) -> u32;

    /// What an object is called.
    fn name_of(&self, object: ObjectId) -> String;

    /// Where its objects go.
    ///
    /// # Errors
    /// When there are more nodes than objects.
    fn placement(&self, nodes: u16, job: &Job) -> Result<Placement, WarpError>;

    /// Compare a configuration file with the model, and place objects as the file says. Returns
    /// what is to be said of it.
    ///
    /// # Errors
    /// The first name or message of the file that is none of the model's.
    fn agree(&self, config: &ConfigFile, job: &mut Job) -> Result<Vec<String>, WarpError>;

    /// Run it in order, on this thread, watched by nobody; see [`sequential::run`].
    ///
    /// # Errors
    /// The first event that breaks a rule.
    fn run_sequential(
        &self,
        options: &Options,
        meter: Meter<'_>,
        looked: &mut dyn FnMut(f64, &Status),
    ) -> Result<(Outcome, Drive), WarpError>;

    /// Run it in order, on this thread, and keep what is asked for. An outcome is only what was
    /// asked to the end.
    ///
    /// # Errors
    /// The first event that breaks a rule.
    fn run_sequential_recorded(
        &self,
        options: &Options,
        watch: &mut Recorded,
        meter: Meter<'_>,
        looked: &mut dyn FnMut(f64, &Status),
    ) -> Result<(Outcome, Drive), WarpError>;

    /// Whether [`AnyModel::audit`] looks at anything.
    fn says_what_must_hold(&self) -> bool;

    /// Run it in order once more and look at what must always hold, where the model says what that
    /// is. `found` becomes what is to be said of it.
    ///
    /// # Errors
    /// The first event at which something does not hold.
    fn audit(
        &self,
        cutoff: f64,
        meter: Meter<'_>,
        found: &mut Option<String>,
    ) -> Result<(Outcome, Drive), WarpError>;

    /// Run the nodes that this process hosts; `meanwhile` runs on the calling thread.
    ///
    /// # Errors
    /// The first cause among its nodes.
    fn run_hosted(
        &self,
        hosting: &Hosting<'_>,
        transports: Vec<Box<dyn fabric::Transport>>,
        meanwhile: &mut dyn FnMut(),
    ) -> Result<Vec<NodeReport>, WarpError>;

    /// See [`compare()`].
    ///
    /// # Errors
    /// What differs first.
    fn compare(&self, ours: &Outcome, sequential: &Outcome) -> Result<(), WarpError>;

    /// See [`crate::write_counts`].
    ///
    /// # Errors
    /// When the file cannot be written.
    fn write_counts(&self, outcome: &Outcome, path: &Path) -> Result<(), WarpError>;

    /// See [`crate::write_trace`].
    ///
    /// # Errors
    /// When a node's file cannot be read, or the trace cannot be written.
    fn write_trace(&self, of_nodes: &[PathBuf], path: &Path) -> Result<(), WarpError>;

    /// See [`crate::CriticalPath`].
    ///
    /// # Errors
    /// When the file cannot be written.
    fn write_critical_path(&self, steps: &[Step], path: &Path) -> Result<(), WarpError>;

    /// See [`crate::write_migrations`].
    ///
    /// # Errors
    /// When the file cannot be written.
    fn write_migrations(&self, outcome: &Outcome, path: &Path) -> Result<(), WarpError>;

    /// See [`crate::write_xl_stats`].
    ///
    /// # Errors
    /// When the file cannot be written.
    fn write_xl_stats(
        &self,
        outcome: &Outcome,
        node_of: &dyn Fn(ObjectId) -> u16,
        path: &Path,
    ) -> Result<(), WarpError>;
}

/// A model made of its recipe.
pub(crate) struct Made<R: Recipe>(pub R::Model);

impl<R: Recipe> AnyModel for Made<R> {
    fn objects(&self) -> u32 {
        self.0.objects()
    }

    fn name_of(&self, object: ObjectId) -> String {
        self.0.name(object)
    }

    fn placement(&self, nodes: u16, job: &Job) -> Result<Placement, WarpError> {
        Ok(job.placement(&self.0, nodes)?)
    }

    fn agree(&self, config: &ConfigFile, job: &mut Job) -> Result<Vec<String>, WarpError> {
        Ok(config.agree(&self.0, job)?)
    }

    fn run_sequential(
        &self,
        options: &Options,
        meter: Meter<'_>,
        looked: &mut dyn FnMut(f64, &Status),
    ) -> Result<(Outcome, Drive), WarpError> {
        sequential::run(&self.0, options, &mut Unwatched, meter, looked)
    }

    fn run_sequential_recorded(
        &self,
        options: &Options,
        watch: &mut Recorded,
        meter: Meter<'_>,
        looked: &mut dyn FnMut(f64, &Status),
    ) -> Result<(Outcome, Drive), WarpError> {
        sequential::run(&self.0, options, watch, meter, looked)
    }

    fn says_what_must_hold(&self) -> bool {
        R::IS_AUDITED
    }

    fn audit(
        &self,
        cutoff: f64,
        meter: Meter<'_>,
        found: &mut Option<String>,
    ) -> Result<(Outcome, Drive), WarpError> {
        let options = Options { cutoff, ..Options::default() };
        let mut audit = Audit { options, meter: Some(meter), ran: None };
        let said = R::audit(&self.0, &mut audit)?;
        *found = R::IS_AUDITED.then_some(said);
        audit.ran.ok_or_else(|| WarpError::Model { reason: "the audit ran nothing".into() })
    }

    fn run_hosted(
        &self,
        hosting: &Hosting<'_>,
        transports: Vec<Box<dyn fabric::Transport>>,
        meanwhile: &mut dyn FnMut(),
    ) -> Result<Vec<NodeReport>, WarpError> {
        run_hosted(&self.0, hosting, transports, meanwhile)
    }

    fn compare(&self, ours: &Outcome, sequential: &Outcome) -> Result<(), WarpError> {
        compare::compare(&self.0, ours, sequential)
    }

    fn write_counts(&self, outcome: &Outcome, path: &Path) -> Result<(), WarpError> {
        tables::write_counts(&self.0, outcome, path)
    }

    fn write_trace(&self, of_nodes: &[PathBuf], path: &Path) -> Result<(), WarpError> {
        tables::write_trace(&self.0, of_nodes, path)
    }

    fn write_critical_path(&self, steps: &[Step], path: &Path) -> Result<(), WarpError> {
        tables::write_critical_path(&self.0, steps, path)
    }

    fn write_migrations(&self, outcome: &Outcome, path: &Path) -> Result<(), WarpError> {
        tables::write_migrations(&self.0, outcome, path)
    }

    fn write_xl_stats(
        &self,
        outcome: &Outcome,
        node_of: &dyn Fn(ObjectId) -> u16,
        path: &Path,
    ) -> Result<(), WarpError> {
        tables::write_xl_stats(&self.0, outcome, node_of, path)
    }
}

/// Runs what a recipe has audited.
struct Audit<'a> {
    options: Options,
    meter: Option<Meter<'a>>,
    ran: Option<(Outcome, Drive)>,
}

impl Auditor for Audit<'_> {
    type Error = WarpError;

    fn run<M: Model>(&mut self, model: &M) -> Result<(), WarpError> {
        let Some(meter) = self.meter.take() else { return Ok(()) };
        let looked: &mut dyn FnMut(f64, &Status) = &mut |_, _| {};
        self.ran = Some(sequential::run(model, &self.options, &mut Unwatched, meter, looked)?);
        Ok(())
    }
}
