//! A run as a trace that ui.perfetto.dev opens, in either of its formats: [`Json`], which other
//! programs read too, and [`Protobuf`], about half its size.
//!
//! Events are written as they come, in any order: readers sort them.

mod json;
mod packets;
mod protobuf;

pub use json::Json;
pub use protobuf::Protobuf;

use serde_json::Value;
use std::io::Result;

/// Where an event is shown: a group of tracks, and the track in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Track {
    /// The group, shown as a process.
    pub group: u64,
    /// The track, shown as a thread.
    pub track: u64,
}

/// A stretch of time on a track.
#[derive(Clone, Copy, Debug)]
pub struct TraceSlice<'a> {
    /// Its track.
    pub track: Track,
    /// What it is.
    pub name: &'a str,
    /// What sort it is of.
    pub category: &'static str,
    /// Begin, ns on the timeline.
    pub from_ns: i64,
    /// End.
    pub to_ns: i64,
    /// What else is known of it: names and values.
    pub args: &'a [(&'static str, Value)],
}

/// A trace that is being written. Each of these fails when its file refuses what is written.
#[expect(clippy::missing_errors_doc, reason = "said above, of all")]
pub trait Trace {
    /// Name a group of tracks, before its tracks; groups are shown by ascending `order`.
    fn name_group(&mut self, group: u64, name: &str, order: u64) -> Result<()>;

    /// Name a track, before its events.
    fn name_track(&mut self, track: Track, name: &str) -> Result<()>;

    /// A slice.
    fn slice(&mut self, slice: &TraceSlice) -> Result<()>;

    /// A slice that may overlap others of its group, such as a message under way: each gets a track
    /// of its own while it lasts. Those with one `id`, which follow each other, lie below each
    /// other.
    fn floating(&mut self, slice: &TraceSlice, id: u64) -> Result<()>;

    /// An arrow from the slice that `from` lies in to the one that `to` lies in.
    fn arrow(&mut self, name: &str, from: (Track, i64), to: (Track, i64)) -> Result<()>;

    /// Complete the trace; `facts` are kept with it where the format has a place for them.
    fn end(&mut self, facts: &Value) -> Result<()>;
}
