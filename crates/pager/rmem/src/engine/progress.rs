//! How far a process is: written each second and at the end, so that a process that is killed has
//! told nearly all.

use super::Engine;
use super::site::Site;
use crate::parts::{Account, Parts, Reading, Waits};
use crate::run_queue::{Had, Threads};
use crate::waits::{Cause, Quantiles};
use crate::{RmemError, ServerRole};
use pager::{PAGE_BYTES, PlaceStatus};
use serde::Serialize;
use std::path::Path;

/// What one process says of itself. In `processes/<pid>.json` of the run while it goes on; then in
/// `run.json`.
#[derive(Clone, Debug, Serialize)]
pub struct Progress {
    pid: u32,
    program: String,
    finished: bool,
    seconds: Seconds,
    faults: Faults,
    fault_ns: FaultTimes,
    page_outs: u64,
    page_ins: u64,
    parity: u64,
    transfers: u64,
    moves: u64,
    clean_evictions: u64,
    dirty_evictions: u64,
    resident_bytes: u64,
    outside_bytes: u64,
    prefetch: Prefetch,
    rate_bytes_per_s: Option<f64>,
    user_mode_only: bool,
    servers: Vec<ServerState>,
    lost_pages: Vec<String>,
    unprotected_groups: u64,
    anomalies: u64,
    /// Threads wait, and the disk is full, which is the last place that pages could go to.
    no_room: bool,
    events: Vec<Told>,
}

/// Where the time went. `init` and the parts add up to `elapsed`.
#[derive(Clone, Copy, Debug, Default, Serialize)]
struct Seconds {
    elapsed: f64,
    /// Until the program had its first paged memory: loading, what it did till then, connecting to
    /// the servers.
    init: f64,
    #[serde(flatten)]
    parts: Parts,
    /// Of `network`: what the bytes take at the network's rate. A model, and no measurement.
    network_bytes: f64,
    /// Of the engine's thread, beside the program.
    engine: f64,
}

/// Counters of this process as they were when paging began, and where its time has gone since.
#[derive(Debug)]
pub(super) struct Spent {
    begun_ns: u64,
    /// User and system time of all threads, and of this one.
    all: (f64, f64),
    own: (f64, f64),
    threads: Threads,
    /// What the program's threads and ours had had.
    had: Option<(Had, Had)>,
    account: Account,
}

#[derive(Clone, Copy, Debug, Serialize)]
struct Faults {
    zero: u64,
    soft: u64,
    hard: u64,
}

#[derive(Clone, Copy, Debug, Serialize)]
struct FaultTimes {
    zero: Quantiles,
    soft: Quantiles,
    hard: Quantiles,
}

#[derive(Clone, Copy, Debug, Serialize)]
struct Prefetch {
    pages: u64,
    windows: u64,
    used: u64,
}

#[derive(Clone, Debug, Serialize)]
struct ServerState {
    address: String,
    role: ServerRole,
    state: &'static str,
    pages: u64,
}

/// Something that happened.
#[derive(Clone, Debug, Serialize)]
pub(super) struct Told {
    pub at_s: f64,
    pub what: String,
}

impl Engine {
    /// Everything as it is now.
    pub(super) fn progress(&self) -> Progress {
        let status = self.pager.status();
        let quantiles = |cause| self.waits.quantiles(cause, self.ns_per_tick);
        let (zero, soft, hard) =
            (quantiles(Cause::Zero), quantiles(Cause::Soft), quantiles(Cause::Hard));
        let (outs, ins, parity) = (self.scribe.outs, self.scribe.ins, self.scribe.parities);
        Progress {
            pid: std::process::id(),
            program: program(),
            finished: self.finished,
            seconds: self.seconds(),
            faults: Faults {
                zero: status.faults_zero,
                soft: status.faults_soft(),
                hard: status.faults_hard,
            },
            fault_ns: FaultTimes { zero, soft, hard },
            page_outs: outs,
            page_ins: ins,
            parity,
            transfers: outs + ins + parity,
            moves: status.vault.moved,
            clean_evictions: status.evictions_clean,
            dirty_evictions: status.evictions_dirty,
            resident_bytes: status.resident_pages * PAGE_BYTES as u64,
            outside_bytes: status.vault.places.iter().map(|place| place.pages).sum::<u64>()
                * PAGE_BYTES as u64,
            prefetch: Prefetch {
                pages: status.page_ins_prefetch,
                windows: status.windows,
                used: status.windows_used,
            },
            rate_bytes_per_s: self.rate.bytes_per_second(),
            user_mode_only: !self.pages.uffd.abilities().kernel_faults,
            servers: self.server_states(&status.vault.places),
            lost_pages: status
                .lost
                .iter()
                .map(|page| format!("{:#x}", super::pages::address(*page)))
                .collect(),
            unprotected_groups: status.vault.unprotected,
            anomalies: status.surprises,
            no_room: self.disk_full && self.waits.any(),
            events: self.told.clone(),
        }
    }

    fn server_states(&self, places: &[PlaceStatus]) -> Vec<ServerState> {
        let used = |site: &Site| {
            places.iter().find(|one| one.place == site.place).map_or(0, |one| one.used)
        };
        let state_of = |(at, server): (usize, &crate::Server)| {
            let site = self.sites.iter().rev().find(|site| site.server == at);
            let up = site.is_some_and(|site| !site.down);
            ServerState {
                address: server.address.clone(),
                role: server.role,
                state: if up { "up" } else { "down" },
                pages: site.map_or(0, used),
            }
        };
        self.config.servers.iter().enumerate().map(state_of).collect()
    }

