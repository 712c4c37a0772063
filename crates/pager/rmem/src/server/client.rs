//! One connection of a server, from its proof to the last byte. Runs in a thread of its own.

use super::Shared;
use super::session::Session;
use super::slots::Slots;
use crate::secure::Secure;
use crate::spin::Spin;
use crate::wire::answer::Refusal;
use crate::wire::channel::{Broken, Channel};
use crate::wire::inbox::Inbox;
use crate::wire::request::Request;
use crate::wire::{Header, Kind, Sender, VERSION, WireError};
use fabric::{Introduction, Purpose, Role};
use std::io::ErrorKind;
use std::net::TcpStream;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::{Duration, Instant};

/// A connection that has proved to hold the key and not chosen its way within this time is closed.
const HANDSHAKE: Duration = Duration::from_secs(5);

/// What whoever connects must have come for.
pub(super) const OURS: Introduction = Introduction {
    role: Role::Server,
    purpose: Purpose::Pages,
    node: Introduction::NO_NODE,
    session: 0,
};

/// Why a connection ended.
enum End {
    Broken(Broken),
    Refused(Refusal),
}

/// Serve one connection, which has proved to hold the key, until it ends.
pub(super) fn serve(stream: TcpStream, keys: fabric::Session, shared: &Shared) {
    let counts = &shared.counts;
    counts.clients.fetch_add(1, Relaxed);
    let place = Place::take(&counts.clients_now);
    let spin_ticks = shared.options.spin.as_nanos() as f64 / shared.about.quality.ns_per_tick;
    let spin = Spin::new(spin_ticks as u64);
    let connection =
        Connection { shared, channel: Channel::new(stream), inbox: Inbox::new(), spin };
    let counter = match connection.run(keys, place.number <= shared.options.clients_max as u64) {
        End::Refused(Refusal::Version | Refusal::Encryption | Refusal::Busy) => &counts.turned_away,
        End::Refused(Refusal::Slot | Refusal::Frame) | End::Broken(Broken::Wire(_)) => {
            &counts.broken_rules
        }
        End::Broken(Broken::Io(error)) if error.kind() == ErrorKind::TimedOut => &counts.too_slow,
        End::Broken(_) => return,
    };
    counter.fetch_add(1, Relaxed);
}

/// A client among those connected now.
struct Place<'a> {
    now: &'a AtomicU64,
    /// How many there are, with this one.
    number: u64,
}

impl Place<'_> {
    fn take(now: &AtomicU64) -> Place<'_> {
        Place { now, number: now.fetch_add(1, Relaxed) + 1 }
    }
}

impl Drop for Place<'_> {
    fn drop(&mut self) {
        self.now.fetch_sub(1, Relaxed);
    }
}

struct Connection<'a> {
    shared: &'a Shared,
    channel: Channel,
    inbox: Inbox,
    spin: Spin,
}

