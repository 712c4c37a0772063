//! Which of a node's two threads goes first: real-time priorities where they are permitted, else
//! nice.

use super::options::UserPriority;
use crate::error::FabricError;
use crate::pin::keep_on;
use rustix::thread::{CpuSet, sched_getaffinity, sched_getcpu};
use std::io;

/// SCHED_FIFO priorities: low ones, so that what the system itself runs so stays before them.
const FIFO_BEFORE: i32 = 12;
const FIFO_AFTER: i32 = 10;
/// Of the thread that goes second, where SCHED_FIFO is not permitted. Being nicer always is.
const NICE_AFTER: i32 = 15;

/// The place of a thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Rank {
    Before,
    After,
}

impl Rank {
    /// Of the node's own thread.
    pub fn of_user(priority: UserPriority) -> Rank {
        match priority {
            UserPriority::High => Rank::Before,
            UserPriority::Low => Rank::After,
        }
    }

    /// Of the receive task.
    pub fn of_task(priority: UserPriority) -> Rank {
        match priority {
            UserPriority::High => Rank::After,
            UserPriority::Low => Rank::Before,
        }
    }
}

/// Give the calling thread its rank; says how.
pub(super) fn take(rank: Rank) -> Result<String, FabricError> {
    let level = if rank == Rank::Before { FIFO_BEFORE } else { FIFO_AFTER };
    let Err(refused) = fifo(level) else { return Ok(format!("SCHED_FIFO {level}")) };
    if rank == Rank::Before {
        return Ok(format!("as it was (SCHED_FIFO refused: {refused})"));
    }
    match nice(NICE_AFTER) {
        Ok(()) => Ok(format!("nice {NICE_AFTER} (SCHED_FIFO refused: {refused})")),
        Err(error) => {
            let reason = format!(
                "a thread's priority cannot be changed here: SCHED_FIFO {refused}, nice {error}; \
                run without --user-priority"
            );
            Err(FabricError::BadSpec { reason })
        }
    }
}

/// Let the calling thread go before all that has no real-time priority.
///
/// # Errors
/// When the system does not permit it.
pub fn real_time() -> io::Result<()> {
    fifo(FIFO_BEFORE)
}

/// Keep the calling thread on one core, the one where it is now unless it may run on one only; its
/// number.
pub(super) fn settle() -> io::Result<usize> {
    let allowed = sched_getaffinity(None)?;
    let mut cores = (0..CpuSet::MAX_CPU).filter(|core| allowed.is_set(*core));
    let core = match (cores.next(), cores.next()) {
        (Some(only), None) => only,
        _ => sched_getcpu(),
    };
    keep_on(core)?;
    Ok(core)
}

fn fifo(level: i32) -> io::Result<()> {
    let parameters = libc::sched_param { sched_priority: level };
    // SAFETY: zero names the calling thread, and the parameters live across the call, which only
    // reads them.
    match unsafe { libc::sched_setscheduler(0, libc::SCHED_FIFO, &raw const parameters) } {
        0 => Ok(()),
        _ => Err(io::Error::last_os_error()),
    }
}

fn nice(value: i32) -> io::Result<()> {
    // SAFETY: it takes no pointers; on Linux zero names the calling thread.
    match unsafe { libc::setpriority(libc::PRIO_PROCESS, 0, value) } {
        0 => Ok(()),
        _ => Err(io::Error::last_os_error()),
    }
}
