//! Models to measure an engine with, each written once and run by every engine.
//!
//! | model | source | what it is for |
//! |---|---|---|
//! | [`ping`] | TWOS 2.7 | the cost of one message plus one event; no rollback is possible |
//! | [`phold`] | R. Fujimoto, 1990 | the field's synthetic load |
//! | [`warpnet`] | TWOS 2.7 | a packet network: large states, long events, messages of 3 sizes |
//! | [`pucks`] | TWOS 2.7 | colliding discs: short events that predict, and call off predictions |
//! | [`stb88`] | TWOS 2.7 | a battle on a front: short events, large messages, much parallelism |
//! | [`stb88`], as CTLS | a memo of 1988, rebuilt | the same with more divisions, for many nodes |
//! | [`diary`] | a memo of 1988 | a message waits while others of its receiver are cancelled |
//! | [`slooow`] | one sentence of a memo of 1988; the model is ours | long fossil collections |
//!
//! Each has a [`Recipe`]: its parameters in a plain struct, and all that is known of it.
//! [`plain`] holds the same models as a heap and a loop. A model reads no clock, no file and starts
//! no thread.

#![forbid(unsafe_code)]

pub mod argument;
pub mod diary;
mod error;
#[cfg(test)]
mod payload_laws;
pub mod phold;
pub mod ping;
pub mod plain;
pub mod pucks;
mod recipe;
pub mod slooow;
pub mod stb88;
mod table;
pub mod warpnet;

pub use diary::{Diary, DiaryOptions};
pub use error::ModelError;
pub use phold::{Phold, PholdOptions, Undoing};
pub use ping::{Ping, PingOptions};
pub use pucks::{Pucks, PucksOptions, PucksSource};
pub use recipe::{Auditor, Read, Recipe};
pub use slooow::{Slooow, SlooowOptions};
pub use stb88::{CtlsOptions, Scenario, ScenarioSource, Stb88, Stb88Options, TheatreOptions};
pub use warpnet::{GeneratorOptions, Network, NetworkSource, Warpnet, WarpnetOptions, WarpnetSpec};
