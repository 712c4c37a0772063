//! The node's side: join, work, say how far, leave.
//!
//! The work runs on the calling thread. One more thread sleeps in reading the control connection
//! and wakes only when the coordinator has something to say, about twice a second; it takes part in
//! no message.

use crate::away::{self, Away};
use crate::connection::prepare;
use crate::frame::{BODY_BYTES_MAX, Frame, FrameError, read_frame};
use crate::protocol::{Assignment, Join, Message, PROTOCOL, Ready};
use clock::{Clock, Source};
use fabric::{
    HandshakeError, Introduction, KeyError, Purpose, ReachError, Reaching, Role, RunKey, reach,
};
use record::{Machine, NodeSheet, RecordError};
use serde_json::Value;
use std::net::{SocketAddr, TcpListener, TcpStream, ToSocketAddrs};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::thread::Builder;
use std::time::Duration;

mod control;
mod leave;

pub use control::{Apart, Control, Stopped};
pub use leave::Leave;

pub(crate) const JOIN_VARIABLE: &str = "FOURSTAMP_JOIN";
pub(crate) const SLOT_VARIABLE: &str = "FOURSTAMP_SLOT";
pub(crate) const HOSTS_VARIABLE: &str = "FOURSTAMP_HOSTS";
pub(crate) const KEY_FILE_VARIABLE: &str = "FOURSTAMP_KEY_FILE";

/// What a node says of itself at the coordinator's door.
const OURS: Introduction = Introduction {
    role: Role::Client,
    purpose: Purpose::Control,
    node: Introduction::NO_NODE,
    session: 0,
};
/// How long a node tries to reach a coordinator that does not answer or is not there yet, or whose
/// door is crowded.
const CONNECT: Duration = Duration::from_secs(10);
/// How often new parts of a log are sent to a coordinator elsewhere.
const SHIP: Duration = Duration::from_millis(500);
/// Longest reason that is sent, in characters: well within a small frame, whatever JSON makes of
/// it.
const REASON_CHARS_MAX: usize = 2000;

/// How a node process joins.
#[derive(Clone, Debug)]
pub struct NodeOptions {
    /// `HOST:PORT` of the coordinator.
    pub join: String,
    /// Nobody may listen there yet: this process may have been started before its coordinator.
    pub will_listen: bool,
    /// Which of the started processes it is; `None` when started by hand.
    pub slot: Option<u16>,
    /// How many nodes it holds.
    pub hosts: u16,
    /// What its stamps are taken with.
    pub clock: Clock,
    /// How long the work may go on after the coordinator is gone, before the process kills itself;
    /// `None` to wait for ever.
    pub grace: Option<Duration>,
    /// Where this process hears that it is to end; `None` when only the coordinator says so.
    pub leave: Option<&'static Leave>,
}

/// How a node's service ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Served {
    /// The run is over.
    Last,
    /// Another launch follows, which a node that was started by hand may join.
    MoreFollow,
}