    fn seconds(&self) -> Seconds {
        let spent = &self.spent;
        let since_start = |ns: u64| ns.saturating_sub(self.config.started_ns) as f64 / 1e9;
        let init = since_start(spent.begun_ns);
        let elapsed = init + spent.account.elapsed();
        let parts = spent.account.parts();
        let network_bytes = self.rate.seconds().min(parts.network);
        let (user, system) = cpu_seconds(libc::RUSAGE_THREAD);
        Seconds { elapsed, init, parts, network_bytes, engine: user + system }
    }

    /// Reckon up where the time has gone.
    fn account(&mut self) {
        let now = self.clock.now().0;
        let (waited, each) = (self.waits.so_far(now), self.waits.each(now));
        let each = each as f64 * self.ns_per_tick / 1e9;
        let unseen = self.waits.unseen() as f64 * self.ns_per_tick / 1e9;
        self.spent.account(Waits::of(&waited, self.ns_per_tick), each, unseen);
    }

    /// Write it into the run's folder.
    pub(super) fn save_progress(&mut self) -> Result<(), RmemError> {
        let Some(folder) = self.config.run.clone() else { return Ok(()) };
        if !self.config.record {
            self.waits.course.stop();
        }
        self.account();
        save(&folder.join("processes"), &self.progress())?;
        self.append_course(&folder)
    }

    /// What has happened since it was written last.
    fn append_course(&mut self, folder: &Path) -> Result<(), RmemError> {
        let path = folder.join(format!("course-{}.csv", std::process::id()));
        let failed = |error: std::io::Error| RmemError::Record {
            reason: format!("{}: {error}", path.display()),
        };
        let file =
            std::fs::OpenOptions::new().create(true).append(true).open(&path).map_err(failed)?;
        let (ticks, monotonic, started) =
            (self.clock.now().0, monotonic_ns(), self.config.started_ns);
        let ns_per_tick = self.ns_per_tick;
        let ns = move |at: u64| {
            let ago_ns = ticks.saturating_sub(at) as f64 * ns_per_tick;
            monotonic.saturating_sub(started).saturating_sub(ago_ns as u64)
        };
        self.waits.course.write(ns, &mut std::io::BufWriter::new(file)).map_err(failed)
    }
}

/// A file that is whole at any moment.
fn save(folder: &Path, progress: &Progress) -> Result<(), RmemError> {
    let failed = |error: std::io::Error| RmemError::Record {
        reason: format!("{}: {error}", folder.display()),
    };
    std::fs::create_dir_all(folder).map_err(failed)?;
    let text = serde_json::to_vec_pretty(progress).map_err(|error| failed(error.into()))?;
    let (whole, part) =
        (folder.join(format!("{}.json", progress.pid)), folder.join(format!(".{}", progress.pid)));
    std::fs::write(&part, text).map_err(failed)?;
    std::fs::rename(&part, &whole).map_err(failed)
}

fn program() -> String {
    std::env::current_exe().map(|path| path.display().to_string()).unwrap_or_default()
}

impl Spent {
    /// Paging begins now.
    pub fn begin() -> Spent {
        let mut threads = Threads::default();
        let had = threads.had();
        Spent {
            begun_ns: monotonic_ns(),
            all: cpu_seconds(libc::RUSAGE_SELF),
            own: cpu_seconds(libc::RUSAGE_THREAD),
            threads,
            had,
            account: Account::default(),
        }
    }

    fn account(&mut self, waited: Waits, each: f64, unseen: f64) {
        let (all, own) = (cpu_seconds(libc::RUSAGE_SELF), cpu_seconds(libc::RUSAGE_THREAD));
        let had = self.threads.had().zip(self.had);
        let since = |now: u64, then: u64| now.saturating_sub(then) as f64 / 1e9;
        let user = ((all.0 - self.all.0) - (own.0 - self.own.0)).max(0.0);
        let system = ((all.1 - self.all.1) - (own.1 - self.own.1)).max(0.0);
        let engine = (own.0 + own.1) - (self.own.0 + self.own.1);
        let whole = (all.0 + all.1) - (self.all.0 + self.all.1);
        // Of threads of ours beside the engine only their sum is known.
        let ours = had.map_or(engine, |((_, now), (_, then))| since(now.ran, then.ran).max(engine));
        self.account.read(Reading {
            elapsed: monotonic_ns().saturating_sub(self.begun_ns) as f64 / 1e9,
            work: (whole - ours).max(0.0),
            user_share: if user > 0.0 { user / (user + system) } else { 0.0 },
            queue: had.map(|((now, _), (then, _))| since(now.queued, then.queued)),
            unseen,
            waited,
            each,
        });
    }
}

/// User and system time.
fn cpu_seconds(whose: libc::c_int) -> (f64, f64) {
    // SAFETY: zeros are a valid `rusage`, and the call fills it in.
    let usage = unsafe {
        let mut usage: libc::rusage = std::mem::zeroed();
        libc::getrusage(whose, &raw mut usage);
        usage
    };
    let seconds = |time: libc::timeval| time.tv_sec as f64 + time.tv_usec as f64 / 1e6;
    (seconds(usage.ru_utime), seconds(usage.ru_stime))
}

/// `CLOCK_MONOTONIC`, which processes of a machine share.
pub(super) fn monotonic_ns() -> u64 {
    let now = rustix::time::clock_gettime(rustix::time::ClockId::Monotonic);
    now.tv_sec as u64 * 1_000_000_000 + now.tv_nsec as u64
}
