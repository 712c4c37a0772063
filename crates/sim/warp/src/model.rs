//! What is done with any of the models. Here, so that the engine is compiled for each of them in
//! one place: so nothing here is generic over what a caller gives.

use crate::hosted::run_hosted;
use crate::hosting::{Hosting, NodeReport};
use crate::{Drive, Job, Meter, Objects, Recorded, WarpError, sequential};
use models::{Auditor, Recipe};
use timewarp::{Digest, Model, Options, Outcome, Placement, Status, Unwatched};

/// One of the models, made.
pub trait AnyModel {
    /// Its objects.
    fn objects(&self) -> &dyn Objects;

    /// The same number wherever the same model is made: of its objects, of what they are told first
    /// and of the files that it is made of. Two models that differ in what their events do only are
    /// not told apart.
    fn fingerprint(&self) -> u64;

    /// Where its objects go.
    ///
    /// # Errors
    /// When there are more nodes than objects.
    fn placement(&self, nodes: u16, job: &Job) -> Result<Placement, WarpError>;

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
}

/// A model made of its recipe.
pub(crate) struct Made<R: Recipe> {
    pub model: R::Model,
    /// Of the files that it was made of.
    pub files: Digest,
}

impl<R: Recipe> AnyModel for Made<R> {
    fn objects(&self) -> &dyn Objects {
        &self.model
    }

    fn fingerprint(&self) -> u64 {
        let mut digest = self.files;
        self.objects().digest(&mut digest);
        digest.value()
    }

    fn placement(&self, nodes: u16, job: &Job) -> Result<Placement, WarpError> {
        Ok(job.placement(&self.model, nodes)?)
    }

    fn run_sequential(
        &self,
        options: &Options,
        meter: Meter<'_>,
        looked: &mut dyn FnMut(f64, &Status),
    ) -> Result<(Outcome, Drive), WarpError> {
        sequential::run(&self.model, options, &mut Unwatched, meter, looked)
    }

    fn run_sequential_recorded(
        &self,
        options: &Options,
        watch: &mut Recorded,
        meter: Meter<'_>,
        looked: &mut dyn FnMut(f64, &Status),
    ) -> Result<(Outcome, Drive), WarpError> {
        sequential::run(&self.model, options, watch, meter, looked)
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
        let said = R::audit(&self.model, &mut audit)?;
        *found = R::IS_AUDITED.then_some(said);
        audit.ran.ok_or_else(|| WarpError::Model { reason: "the audit ran nothing".into() })
    }

    fn run_hosted(
        &self,
        hosting: &Hosting<'_>,
        transports: Vec<Box<dyn fabric::Transport>>,
        meanwhile: &mut dyn FnMut(),
    ) -> Result<Vec<NodeReport>, WarpError> {
        run_hosted(&self.model, hosting, transports, meanwhile)
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
