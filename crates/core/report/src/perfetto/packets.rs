//! The messages of a Perfetto trace that are written here: a part of what they may hold, with the
//! numbers of `protos/perfetto/trace` in Perfetto's sources.

use prost::{Message, Oneof};

/// A trace is a file of these, each as field 1 of the whole.
#[derive(Clone, PartialEq, Message)]
pub(super) struct Packet {
    /// Nanoseconds.
    #[prost(uint64, optional, tag = "8")]
    pub timestamp: Option<u64>,
    /// Which writer's names its numbers refer to.
    #[prost(uint32, tag = "10")]
    pub sequence: u32,
    /// 1: names begin anew here; 2: it needs names of earlier packets.
    #[prost(uint32, tag = "13")]
    pub flags: u32,
    /// Names that it is the first to use.
    #[prost(message, optional, tag = "12")]
    pub names: Option<Names>,
    #[prost(oneof = "Data", tags = "11, 60")]
    pub data: Option<Data>,
}

#[derive(Clone, PartialEq, Oneof)]
pub(super) enum Data {
    #[prost(message, tag = "11")]
    Event(Event),
    #[prost(message, tag = "60")]
    Track(TrackIs),
}

/// `InternedData`.
#[derive(Clone, PartialEq, Message)]
pub(super) struct Names {
    #[prost(message, repeated, tag = "1")]
    pub categories: Vec<Name>,
    #[prost(message, repeated, tag = "2")]
    pub events: Vec<Name>,
    #[prost(message, repeated, tag = "3")]
    pub arguments: Vec<Name>,
}

#[derive(Clone, PartialEq, Message)]
pub(super) struct Name {
    #[prost(uint64, tag = "1")]
    pub number: u64,
    #[prost(string, tag = "2")]
    pub name: String,
}

/// `TrackDescriptor`.
#[derive(Clone, PartialEq, Message)]
pub(super) struct TrackIs {
    #[prost(uint64, tag = "1")]
    pub uuid: u64,
    #[prost(string, optional, tag = "2")]
    pub name: Option<String>,
    #[prost(message, optional, tag = "3")]
    pub process: Option<Process>,
    #[prost(uint64, optional, tag = "5")]
    pub parent: Option<u64>,
    /// 3: its tracks are shown by their ranks.
    #[prost(int32, optional, tag = "11")]
    pub ordering: Option<i32>,
    #[prost(int32, optional, tag = "12")]
    pub rank: Option<i32>,
}

#[derive(Clone, PartialEq, Message)]
pub(super) struct Process {
    #[prost(int32, tag = "1")]
    pub pid: i32,
    #[prost(string, tag = "6")]
    pub name: String,
}

/// `TrackEvent`.
#[derive(Clone, PartialEq, Message)]
pub(super) struct Event {
    #[prost(uint64, repeated, packed = "false", tag = "3")]
    pub categories: Vec<u64>,
    #[prost(message, repeated, tag = "4")]
    pub arguments: Vec<Argument>,
    /// See [`BEGIN`], [`END`] and [`INSTANT`].
    #[prost(int32, tag = "9")]
    pub kind: i32,
    #[prost(uint64, optional, tag = "10")]
    pub name: Option<u64>,
    #[prost(uint64, tag = "11")]
    pub track: u64,
    /// A name that no other event has.
    #[prost(string, optional, tag = "23")]
    pub own_name: Option<String>,
    /// Arrows that leave it.
    #[prost(fixed64, repeated, packed = "false", tag = "47")]
    pub leave: Vec<u64>,
    /// Arrows that end in it.
    #[prost(fixed64, repeated, packed = "false", tag = "48")]
    pub end: Vec<u64>,
}

/// Kinds of events.
pub(super) const BEGIN: i32 = 1;
pub(super) const END: i32 = 2;
pub(super) const INSTANT: i32 = 3;

/// `DebugAnnotation`.
#[derive(Clone, PartialEq, Message)]
pub(super) struct Argument {
    #[prost(uint64, tag = "1")]
    pub name: u64,
    #[prost(oneof = "Value", tags = "2, 4, 5, 6")]
    pub value: Option<Value>,
}

#[derive(Clone, PartialEq, Oneof)]
pub(super) enum Value {
    #[prost(bool, tag = "2")]
    Bool(bool),
    #[prost(int64, tag = "4")]
    Int(i64),
    #[prost(double, tag = "5")]
    Double(f64),
    #[prost(string, tag = "6")]
    Text(String),
}
