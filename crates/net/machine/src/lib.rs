//! A machine as data: processors, links and what each step costs, from a file that people write;
//! and the network of such a machine, played event by event in simulated time.
//!
//! Pure: text, times and seeds are arguments, nothing is read or waited for. The transport
//! `machine` runs real programs on it.
//!
//! All times inside are whole picoseconds ([`Time`]), so that two plays are equal to the last bit
//! and the bytes of a fast link still take time.

#![forbid(unsafe_code)]
// Used within the workspace only: a name that says it all needs no sentence.
#![allow(missing_docs)]
#![cfg_attr(test, allow(clippy::unwrap_used))]

mod by_size;
mod calibrate;
mod constant;
mod error;
mod network;
mod pairs;
mod parse;
mod processor;
mod quantity;
mod queue;
mod shipped;
mod table;
mod topology;
mod write;

pub use calibrate::{
    CalibrateError, Calibrated, EagerBounds, Open, Short, Stretch, Wanted, calibrate,
};
pub use constant::{Basis, Constant, Larger};
pub use error::MachineError;
pub use network::{Arrived, Happened, Message, Network, Tells};
pub use pairs::{Table, pair};
pub use parse::parse;
pub use processor::{Processor, Timer};
pub use quantity::Unit;
pub use queue::Queue;
pub use shipped::{SHIPPED, Shipped};
pub use table::{FIELDS, Field};
pub use topology::Topology;
pub use write::write;

use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Draws of an interval: of so many independent ones the least and the most enclose the next one
/// with a probability of 90 %.
pub const DRAWS: u32 = 19;

/// A moment or a length of simulated time, in picoseconds.
pub type Time = u64;

/// Picoseconds in a nanosecond, the tick of a simulated clock.
pub const PS_PER_NS: Time = 1000;

/// A machine: what its file says, checked.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct Machine {
    /// What people call it.
    pub name: String,
    /// What it is, in a sentence or two.
    pub about: String,
    /// Most nodes.
    pub nodes: u16,
    /// How nodes are linked.
    pub topology: Topology,
    /// By the name that [`FIELDS`] gives it, as `processor.send`. Those left out have the table's
    /// value.
    pub constants: BTreeMap<String, Constant>,
    /// What steps of a product cost, by product and step, ns: `costs.warp.event`. Each product
    /// knows its own.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub costs: BTreeMap<String, BTreeMap<String, Constant>>,
}

impl Machine {
    /// A constant in the base unit of its row; the row's value where the file does not give it. Of
    /// one that differs by size, what it is for the smallest messages.
    ///
    /// # Panics
    /// When no row has this name: names are written in the code only.
    pub fn value(&self, name: &str) -> f64 {
        self.value_at(name, 0)
    }

    /// The same for a message of so many bytes.
    ///
    /// # Panics
    /// As [`value`](Machine::value).
    pub fn value_at(&self, name: &str, bytes: u64) -> f64 {
        let usual = row(name).usual.unwrap_or(0.0);
        self.constants.get(name).map_or(usual, |constant| constant.at(bytes).value)
    }

    /// A time in whole picoseconds.
    pub fn time(&self, name: &str) -> Time {
        picoseconds(self.value(name))
    }

    /// What a step of a product costs, if the file says so.
    pub fn cost(&self, product: &str, step: &str) -> Option<Time> {
        Some(picoseconds(self.costs.get(product)?.get(step)?.value))
    }

    /// The same in whole nanoseconds.
    pub fn cost_ns(&self, product: &str, step: &str) -> Option<u64> {
        self.cost(product, step).map(|time| time / PS_PER_NS)
    }

    /// The same machine with another value for all sizes, in the unit's base: for sweeps.
    pub fn with(mut self, name: &str, value: f64) -> Machine {
        self.constants.insert(name.into(), Constant::of(value));
        self
    }

    /// The same machine with a constant so many times as large: for all sizes, with its range and
    /// draws, and never beyond the bounds of its row.
    ///
    /// # Panics
    /// As [`value`](Machine::value).
    pub fn scaled(self, name: &str, factor: f64) -> Machine {
        self.changed(name, |value| value * factor)
    }

    /// The same with a constant larger by so much.
    ///
    /// # Panics
    /// As [`value`](Machine::value).
    pub fn plus(self, name: &str, more: f64) -> Machine {
        self.changed(name, |value| value + more)
    }

    fn changed(mut self, name: &str, other: impl Fn(f64) -> f64) -> Machine {
        let field = row(name);
        let [least, most] = field.within;
        let usual = || Constant::of(field.usual.unwrap_or(0.0));
        let constant = self.constants.get(name).cloned().unwrap_or_else(usual);
        let constant = constant.with_each(&|value| other(value).clamp(least, most));
        self.constants.insert(name.into(), constant);
        self
    }

    /// The machine with each figure at a place in its range, 0 to 1, by its name.
    pub fn within_ranges(self, mut place: impl FnMut(&str) -> f64) -> Machine {
        self.with_each(|name, constant| constant.set_within(place(name)))
    }

    /// The machine as one of its draws has it: figures that belong together at the same place of
    /// their draws, the others each at a place in its range, 0 to 1, by its name.
    pub fn drawn(self, draw: usize, mut place: impl FnMut(&str) -> f64) -> Machine {
        self.with_each(|name, constant| constant.set_drawn(draw, place(name)))
    }

    /// The machine with each figure as it is, whatever its range says: it is the very machine.
    pub fn without_ranges(self) -> Machine {
        self.with_each(|_, constant| constant.forget_range())
    }

    /// The machine with something done to each figure, by its name.
    fn with_each(mut self, mut change: impl FnMut(&str, &mut Constant)) -> Machine {
        for (name, constant) in &mut self.constants {
            change(name, constant);
        }
        for (product, steps) in &mut self.costs {
            for (step, constant) in steps {
                change(&format!("costs.{product}.{step}"), constant);
            }
        }
        self
    }
}

fn row(name: &str) -> &'static Field {
    FIELDS.iter().find(|field| field.name == name).expect("a row of the table")
}

fn picoseconds(ns: f64) -> Time {
    (ns * PS_PER_NS as f64).round() as Time
}
