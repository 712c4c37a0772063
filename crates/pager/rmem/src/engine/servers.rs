//! Servers that come, go, hang and come back.

use super::scribe::Scribe;
use super::site::Site;
use super::{Engine, RmemError};
use crate::Config;
use crate::config::role_of;
use crate::link::Link;
use crate::ours::Ours;
use fabric::RunKey;
use pager::Place;
use pager_facts::Happened;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::time::Duration;

/// How long a connection may take to be made.
const CONNECTING: Duration = Duration::from_secs(5);
/// How long to wait before trying again to reach a server that is down.
const AGAIN: Duration = Duration::from_secs(2);
/// How often a server's clock is asked for, and so also whether it lives.
const PING_EVERY_NS: f64 = 250_000_000.0;

/// The run key; `None` where no server wants one. Read once, before the program changes its
/// environment.
pub fn key(config: &Config) -> Result<Option<RunKey>, RmemError> {
    if config.servers.is_empty() { Ok(None) } else { Ok(Some(RunKey::from_env()?)) }
}

/// Every server of the configuration.
pub fn connect_all(
    config: &Config,
    key: Option<&RunKey>,
    scribe: &mut Scribe,
) -> Result<Vec<Site>, RmemError> {
    let Some(key) = key else { return Ok(Vec::new()) };
    let connect = |(server, at): (usize, &crate::Server)| {
        let link = Link::connect(&at.address, key, config.encrypt, CONNECTING)?;
        let node = scribe.node_of(server);
        scribe.meet(node, link.about())?;
        Ok(Site::new(Place(server as u16), server, node, link))
    };
    config.servers.iter().enumerate().map(connect).collect()
}

/// Those that are or were there, and how they come back.
pub struct Servers {
    pub sites: Vec<Site>,
    pub returning: Returning,
}

impl Servers {
    /// The server that is this place.
    pub fn at(&mut self, place: Place) -> Option<&mut Site> {
        self.sites.iter_mut().find(|site| site.place == place)
    }
}

/// Threads that try to reach servers which are down.
pub struct Returning {
    found: Receiver<(usize, Link)>,
    finder: Sender<(usize, Link)>,
    key: Option<RunKey>,
    encrypt: bool,
    next_place: u16,
    next_ping: u64,
}

impl Returning {
    pub fn new(config: &Config, key: Option<RunKey>) -> Returning {
        let (finder, found) = channel();
        let next_place = config.servers.len() as u16;
        Returning { found, finder, key, encrypt: config.encrypt, next_place, next_ping: 0 }
    }

    /// Try until it is there, or until nobody wants to know.
    fn look_for(&self, server: usize, address: String) {
        let Some(key) = self.key.clone() else { return };
        let (finder, encrypt) = (self.finder.clone(), self.encrypt);
        let look = move || {
            let _ours = Ours::begin();
            loop {
                std::thread::sleep(AGAIN);
                if let Ok(link) = Link::connect(&address, &key, encrypt, CONNECTING) {
                    // Nobody wants it any more when the process ends.
                    let _ = finder.send((server, link));
                    return;
                }
            }
        };
        // Without a thread the server stays away, as it would without this attempt.
        let _ = std::thread::Builder::new().name("pager-server".into()).spawn(look);
    }
}

impl Engine {
    /// A server that went down a moment ago is looked for.
    pub(super) fn look_for(&self, server: usize) {
        self.servers.returning.look_for(server, self.config.servers[server].address.clone());
    }

    /// Servers that are there again: empty, and so a new place.
    pub(super) fn welcome_back(&mut self) {
        while let Ok((server, link)) = self.servers.returning.found.try_recv() {
            let place = Place(self.servers.returning.next_place);
            self.servers.returning.next_place += 1;
            let crate::Server { address, role } = self.config.servers[server].clone();
            let node = self.scribe.node_of(server);
            // Without a sheet its rows lack two stamps, and the run says so.
            let _ = self.scribe.meet(node, link.about());
            self.servers.sites.push(Site::new(place, server, node, link));
            let at = self.servers.sites.len() - 1;
            if let Err(error) = self.watch_site(at) {
                self.lose(at, error.to_string());
                continue;
            }
            self.progress.events.tell(Happened::ServerJoined { server: place.0, address });
            self.pager.joined(place, role_of(role));
            self.perform_all();
        }
    }

    /// A server that answers nothing for too long is as good as dead. One behind a slow network
    /// answers late, but one thing after the other.
    pub(super) fn look_at_deadlines(&mut self, now: u64) {
        let limit = self.time.ticks(self.config.deadline_ms as f64 * 1e6);
        for at in 0..self.servers.sites.len() {
            let site = &self.servers.sites[at];
            let oldest = site.link.as_ref().and_then(Link::oldest);
            if oldest.is_some_and(|since| now.saturating_sub(since.max(site.heard)) > limit) {
                self.lose(at, format!("it has not answered for {} ms", self.config.deadline_ms));
            }
        }
        if now >= self.servers.returning.next_ping {
            self.servers.returning.next_ping = now + self.time.ticks(PING_EVERY_NS);
            self.servers
                .sites
                .iter_mut()
                .filter_map(|site| site.link.as_mut())
                .for_each(|link| link.ping(now));
        }
    }

    /// Tell the record what the exchanges say of the servers' clocks.
    pub(super) fn look_at_clocks(&mut self) {
        for site in &mut self.servers.sites {
            let exchanges = std::mem::take(&mut site.exchanges);
            if !exchanges.is_empty() {
                self.scribe.synchronise(site.node, &exchanges);
            }
        }
    }
}
