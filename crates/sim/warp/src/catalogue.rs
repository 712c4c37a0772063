//! The models that a command line can name. A new one of ours implements [`models::Recipe`] and has
//! a line in [`CATALOGUE`]; a program with models of its own [offers](offer) those instead.

use crate::model::Made;
use crate::{AnyModel, Job, ModelSpec, WarpError};
use models::argument::{Argument, Takes, Value};
use models::{
    CtlsOptions, DiaryOptions, ModelError, PholdOptions, PingOptions, PucksSource, Recipe,
    ScenarioSource, SlooowOptions, WarpnetSpec,
};
use std::cell::Cell;
use std::path::Path;
use std::sync::OnceLock;
use timewarp::{Digest, VirtualTime};

/// What is offered instead of our own.
static OFFERED: OnceLock<&[Row]> = OnceLock::new();

/// All of our models, in the order of the help text.
pub const CATALOGUE: &[Row] = &[
    Row::of::<PingOptions>(),
    Row::of::<PholdOptions>(),
    Row::of::<WarpnetSpec>(),
    Row::of::<PucksSource>(),
    Row::of::<ScenarioSource>(),
    Row::of::<CtlsOptions>(),
    Row::of::<SlooowOptions>(),
    Row::of::<DiaryOptions>(),
];

