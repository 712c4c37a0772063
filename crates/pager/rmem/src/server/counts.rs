//! What a server did.

use fabric::Strangers;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Mutex, PoisonError};

/// Counted while it runs, by all connections.
#[derive(Default)]
pub(crate) struct Counts {
    pub clients: AtomicU64,
    pub clients_now: AtomicU64,
    pub turned_away: AtomicU64,
    pub broken_rules: AtomicU64,
    pub too_slow: AtomicU64,
    stored: [AtomicU64; 3],
    fetched: AtomicU64,
    refused_grants: AtomicU64,
    strangers: Mutex<Strangers>,
}

/// What a server did, so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ServerSummary {
    /// Clients that proved that they hold the key.
    pub clients: u64,
    /// Of these, connected now.
    pub clients_now: u64,
    /// Pages lent now.
    pub granted_pages: u64,
    /// Pages stored because a program had to part with them.
    pub page_outs: u64,
    /// Pages of parity stored.
    pub parity: u64,
    /// Pages stored again for safety or room.
    pub moved: u64,
    /// Pages fetched.
    pub fetched: u64,
    /// Requests for room that were refused, at least in part.
    pub refused_grants: u64,
    /// Connections that did not prove that they hold the key.
    pub strangers: Strangers,
    /// Connections turned away although they hold the key: too many clients, another version, not
    /// encrypted.
    pub turned_away: u64,
    /// Clients cut off because they asked for what was not theirs, or sent nonsense.
    pub broken_rules: u64,
    /// Clients disconnected because they stopped reading, or stopped in the middle of a request.
    pub too_slow: u64,
}

impl Counts {
    /// So many pages were stored; `mark` says what they are.
    #[inline]
    pub fn stored(&self, mark: u32, pages: u64) {
        let last = self.stored.len() - 1;
        self.stored[(mark as usize).min(last)].fetch_add(pages, Relaxed);
    }

    #[inline]
    pub fn fetched(&self, pages: usize) {
        self.fetched.fetch_add(pages as u64, Relaxed);
    }

    /// So many were not let in, up to now.
    pub fn met(&self, strangers: Strangers) {
        *self.strangers.lock().unwrap_or_else(PoisonError::into_inner) = strangers;
    }

    pub fn refused_grant(&self) {
        self.refused_grants.fetch_add(1, Relaxed);
    }

    /// All of it.
    pub fn summary(&self, granted_pages: u64) -> ServerSummary {
        let of = |count: &AtomicU64| count.load(Relaxed);
        ServerSummary {
            clients: of(&self.clients),
            clients_now: of(&self.clients_now),
            granted_pages,
            page_outs: of(&self.stored[0]),
            parity: of(&self.stored[1]),
            moved: of(&self.stored[2]),
            fetched: of(&self.fetched),
            refused_grants: of(&self.refused_grants),
            strangers: *self.strangers.lock().unwrap_or_else(PoisonError::into_inner),
            turned_away: of(&self.turned_away),
            broken_rules: of(&self.broken_rules),
            too_slow: of(&self.too_slow),
        }
    }
}
