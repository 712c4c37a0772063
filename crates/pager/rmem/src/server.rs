//! The page server: lends memory to programs that page over the network.
//!
//! Each client has its own slots in its own memory, which ends with its connection: no request can
//! name another's. A thread a connection; the number of connections, the memory for all of them,
//! and the time that any of them may take are bounded.

use crate::about::ServerAbout;
use arena::Arena;
use clock::Clock;
use counts::Counts;
use fabric::{Door, Guest, KeyRing, Knock, RunKey};
use pager::PAGE_BYTES;
use record::Machine;
use std::collections::HashMap;
use std::net::{Shutdown, SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

pub(crate) mod arena;
mod client;
pub(crate) mod counts;
mod error;
pub(crate) mod outbox;
pub(crate) mod session;
pub(crate) mod slots;

#[cfg(test)]
mod tests;

pub use counts::ServerSummary;
pub use error::ServerError;

/// How often the server looks whether it is to end.
const LOOK: Duration = Duration::from_millis(100);
/// Connections beyond the clients, which hold the key as well: each is told that there is no place
/// for it.
const TURNED_AWAY_MAX: usize = 64;

/// How to serve.
#[derive(Clone, Debug)]
pub struct ServerOptions {
    /// `host:port`; port 0 takes any that is free.
    pub listen: String,
    /// Memory to lend, bytes, for all clients together.
    pub memory_bytes: u64,
    /// What the machine must keep available, bytes; `None` for a twentieth of its memory.
    pub reserve_bytes: Option<u64>,
    /// Who may connect: whoever holds one of these. What a clone of the ring is given later counts
    /// from then on.
    pub keys: KeyRing,
    /// Refuse connections that are not encrypted.
    pub require_encryption: bool,
    /// Most clients at a time.
    pub clients_max: usize,
    /// How long a connection looks for the next request before it sleeps, at most: it does so only
    /// where requests usually come as soon. Zero: never.
    pub spin: Duration,
    /// A client that does not read its answers, or stops in the middle of a request, is cut off
    /// after this time.
    pub patience: Duration,
}

impl ServerOptions {
    /// The usual longest look: about twice what it takes to sleep and to be woken.
    pub const SPIN: Duration = Duration::from_micros(150);

    /// The usual choices.
    pub fn new(
        listen: impl Into<String>,
        memory_bytes: u64,
        keys: impl Into<KeyRing>,
    ) -> ServerOptions {
        ServerOptions {
            listen: listen.into(),
            memory_bytes,
            reserve_bytes: None,
            keys: keys.into(),
            require_encryption: false,
            clients_max: 64,
            spin: ServerOptions::SPIN,
            patience: Duration::from_secs(30),
        }
    }
}

/// A server that listens.
pub struct PageServer {
    listener: TcpListener,
    address: SocketAddr,
    shared: Arc<Shared>,
    connections: Connections,
}

/// What all connections know.
struct Shared {
    options: ServerOptions,
    arena: Arc<Arena>,
    counts: Arc<Counts>,
    clock: Clock,
    about: ServerAbout,
}

impl PageServer {
    /// Listen. Clients wait until [`PageServer::run`].
    ///
    /// # Errors
    /// When the address is not to be had, or there is nothing to lend.
    pub fn bind(options: ServerOptions) -> Result<PageServer, ServerError> {
        let capacity_pages = options.memory_bytes / PAGE_BYTES as u64;
        if capacity_pages == 0 {
            return Err(ServerError::NoMemory);
        }
        let failed = |source| ServerError::Listen { address: options.listen.clone(), source };
        let listener = TcpListener::bind(&options.listen).map_err(failed)?;
        let address = listener.local_addr().map_err(failed)?;
        let clock = Clock::best();
        let about = about(&clock, capacity_pages);
        let arena = Arc::new(Arena::new(capacity_pages, options.reserve_bytes));
        let shared = Shared { options, arena, counts: Arc::default(), clock, about };
        let connections = Connections::default();
        Ok(PageServer { listener, address, shared: Arc::new(shared), connections })
    }

    /// Where it listens.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Most pages that it lends.
    pub fn capacity_pages(&self) -> u64 {
        self.shared.about.capacity_pages
    }

    /// What it did so far.
    pub fn summary(&self) -> ServerSummary {
        self.shared.counts.summary(self.shared.arena.granted_pages())
    }

    /// For each of these keys, how many connections there are that hold it; and how many that hold
    /// none of them, because it was taken away since.
    pub fn connections_by_key(&self, keys: &[RunKey]) -> (Vec<usize>, usize) {
        self.connections.by_key(keys)
    }

    /// Serve until the flag is set; then every connection ends, and with it the pages that it held.
    ///
    /// # Errors
    /// When the listening socket fails.
    pub fn run(&self, until: &AtomicBool) -> Result<(), ServerError> {
        let failed = |source| ServerError::Accept { source };
        let open = || {
            Door::open(self.listener.try_clone()?, self.shared.options.keys.clone(), client::OURS)
        };
        let mut door = open().map_err(failed)?;
        let connections = &self.connections;
        let served = std::thread::scope(|scope| {
            let mut number = 0;
            let mut take = |Guest { stream, session, key, .. }: Guest| {
                number += 1;
                if prepare(&stream).is_err() {
                    return;
                }
                let most = self.connections_max();
                let Some(guard) = connections.enter(number, &stream, key, most) else { return };
                let shared = &*self.shared;
                // Without a thread there is no service: the connection closes, which says so.
                let _ = std::thread::Builder::new().name(format!("client {number}")).spawn_scoped(
                    scope,
                    move || {
                        let _guard = guard;
                        client::serve(stream, session, shared);
                    },
                );
            };
            let mut served = Ok(());
            while served.is_ok() && !until.load(Relaxed) {
                served = door.attend(Some(LOOK), &mut |knock| match knock {
                    Knock::Guest(guest) => take(guest),
                    Knock::Stranger(_) => {}
                });
                self.shared.counts.met(door.strangers());
            }
            connections.end();
            served
        });
        served.map_err(failed)
    }

    fn connections_max(&self) -> usize {
        self.shared.options.clients_max + TURNED_AWAY_MAX
    }
}

/// The connections there are, so that they can be ended, each with the key that it holds.
#[derive(Default)]
struct Connections(Mutex<HashMap<u64, (TcpStream, RunKey)>>);

/// A connection among them.
struct Entered<'a> {
    all: &'a Connections,
    number: u64,
}

