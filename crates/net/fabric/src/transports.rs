//! The table of transports. Each lies in a file or folder of its own, which holds its row: all that
//! anybody else knows of it. Arguments, checks, what a run says of itself and how an end is opened
//! follow from the row.
//!
//! To add a transport: a folder here with an implementation of [`Transport`] and a
//! [`TransportKind`], its line in this file, and its lines in `tests/conformance.rs`.

use crate::error::FabricError;
use crate::open::Opening;
use crate::spec::Spec;
use crate::transport::Transport;
use clock::Clock;
use serde_json::{Map, Value};
use shm::Segment;
use std::net::SocketAddr;
use std::path::PathBuf;

pub(crate) mod head;
mod links;
mod looks;
pub(crate) mod machine;
pub(crate) mod mpi;
pub(crate) mod rings;
pub(crate) mod shm;
pub(crate) mod sockets;
pub(crate) mod tcp;
pub(crate) mod thread;
mod turn;
pub(crate) mod udp;

pub use machine::MACHINE;
pub use mpi::MPI;
pub use shm::SHM;
pub use tcp::TCP;
pub use thread::THREAD;
pub use udp::UDP;

/// All transports, in the order in which they are listed.
pub static TRANSPORTS: [&TransportKind; 6] = [&THREAD, &SHM, &TCP, &UDP, &MPI, &MACHINE];

/// A transport as everybody but itself knows it: one row of the table.
pub struct TransportKind {
    /// The name that commands, files and reports use.
    pub name: &'static str,
    /// What it is, in a line of help.
    pub about: &'static str,
    /// Where its nodes may live.
    pub nodes: NodePlace,
    /// What a look for messages costs.
    pub look: LookCost,
    /// Whether an arrival may be known within bounds only.
    pub brackets: bool,
    /// Whether it may go over the machine's TCP, whose troubles then matter.
    pub over_tcp: bool,
    /// What its nodes take stamps with, where time is simulated. An option of such a transport
    /// means it where none is named.
    pub clock: Option<fn() -> Clock>,
    /// What can be asked of it.
    pub options: &'static [TransportOption],
    /// What it counts: [`TransportReport::counts`](crate::TransportReport) in this order.
    pub counters: &'static [TransportCounter],
    /// From the options that were given to the settings of a [`crate::TransportSpec`], which
    /// `run.json` repeats.
    pub settings: fn(&GivenOptions) -> Result<Value, String>,
    /// Whether nodes with these settings must sleep while they wait.
    pub must_block: fn(&Value) -> bool,
    /// The same options with the other retransmit timer, and what that is called; `None`: it has
    /// no such timer.
    pub other_timer: fn(&GivenOptions) -> Option<(GivenOptions, &'static str)>,
    /// Find settings that cannot be carried out.
    pub(crate) check: fn(&Spec) -> Result<(), FabricError>,
    /// Fill in where nodes find each other.
    pub(crate) prepare: fn(&mut Spec, Places) -> Result<Option<Segment>, FabricError>,
    /// The ends of the nodes that this process hosts.
    pub(crate) open: fn(Opening<'_>) -> Result<Ends, FabricError>,
}

/// The ends of nodes, in their order.
pub(crate) type Ends = Vec<Box<dyn Transport>>;

/// Options by name, each as its [`TransportOption::takes`] has read it.
pub type GivenOptions = Map<String, Value>;

/// Where a transport's nodes may live.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NodePlace {
    /// Threads of one process.
    OneProcess,
    /// Processes of one machine.
    OneMachine,
    /// Processes, also on several machines.
    Machines,
    /// The ranks of an MPI job.
    MpiJob,
}

/// What a look for messages costs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LookCost {
    /// A look at memory.
    Memory,
    /// A call of a message library, which looks at memory or at a network card.
    LibraryCall,
    /// A system call.
    SystemCall,
}

/// An option of a transport.
#[derive(Clone, Copy, Debug)]
pub struct TransportOption {
    /// Its name, without dashes.
    pub name: &'static str,
    /// What its value is called in help.
    pub value: &'static str,
    /// What it does and its default, in a line of help.
    pub about: &'static str,
    /// How its value is read.
    pub takes: OptionTakes,
}

/// How the value of an option is read, and what becomes of it in [`GivenOptions`].
#[derive(Clone, Copy, Debug)]
pub enum OptionTakes {
    /// A whole number within these bounds.
    Count(u64, u64),
    /// A size, as 64K: bytes.
    Bytes,
    /// A time, as 200us: whole microseconds.
    Duration,
    /// One of these words, each with its line of help.
    Word(&'static [(&'static str, &'static str)]),
    /// What this makes of it.
    Text(fn(&str) -> Result<Value, String>),
}

/// Something that a transport counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TransportCounter {
    /// Its column's name.
    pub name: &'static str,
    /// What follows the number in a sentence.
    pub words: &'static str,
    /// Said only if it is not zero.
    pub if_any: bool,
}

/// Where nodes could find each other: each transport takes what it needs.
#[derive(Clone, Debug, Default)]
pub struct Places {
    /// Where each node listens, by number.
    pub addresses: Vec<SocketAddr>,
    /// A file in shared memory that does not exist yet.
    pub file: PathBuf,
}

impl TransportKind {
    /// A transport without options of its own. Everything else a row says.
    pub(crate) const PLAIN: TransportKind = TransportKind {
        name: "",
        about: "",
        nodes: NodePlace::OneProcess,
        look: LookCost::Memory,
        brackets: false,
        over_tcp: false,
        clock: None,
        options: &[],
        counters: &[],
        settings: |_| Ok(Value::Null),
        must_block: |_| false,
        other_timer: |_| None,
        check: |_| Ok(()),
        prepare: |_, _| Ok(None),
        open: |_| Ok(Vec::new()),
    };

    /// The transport of this name.
    pub fn named(name: &str) -> Option<&'static TransportKind> {
        TRANSPORTS.into_iter().find(|kind| kind.name == name)
    }
}

impl PartialEq for TransportKind {
    fn eq(&self, other: &TransportKind) -> bool {
        self.name == other.name
    }
}

impl std::fmt::Debug for TransportKind {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.write_str(self.name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn names_of_transports_and_of_all_their_options_are_unique() {
        let names: BTreeSet<_> = TRANSPORTS.iter().map(|kind| kind.name).collect();
        assert_eq!(names.len(), TRANSPORTS.len());
        let options = || TRANSPORTS.iter().flat_map(|kind| kind.options);
        let names: BTreeSet<_> = options().map(|option| option.name).collect();
        assert_eq!(names.len(), options().count());
        assert!(TransportKind::named("tcp") == Some(&TCP) && TransportKind::named("").is_none());
    }
}
