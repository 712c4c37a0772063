//! Watching the machine beside the nodes of this process, for runs that are to be explained.

use anyhow::Result;
use clock::Ticks;
use fabric::{Happening, TransportSpec};
use launch::{Assignment, Control};
use record::{CauseLog, RunFolder};
use std::time::Duration;
use watch::{Watcher, idle};

/// Whether what the machine's TCP does may matter: MPI may go over it as well.
fn is_over_tcp(assignment: &Assignment) -> bool {
    matches!(assignment.fabric.transport, TransportSpec::Tcp { .. } | TransportSpec::Mpi)
}

/// How long every node's core spins idle before a launch, to see what it loses by itself.
const IDLE: Duration = Duration::from_millis(50);

/// The watcher of this process, if there is one.
pub struct Watching<'a> {
    watcher: Option<Watcher>,
    assignment: &'a Assignment,
    control: &'a Control,
    folder: &'a RunFolder,
}

impl<'a> Watching<'a> {
    /// Watch from now on, or (not `asked`) do nothing at all.
    pub fn new(
        asked: bool,
        assignment: &'a Assignment,
        control: &'a Control,
        folder: &'a RunFolder,
    ) -> Watching<'a> {
        let watcher = asked.then(|| Watcher::start(control.clock(), is_over_tcp(assignment)));
        Watching { watcher, assignment, control, folder }
    }

    /// Watch the calling thread, which is that of node `id` and on its core.
    pub fn begin(&self, id: u16) -> Result<()> {
        let Some(watcher) = &self.watcher else { return Ok(()) };
        let log = CauseLog::begin(&self.folder.live(), self.assignment.launch, u32::from(id))?;
        let ticks_per_ns = self.control.quality().ns_per_tick.recip();
        let idle = idle::spin(&self.control.clock(), IDLE, ticks_per_ns);
        watcher.watch_me(u32::from(id), log, Some(&idle));
        Ok(())
    }

    /// Note what happened in the transport of node `id`.
    pub fn note(&self, id: u16, happenings: &[Happening]) {
        let Some(watcher) = &self.watcher else { return };
        for Happening { cause, from, to, amount } in happenings {
            watcher.note(u32::from(id), *cause, Ticks(*from), Ticks(*to), *amount);
        }
    }
}
