//! What is to be known of a model to offer it: its name, what it is for, its parameters, how it is
//! made of them, what must always hold in it. A recipe is the model's parameters, in a plain
//! struct, which is what a run's record keeps and what travels to its nodes.

use crate::ModelError;
use crate::argument::Parameter;
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::path::Path;
use timewarp::Model;

/// A model's parameters, and all that is known of it.
pub trait Recipe: Default + Serialize + DeserializeOwned + 'static {
    /// What it makes.
    type Model: Model;

    /// What a command line calls it.
    const NAME: &'static str;
    /// What it is, in a line.
    const ABOUT: &'static str;
    /// What else the help text says, below everything.
    const NOTES: &'static str = "";
    /// Above its parameters in the help text.
    const HEADING: &'static str = "Model";
    /// Its parameters, in the order of the help text.
    const PARAMETERS: &'static [Parameter<Self>];
    /// Where a run ends unless it is told: a model that does not end by itself needs it.
    const CUTOFF: Option<f64> = None;
    /// Compute GVT by time alone, so often, s: for a model whose fossil collections are what is
    /// looked at.
    const GVT_SECONDS: Option<u64> = None;
    /// Whether each number of nodes makes another model of it, unless it is told.
    const DEPENDS_ON_NODES: bool = false;
    /// Whether [`Recipe::audit`] looks at anything.
    const IS_AUDITED: bool = false;

    /// So many nodes are to run it.
    fn for_nodes(&mut self, _nodes: u16) {}

    /// Make the model. Files are had from `read`.
    ///
    /// # Errors
    /// When a parameter makes no sense, or a file of its data cannot be read or makes none.
    fn make(&self, read: &Read<'_>) -> Result<Self::Model, ModelError>;

    /// The simtime at which it ends by itself, if that is known.
    fn end(&self) -> f64 {
        f64::INFINITY
    }

    /// Steps of work in an event, of models that can be given work.
    fn work_steps(&self) -> Option<u32> {
        None
    }

    /// Have the model run and look at what must always hold. Returns what is to be said of it.
    ///
    /// # Errors
    /// The first event at which something does not hold.
    fn audit<A: Auditor>(model: &Self::Model, auditor: &mut A) -> Result<String, A::Error> {
        auditor.run(model).map(|()| HOLD.into())
    }
}

/// Reads a file of a folder; the last is what the folder should have, for the error.
pub type Read<'a> = dyn Fn(&Path, &str, &str) -> Result<String, ModelError> + 'a;

/// Runs a model in order.
pub trait Auditor {
    /// Why it could not.
    type Error;

    /// Run it.
    ///
    /// # Errors
    /// The first event that breaks a rule.
    fn run<M: Model>(&mut self, model: &M) -> Result<(), Self::Error>;
}

/// What is said where nothing is left to be said.
pub(crate) const HOLD: &str = "the model's invariants hold throughout";
