//! What is found in made-up data whose truth is known.

mod accumulator;
mod compare;
#[path = "../../examples/planted/draw.rs"]
mod draw;
mod intervals;
#[path = "../../examples/planted/knees.rs"]
mod knees;
#[path = "../launches/mod.rs"]
mod launches;
mod peaks;
mod peaks_compared;
mod planted;
#[path = "../series/mod.rs"]
mod series;
mod several;
mod trend;
