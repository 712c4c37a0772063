//! A rank of the world that was started, as the others meet it.

use crate::rank::Tracer;
use std::path::{Path, PathBuf};

/// One of the ranks: where it is, and how it has begun.
pub struct Member<'a> {
    /// Its number.
    pub number: i32,
    /// How many there are.
    pub size: u32,
    /// The run's folder, as the launcher names it.
    pub run: &'a Path,
    /// `None` when it has no log.
    pub logging: Option<Logging>,
}

/// A log that was begun.
pub struct Logging {
    /// The tracer.
    pub tracer: &'static Tracer,
    /// Its clock, by name.
    pub clock: String,
    /// The run's folder on this host.
    pub folder: PathBuf,
    /// That is not the job's.
    pub is_elsewhere: bool,
    /// This rank has made it.
    pub is_new: bool,
}
