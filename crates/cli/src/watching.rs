//! Watching the machine beside the nodes of this process, for runs that are to be explained.

use anyhow::Result;
use clock::Ticks;
use fabric::Happening;
use launch::{Assignment, Control};
use record::{CauseLog, Pauses, RunFolder};
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use watch::{Sharing, Turn, Watcher, idle};

/// How long every core spins idle before a launch, to see what it loses by itself.
const IDLE: Duration = Duration::from_millis(50);

/// The watcher of this process, if there is one.
pub struct Watching<'a> {
    watcher: Option<Watcher>,
    /// Of the nodes that have not begun.
    turns: Mutex<BTreeMap<u16, Turn>>,
    sharing: Sharing,
    assignment: &'a Assignment,
    control: &'a Control,
    folder: &'a RunFolder,
}

impl<'a> Watching<'a> {
    /// Watch from now on, or (not `asked`) do nothing at all. To be called before the nodes meet:
    /// by then all of them have their turns. `first` are the nodes here that begin first of those
    /// on their thread, which has one turn.
    pub fn new(
        asked: bool,
        assignment: &'a Assignment,
        control: &'a Control,
        folder: &'a RunFolder,
        first: &[u16],
    ) -> Watching<'a> {
        // What this machine does is no cause of what a simulated one does.
        let asked = asked && !assignment.fabric.transport.is_simulated();
        let watcher = asked
            .then(|| Watcher::start(control.clock(), assignment.fabric.transport.kind.over_tcp));
        // Before any thread is pinned: a thread with a core of its own sees no other.
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        let sharing_a_thread = assignment.hosted.len() - first.len();
        let sharing = Sharing { nodes: usize::from(assignment.nodes) - sharing_a_thread, cores };
        let turns = if asked { turns(assignment, first, folder, sharing) } else { BTreeMap::new() };
        Watching { watcher, turns: Mutex::new(turns), sharing, assignment, control, folder }
    }

    /// The turn of node `id`, for [`Self::begin`]. Until then nobody's core is measured: take it
    /// first of all, so that a node that fails before it begins gives it up.
    pub fn turn(&self, id: u16) -> Option<Turn> {
        self.turns.lock().unwrap_or_else(PoisonError::into_inner).remove(&id)
    }

    /// Watch the calling thread, which is that of node `id` and on its core, and the `pauses` of
    /// its recorder.
    pub fn begin(&self, id: u16, turn: Option<Turn>, pauses: Arc<Pauses>) -> Result<()> {
        let Some(watcher) = &self.watcher else { return Ok(()) };
        let log = CauseLog::begin(&self.folder.live(), self.assignment.launch, u32::from(id))?;
        let ticks_per_ns = self.control.quality().ns_per_tick.recip();
        // What an idle core loses is worth knowing, and no reason to fail.
        let taken = turn.and_then(|turn| turn.take().ok().flatten());
        let length = self.sharing.each(IDLE);
        let idle = taken.map(|_taken| idle::spin(&self.control.clock(), length, ticks_per_ns));
        watcher.watch_me(u32::from(id), log, pauses, idle.as_ref());
        Ok(())
    }

    /// Node `id`, which is the calling thread, has come to its end: note what happened in its
    /// transport.
    pub fn end(&self, id: u16, happenings: &[Happening]) {
        let Some(watcher) = &self.watcher else { return };
        watcher.end(u32::from(id));
        for Happening { cause, from, to, amount } in happenings {
            watcher.note(u32::from(id), *cause, Ticks(*from), Ticks(*to), *amount);
        }
    }
}

/// A turn for every thread of this process that can have one, by its first node.
fn turns(
    assignment: &Assignment,
    first: &[u16],
    folder: &RunFolder,
    sharing: Sharing,
) -> BTreeMap<u16, Turn> {
    let (live, name) = (folder.live(), format!("launch-{}", assignment.launch));
    // Threads of one process are numbered anew where nodes share them.
    let all_alone = first.len() == assignment.hosted.len();
    let number = |place: usize, id: u16| if all_alone { usize::from(id) } else { place };
    let turn = |(place, id): (usize, &u16)| {
        Some((*id, Turn::new(&live, &name, number(place, *id), sharing).ok()?))
    };
    first.iter().enumerate().filter_map(turn).collect()
}
