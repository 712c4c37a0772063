//! What a product gathers of a run beside the core: its own tally, fed with the same rows.

use std::any::Any;

use crate::columns::Columns;

/// A product's tally. Every thread that reads has one; at the end they are merged.
///
/// Rows come in batches in any order, so what it keeps must not depend on order or on how rows were
/// spread over tallies.
pub trait Tally: Any + Send {
    /// Take in messages of the run, whichever of them the analysis is about.
    fn add_all(&mut self, _messages: &Columns) {}

    /// Take in messages that the analysis is about.
    fn add_taken(&mut self, _messages: &Columns) {}

    /// Take in rows of one launch that are neither messages nor cycles: work of a node.
    fn add_work(&mut self, _work: &Columns, _launch: u32) {}

    /// Take in what `other`, of the same kind, took in.
    fn merge(&mut self, other: Box<dyn Tally>);
}

/// The tally by its own type.
///
/// # Panics
/// If it is of another type: whoever made it knows which.
pub fn own<T: Tally>(tally: Box<dyn Tally>) -> T {
    let any: Box<dyn Any> = tally;
    *any.downcast::<T>().unwrap_or_else(|_| panic!("a tally of another product"))
}
