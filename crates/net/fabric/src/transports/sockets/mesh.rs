//! Setting up the connections: every linked pair has one, and both ends have proved that they
//! belong to the run.
//!
//! Of a pair, the lower node connects and the higher accepts, at a [`Door`](crate::door): strangers
//! who connect there delay nobody, and are counted. After the handshake each end tells on which
//! clock its stamps are.

use crate::door::{Door, Guest, Knock, Strangers};
use crate::error::FabricError;
use crate::handshake::{Introduction, Proved, Purpose, Role, Session};
use crate::key::RunKey;
use crate::reach::{ReachError, Reaching, reach};
use crate::spec::{NodeId, Spec};
use clock::Clock;
use std::io::{self, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread;
use std::time::{Duration, Instant};

/// Between two looks whether all are here.
const LOOK: Duration = Duration::from_millis(5);

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
    /// The keys of the connection.
    pub session: Session,
}

impl Meeting<'_> {
    /// Connect with every linked peer. In the order of the peers' numbers; each connection notices
    /// when the other end's machine is gone.
    pub fn all(&self, listener: &TcpListener) -> Result<Vec<Met>, FabricError> {
        let open = || Door::open(listener.try_clone()?, self.key.clone(), self.ours(Role::Server));
        let door = open().map_err(FabricError::io("listening for peers"))?;
        let linked = |node: &NodeId| self.spec.topology.linked(self.me, *node);
        let wanted: Vec<NodeId> =
            (0..self.spec.nodes).filter(|node| *node != self.me).filter(linked).collect();
        let mut met = thread::scope(|scope| {
            let (report, reports) = channel();
            for node in wanted.iter().copied().filter(|node| *node > self.me) {
                let report = report.clone();
                scope.spawn(move || report.send(self.reach(node)));
            }
            self.gather(scope, door, &wanted, (report, reports))
        })?;
        met.sort_by_key(|met| met.node);
        met.iter().try_for_each(|met| self.keep_alive(met))?;
        Ok(met)
    }

    /// Let peers in and collect finished meetings until all wanted peers are here.
    fn gather<'scope>(
        &'scope self,
        scope: &'scope thread::Scope<'scope, '_>,
        mut door: Door,
        wanted: &[NodeId],
        (report, reports): (Sender<Report>, Receiver<Report>),
    ) -> Result<Vec<Met>, FabricError> {
        let mut met: Vec<Met> = Vec::with_capacity(wanted.len());
        let mut refused: Option<String> = None;
        while met.len() < wanted.len() {
            let attended = door.attend(Some(LOOK), &mut |knock| match knock {
                Knock::Guest(guest) => self.welcome(scope, guest, &report),
                Knock::Stranger(reason) => refused = Some(reason),
            });
            attended.map_err(FabricError::io("accepting peers"))?;
            for outcome in reports.try_iter() {
                match outcome {
                    Report::Met(one)
                        if wanted.contains(&one.node)
                            && met.iter().all(|met| met.node != one.node) =>
                    {
                        met.push(one);
                    }
                    Report::Met(one) => {
                        refused = Some(format!("another process claims to be node {}", one.node));
                    }
                    Report::Refused(reason) => refused = Some(reason),
                    Report::Failed(error) => return Err(error),
                }
            }
            if Instant::now() > self.deadline {
                return Err(self.missing(wanted, &met, (door.strangers(), refused)));
            }
        }
        Ok(met)
    }

    /// Compare clocks with a peer that was let in, in a thread of its own.
    fn welcome<'scope>(
        &'scope self,
        scope: &'scope thread::Scope<'scope, '_>,
        guest: Guest,
        report: &Sender<Report>,
    ) {
        let report = report.clone();
        scope.spawn(move || {
            let outcome = self.meet(guest.stream, guest.who.node, guest.session);
            report
                .send(outcome.map_or_else(|error| Report::Refused(error.to_string()), Report::Met))
        });
    }

    /// Connect to a higher node, however long it takes to listen, within the deadline.
    fn reach(&self, node: NodeId) -> Report {
        let address = self.peers[usize::from(node)];
        let peer = address.to_string();
        let reaching = Reaching {
            addresses: &[address],
            peer: &peer,
            ours: self.ours(Role::Client),
            limit: self.remaining(),
            will_listen: true,
        };
        let met = match reach(&reaching, self.key) {
            Ok((_, Proved { who, .. })) if who.node != node => {
                let what = format!("at {address} is node {}; check the peers' addresses", who.node);
                Err(FabricError::Garbage { node, what })
            }
            Ok((stream, proved)) => self.meet(stream, node, proved.session),
            Err(ReachError::Handshake(error)) => Err(error.into()),
            Err(ReachError::Unreachable(error)) => {
                Err(FabricError::io(format!("connecting to node {node} at {address}"))(error))
            }
        };
        met.map_or_else(Report::Failed, Report::Met)
    }

    fn ours(&self, role: Role) -> Introduction {
        Introduction { role, purpose: Purpose::Data, node: self.me, session: self.session() }
    }

    /// What follows the handshake with `node`.
    fn meet(
        &self,
        mut stream: TcpStream,
        node: NodeId,
        session: Session,
    ) -> Result<Met, FabricError> {
        let told = || FabricError::io(format!("setting up the connection with node {node}"));
        stream.set_nodelay(true).map_err(told())?;
        let same_clock = self.compare_clocks(&mut stream).map_err(told())?;
        Ok(Met { node, stream, same_clock, session })
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
        rustix::net::sockopt::set_socket_keepalive(stream, true)
            .map_err(|error| told()(error.into()))?;
        rustix::net::sockopt::set_tcp_keepidle(stream, timeout)
            .map_err(|error| told()(error.into()))?;
        rustix::net::sockopt::set_tcp_keepintvl(stream, Duration::from_secs(1))
            .map_err(|error| told()(error.into()))?;
        rustix::net::sockopt::set_tcp_user_timeout(stream, limit_ms)
            .map_err(|error| told()(error.into()))
    }

    /// The fabric's shape in a number: ends that disagree about it do not talk.
    pub fn session(&self) -> u64 {
        let Spec { nodes, topology, .. } = self.spec;
        let shape = format!("{nodes} {topology:?} {:?}", self.peers);
        // FNV-1a: it must be the same number in every process; it guards against mistakes, not
        // against malice.
        let mix =
            |hash: u64, byte: u8| (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3);
        shape.bytes().fold(0xcbf2_9ce4_8422_2325, mix)
    }

    fn remaining(&self) -> Duration {
        self.deadline.saturating_duration_since(Instant::now()).max(Duration::from_millis(1))
    }

    fn missing(
        &self,
        wanted: &[NodeId],
        met: &[Met],
        (strangers, refused): (Strangers, Option<String>),
    ) -> FabricError {
        let node = wanted
            .iter()
            .copied()
            .find(|node| met.iter().all(|met| met.node != *node))
            .unwrap_or(self.me);
        let last =
            refused.map(|reason| format!("; the last one refused: {reason}")).unwrap_or_default();
        let counted = if strangers.total() > 1 { format!("; {strangers}") } else { String::new() };
        FabricError::PeerLost {
            node,
            reason: format!(
                "it did not connect within {} ms{last}{counted}",
                self.spec.peer_timeout_ms
            ),
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
