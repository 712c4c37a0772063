//! Load management by commands, which stand in any order. In the Time Warp Operating System it is
//! on unless `DLM` says otherwise; here it is off unless one of its commands is there.

use super::{Command, Located};
use crate::Job;
use timewarp::{Balance, Choice, Split, Timing};

/// Obey the commands of load management.
pub(super) fn settle(commands: &[Located], job: &mut Job) {
    let mut balance = Balance::default();
    // 1 + this / 100.
    let mut ratio_percent = 100;
    let (mut by_ratio, mut wanted, mut off) = (false, false, false);
    for Located { command, .. } in commands {
        match *command {
            Command::Dlm => off = true,
            Command::Dlmint(seconds) => {
                balance.interval_ms = ((seconds * 1e3).round() as u64).max(1)
            }
            Command::Idledlm(cycles) => balance.idle_cycles = cycles,
            Command::Thresh(percent) => balance.threshold_percent = percent,
            Command::Ratiodlm => by_ratio = true,
            Command::Mratio(percent) => ratio_percent = percent,
            Command::Migrations(pairs) => balance.pairs_max = pairs,
            Command::Choosestrat(1) => balance.choice = Choice::BestFit,
            Command::Choosestrat(_) => balance.choice = Choice::NextBestFit,
            Command::Splitstrat(strategy) => balance.split = split(strategy),
            Command::Maxoff(most) => balance.under_way_max = most,
            _ => continue,
        }
        wanted = true;
    }
    if by_ratio {
        balance.ratio = Some(1.0 + f64::from(ratio_percent) / 100.0);
    }
    if wanted && !off {
        job.engine.balance = Some(balance);
        if job.engine.timing == Timing::None {
            job.engine.timing = Timing::Wall;
        }
    }
}

fn split(strategy: u32) -> Split {
    match strategy {
        2 => Split::Minimal,
        3 => Split::None,
        4 => Split::LimitMessages,
        _ => Split::NearFuture,
    }
}
