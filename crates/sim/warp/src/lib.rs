//! Drivers of the Time Warp engine: what moves the parcels of [`timewarp::Node`]s over a real
//! fabric, and what writes down where their time went.
//!
//! ```text
//!  fabric::Node ──► driver ──► timewarp::Node ──► outgoing ──► fabric::Node
//!      frames      parcels          │  Watch
//!                                   ▼
//!                      rows, the committed trace, printed lines
//! ```
//!
//! The engine knows no clock, thread or socket; this crate has them. A [`Job`] says what to run and
//! travels to the nodes as JSON; [`Hosting`] is what the nodes of a process are given, which
//! [`Crews`] deals to its threads; [`sequential`] runs the same model on one thread, in order;
//! [`compare`] says where two results differ. Nothing is printed here.

#![forbid(unsafe_code)]

mod bill;
mod catalogue;
mod compare;
pub mod config;
mod copies;
mod costs;
mod crew;
mod critical;
mod crowd;
mod driver;
mod error;
mod files;
mod frame;
mod hosted;
mod hosting;
mod job;
mod kept_job;
mod meter;
mod model;
mod object_clock;
mod objects;
mod offer;
mod outgoing;
mod pace;
mod parameters;
mod part;
pub mod pauses;
pub mod predict;
mod recorded;
mod rows;
mod run;
mod samples;
pub mod sequential;
pub mod settings;
mod sorted;
mod spec;
mod spent;
mod summary;
mod tables;
pub mod threads;
mod witness;
mod work;

pub use catalogue::{CATALOGUE, Row, offer, offered, unknown};
pub use compare::compare;
pub use copies::KindCopies;
pub use costs::{Costs, EventCosts};
pub use crew::Crews;
pub use critical::{CriticalPath, Link, Step};
pub use crowd::Core;
pub use driver::{Drive, Ending};
pub use error::WarpError;
pub use files::NodeFiles;
pub use frame::{FrameError, check_frame};
pub use hosting::{Hosting, NodeReport, Replayed};
pub use job::Job;
pub use meter::{Gauge, Meter, Readings};
pub use model::AnyModel;
pub use object_clock::object_clock;
pub use objects::{Objects, Told};
pub use outgoing::path_room;
pub use pace::DriveOptions;
pub use recorded::Recorded;
pub use rows::{Rows, columns};
pub use run::{Finished, RunOptions, run};
pub use samples::{Course, Look, Sample, Samples, Stretch, course, speedup};
pub use sorted::{Line, SortedFile, merge};
pub use spec::ModelSpec;
pub use spent::Spent;
pub use summary::Summary;
pub use tables::{
    write_counts, write_critical_path, write_load_cycles, write_migrations, write_nodes,
    write_speedup, write_trace, write_xl_stats,
};
pub use witness::{Quiet, Taking, Witness};
pub use work::steps_per_us;
