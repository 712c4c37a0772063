//! The coordinator: listens for node processes and sees launches through, one after another.

use crate::LaunchError;
use crate::connection::{Connection, Event, OURS, Reception};
use crate::protocol::Join;
use clock::{Calibration, Clock};
use fabric::{Door, RunKey, Strangers};
use record::NodeSheet;
use serde_json::Value;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, TcpListener};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::sync::mpsc::{Receiver, sync_channel};
use std::thread::JoinHandle;

/// Events that may wait to be handled; whoever brings more waits too, so that logs from elsewhere
/// fill no memory.
const EVENTS_MAX: usize = 64;

/// Listens for the nodes of a run. Dropping it closes the port and every connection.
pub struct Coordinator {
    pub(crate) address: SocketAddr,
    pub(crate) key: RunKey,
    pub(crate) home: Home,
    pub(crate) events: Receiver<Event>,
    /// Processes that joined again before the next launch had begun.
    pub(crate) early: Vec<(Connection, Join)>,
    pub(crate) reception: Arc<Reception>,
    /// Those strangers that a launch has noted.
    pub(crate) noted: Strangers,
    /// Shut down to wake the keeper.
    listener: TcpListener,
    keeper: Option<JoinHandle<()>>,
}

/// The coordinator's own machine and clock.
pub(crate) struct Home {
    pub clock: Clock,
    pub domain: String,
    pub boot_id: String,
    pub calibration: Calibration,
}

/// What came of a launch.
#[derive(Clone, Debug, PartialEq)]
pub struct LaunchOutcome {
    /// What each process returned, in the order of its nodes.
    pub nodes: Vec<NodeOutcome>,
    /// Whether it was stopped before its goal.
    pub stopped: bool,
}

/// What a process returned.
#[derive(Clone, Debug, PartialEq)]
pub struct NodeOutcome {
    /// The nodes that it held.
    pub hosted: Vec<u16>,
    /// What its work returned.
    pub outcome: Value,
}

/// What the coordinator tells while a launch goes on.
#[derive(Clone, Debug, PartialEq)]
pub enum Note {
    /// A process has joined.
    Joined {
        /// The nodes that it holds.
        hosted: Vec<u16>,
        /// Its host.
        host: String,
    },
    /// Somebody was refused: a process too many, or the first connection of its kind that was not
    /// let in (later ones are counted, in a remark at the end of the launch). Kept in the run's
    /// notes too.
    Refused(String),
    /// All nodes have begun.
    Begun,
    /// How far they are; twice a second.
    Progress(Progress),
    /// Something to know; kept in the run's notes too.
    Remark(String),
    /// A node is gone. The others are being stopped; the error that ends the launch says this
    /// again.
    Lost(String),
}

/// How far the nodes are, all together.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Progress {
    /// Units of work done.
    pub done: u64,
    /// Units of work in all; 0 if unknown.
    pub goal: u64,
    /// What the work of each process says about itself besides; null where it says nothing.
    pub statuses: Vec<Value>,
}

impl Coordinator {
    /// Where to listen unless told otherwise: this machine only, any free port.
    pub const LOOPBACK: SocketAddr = SocketAddr::new(std::net::IpAddr::V4(Ipv4Addr::LOCALHOST), 0);

    /// Listen on `address` for processes that hold `key`.
    ///
    /// # Errors
    /// [`LaunchError::Listen`] when the port cannot be had.
    pub fn bind(address: SocketAddr, key: RunKey) -> Result<Coordinator, LaunchError> {
        let failed = |source| LaunchError::Listen { address, source };
        let listener = TcpListener::bind(address).map_err(failed)?;
        let bound = listener.local_addr().map_err(failed)?;
        let (sender, events) = sync_channel(EVENTS_MAX);
        let home = Home::here();
        let door =
            listener.try_clone().and_then(|listener| Door::open(listener, key.clone(), OURS));
        let door = door.map_err(failed)?;
        let reception = Arc::new(Reception::new(home.clock, sender));
        let keeper = std::thread::Builder::new().name("fourstamp-door".into()).spawn({
            let reception = reception.clone();
            move || reception.keep(door)
        });
        let keeper = Some(keeper.map_err(failed)?);
        Ok(Coordinator {
            address: bound,
            key,
            home,
            events,
            early: Vec::new(),
            reception,
            noted: Strangers::default(),
            listener,
            keeper,
        })
    }

    /// Where it listens.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// What `fourstamp node --join` is to be given: loopback for an address that means "any".
    pub fn join_address(&self) -> String {
        let mut address = self.address;
        match address.ip() {
            IpAddr::V4(ip) if ip.is_unspecified() => address.set_ip(Ipv4Addr::LOCALHOST.into()),
            IpAddr::V6(ip) if ip.is_unspecified() => address.set_ip(Ipv6Addr::LOCALHOST.into()),
            _ => {}
        }
        address.to_string()
    }
}

impl Home {
    fn here() -> Home {
        let clock = Clock::best();
        // The numbers name a file, and a domain when an error is planted: neither is so here.
        let sheet = NodeSheet::new(0, 0, &clock);
        Home {
            clock,
            domain: sheet.domain,
            boot_id: sheet.boot_id,
            calibration: sheet.quality.calibration(),
        }
    }
}

impl Drop for Coordinator {
    fn drop(&mut self) {
        self.reception.closing.store(true, Ordering::Release);
        // Linux wakes a thread that polls a listener which is shut down.
        let _ = rustix::net::shutdown(&self.listener, rustix::net::Shutdown::Both);
        if let Some(keeper) = self.keeper.take() {
            let _ = keeper.join();
        }
    }
}
