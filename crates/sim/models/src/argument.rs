//! What a command line can be given for a simulation, as data: whoever parses it makes its
//! arguments from these rows and gives back the values, so that nothing here knows how a command
//! line is parsed.

use std::path::{Path, PathBuf};
use timewarp::Throttle;

/// A parameter of something: the argument that gives it, and what that sets.
pub struct Parameter<T> {
    /// How a command line says it.
    pub argument: Argument,
    /// What it does.
    pub set: fn(&mut T, &Value),
}

/// An argument with one value, or a switch.
#[derive(Clone, Copy, Debug)]
pub struct Argument {
    /// Without its dashes; empty if only a configuration file can say it.
    pub name: &'static str,
    /// What stands behind it.
    pub takes: Takes,
    /// What the value is called in the help text.
    pub value_name: &'static str,
    /// What it means, for the help text.
    pub help: &'static str,
    /// What holds if nobody says otherwise; empty: nothing that has a name.
    pub usual: &'static str,
    /// Arguments that cannot stand beside it.
    pub conflicts: &'static [&'static str],
    /// The argument without which it means nothing.
    pub requires: Option<&'static str>,
    /// Whether the help text leaves it out.
    pub is_hidden: bool,
}

/// What stands behind an argument.
#[derive(Clone, Copy, Debug)]
pub enum Takes {
    /// Nothing: it is a switch.
    Nothing,
    /// One of these words, each with what it means; the value is its place among them.
    OneOf(&'static [(&'static str, &'static str)]),
    /// A whole number from this one on.
    Whole(u32),
    /// A whole number of 64 bits.
    Seed,
    /// Work in µs on the machine at hand; the value is in steps of PHOLD's loop.
    Work,
    /// A folder.
    Folder,
    /// A text that this has nothing against.
    Text(fn(&str) -> Result<(), String>),
    /// Any number.
    Real,
    /// A simtime: any finite number.
    Simtime,
    /// An amount of memory; the value is in bytes.
    Bytes,
    /// A duration; the value is in seconds.
    Time,
    /// A rule of the throttle.
    Rule,
}

/// What was given.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    /// A number, in the unit that [`Takes`] says; 1 for a switch.
    Number(f64),
    /// A whole number.
    Whole(u64),
    /// A rule of the throttle.
    Rule(Throttle),
    /// A text.
    Text(String),
    /// A folder.
    Path(PathBuf),
}

impl Argument {
    /// One that takes nothing and says nothing: rows are written as what differs from it.
    pub const NONE: Argument = Argument {
        name: "",
        takes: Takes::Nothing,
        value_name: "",
        help: "",
        usual: "",
        conflicts: &[],
        requires: None,
        is_hidden: false,
    };

    /// A number of something, from 0 on, that is so unless somebody says otherwise.
    pub const fn count(name: &'static str, help: &'static str, usual: &'static str) -> Self {
        Argument { name, help, usual, takes: Takes::Whole(0), value_name: "N", ..Argument::NONE }
    }

    /// A seed.
    pub const fn seed(help: &'static str) -> Self {
        Argument { takes: Takes::Seed, value_name: "SEED", ..Argument::count("seed", help, "1") }
    }

    /// Another name for its value.
    pub const fn named(self, value_name: &'static str) -> Self {
        Argument { value_name, ..self }
    }

    /// Another kind of value.
    pub const fn taking(self, takes: Takes) -> Self {
        Argument { takes, ..self }
    }

    /// It cannot stand beside another one.
    pub const fn instead_of(self, conflicts: &'static [&'static str]) -> Self {
        Argument { conflicts, ..self }
    }

    /// Work in each event, in µs; and the same in steps.
    pub const fn work(help: &'static str, usual: &'static str) -> Self {
        let work = Argument::count("work", help, usual).named("US").taking(Takes::Work);
        work.instead_of(&["work-steps"])
    }

    /// The same in steps.
    pub const fn work_steps(usual: &'static str) -> Self {
        let help = "The same as steps of a loop: the same work on every machine";
        Argument::count("work-steps", help, usual).named("STEPS")
    }

    /// The folder with the data of a model, instead of which some are drawn.
    pub const fn data(help: &'static str, usual: &'static str) -> Self {
        Argument::count("data", help, usual).named("DIR").taking(Takes::Folder)
    }
}

impl Value {
    /// The number; what is none is 0.
    pub fn number(&self) -> f64 {
        match self {
            Value::Number(number) => *number,
            Value::Whole(number) => *number as f64,
            Value::Rule(_) | Value::Text(_) | Value::Path(_) => 0.0,
        }
    }

    /// The number as a whole one; what is beyond `u32` becomes its largest.
    pub fn whole(&self) -> u32 {
        self.number() as u32
    }

    /// The number with all its 64 bits.
    pub fn seed(&self) -> u64 {
        match self {
            Value::Whole(number) => *number,
            other => other.number() as u64,
        }
    }

    /// Whether a switch is on.
    pub fn is_on(&self) -> bool {
        self.number() > 0.0
    }

    /// The text; what is none is empty.
    pub fn text(&self) -> &str {
        if let Value::Text(text) = self { text } else { "" }
    }

    /// The folder; what is none is empty.
    pub fn path(&self) -> &Path {
        if let Value::Path(path) = self { path } else { Path::new("") }
    }
}
