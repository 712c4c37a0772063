//! What a command line can be given for a simulation, as data: whoever parses it makes its
//! arguments from these rows and gives back the values, so that nothing here knows how a command
//! line is parsed.

use timewarp::Throttle;

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
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Value {
    /// A number, in the unit that [`Takes`] says; 1 for a switch.
    Number(f64),
    /// A rule of the throttle.
    Rule(Throttle),
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
}

impl Value {
    /// The number; rules have none.
    pub fn number(self) -> f64 {
        match self {
            Value::Number(number) => number,
            Value::Rule(_) => f64::NAN,
        }
    }

    /// The number as a whole one; what is beyond `u32` becomes its largest.
    pub fn whole(self) -> u32 {
        self.number() as u32
    }

    /// Whether a switch is on.
    pub fn is_on(self) -> bool {
        self.number() > 0.0
    }
}
