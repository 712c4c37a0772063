//! The engine: one thread that serves a program's faults.
//!
//! It owns the pager's state, the frames, the connections and the userfaultfd; so nothing here
//! takes a lock. Threads of the program reach it by touching a page that is away, and by the
//! mailbox.

mod answers;
mod asked;
mod beside;
mod events;
mod looking;
mod pages;
mod perform;
mod progress;
mod recovery;
mod scribe;
mod servers;
mod site;
mod time;
mod wishes;

use crate::arena::Arena;
use crate::config::role_of;
use crate::disk::Disk;
use crate::mailbox::{Mailbox, Request, Ticket};
use crate::ours::Last;
use crate::rate::Rate;
use crate::staging::Staging;
use crate::uffd::{Fault, Uffd};
use crate::waits::{self, Waits, Woken};
use crate::{Config, RmemError};
use asked::Asks;
use beside::{Beside, SoFar};
use clock::Clock;
use looking::Looking;
use pager::{Action, Installed, Options, PAGE_BYTES, Pager};
use pager_facts::{EngineStep, Happened};
use pages::Pages;
use progress::Progress;
use rustix::event::epoll;
use scribe::Scribe;
use servers::{Returning, Servers};
use site::Site;
use std::os::fd::{AsFd, OwnedFd};
use std::sync::Arc;
use time::{TICK_NS, Time};
use watch::OwnQueue;

/// What the engine and the program's threads share.
pub(crate) struct Shared {
    pub arena: Arena,
    pub mailbox: Mailbox,
    pub user_mode_only: bool,
}

/// See above.
pub(crate) struct Engine {
    shared: Arc<Shared>,
    config: Config,
    time: Time,
    pages: Pages,
    staging: Staging,
    pager: Pager,
    servers: Servers,
    disk: Disk,
    watch: Watch,
    asks: Asks,
    /// Threads that wait until what they ask for is there.
    holds: Vec<(Wanted, crate::mailbox::Stretch, Arc<Ticket>)>,
    waits: Waits,
    scribe: Scribe,
    progress: Progress,
    buffers: Buffers,
}

/// What the engine hears of, and how it waits for that.
struct Watch {
    epoll: OwnedFd,
    looking: Looking,
    beside: Beside,
    last: Last,
}

/// Buffers that are used again.
#[derive(Default)]
struct Buffers {
    actions: Vec<Action>,
    faults: Vec<Fault>,
    wishes: Vec<(Request, Arc<Ticket>)>,
    hows: Vec<Installed>,
}

/// What a thread waits for until it is there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Wanted {
    /// All pages: a system call uses them.
    Held,
    /// Those that have contents: the program forks.
    Gathered,
}

/// What woke the engine.
const FAULTS: u64 = 0;
const MAIL: u64 = 1;
const DISK: u64 = 2;
const SITES: u64 = 16;

impl Engine {
    /// Connect to the servers and prepare everything. In the engine's own thread: what is opened
    /// here is only in its table.
    pub fn prepare(
        config: Config,
        mailbox: Mailbox,
        last: Last,
    ) -> Result<(Engine, Arc<Shared>), RmemError> {
        let clock = Clock::best();
        let quality = config.quality(&clock);
        let uffd =
            Uffd::open(config.user_mode_only).map_err(|source| RmemError::Uffd { source })?;
        let uffd = if config.old_kernel { uffd.without_moves() } else { uffd };
        let system = |action| move |source| RmemError::System { action, source };
        let shared = Arc::new(Shared {
            arena: Arena::reserve()?,
            mailbox,
            user_mode_only: !uffd.abilities().kernel_faults,
        });
        let mut scribe = match config.run.as_ref().filter(|_| config.record) {
            Some(run) => Scribe::writing(run, &clock, quality, config.servers.len())?,
            None => Scribe::counting(),
        };
        let key = servers::key(&config)?;
        let sites = servers::connect_all(&config, key.as_ref(), &mut scribe)?;
        let options = options(&config, &sites)?;
        let (budget, frames) = (options.budget_pages, options.staging_frames.into());
        let pager = Pager::new(options)?;
        let staging = Staging::new(pager.frames(), &uffd).map_err(system("map staging memory"))?;
        let disk = Disk::open(&config.disk, clock)?;
        let epoll = epoll::create(epoll::CreateFlags::CLOEXEC).map_err(|error| {
            RmemError::System { action: "make an epoll descriptor", source: error.into() }
        })?;
        let time = Time::new(clock, quality.ns_per_tick);
        let (now, ns_per_tick) = (time.now(), time.ns_per_tick);
        let mut waits = Waits::new(ns_per_tick, late(ns_per_tick));
        waits.page_events.options(budget, frames, config.prefetch_pages.into());
        if config.run.is_none() || !config.record {
            waits.stop_recording();
        }
        let watch = Watch { epoll, looking: Looking::new(&time), beside: Beside::new(), last };
        let engine = Engine {
            shared: Arc::clone(&shared),
            time,
            servers: Servers { sites, returning: Returning::new(&config, key) },
            progress: Progress::begin(config.started_ns, Rate::new(ns_per_tick, now)),
            config,
            pages: Pages::new(uffd, shared.clone()),
            staging,
            pager,
            disk,
            watch,
            asks: Asks::default(),
            holds: Vec::new(),
            waits,
            scribe,
            buffers: Buffers::default(),
        };
        engine.watch_all().map_err(system("watch descriptors"))?;
        Ok((engine, shared))
    }