impl Connections {
    /// `None`: there are too many.
    fn enter(
        &self,
        number: u64,
        stream: &TcpStream,
        key: RunKey,
        most: usize,
    ) -> Option<Entered<'_>> {
        let handle = stream.try_clone().ok()?;
        let mut all = self.all();
        if all.len() >= most {
            return None;
        }
        all.insert(number, (handle, key));
        Some(Entered { all: self, number })
    }

    fn end(&self) {
        for (stream, _) in self.all().values() {
            // One that is closed already is what we want.
            let _ = stream.shutdown(Shutdown::Both);
        }
    }

    fn by_key(&self, keys: &[RunKey]) -> (Vec<usize>, usize) {
        let (mut counts, mut others) = (vec![0; keys.len()], 0);
        for (_, key) in self.all().values() {
            let place = keys.iter().position(|one| one == key);
            *place.map_or(&mut others, |place| &mut counts[place]) += 1;
        }
        (counts, others)
    }

    fn all(&self) -> MutexGuard<'_, HashMap<u64, (TcpStream, RunKey)>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Entered<'_> {
    fn drop(&mut self) {
        self.all.all().remove(&self.number);
    }
}

/// Answers leave at once, and a client whose machine has vanished is noticed within two minutes.
fn prepare(stream: &TcpStream) -> std::io::Result<()> {
    use rustix::net::sockopt;
    stream.set_nodelay(true)?;
    sockopt::set_socket_keepalive(stream, true)?;
    sockopt::set_tcp_keepidle(stream, Duration::from_secs(60))?;
    sockopt::set_tcp_keepintvl(stream, Duration::from_secs(15))?;
    sockopt::set_tcp_keepcnt(stream, 4)?;
    Ok(())
}

fn about(clock: &Clock, capacity_pages: u64) -> ServerAbout {
    let machine = Machine::here();
    ServerAbout {
        boot_id: machine.boot_id,
        host: machine.host,
        pid: std::process::id(),
        quality: clock::measure(clock),
        anchor: clock.anchor(),
        capacity_pages,
    }
}
