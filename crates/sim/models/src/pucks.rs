//! Pucks: discs that slide on a table without friction and bounce off each other and off the
//! table's edge.
//!
//! The table is cut into rectangles (sectors), its edge into cushions; each of them and each puck
//! is an object. A sector tells the pucks in it, its cushions and its neighbours of every new
//! course; each of those predicts what touches it next and sends messages for that time. When a
//! course changes before, predictions are called off by a message for the very same virtual time,
//! which meets them in one bundle. Events are short, most messages have 80 bytes, states some
//! hundred.
//!
//! [`Scenario`] is the table and what lies on it, read from two tables ([`Scenario::read`]) or
//! drawn from a seed ([`Scenario::generate`]). `puck.rs`, `sector.rs` and `cushion.rs` are what the
//! objects do, `geometry.rs` when things meet, `plans.rs` and `visit.rs` how predictions are called
//! off, `payload.rs` the canonical order that all of it depends on. [`Audited`] checks what must
//! always hold.
//!
//! Source: the model of that name in TWOS 2.7; the generated scenarios are ours.

mod audit;
mod body;
mod csv;
mod cushion;
mod generator;
mod geometry;
mod model;
mod name;
mod payload;
mod plans;
mod puck;
mod recipe;
mod scenario;
mod sector;
mod start;
mod visit;

pub use audit::{Audited, Findings};
pub use body::{Body, Vector};
pub use cushion::Cushion;
pub use generator::PucksOptions;
pub use model::{Part, Pucks, PucksState};
pub use name::{Kind, Name};
pub use payload::PucksPayload;
pub use plans::{Plan, Plans};
pub use puck::{Puck, PuckTally};
pub use recipe::PucksSource;
pub use scenario::{Scenario, Start};
pub use sector::{Sector, SectorTally};

pub(crate) use visit::Outgoing;

/// What a command line calls it.
pub const NAME: &str = "pucks";

/// The file of a scenario's objects.
pub const OBJECTS_FILE: &str = "pucks_objects.csv";

/// The file of its initial messages.
pub const MESSAGES_FILE: &str = "pucks_initial_messages.csv";

/// No prediction from this simtime on is ever sent.
pub const HORIZON: f64 = 400.0;

/// Selector of a puck's start message.
pub const PUCK_START: i32 = 1;
/// Selector of a cushion's start message.
pub const CUSHION_START: i32 = 2;
/// Selector of a sector's start message.
pub const SECTOR_START: i32 = 3;
/// Selector: a puck tells a sector where it starts.
pub const INITIAL_VELOCITY: i32 = 4;
/// Selector: a prediction does not come true.
pub const CANCEL_ACTION: i32 = 5;
/// Selector: two pucks collide.
pub const COLLIDE_PUCK: i32 = 6;
/// Selector: a puck hits a cushion.
pub const COLLIDE_CUSHION: i32 = 7;
/// Selector: a puck begins to overlap a sector.
pub const ENTER_SECTOR: i32 = 8;
/// Selector: a puck has left a sector.
pub const DEPART_SECTOR: i32 = 9;
/// Selector: a puck tells a sector that it has a new course.
pub const CHANGE_VELOCITY: i32 = 10;
/// Selector: a sector tells of a puck's course.
pub const NEW_TRAJECTORY: i32 = 11;

/// A contact may lie this little in the past: it was computed by another way than now was.
const FUDGE: f64 = 0.999_999_999;
/// And a puck so far off the table.
const SLACK: f64 = 0.001;
const PLANS_MAX: usize = 90;
const BUNDLE_MAX: usize = 300;
