//! Nodes, and the message paths between them.
//!
//! A program holds one [`Node`] per worker. `send` and `receive` on it are the same whatever
//! carries the messages: rings in one process's memory (`thread`), rings in memory shared by
//! processes (`shm`), TCP connections (`tcp`), datagrams made reliable here (`udp`), MPI between
//! the ranks of a job (`mpi`, over that job's library), each as a full mesh or as a hypercube that
//! forwards over links between neighbours only. The node takes the four stamps and
//! writes the message's row; a [`Transport`] only moves messages.
//!
//! ```text
//! send ─ ready ─► room? ─ sent ─► Transport ─ arrived ─► receive ─ taken ─► row
//! ```
//!
//! To add a transport, see `transports.rs`.

mod cube;
mod door;
mod error;
#[doc(hidden)]
pub mod fuzz;
mod gauge;
mod handshake;
mod key;
mod key_ring;
mod node;
mod open;
mod pin;
mod plant;
mod planted;
mod reach;
mod schema;
mod scribe;
mod spec;
mod transport;
mod transports;
mod window;

pub use door::{Door, Guest, Knock, StrangerKind, Strangers};
pub use error::FabricError;
pub use gauge::QueueGauge;
pub use handshake::{
    Handshake, HandshakeError, Introduction, Proved, Purpose, Role, Session, Timed, Unopened,
    authenticate,
};
pub use key::{KeyError, RunKey};
pub use key_ring::KeyRing;
pub use machine::{
    CalibrateError, Calibrated, Constant as MachineConstant, EagerBounds, FIELDS, Machine,
    MachineError, Open, SHIPPED, Stretch, Topology as MachineTopology, Unit as MachineUnit, Wanted,
    calibrate, parse as parse_machine, write as write_machine,
};
pub use node::{LOOKS_BEFORE_SLEEP, Letter, Message, Node, NodeOptions, Wait};
pub use open::{Opening, open, prepare};
pub use pin::{Pinning, keep_on, pin_node};
pub use plant::{Passing, Plant, PlantStage, Planting};
pub use reach::{ReachError, Reaching, reach};
pub use schema::{columns, packet_bytes};
pub use scribe::{Recording, Stamps};
pub use spec::{NodeId, PathRoom, Spec, Topology, TransportSpec, Waiting};
pub use transport::{Arrival, Flag, Handed, Happening, Head, Transport, TransportReport};
pub use transports::machine::settings::{find_machine, machine_of};
pub use transports::mpi::{MPI_LIBRARY_VARIABLE, MpiFamily, MpiLibrary, MpiProcess, mpi_library};
pub use transports::shm::Segment;
pub use transports::sockets::offered::kernel_stamps;
pub use transports::udp::options::{ReceiveTask, UdpFaults, UdpOptions, UdpTimer, UserPriority};
pub use transports::udp::priority::real_time;
pub use transports::{
    GivenOptions, LookCost, MACHINE, MPI, NodePlace, OptionTakes, Places, SHM, TCP, THREAD,
    TRANSPORTS, TransportCounter, TransportKind, TransportOption, UDP,
};
