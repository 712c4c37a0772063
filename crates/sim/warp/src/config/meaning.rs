//! What a command does to a job. Names and messages of the model are `agree`'s business, the
//! throttle is `throttle`'s, and load management is `balance`'s.

use super::Command;
use crate::Job;
use timewarp::{Cancellation, Search, Timing};

/// What became of a command.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Obeyed {
    /// It is done.
    Done,
    /// It is done, with this to be said.
    DoneWith(String),
    /// It has no meaning here, for this reason.
    Ignored(&'static str),
}

const NO_LOG: &str = "--out records every message, every execution and the course of every node \
into the run folder, without a limit";
const NO_LONG_QUEUES: &str = "objects are cut for their load alone, not for long input queues";

/// Do as the command says.
pub fn obey(command: &Command, job: &mut Job) -> Obeyed {
    let engine = &mut job.engine;
    match *command {
        Command::Cutoff(simtime) => engine.cutoff = simtime,
        Command::Maxacks(acks) => engine.max_acks = Some(acks),
        Command::Maxnegacks(acks) => engine.max_neg_acks = acks,
        Command::Plimit(depth) => engine.search = Search::Plimit(depth),
        Command::Recvqlimit(length) => engine.search = Search::RecvqLimit(length),
        Command::Penalty(penalty) => engine.penalty = penalty,
        Command::Reward(reward) => engine.reward = reward,
        Command::Aggressive => engine.cancellation = Cancellation::Aggressive,
        Command::Nosendback => engine.sendback = false,
        Command::Memsize(kib) => return memory(kib, job),
        // At least one: the parser takes microseconds and more.
        Command::Timeval(seconds) => job.gvt_interval_us = ((seconds * 1e6).round() as u64).max(1),
        Command::Timechg(simtime) => job.gvt_change = Some(simtime),
        Command::Nostdout => job.silent = true,
        Command::Foreign { reason, .. } => return Obeyed::Ignored(reason),
        Command::Objtimemode(mode) => engine.timing = timing(mode),
        Command::Propdelay(factor) => engine.stretch = factor.max(1.0),
        Command::Critpath => engine.causes = true,
        Command::Islog { every_ms, .. } => job.sample_ms = u64::from(every_ms),
        Command::Msglog(_) | Command::Quelog(_) | Command::Flowlog(_) => {
            return Obeyed::Ignored(NO_LOG);
        }
        Command::Maxiqlen(_) => return Obeyed::Ignored(NO_LONG_QUEUES),
        Command::Dlm
        | Command::Dlmint(_)
        | Command::Idledlm(_)
        | Command::Thresh(_)
        | Command::Ratiodlm
        | Command::Mratio(_)
        | Command::Migrations(_)
        | Command::Choosestrat(_)
        | Command::Splitstrat(_)
        | Command::Maxoff(_) => {}
        Command::Obcreate { .. } | Command::Tell { .. } | Command::Go => {}
        Command::Throttle(_)
        | Command::Window(_)
        | Command::Ethrottle(_)
        | Command::Wsize(_)
        | Command::Tmult(_)
        | Command::Tadd(_) => {}
    }
    Obeyed::Done
}

fn timing(mode: u32) -> Timing {
    match mode {
        0 => Timing::None,
        1 => Timing::Process,
        _ => Timing::Wall,
    }
}

fn memory(kib: u32, job: &mut Job) -> Obeyed {
    match usize::try_from(u64::from(kib) << 10) {
        Ok(bytes) => {
            job.engine.memory_bytes = Some(bytes);
            Obeyed::Done
        }
        Err(_) => Obeyed::DoneWith(format!(
            "MEMSIZE {kib} is more than this machine can address: no bound"
        )),
    }
}
