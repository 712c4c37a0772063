//! How far a process is: written each second and at the end, so that a process that is killed has
//! told nearly all.

use super::Engine;
use super::events::Events;
use super::recovery::{Recovery, exposed_groups};
use super::site::Site;
use super::time::monotonic_ns;
use crate::RmemError;
use crate::parts::{self, Account, Reading};
use crate::rate::Rate;
use crate::run_queue::{Had, Threads};
use crate::waits::{Cause, Waits};
use pager::{PAGE_BYTES, PlaceStatus, Status};
use pager_facts::{
    FaultCounts, FaultTimes, Happened, PageServer, Paged, PagedSeconds, Prefetched, ServerState,
    page_events_name, timeline_name,
};
use std::fs::{File, OpenOptions};
use std::io::{BufWriter, Write};
use std::path::Path;

/// How far the process is.
pub(super) struct Progress {
    spent: Spent,
    pub rate: Rate,
    pub events: Events,
    pub recovery: Recovery,
    /// It has said its last words.
    pub finished: bool,
    /// Some page is lost.
    pub poisoned: bool,
}

impl Progress {
    /// Paging begins now.
    pub fn begin(started_ns: u64, rate: Rate) -> Progress {
        Progress {
            spent: Spent::begin(),
            rate,
            events: Events::new(started_ns),
            recovery: Recovery::default(),
            finished: false,
            poisoned: false,
        }
    }
}

/// Counters of this process as they were when paging began, and where its time has gone since.
#[derive(Debug)]
struct Spent {
    begun_ns: u64,
    /// User and system time of all threads, and of this one.
    all: (f64, f64),
    own: (f64, f64),
    threads: Threads,
    /// What the program's threads and ours had had.
    had: Option<(Had, Had)>,
    account: Account,
}

impl Engine {
    /// Everything as it is now.
    fn process(&self, status: &Status) -> Paged {
        let times = |cause| self.waits.quantiles(cause, self.time.ns_per_tick);
        let (outs, ins, parity) = (self.scribe.outs, self.scribe.ins, self.scribe.parities);
        Paged {
            pid: std::process::id(),
            program: program(),
            finished: Some(self.progress.finished),
            seconds: self.seconds(),
            faults: FaultCounts {
                zero: status.faults_zero,
                soft: status.faults_soft(),
                hard: status.faults_hard,
            },
            fault_ns: FaultTimes {
                zero: times(Cause::Zero),
                soft: times(Cause::Soft),
                hard: times(Cause::Hard),
            },
            sampled: self.waits.whence.sampled(),
            page_outs: outs,
            page_ins: ins,
            parity,
            transfers: outs + ins + parity,
            moves: status.vault.moved,
            clean_evictions: status.evictions_clean,
            dirty_evictions: status.evictions_dirty,
            zero_evictions: status.evictions_zeros,
            resident_bytes: status.resident_pages * PAGE_BYTES as u64,
            outside_bytes: status.vault.places.iter().map(|place| place.pages).sum::<u64>()
                * PAGE_BYTES as u64,
            prefetch: Prefetched {
                pages: status.page_ins_prefetch,
                windows: status.windows,
                used: status.windows_used,
            },
            rate_bytes_per_s: self.progress.rate.bytes_per_second(),
            servers: self.server_states(&status.vault.places),
            lost_pages: status
                .lost
                .iter()
                .map(|page| format!("{:#x}", super::pages::address(*page)))
                .collect(),
            unprotected_groups: status.vault.unprotected,
            exposed_groups: exposed_groups(&status.vault),
            anomalies: status.surprises,
            no_room: self.progress.events.disk_full() && self.waits.any(),
            events: self.progress.events.told().to_vec(),
        }
    }

    fn server_states(&self, places: &[PlaceStatus]) -> Vec<PageServer> {
        let used = |site: &Site| {
            places.iter().find(|one| one.place == site.place).map_or(0, |one| one.used)
        };
        let state_of = |(at, server): (usize, &crate::Server)| {
            let site = self.servers.sites.iter().rev().find(|site| site.server == at);
            let up = site.is_some_and(|site| !site.down);
            PageServer {
                address: server.address.clone(),
                role: server.role,
                state: if up { ServerState::Up } else { ServerState::Down },
                pages: site.map_or(0, used),
            }
        };
        self.config.servers.iter().enumerate().map(state_of).collect()
    }

