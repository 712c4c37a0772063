//! Setting up the connections: every linked pair has one, and both ends have proved that they belong to the run.
//!
//! Of a pair, the lower node connects and the higher accepts. All handshakes go on at once, each in a thread of its own
//! while it lasts, so that a stranger who connects and says nothing delays nobody: strangers are refused,
//! counted and dropped. After the handshake each end tells on which clock its stamps are.

use crate::error::FabricError;
use crate::handshake::{Introduction, Purpose, Role, authenticate};
use crate::key::RunKey;
use crate::spec::{NodeId, Spec};
use clock::Clock;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use std::io::{self, ErrorKind, Read, Write};
use std::net::{Shutdown, SocketAddr, TcpListener, TcpStream};
use std::sync::Mutex;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread;
use std::time::{Duration, Instant};

/// Handshakes of strangers that may be under way; more are dropped at once.
const STRANGERS_MAX: usize = 64;
/// Between two attempts to reach a peer that does not listen yet, and between two looks whether all are here.
const RETRY: Duration = Duration::from_millis(5);

/// What every connection of this node is set up with.
pub(crate) struct Meeting<'a> {
    pub me: NodeId,
    pub spec: &'a Spec,
    pub peers: &'a [SocketAddr],
    pub key: &'a RunKey,
    pub clock: &'a Clock,
    pub deadline: Instant,
}

/// A connection whose other end has proved who it is.
pub(crate) struct Met {
    pub node: NodeId,
    pub stream: TcpStream,
    pub same_clock: bool,
}

