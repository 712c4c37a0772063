//! Load management by commands, which stand in any order. In the Time Warp Operating System it is
//! on unless `DLM` says otherwise; here it is off unless one of its commands is there.

use super::Located;
use crate::Job;
use timewarp::{Balance, Choice, Split, Timing};

/// Obey the commands of load management.
pub(super) fn settle(commands: &[Located], job: &mut Job) {
    let mut balance = Balance::default();
    // 1 + this / 100.
    let mut ratio_percent = 100;
    let (mut by_ratio, mut wanted, mut off) = (false, false, false);
    for Located { command, .. } in commands {
        let Some((name, number)) = command.setting() else { continue };
        match name {
            "DLM" => off = true,
            "DLMINT" => balance.interval_ms = ((number * 1e3).round() as u64).max(1),
            "IDLEDLM" => balance.idle_cycles = number as u32,
            "THRESH" => balance.threshold_percent = number as u32,
            "RATIODLM" => by_ratio = true,
            "MRATIO" => ratio_percent = number as u32,
            "MIGRATIONS" => balance.pairs_max = number as u32,
            "CHOOSESTRAT" if number == 1.0 => balance.choice = Choice::BestFit,
            "CHOOSESTRAT" => balance.choice = Choice::NextBestFit,
            "SPLITSTRAT" => balance.split = split(number as u32),
            "MAXOFF" => balance.under_way_max = number as u32,
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