    fn seconds(&self) -> PagedSeconds {
        let spent = &self.progress.spent;
        let since_start = |ns: u64| ns.saturating_sub(self.config.started_ns) as f64 / 1e9;
        let init = since_start(spent.begun_ns);
        let elapsed = init + spent.account.elapsed();
        let parts = spent.account.parts();
        let network_bytes = self.progress.rate.seconds().min(parts.network);
        let (user, system) = cpu_seconds(libc::RUSAGE_THREAD);
        PagedSeconds { elapsed, init, network_bytes, engine: user + system, ..parts }
    }

    /// Reckon up where the time has gone.
    fn account(&mut self) {
        let now = self.time.now();
        let (waited, each) = (self.waits.so_far(now), self.waits.each(now));
        let each = self.time.seconds(each);
        let unseen = self.time.seconds(self.waits.unseen());
        self.progress.spent.account(parts::Waits::of(&waited, self.time.ns_per_tick), each, unseen);
    }

    /// Write it into the run's folder.
    pub(super) fn save_progress(&mut self) -> Result<(), RmemError> {
        let Some(folder) = self.config.run.clone() else { return Ok(()) };
        self.account();
        let status = self.pager.status();
        if let Some(groups) = self.progress.recovery.exposed(&status.vault) {
            self.progress.events.tell(Happened::Exposed { groups });
        }
        if let Some(pages) = self.progress.recovery.over(&status.vault) {
            self.progress.events.tell(Happened::Rebuilt { pages });
        }
        self.record_timeline(&folder);
        save(&folder.join(pager_facts::FOLDER), &self.process(&status))
    }

    /// What has happened since it was written last. Where that fails a part of it is gone: with a
    /// hole it would tell another story, so neither file is kept, and the run has no timeline.
    fn record_timeline(&mut self, folder: &Path) {
        if !self.waits.is_recording() {
            return;
        }
        if let Err(error) = self.append_timeline(folder) {
            self.progress.events.tell(Happened::Failed { error: error.to_string() });
            self.waits.stop_recording();
            let pid = std::process::id();
            for name in [timeline_name(pid), page_events_name(pid)] {
                let _ = std::fs::remove_file(folder.join(name));
            }
        }
    }

    fn append_timeline(&mut self, folder: &Path) -> Result<(), RmemError> {
        let pid = std::process::id();
        let (ticks, monotonic, started) = (self.time.now(), monotonic_ns(), self.config.started_ns);
        let ns_per_tick = self.time.ns_per_tick;
        let ns = move |at: u64| {
            let ago_ns = ticks.saturating_sub(at) as f64 * ns_per_tick;
            monotonic.saturating_sub(started).saturating_sub(ago_ns as u64)
        };
        let Waits { timeline, page_events, .. } = &mut self.waits;
        append(&folder.join(timeline_name(pid)), |file| timeline.write(ns, file))?;
        append(&folder.join(page_events_name(pid)), |file| {
            let events = page_events.take(ns, ns_per_tick);
            events.iter().try_for_each(|event| writeln!(file, "{event}"))?;
            file.flush()
        })
    }
}

fn append(
    path: &Path,
    write: impl FnOnce(&mut BufWriter<File>) -> std::io::Result<()>,
) -> Result<(), RmemError> {
    let open = || OpenOptions::new().create(true).append(true).open(path);
    let written = open().and_then(|file| write(&mut BufWriter::new(file)));
    written.map_err(|error| RmemError::Record { reason: format!("{}: {error}", path.display()) })
}

/// A file that is whole at any moment.
fn save(folder: &Path, progress: &Paged) -> Result<(), RmemError> {
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

    fn account(&mut self, waited: parts::Waits, each: f64, unseen: f64) {
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