/// A model: what its recipe says, without its type.
pub struct Row {
    /// See [`Recipe`], as for all that follow.
    pub name: &'static str,
    /// What it is.
    pub about: &'static str,
    /// Below its help text.
    pub notes: &'static str,
    /// Above its parameters.
    pub heading: &'static str,
    /// Where it ends unless it is told.
    pub cutoff: Option<f64>,
    /// GVT is computed by time alone.
    pub gvt_seconds: Option<u64>,
    /// Each number of nodes makes another model of it.
    pub depends_on_nodes: bool,
    arguments: fn() -> Vec<&'static Argument>,
    parameters: fn(&[(&'static str, Value)], u16) -> serde_json::Value,
    make: fn(&serde_json::Value) -> Result<Box<dyn AnyModel>, WarpError>,
    end: fn(&serde_json::Value) -> f64,
    work_steps: fn(&serde_json::Value) -> Option<u32>,
}

/// The models that a command line can name in this process.
pub fn offered() -> &'static [Row] {
    OFFERED.get().copied().unwrap_or(CATALOGUE)
}

/// From now on these are all models that a command line can name. A program offers its own once,
/// before anything else: who comes second changes nothing.
pub fn offer(models: &'static [Row]) {
    let _ = OFFERED.set(models);
}

impl Row {
    /// Of the models that this recipe makes.
    pub const fn of<R: Recipe>() -> Row {
        Row {
            name: R::NAME,
            about: R::ABOUT,
            notes: R::NOTES,
            heading: R::HEADING,
            cutoff: R::CUTOFF,
            gvt_seconds: R::GVT_SECONDS,
            depends_on_nodes: R::DEPENDS_ON_NODES,
            arguments: || R::PARAMETERS.iter().map(|parameter| &parameter.argument).collect(),
            parameters: parameters::<R>,
            make: make::<R>,
            end: |json| recipe::<R>(json).map_or(f64::INFINITY, |recipe| recipe.end()),
            work_steps: |json| recipe::<R>(json).ok().and_then(|recipe| recipe.work_steps()),
        }
    }

    /// What it can be given.
    pub fn arguments(&self) -> Vec<&'static Argument> {
        (self.arguments)()
    }

    /// The model with what was given, to be run by so many nodes. `steps` says how many steps of
    /// work so many µs are.
    ///
    /// # Errors
    /// What `steps` says.
    pub fn spec<E>(
        &self,
        given: &[(&'static str, Value)],
        nodes: u16,
        steps: impl Fn(f64) -> Result<u32, E>,
    ) -> Result<ModelSpec, E> {
        let mut given = given.to_vec();
        for argument in self.arguments() {
            if !matches!(argument.takes, Takes::Work) {
                continue;
            }
            let is_given = |name: &str| given.iter().position(|(given, _)| *given == name);
            let us = match is_given(argument.name) {
                Some(at) => given.swap_remove(at).1.number(),
                None if argument.conflicts.iter().any(|other| is_given(other).is_some()) => {
                    continue;
                }
                None => argument.usual.parse().unwrap_or(0.0),
            };
            if us != 0.0 {
                given.push((argument.name, Value::Whole(u64::from(steps(us)?))));
            }
        }
        let parameters = (self.parameters)(&given, nodes);
        Ok(ModelSpec { name: self.name.into(), parameters })
    }
}

impl ModelSpec {
    /// Of this recipe.
    pub fn of<R: Recipe>(recipe: &R) -> ModelSpec {
        ModelSpec { name: R::NAME.into(), parameters: json(recipe) }
    }

    /// All that is known of it; nothing, if there is no such model.
    pub fn row(&self) -> Option<&'static Row> {
        offered().iter().find(|row| row.name == self.name)
    }

    /// Make the model.
    ///
    /// # Errors
    /// When there is no such model, a parameter makes no sense, or a file of its data cannot be
    /// read or makes none.
    pub fn make(&self) -> Result<Box<dyn AnyModel>, WarpError> {
        let row = self.row().ok_or_else(|| WarpError::Model { reason: unknown(&self.name) })?;
        (row.make)(&self.parameters)
    }

    /// The simtime at which it ends by itself, if that is known.
    pub fn end(&self) -> f64 {
        self.row().map_or(f64::INFINITY, |row| (row.end)(&self.parameters))
    }

    /// The same without the work that its events are made to do, which changes no event.
    pub fn without_work(mut self) -> ModelSpec {
        if let Some(steps) = self.parameters.get_mut("work_steps") {
            *steps = 0.into();
        }
        self
    }

    /// Steps of work in an event, of models that can be given work.
    pub fn work_steps(&self) -> Option<u32> {
        self.row().and_then(|row| (row.work_steps)(&self.parameters))
    }
}

impl Job {
    /// This model as it is usually run, which for some is not as the others are.
    pub fn usual(model: ModelSpec) -> Job {
        let mut job = Job::new(model);
        let Some(row) = job.model.row() else { return job };
        job.engine.cutoff = row.cutoff.unwrap_or(job.engine.cutoff);
        // That ours can be undone is tested where they are.
        job.engine.undo_check &= OFFERED.get().is_some();
        if let Some(seconds) = row.gvt_seconds {
            job.engine.gvt_events = u32::MAX;
            job.gvt_interval_us = seconds * 1_000_000;
        }
        job
    }

    /// The simtime at which it ends, if that is known.
    pub fn end(&self) -> Option<f64> {
        let end = self.engine.cutoff.min(self.model.end());
        (end < VirtualTime::POSINF.simtime()).then_some(end)
    }
}

/// What is said of a name that no model has.
pub fn unknown(name: &str) -> String {
    let names: Vec<&str> = offered().iter().map(|row| row.name).collect();
    match names.split_last() {
        Some((last, others)) if !others.is_empty() => {
            format!("there is no model '{name}'; choose from {} and {last}", others.join(", "))
        }
        _ => format!("there is no model '{name}'; this program has {}", names.join(", ")),
    }
}

fn parameters<R: Recipe>(given: &[(&'static str, Value)], nodes: u16) -> serde_json::Value {
    let mut recipe = R::default();
    recipe.for_nodes(nodes);
    for parameter in R::PARAMETERS {
        if let Some((_, value)) = given.iter().find(|(name, _)| *name == parameter.argument.name) {
            (parameter.set)(&mut recipe, value);
        }
    }
    json(&recipe)
}

fn json<R: Recipe>(recipe: &R) -> serde_json::Value {
    serde_json::to_value(recipe).unwrap_or_default()
}

fn recipe<R: Recipe>(json: &serde_json::Value) -> Result<R, WarpError> {
    R::deserialize(json).map_err(|error| WarpError::Model {
        reason: format!("cannot read the parameters of {}: {error}", R::NAME),
    })
}

fn make<R: Recipe>(json: &serde_json::Value) -> Result<Box<dyn AnyModel>, WarpError> {
    let files = Cell::new(Digest::new(0));
    let noted = |folder: &Path, file: &str, what: &str| {
        let text = read(folder, file, what)?;
        let mut digest = files.get();
        digest.bytes(text.as_bytes());
        files.set(digest);
        Ok(text)
    };
    let made = recipe::<R>(json)?.make(&noted);
    let model = made.map_err(|error| WarpError::Model { reason: error.to_string() })?;
    Ok(Box::new(Made::<R> { model, files: files.get() }))
}

fn read(folder: &Path, file: &str, what: &str) -> Result<String, ModelError> {
    let path = folder.join(file);
    record::read_text(&path).map_err(|error| ModelError::File {
        reason: format!(
            "cannot read {}: {error}; --data must name the folder with {what}",
            path.display()
        ),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::convert::Infallible;

    fn spec(row: &Row, given: &[(&'static str, Value)]) -> ModelSpec {
        let Ok(spec) = row.spec::<Infallible>(given, 2, |us| Ok(us as u32 * 10));
        spec
    }

    /// What the help text says holds if nobody says otherwise, does.
    #[test]
    fn the_usual_value_is_the_usual_one() {
        for row in CATALOGUE {
            let usual = spec(row, &[]);
            for argument in row.arguments() {
                let value = match argument.takes {
                    Takes::Whole(_) | Takes::Seed => argument.usual.parse().map(Value::Whole).ok(),
                    Takes::Real => argument.usual.parse().map(Value::Number).ok(),
                    Takes::Text(_) => Some(Value::Text(argument.usual.into())),
                    _ => None,
                };
                if let Some(value) = value {
                    let name = argument.name;
                    assert_eq!(spec(row, &[(name, value)]), usual, "{} --{name}", row.name);
                }
            }
        }
    }

    #[test]
    fn work_is_told_in_steps_and_measured_where_it_is_told_in_time() {
        let row = |name| CATALOGUE.iter().find(|row| row.name == name).expect("a model");
        let steps = |name, given: &[(&'static str, Value)]| spec(row(name), given).work_steps();
        assert_eq!(steps("phold", &[]), Some(0));
        assert_eq!(steps("phold", &[("work", Value::Number(3.0))]), Some(30));
        assert_eq!(steps("slooow", &[]), Some(10_000));
        assert_eq!(steps("slooow", &[("work-steps", Value::Whole(7))]), Some(7));
        assert_eq!(steps("ping", &[]), None);
        assert_eq!(spec(row("slooow"), &[]).parameters["objects"], 2, "one a node");
    }

    #[test]
    fn a_model_is_known_by_its_objects_what_they_are_told_and_its_files() {
        let of = |spec: ModelSpec| spec.make().expect("a model").fingerprint();
        let phold = |options: PholdOptions| of(ModelSpec::of(&options));
        let usual = phold(PholdOptions::default());
        assert_eq!(phold(PholdOptions::default()), usual);
        assert_ne!(phold(PholdOptions { objects: 3, ..PholdOptions::default() }), usual);
        let folder = tempfile::tempdir().expect("a folder");
        let table = |rows: &str| {
            let nodes = "node,initial_currency,number_of_lines,first_line_index,creation_delay,\
            max_packet_size\n0,9,1,0,9,9\n1,9,1,1,9,9\n";
            let lines = format!("line_index,node_from,node_to,send_time,initial_load\n{rows}");
            std::fs::write(folder.path().join("warpnet_nodes.csv"), nodes).expect("written");
            std::fs::write(folder.path().join("warpnet_lines.csv"), lines).expect("written");
            let given = ("data", Value::Path(folder.path().into()));
            let row = CATALOGUE.iter().find(|row| row.name == "warpnet").expect("a model");
            of(spec(row, &[given, ("update-nodes", Value::Whole(1))]))
        };
        assert_ne!(table("0,0,1,5,0\n1,1,0,5,0\n"), table("0,0,1,5,0\n1,1,0,6,0\n"));
    }

    #[test]
    fn a_name_that_is_none_is_answered_with_all() {
        let none = ModelSpec { name: "gloom".into(), parameters: serde_json::Value::Null };
        let said = none.make().err().map(|error| error.to_string()).unwrap_or_default();
        let last = CATALOGUE.last().expect("models").name;
        assert!(said.contains("'gloom'; choose from ping, "), "{said}");
        assert!(said.ends_with(&format!(" and {last}")), "{said}");
    }
}