    fn watch_all(&self) -> std::io::Result<()> {
        self.watch(&self.pages.uffd, FAULTS)?;
        self.watch(&self.shared.mailbox, MAIL)?;
        self.watch(&self.disk, DISK)?;
        (0..self.servers.sites.len()).try_for_each(|at| self.watch_site(at))
    }

    fn watch(&self, file: impl AsFd, token: u64) -> std::io::Result<()> {
        let data = epoll::EventData::new_u64(token);
        Ok(epoll::add(&self.watch.epoll, file, data, epoll::EventFlags::IN)?)
    }

    fn watch_site(&self, at: usize) -> std::io::Result<()> {
        match &self.servers.sites[at].link {
            Some(link) => self.watch(link, SITES + at as u64),
            None => Ok(()),
        }
    }

    /// Until the process ends.
    pub fn run(mut self) {
        let mut events = [epoll::Event {
            flags: epoll::EventFlags::empty(),
            data: epoll::EventData::new_u64(0),
        }; 16];
        loop {
            let begun = self.time.now();
            let waited_for = self.waits.any();
            let looks = self.watch.looking.is_on(waited_for, begun);
            let sleeps = !looks && !waited_for;
            if sleeps {
                self.waits.sleep(begun);
            }
            let wait_ns = if looks { 0 } else { TICK_NS as i64 };
            let timeout = rustix::event::Timespec { tv_sec: 0, tv_nsec: wait_ns };
            // Interrupted by nothing: this thread takes no signals.
            let many = epoll::wait(&self.watch.epoll, &mut events, Some(&timeout)).unwrap_or(0);
            let now = self.time.now();
            let events = &events[..many];
            self.waits.idle(now.wrapping_sub(begun), woken(events));
            for event in events {
                self.serve(event.data.u64());
            }
            self.send_all();
            self.look_at_a_thread();
            if sleeps && events.iter().any(|event| event.data.u64() == FAULTS) {
                self.waits.woken_by_fault(now.wrapping_sub(begun), self.time.now());
            }
            if many > 0 {
                self.watch.looking.came(waited_for, now);
            }
            let more = self.tidy();
            if more || many > 0 {
                self.watch.looking.worked(more, self.time.now());
            } else if looks {
                self.watch.looking.give_way(waited_for, || self.time.now());
            }
            self.look_at_time(now);
        }
    }

    /// While its page is on its way.
    fn look_at_a_thread(&mut self) {
        let Engine { waits, shared, .. } = self;
        waits.whence.look(|address, bytes| shared.arena.covers(address, bytes));
    }

    /// Some pages leave ahead of need. Whether more should.
    fn tidy(&mut self) -> bool {
        let more = self.pager.tidy();
        if more {
            self.perform_all();
            self.send_all();
        }
        more
    }

    fn serve(&mut self, token: u64) {
        match token {
            FAULTS => self.serve_faults(),
            MAIL => self.serve_mail(),
            DISK => {
                self.disk.hush();
                self.hear_disk();
            }
            site => {
                self.hear((site - SITES) as usize);
            }
        }
        self.answer_holds();
    }

