//! How far a process is: written each second and at the end, so that a process that is killed has told nearly all.

use super::Engine;
use super::site::Site;
use crate::waits::{Cause, Quantiles};
use crate::{RmemError, ServerRole};
use pager::{PAGE_BYTES, PlaceStatus};
use serde::Serialize;
use std::path::Path;

/// What one process says of itself. In `processes/<pid>.json` of the run while it goes on; then in `run.json`.
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

/// Where the time went. All but `engine` add up to `elapsed`.
#[derive(Clone, Copy, Debug, Default, Serialize)]
struct Seconds {
    elapsed: f64,
    /// Of the program's threads; of several, what of the elapsed time is theirs.
    user: f64,
    system: f64,
    /// Before the first paged memory.
    init: f64,
    /// Waiting for pages while the engine worked and no bytes came, and being stopped and started.
    protocol: f64,
    /// Waiting for pages: what bytes take at the network's rate.
    blocked_bytes: f64,
    /// Waiting for pages while the engine waited too: the rest, which no bandwidth takes away.
    blocked_fixed: f64,
    /// Of the engine's thread, beside the program.
    engine: f64,
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
        let (zero, soft, hard) = (quantiles(Cause::Zero), quantiles(Cause::Soft), quantiles(Cause::Hard));
        let (outs, ins, parity) = (self.scribe.outs, self.scribe.ins, self.scribe.parities);
        Progress {
            pid: std::process::id(),
            program: program(),
            finished: self.finished,
            seconds: self.seconds(),
            faults: Faults { zero: status.faults_zero, soft: status.faults_soft(), hard: status.faults_hard },
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
        let used = |site: &Site| places.iter().find(|one| one.place == site.place).map_or(0, |one| one.used);
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
        let (user, system) = cpu_seconds(libc::RUSAGE_SELF);
        let (own_user, own_system) = cpu_seconds(libc::RUSAGE_THREAD);
        let (user, system) = (user - own_user, system - own_system);
        let elapsed = monotonic_ns().saturating_sub(self.config.started_ns) as f64 / 1e9;
        let init = self.begun_ns.saturating_sub(self.config.started_ns) as f64 / 1e9;
        let (waited, idle) = self.waits.seconds(self.ns_per_tick);
        // Bytes come while the engine works, too: its work then costs nothing.
        let blocked_bytes = self.rate.seconds().min(waited);
        let blocked_fixed = (idle - blocked_bytes).max(0.0);
        let rest = elapsed - init - blocked_bytes - blocked_fixed;
        let [user, system, protocol] = shared(rest, user, system);
        let engine = own_user + own_system;
        Seconds { elapsed, user, system, init, protocol, blocked_bytes, blocked_fixed, engine }
    }

    /// Write it into the run's folder.
    pub(super) fn save_progress(&mut self) -> Result<(), RmemError> {
        let Some(folder) = self.config.run.clone() else { return Ok(()) };
        if !self.config.record {
            self.waits.course.stop();
        }
        save(&folder.join("processes"), &self.progress())?;
        self.append_course(&folder)
    }

    /// What has happened since it was written last.
    fn append_course(&mut self, folder: &Path) -> Result<(), RmemError> {
        let path = folder.join(format!("course-{}.csv", std::process::id()));
        let failed =
            |error: std::io::Error| RmemError::Record { reason: format!("{}: {error}", path.display()) };
        let file = std::fs::OpenOptions::new().create(true).append(true).open(&path).map_err(failed)?;
        let (ticks, monotonic, started) = (self.clock.now().0, monotonic_ns(), self.config.started_ns);
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
    let failed =
        |error: std::io::Error| RmemError::Record { reason: format!("{}: {error}", folder.display()) };
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

/// What of `rest` seconds is the program's own work, in its two kinds, and what is left of them. Several threads can work for longer than that, at once or while
/// another waits: then they have all of it, in the proportion of the two.
fn shared(rest: f64, user: f64, system: f64) -> [f64; 3] {
    let (rest, work) = (rest.max(0.0), user + system);
    match work <= rest {
        true => [user, system, rest - work],
        false => [user * rest / work, system * rest / work, 0.0],
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_add_up_whatever_threads_did_at_once() {
        assert_eq!(shared(10.0, 3.0, 1.0), [3.0, 1.0, 6.0]);
        assert_eq!(shared(2.0, 3.0, 1.0), [1.5, 0.5, 0.0]);
        assert_eq!(shared(-1.0, 3.0, 1.0), [0.0; 3]);
        assert_eq!(shared(0.0, 0.0, 0.0), [0.0; 3]);
    }
}