impl Meeting<'_> {
    /// Connect with every linked peer. In the order of the peers' numbers; each connection notices when the other end's machine is gone.
    pub fn all(&self, listener: &TcpListener) -> Result<Vec<Met>, FabricError> {
        listener.set_nonblocking(true).map_err(FabricError::io("listening for peers"))?;
        let linked = |node: &NodeId| self.spec.topology.linked(self.me, *node);
        let wanted: Vec<NodeId> =
            (0..self.spec.nodes).filter(|node| *node != self.me).filter(linked).collect();
        let under_way = Mutex::new(Vec::new());
        let mut met = thread::scope(|scope| {
            let (report, reports) = channel();
            for node in wanted.iter().copied().filter(|node| *node > self.me) {
                let report = report.clone();
                scope.spawn(move || report.send(self.reach(node)));
            }
            let met = self.gather(scope, listener, &wanted, &under_way, (report, reports));
            // Strangers whose handshake still goes on: end it, or the scope would wait for them.
            for stream in lock(&under_way).iter() {
                let _: io::Result<()> = stream.shutdown(Shutdown::Both);
            }
            met
        })?;
        met.sort_by_key(|met| met.node);
        met.iter().try_for_each(|met| self.keep_alive(met))?;
        Ok(met)
    }

    /// Accept connections and collect finished handshakes until all wanted peers are here.
    fn gather<'scope>(
        &'scope self,
        scope: &'scope thread::Scope<'scope, '_>,
        listener: &TcpListener,
        wanted: &[NodeId],
        under_way: &'scope Mutex<Vec<TcpStream>>,
        (report, reports): (Sender<Report>, Receiver<Report>),
    ) -> Result<Vec<Met>, FabricError> {
        let mut met: Vec<Met> = Vec::with_capacity(wanted.len());
        let mut refused: Vec<String> = Vec::new();
        while met.len() < wanted.len() {
            if let Some(stream) = self.accept(listener)? {
                self.greet(scope, stream, under_way, &report);
            }
            for outcome in reports.try_iter() {
                match outcome {
                    Report::Met(one)
                        if wanted.contains(&one.node) && met.iter().all(|met| met.node != one.node) =>
                    {
                        met.push(one);
                    }
                    Report::Met(one) => {
                        refused.push(format!("somebody else who says to be node {}", one.node))
                    }
                    Report::Refused(reason) => refused.push(reason),
                    Report::Failed(error) => return Err(error),
                }
            }
            if Instant::now() > self.deadline {
                return Err(self.missing(wanted, &met, &refused));
            }
        }
        Ok(met)
    }

    /// A connection, if one comes within a moment.
    fn accept(&self, listener: &TcpListener) -> Result<Option<TcpStream>, FabricError> {
        let moment = Timespec { tv_sec: 0, tv_nsec: RETRY.as_nanos() as _ };
        let doing = || FabricError::io("accepting peers");
        match poll(&mut [PollFd::new(listener, PollFlags::IN)], Some(&moment)) {
            Ok(0) | Err(rustix::io::Errno::INTR) => return Ok(None),
            Ok(_) => {}
            Err(error) => return Err(doing()(error.into())),
        }
        match listener.accept() {
            Ok((stream, _)) => Ok(Some(stream)),
            // Whoever connected may be gone again (accept(2) passes on errors of the connection itself).
            Err(error)
                if error.raw_os_error() != Some(libc::EMFILE)
                    && error.raw_os_error() != Some(libc::ENFILE) =>
            {
                Ok(None)
            }
            Err(error) => Err(doing()(error)),
        }
    }

    /// Let an accepted connection prove itself, in a thread of its own.
    fn greet<'scope>(
        &'scope self,
        scope: &'scope thread::Scope<'scope, '_>,
        stream: TcpStream,
        under_way: &'scope Mutex<Vec<TcpStream>>,
        report: &Sender<Report>,
    ) {
        let Ok(handle) = stream.try_clone() else { return };
        let number = {
            let mut under_way = lock(under_way);
            if under_way.len() >= STRANGERS_MAX + usize::from(self.spec.nodes) {
                return;
            }
            under_way.push(handle);
            stream.peer_addr().ok()
        };
        let report = report.clone();
        scope.spawn(move || {
            let outcome = self.meet(stream, Role::Server, None);
            lock(under_way).retain(|other| other.peer_addr().ok() != number);
            report.send(outcome.map_or_else(|error| Report::Refused(error.to_string()), Report::Met))
        });
    }

    /// Connect to a higher node, however long it takes to listen, within the deadline.
    fn reach(&self, node: NodeId) -> Report {
        let address = self.peers[usize::from(node)];
        loop {
            match TcpStream::connect_timeout(&address, self.remaining()) {
                Ok(stream) => {
                    return match self.meet(stream, Role::Client, Some(node)) {
                        Ok(met) => Report::Met(met),
                        Err(error) => Report::Failed(error),
                    };
                }
                Err(error)
                    if error.kind() == ErrorKind::ConnectionRefused && Instant::now() < self.deadline =>
                {
                    thread::sleep(RETRY);
                }
                Err(error) => {
                    return Report::Failed(FabricError::io(format!(
                        "connecting to node {node} at {address}"
                    ))(error));
                }
            }
        }
    }

    /// The handshake and what follows it. `expected`: who must be there.
    fn meet(&self, mut stream: TcpStream, role: Role, expected: Option<NodeId>) -> Result<Met, FabricError> {
        let address = stream.peer_addr().map_err(FabricError::io("asking who has connected"))?;
        let told = || FabricError::io(format!("setting up the connection with {address}"));
        stream.set_nonblocking(false).and_then(|()| stream.set_nodelay(true)).map_err(told())?;
        let ours = Introduction { role, purpose: Purpose::Data, node: self.me, session: self.session() };
        let theirs = authenticate(&mut stream, address, self.key, ours, self.remaining())?;
        if expected.is_some_and(|node| node != theirs.node) {
            let what = format!("at {address} is node {}; check the peers' addresses", theirs.node);
            return Err(FabricError::Garbage { node: expected.unwrap_or(theirs.node), what });
        }
        let same_clock = self.compare_clocks(&mut stream).map_err(told())?;
        Ok(Met { node: theirs.node, stream, same_clock })
    }

    /// Tell on which clock our stamps are, and learn whether the peer's are on the same.
    pub fn compare_clocks(&self, stream: &mut TcpStream) -> io::Result<bool> {
        stream.set_read_timeout(Some(self.remaining()))?;
        let ours = clock_name(self.clock);
        stream.write_all(&ours)?;
        let mut theirs = [0; CLOCK_NAME_BYTES];
        stream.read_exact(&mut theirs)?;
        stream.set_read_timeout(None)?;
        Ok(ours == theirs && !self.clock.is_planted())
    }

    fn keep_alive(&self, Met { node, stream, .. }: &Met) -> Result<(), FabricError> {
        let told = || FabricError::io(format!("setting up the connection with node {node}"));
        let timeout = Duration::from_millis(self.spec.peer_timeout_ms.max(1000));
        // A host that is gone sends no reset: find out by asking (idle) and by waiting (not idle).
        let limit_ms = u32::try_from(timeout.as_millis() * 2).unwrap_or(u32::MAX);
        rustix::net::sockopt::set_socket_keepalive(stream, true).map_err(|error| told()(error.into()))?;
        rustix::net::sockopt::set_tcp_keepidle(stream, timeout).map_err(|error| told()(error.into()))?;
        rustix::net::sockopt::set_tcp_keepintvl(stream, Duration::from_secs(1))
            .map_err(|error| told()(error.into()))?;
        rustix::net::sockopt::set_tcp_user_timeout(stream, limit_ms).map_err(|error| told()(error.into()))
    }

    /// The fabric's shape in a number: ends that disagree about it do not talk.
    pub fn session(&self) -> u64 {
        let Spec { nodes, topology, bare_bytes, .. } = self.spec;
        let shape = format!("{nodes} {topology:?} {bare_bytes:?} {:?}", self.peers);
        // FNV-1a: it must be the same number in every process; it guards against mistakes, not against malice.
        let mix = |hash: u64, byte: u8| (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3);
        shape.bytes().fold(0xcbf2_9ce4_8422_2325, mix)
    }

    fn remaining(&self) -> Duration {
        self.deadline.saturating_duration_since(Instant::now()).max(Duration::from_millis(1))
    }

    fn missing(&self, wanted: &[NodeId], met: &[Met], refused: &[String]) -> FabricError {
        let node =
            wanted.iter().copied().find(|node| met.iter().all(|met| met.node != *node)).unwrap_or(self.me);
        let refused = match refused {
            [] => String::new(),
            [.., last] => format!("; {} connections were refused, the last because: {last}", refused.len()),
        };
        FabricError::PeerLost {
            node,
            reason: format!("it did not connect within {} ms{refused}", self.spec.peer_timeout_ms),
        }
    }
}

enum Report {
    Met(Met),
    Refused(String),
    Failed(FabricError),
}

const CLOCK_NAME_BYTES: usize = 40;

/// The machine's boot and the clock's source; all zero where nobody can tell.
fn clock_name(clock: &Clock) -> [u8; CLOCK_NAME_BYTES] {
    let mut name = [0; CLOCK_NAME_BYTES];
    let boot = std::fs::read("/proc/sys/kernel/random/boot_id").unwrap_or_default();
    for (to, from) in name.iter_mut().zip(boot.iter().take(CLOCK_NAME_BYTES - 1)) {
        *to = *from;
    }
    name[CLOCK_NAME_BYTES - 1] = clock.source() as u8 | u8::from(clock.is_planted()) << 7;
    name
}

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    // The list is only pushed to and filtered: a panic elsewhere cannot leave it half changed.
    mutex.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
}
