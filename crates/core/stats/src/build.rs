//! What a product's tally is built from: it counts, slices and sums as the core does, so that its
//! figures read like those of the messages.

pub use crate::distribution::GroupDistribution;
pub use crate::stages::{STAGES, Stages};
pub use crate::stretches::{Stretch, between};
pub use crate::summary::view;
pub use crate::working::within_node;