    fn serve_faults(&mut self) {
        let mut faults = std::mem::take(&mut self.buffers.faults);
        if let Err(error) = self.pages.uffd.faults(&mut faults) {
            self.progress.events.tell(Happened::FaultsUnreadable { error: error.to_string() });
        }
        faults.drain(..).for_each(|fault| self.serve_fault(fault));
        self.buffers.faults = faults;
    }

    /// Send what waits, to all places.
    fn send_all(&mut self) {
        let begun = self.time.now();
        let asked = self.send_to_sites();
        if asked {
            self.waits.page_events.worked(EngineStep::Send, 1, self.time.now() - begun);
        }
    }

    /// Whether anything waited.
    fn send_to_sites(&mut self) -> bool {
        let mut some = false;
        for at in 0..self.servers.sites.len() {
            if self.servers.sites[at].link.is_none() {
                continue;
            }
            self.send_waiting(at);
            some |= self.servers.sites[at].has_something();
            if let Err(error) = self.flush(at) {
                self.lose(at, error);
            }
        }
        some
    }

    fn flush(&mut self, at: usize) -> Result<(), String> {
        let now = self.time.now();
        let site = &mut self.servers.sites[at];
        let was_clogged = site.clogged;
        site.flush(now).map_err(|error| error.to_string())?;
        let Some(link) = site.link.as_ref().filter(|_| site.clogged != was_clogged) else {
            return Ok(());
        };
        let both = epoll::EventFlags::IN | epoll::EventFlags::OUT;
        let flags = if site.clogged { both } else { epoll::EventFlags::IN };
        let data = epoll::EventData::new_u64(SITES + at as u64);
        epoll::modify(&self.watch.epoll, link, data, flags).map_err(|error| error.to_string())
    }

    fn look_where_to_run(&mut self, now: u64) {
        let waited = self.waits.so_far(now).all();
        let (hard_faults, pages_ahead) = self.pager.reads();
        self.watch.beside.look(SoFar { time: now, waited, hard_faults, pages_ahead });
    }

    fn look_at_time(&mut self, now: u64) {
        if !self.time.tick_is_due(now) {
            return;
        }
        // In case the program has closed the bell.
        self.serve(MAIL);
        self.progress.rate.look(now);
        self.look_where_to_run(now);
        self.watch.last.look();
        self.pager.tick((now as f64 * self.time.ns_per_tick) as u64);
        self.look_at_deadlines(now);
        self.welcome_back();
        self.perform_all();
        if self.time.clocks_are_due(now) {
            self.look_at_clocks();
        }
        if self.time.progress_is_due(now) && !self.progress.finished {
            // The next one may succeed; the last one is checked.
            let _ = self.save_progress();
        }
    }
}

/// What ended a wait of the engine. Where both did, a server: the disk's writes are done in the
/// background.
fn woken(events: &[epoll::Event]) -> Woken {
    let any = |of: fn(u64) -> bool| events.iter().any(|event| of(event.data.u64()));
    match () {
        () if any(|token| token >= SITES) => Woken::Network,
        () if any(|token| token == DISK) => Woken::Disk,
        () => Woken::Neither,
    }
}

/// Counts how long this thread was ready to run and had no processor, ticks.
fn late(ns_per_tick: f64) -> waits::Count {
    let queue = OwnQueue::open();
    Box::new(move || queue.ns().map(|ns| (ns as f64 / ns_per_tick) as u64))
}

/// What the pager may use.
fn options(config: &Config, sites: &[Site]) -> Result<Options, RmemError> {
    let role = |site: &Site| (site.place, role_of(config.servers[site.server].role));
    let local_pages = config.local_bytes / PAGE_BYTES as u64;
    // Enough for batches on their way to every server, and little enough to leave the program most
    // of its memory.
    let staging = (local_pages / 8).clamp(64, 4096);
    Ok(Options {
        budget_pages: local_pages.saturating_sub(staging),
        staging_frames: staging as u32,
        prefetch_pages: config.prefetch_pages,
        policy: config.policy.parse()?,
        servers: sites.iter().map(role).collect(),
    })
}
