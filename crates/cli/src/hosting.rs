//! The nodes of an assignment that this process hosts: their ends of the fabric, their recorders,
//! their cores.

use crate::job::LaunchedJob;
use anyhow::Result;
use fabric::{Opening, Pinning, Transport, pin_node};
use launch::{Assignment, Control};
use record::{Column, NodeSheet, Recorder, RunFolder, Schema};

/// The ends of the nodes here. Between processes this waits for the peers.
pub fn open(assignment: &Assignment, control: &Control) -> Result<Vec<Box<dyn Transport>>> {
    Ok(fabric::open(Opening {
        spec: &assignment.fabric,
        hosted: &assignment.hosted,
        key: control.key(),
        listener: control.take_listener(0),
        clock: control.clock(),
    })?)
}

/// A recorder for a node of this process, whose thread has been pinned like that.
pub fn recorder(
    assignment: &Assignment,
    control: &Control,
    folder: &RunFolder,
    id: u16,
    pinning: &Pinning,
    columns: &[Column],
) -> Result<Recorder> {
    let mut sheet = NodeSheet::with_quality(
        assignment.launch,
        u32::from(id),
        &control.clock(),
        control.quality(),
    );
    match pinning {
        Pinning::Core(core) => sheet.core = u32::try_from(*core).ok(),
        Pinning::Free(_) if assignment.fabric.transport.is_simulated() => {}
        Pinning::Free(reason) => sheet.notes.push(format!("not pinned to a core: {reason}")),
    }
    Ok(folder.recorder(sheet, &Schema::new(columns), assignment.recorder)?)
}

/// Pin the calling thread, if that is asked for and the launcher of a job has not done so: the
/// `rank`-th of `count` of this machine.
pub fn pinning(assignment: &Assignment, (rank, count): (usize, usize), pin: bool) -> Pinning {
    let simulated = assignment.fabric.transport.is_simulated();
    match (pin && !simulated, LaunchedJob::here()) {
        (true, Some(job)) if job.is_bound() => pin_node(0, 1),
        (true, Some(job)) => {
            pin_node(job.local_rank.into(), job.local_ranks.unwrap_or(job.ranks).into())
        }
        (true, None) => pin_node(rank, count),
        (false, _) => Pinning::Free("not asked for".into()),
    }
}
