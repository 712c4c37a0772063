//! STB88: a battle along a front, in which two sides' corps lay out divisions, order them forward,
//! and divisions that meet fight on and on.
//!
//! Four types of objects: *corps* plan twice a day from what divisions report; *divisions* move,
//! meet, fight and report; *grids* are cells of the board, which tell units who is near;
//! *distributors* bring a corps' divisions to their cells. Most events are short and most messages
//! are large; every battle is an exchange about once an hour, so that much can run at the same
//! time.
//!
//! [`Scenario`] has both sides' orders of battle, read from tables ([`Scenario::read`]) or drawn
//! from a seed ([`Scenario::generate`]); `model.rs` has the objects, `division.rs`, `corps.rs` and
//! `grid.rs` what they do, `watch.rs` what must hold while they do it.
//!
//! The original has code that its scenario never reaches: reinforcements, destruction, attacks
//! against a deliberate defence, moves of several legs or to another cell. It is not here: where a
//! run would come there nothing is done, and an entry for which a table has no room is left out.
//!
//! Source: the model of that name in TWOS 2.7.

mod attrition;
mod body;
mod bytes;
mod corps;
mod csv;
mod division;
mod few;
mod generator;
mod geometry;
mod grid;
mod model;
mod name;
mod payload;
mod recipe;
mod scenario;
mod watch;

pub use body::{Deployment, Fire, Losses, Parameters, Report};
pub use corps::CorpsState;
pub use csv::{FILES, Tables};
pub use division::{DivisionSheet, DivisionState};
pub use generator::{CtlsOptions, TheatreOptions};
pub use geometry::Particle;
pub use grid::GridState;
pub use model::{Stb88, Stb88Options, Stb88State};
pub use name::{Kind, Name};
pub use payload::{Move, Sighted, Stb88Payload};
pub use recipe::ScenarioSource;
pub use scenario::Scenario;

pub(crate) use model::Outgoing;

/// What a command line calls it.
pub const NAME: &str = "stb88";

/// What a command line calls the reconstruction of CTLS on its rules.
pub const CTLS: &str = "ctls";

/// Where a run of CTLS ends unless it is told: the first time at which its committed messages reach
/// 65,000.
pub const CTLS_CUTOFF: f64 = 7972.0;

/// Whose a unit is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Side {
    /// Begins in the east.
    Red = 0,
    /// Begins in the west.
    Blue = 1,
}

impl Side {
    /// By its name: whatever is not red is blue.
    #[inline]
    fn of(name: Name) -> Side {
        if name.is_red() { Side::Red } else { Side::Blue }
    }
}

/// How a division stands.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[repr(u8)]
pub enum Posture {
    /// It attacks.
    #[default]
    Attack = 0,
    /// It holds.
    Defend = 1,
    /// It gives way.
    Withdraw = 2,
    /// It is no more; never reached.
    Destroyed = 3,
}

impl Posture {
    fn of(number: i32) -> Option<Posture> {
        [Posture::Attack, Posture::Defend, Posture::Withdraw, Posture::Destroyed]
            .into_iter()
            .find(|posture| *posture as i32 == number)
    }
}