/// Why a node could not do its part.
#[derive(Debug, thiserror::Error)]
pub enum NodeError {
    /// Nobody said where to join, or what was said makes no sense.
    #[error("{what}")]
    Options {
        /// What is missing or wrong.
        what: String,
    },
    /// The coordinator is not there.
    #[error(
        "cannot join {address}: {source}; is the launch still waiting, and does a firewall allow \
        this connection?"
    )]
    Connect {
        /// Where.
        address: String,
        /// What the system said.
        source: std::io::Error,
    },
    /// One of the two does not hold the run key, or it is no coordinator.
    #[error(transparent)]
    Handshake(#[from] HandshakeError),
    /// The coordinator does not want this process.
    #[error("the coordinator refused this process: {reason}")]
    Refused {
        /// Why.
        reason: String,
    },
    /// The coordinator is gone.
    #[error("the connection to the coordinator was lost: {source}; what was recorded is kept")]
    Gone {
        /// How.
        source: FrameError,
    },
    /// A port for messages could not be had.
    #[error("cannot listen for messages on {address}: {source}")]
    Listen {
        /// Where.
        address: SocketAddr,
        /// What the system said.
        source: std::io::Error,
    },
    /// No folder to record into.
    #[error(transparent)]
    Record(#[from] RecordError),
    /// The system refused something else.
    #[error("{doing}: {source}")]
    System {
        /// What we were doing.
        doing: &'static str,
        /// What it said.
        source: std::io::Error,
    },
    /// The work failed; the coordinator has been told.
    #[error("{reason}")]
    Work {
        /// Why.
        reason: String,
    },
}

impl NodeOptions {
    /// To join at `HOST:PORT`, as one node, with the machine's best clock.
    pub fn new(join: impl Into<String>) -> NodeOptions {
        let grace = Some(Duration::from_secs(10));
        NodeOptions {
            join: join.into(),
            will_listen: false,
            slot: None,
            hosts: 1,
            clock: Clock::best(),
            grace,
            leave: None,
        }
    }

    /// As the launch that started this process has put it into the environment.
    ///
    /// # Errors
    /// When it has not, or the values are no numbers.
    pub fn from_env() -> Result<NodeOptions, NodeError> {
        let join = std::env::var(JOIN_VARIABLE).map_err(|_| NodeError::Options {
            what: format!(
                "there is no address to join: give --join HOST:PORT, or set {JOIN_VARIABLE}"
            ),
        })?;
        let number = |name: &str| match std::env::var(name) {
            Err(_) => Ok(None),
            Ok(text) => text.parse::<u16>().map(Some).map_err(|_| NodeError::Options {
                what: format!(
                    "{name} is \"{}\" but must be a number from 0 to 65535",
                    text.escape_debug()
                ),
            }),
        };
        let hosts = number(HOSTS_VARIABLE)?.unwrap_or(1);
        Ok(NodeOptions { slot: number(SLOT_VARIABLE)?, hosts, ..NodeOptions::new(join) })
    }
}

/// The run key of a node: from the file named, else from the environment (the key itself, or its
/// file's name).
///
/// # Errors
/// When there is none, or its file is open to others.
pub fn node_key(file: Option<&Path>) -> Result<RunKey, KeyError> {
    let named = std::env::var_os(KEY_FILE_VARIABLE);
    match file.or(named.as_deref().map(Path::new)) {
        Some(path) => RunKey::from_file(path),
        None => RunKey::from_env(),
    }
}

/// Join a launch, do `work` once on this thread, and stay until the coordinator lets go.
///
/// `work` sets up what it needs, calls [`Control::ready_and_wait_go`], works, and returns what its
/// coordinator is to know. It looks at [`Control::stop`] and returns early with what there is; it
/// is set by the user's Ctrl-C, when another node has failed, and when the coordinator is gone.
///
/// # Errors
/// When the node cannot join, the coordinator vanishes, or `work` fails or panics.
pub fn serve(
    options: &NodeOptions,
    key: &RunKey,
    work: impl FnOnce(&Assignment, &Control) -> Result<Value, String>,
) -> Result<Served, NodeError> {
    let mut stream = connect(options, key)?;
    let listeners = listen(&stream, options.hosts)?;
    let mut assignment = join(&mut stream, options, &listeners)?;
    let mut away = None;
    if !away::sees(&assignment.run_folder, assignment.launch, &assignment.folder_nonce) {
        let own = away.insert(Away::new(assignment.run_id, &assignment.leaves)?);
        assignment.run_folder = own.run();
    }
    let sender = stream.try_clone().map_err(system("cannot share the control connection"))?;
    let clock = assignment.fabric.transport.kind.clock.map_or(options.clock, |clock| clock());
    let quality = clock::measure(&clock);
    let ready = ready(&assignment, &clock, quality);
    let control = Control::new(sender, listeners, ready, clock, quality, key.clone());
    std::thread::scope(|scope| {
        let listening = Builder::new()
            .name("fourstamp-control".into())
            .spawn_scoped(scope, || control.listen(stream, options.grace))
            .map_err(system("cannot start the control thread"))?;
        if let Some(leave) = options.leave {
            leave.works(true);
            let attending = Builder::new().name("fourstamp-leave".into());
            // Without this thread the process ends when the grace of whoever sent the signal is
            // over.
            let _ = attending.spawn_scoped(scope, || leave.attend(&control));
        }
        let result = work_and_ship(&assignment, &control, away.as_mut(), work);
        let result = control.reason_to_leave().map_or(result, Err);
        control.report(&result);
        control.work_is_over();
        options.leave.inspect(|leave| leave.works(false));
        let released = listening.join().unwrap_or(Err(FrameError::Closed));
        result.map_err(|reason| NodeError::Work { reason })?;
        match released {
            Ok(true) => Ok(Served::MoreFollow),
            Ok(false) => Ok(Served::Last),
            Err(source) => Err(NodeError::Gone { source }),
        }
    })
}

/// Do the work; meanwhile and afterwards send its logs if the coordinator cannot see them.
fn work_and_ship(
    assignment: &Assignment,
    control: &Control,
    away: Option<&mut Away>,
    work: impl FnOnce(&Assignment, &Control) -> Result<Value, String>,
) -> Result<Value, String> {
    // A panic must reach the coordinator as this node's failure, and must not leave the control
    // thread waiting.
    let work = || {
        catch_unwind(AssertUnwindSafe(|| work(assignment, control)))
            .unwrap_or_else(|panic| Err(said(&panic)))
    };
    let Some(away) = away else {
        return work();
    };
    let (end, ended) = channel::<()>();
    std::thread::scope(|scope| {
        let shipping =
            Builder::new().name("fourstamp-ship".into()).spawn_scoped(scope, move || {
                while ended.recv_timeout(SHIP) == Err(RecvTimeoutError::Timeout) {
                    away.send(|chunk| control.send(&Frame::Chunk(chunk)))?;
                }
                away.send(|chunk| control.send(&Frame::Chunk(chunk)))
            });
        let shipping = shipping
            .map_err(|error| format!("cannot start the thread that sends logs: {error}"))?;
        let outcome = work();
        drop(end);
        let shipped = shipping.join().unwrap_or_else(|panic| Err(said(&panic)));
        outcome.and_then(|outcome| shipped.map(|()| outcome))
    })
}

fn said(panic: &Box<dyn std::any::Any + Send>) -> String {
    let text = panic
        .downcast_ref::<String>()
        .map(String::as_str)
        .or(panic.downcast_ref::<&str>().copied());
    format!("it panicked: {}", text.unwrap_or("without a message"))
}

fn connect(options: &NodeOptions, key: &RunKey) -> Result<TcpStream, NodeError> {
    let failed = |source| NodeError::Connect { address: options.join.clone(), source };
    let addresses: Vec<SocketAddr> = options.join.to_socket_addrs().map_err(failed)?.collect();
    if addresses.is_empty() {
        return Err(failed(std::io::Error::new(
            std::io::ErrorKind::NotFound,
            "the name has no address",
        )));
    }
    let reaching = Reaching {
        addresses: &addresses,
        peer: &options.join,
        ours: OURS,
        limit: CONNECT,
        will_listen: options.will_listen,
    };
    match reach(&reaching, key) {
        Ok((stream, _)) => prepare(&stream).map(|()| stream).map_err(failed),
        Err(ReachError::Unreachable(source)) => Err(failed(source)),
        Err(ReachError::Handshake(error)) => Err(error.into()),
    }
}

/// A port for each node's messages, on the address by which the coordinator reaches this machine.
fn listen(stream: &TcpStream, hosts: u16) -> Result<Vec<TcpListener>, NodeError> {
    let mut address =
        stream.local_addr().map_err(system("cannot read this process's own address"))?;
    address.set_port(0);
    (0..hosts)
        .map(|_| TcpListener::bind(address).map_err(|source| NodeError::Listen { address, source }))
        .collect()
}

fn join(
    stream: &mut TcpStream,
    options: &NodeOptions,
    listeners: &[TcpListener],
) -> Result<Assignment, NodeError> {
    let machine = Machine::here();
    let data_addresses: Result<Vec<SocketAddr>, _> =
        listeners.iter().map(TcpListener::local_addr).collect();
    let join = Join {
        protocol: PROTOCOL,
        host: machine.host,
        boot_id: machine.boot_id,
        pid: std::process::id(),
        cores: machine.cores,
        hosts: options.hosts,
        slot: options.slot,
        data_addresses: data_addresses.map_err(system("cannot read this process's own address"))?,
    };
    let gone = |source| NodeError::Gone { source };
    let bytes = Frame::Message(Message::Join(join)).encode().map_err(gone)?;
    std::io::Write::write_all(stream, &bytes).map_err(|source| gone(FrameError::Io { source }))?;
    match read_frame(stream, BODY_BYTES_MAX).map_err(gone)? {
        Frame::Message(Message::Assign(assignment)) => Ok(*assignment),
        Frame::Message(Message::Refused { reason }) => Err(NodeError::Refused { reason }),
        _ => Err(gone(FrameError::Malformed {
            what: "it answered with an unexpected message".into(),
        })),
    }
}

fn ready(assignment: &Assignment, clock: &Clock, quality: clock::Quality) -> Ready {
    let domain = |node: &u16| {
        NodeSheet::with_quality(assignment.launch, u32::from(*node), clock, quality).domain
    };
    let domains: Vec<String> = assignment.hosted.iter().map(domain).collect();
    // Simulated time is nobody's clock: there is nothing to compare it with.
    let foreign = clock.source() != Source::Simulated
        && domains.iter().any(|domain| *domain != assignment.reference_domain);
    Ready { domains, source: clock.source(), calibration: foreign.then(|| quality.calibration()) }
}

fn system(doing: &'static str) -> impl Fn(std::io::Error) -> NodeError {
    move |source| NodeError::System { doing, source }
}