impl Connection<'_> {
    fn run(mut self, keys: fabric::Session, has_place: bool) -> End {
        let end = match self.begin(keys, has_place) {
            Ok(session) => self.pages(session),
            Err(end) => end,
        };
        let refusal = match end {
            End::Refused(refusal) => refusal,
            End::Broken(Broken::Wire(_)) => Refusal::Frame,
            End::Broken(_) => return end,
        };
        // So that the client can say why. It may have gone: then nobody wants to know.
        let reason = (refusal as u32).to_le_bytes();
        let frame = [&Header::new(Kind::Refused, 1, 0).encode()[..], &reason].concat();
        let _ = self.channel.send_whole(&frame, Duration::from_secs(1));
        end
    }

    /// Agree on the way, and say who we are.
    fn begin(&mut self, keys: fabric::Session, has_place: bool) -> Result<Session, End> {
        let until = Instant::now() + HANDSHAKE;
        let options = &self.shared.options;
        let encrypt = self.await_request(until, |request| match request {
            Request::Start { version, .. } if version != VERSION => Err(Refusal::Version),
            Request::Start { encrypt: false, .. } if options.require_encryption => {
                Err(Refusal::Encryption)
            }
            Request::Start { .. } if !has_place => Err(Refusal::Busy),
            Request::Start { encrypt, .. } => Ok(encrypt),
            _ => Err(Refusal::Frame),
        })?;
        self.say(Header::new(Kind::Started, 1, 0), &[])?;
        if encrypt {
            self.channel.secure(Secure::new(keys));
        }
        self.await_request(until, |request| match request {
            Request::Who => Ok(()),
            _ => Err(Refusal::Frame),
        })?;
        let about = serde_json::to_vec(&self.shared.about).unwrap_or_default();
        self.say(Header::of_length(Kind::Greeting, about.len()), &about)?;
        let slots = Slots::new(self.shared.arena.clone())
            .map_err(|error| End::Broken(Broken::Io(error)))?;
        Ok(Session::new(slots, self.shared.counts.clone()))
    }

    /// The next request, which must come before `until`.
    fn await_request<T>(
        &mut self,
        until: Instant,
        take: impl Fn(Request<'_>) -> Result<T, Refusal>,
    ) -> Result<T, End> {
        loop {
            if let Some((header, body)) = self.inbox.next(Sender::Client)? {
                return Ok(take(Request::decode(&header, body)?)?);
            }
            self.channel.wait_readable(until.saturating_duration_since(Instant::now()))?;
            self.channel.receive(&mut self.inbox)?;
        }
    }

    fn say(&mut self, header: Header, body: &[u8]) -> Result<(), End> {
        Ok(self.channel.send_whole(&[&header.encode()[..], body].concat(), HANDSHAKE)?)
    }

    /// Answer requests until the connection ends.
    fn pages(&mut self, mut session: Session) -> End {
        loop {
            if let Err(end) = self.wait().and_then(|()| self.round(&mut session)) {
                return end;
            }
        }
    }

    /// Answer all that has come.
    fn round(&mut self, session: &mut Session) -> Result<(), End> {
        let clock = self.shared.clock;
        let now = || clock.now().0;
        let arrived = now();
        let patience = self.shared.options.patience;
        while let Some((header, body)) = self.inbox.next(Sender::Client)? {
            let request = Request::decode(&header, body)?;
            if session.outbox.is_full()
                || (session.outbox.has_pages() && Session::changes(&request))
            {
                session.outbox.send(&mut self.channel, &session.slots, now(), patience)?;
            }
            session.answer(header.request, request, arrived, now)?;
        }
        if !session.outbox.is_empty() {
            session.outbox.send(&mut self.channel, &session.slots, now(), patience)?;
        }
        Ok(())
    }

    /// Wait for bytes: for a moment by looking again and again where that pays, because a program
    /// that waits for a page will ask for the next one soon.
    fn wait(&mut self) -> Result<(), End> {
        let clock = self.shared.clock;
        let begun = clock.now().0;
        let now = || clock.now().0;
        if !self.looked(begun, &now)? {
            if !self.inbox.is_empty() {
                self.channel.wait_readable(self.shared.options.patience)?;
            }
            self.channel.receive_waiting(&mut self.inbox)?;
        }
        let came = now();
        self.spin.came_after(came.saturating_sub(begun), came);
        Ok(())
    }

    /// Whether something came while it was looked for.
    fn looked(&mut self, begun: u64, now: &impl Fn() -> u64) -> Result<bool, End> {
        while now().saturating_sub(begun) < self.spin.length(now()) {
            if self.channel.receive(&mut self.inbox)? {
                return Ok(true);
            }
            self.spin.give_way(now);
        }
        Ok(false)
    }
}

impl From<Broken> for End {
    fn from(broken: Broken) -> End {
        End::Broken(broken)
    }
}

impl From<WireError> for End {
    fn from(fault: WireError) -> End {
        End::Broken(Broken::Wire(fault))
    }
}

impl From<Refusal> for End {
    fn from(refusal: Refusal) -> End {
        End::Refused(refusal)
    }
}
