//! An MPI program's figures as CSV rows, in the long format of [`csv`](crate::csv).

use record::csv_field;
use std::io::{Result, Write};

use stats::analysis::{Activity, Analysis, MpiBy, Wait};

use crate::csv::number;
use crate::mpi::group_name;

fn wait_key(wait: Wait) -> &'static str {
    match wait {
        Wait::LateSender => "late-sender",
        Wait::LateReceiver => "late-receiver",
        Wait::Unexpected => "unexpected",
        Wait::NotCollected => "not-collected",
    }
}

fn activity_key(activity: Activity) -> &'static str {
    match activity {
        Activity::Computing => "computing",
        Activity::Sending => "sending",
        Activity::Waiting => "waiting",
        Activity::Polling => "polling",
        Activity::Collective => "collective",
        Activity::Other => "other",
    }
}

/// Each wait as a whole: messages, sum, share, quantiles, and what rests on unseen arrivals.
pub(crate) fn waits(analysis: &Analysis, out: &mut dyn Write) -> Result<()> {
    let Some(mpi) = &analysis.mpi else { return Ok(()) };
    for wait in &mpi.waits {
        let key = wait_key(wait.wait);
        let [observed, bracketed, modelled] = wait.rests_on_ns;
        writeln!(out, "mpi-waits,,{key},,,,{},messages", wait.count)?;
        writeln!(out, "mpi-waits,,{key} total,,,,{},ns", wait.total_ns)?;
        writeln!(out, "mpi-waits,,{key} share,,,,{},part", number(wait.share))?;
        writeln!(out, "mpi-waits,,{key} unknown,,,,{},messages", wait.unknown)?;
        for (how, ns) in [("observed", observed), ("bracketed", bracketed), ("modelled", modelled)]
        {
            writeln!(out, "mpi-waits,,{key} rests on {how},,,,{ns},ns")?;
        }
        writeln!(out, "mpi-waits,,{key} error,,,,{},ns", wait.error_ns)?;
        for q in &wait.summary.quantiles {
            writeln!(out, "mpi-waits,,{key} quantile,,{},,{},ns", number(q.p), q.value_ns)?;
        }
    }
    Ok(())
}

/// `x_from` waited for `x_to`.
pub(crate) fn blocked(analysis: &Analysis, out: &mut dyn Write) -> Result<()> {
    let Some(mpi) = &analysis.mpi else { return Ok(()) };
    for b in &mpi.blocked {
        for (key, ns) in [("late-sender", b.late_sender_ns), ("late-receiver", b.late_receiver_ns)]
        {
            writeln!(out, "mpi-blocked,,{key},,{},{},{ns},ns", b.rank, b.by)?;
        }
    }
    Ok(())
}

/// Pairs, tags and places with their waits.
pub(crate) fn groups(analysis: &Analysis, out: &mut dyn Write) -> Result<()> {
    let Some(mpi) = &analysis.mpi else { return Ok(()) };
    for groups in &mpi.groups {
        let by = match groups.by {
            MpiBy::Pair => "pair",
            MpiBy::Tag => "tag",
            MpiBy::SendSite => "sent at",
            MpiBy::ReceiveSite => "received at",
        };
        for group in &groups.groups {
            let name = format!("{by} {}", group_name(mpi, groups.by, group));
            let row = |what: &str| csv_field(&format!("{name} {what}"));
            writeln!(out, "mpi-groups,,{},,,,{},messages", row("messages"), group.messages)?;
            writeln!(out, "mpi-groups,end-to-end,{},,,,{},ns", row("total"), group.end_to_end_ns)?;
            for (wait, ns) in Wait::ALL.iter().zip(group.waits_ns) {
                writeln!(out, "mpi-groups,,{},,,,{ns},ns", row(wait_key(*wait)))?;
            }
        }
    }
    Ok(())
}

/// Ranks (`x_from`), functions and collectives.
pub(crate) fn calls(analysis: &Analysis, out: &mut dyn Write) -> Result<()> {
    let Some(calls) = analysis.mpi.as_ref().and_then(|mpi| mpi.calls.as_ref()) else {
        return Ok(());
    };
    for rank in &calls.ranks {
        for (activity, ns) in Activity::ALL.iter().zip(rank.activity_ns) {
            writeln!(out, "mpi-calls,,rank {},,{},,{ns},ns", activity_key(*activity), rank.rank)?;
        }
        writeln!(out, "mpi-calls,,rank elapsed,,{},,{},ns", rank.rank, rank.elapsed_ns)?;
        writeln!(out, "mpi-calls,,rank calls,,{},,{},count", rank.rank, rank.calls)?;
    }
    for function in &calls.functions {
        let row = |what: &str| csv_field(&format!("{} {what}", function.name));
        writeln!(out, "mpi-calls,,{},,,,{},count", row("calls"), function.calls)?;
        writeln!(out, "mpi-calls,,{},,,,{},ns", row("total"), function.total_ns)?;
        writeln!(out, "mpi-calls,,{},,,,{},ns", row("longest"), function.max_ns)?;
        writeln!(out, "mpi-calls,,{},,,,{},bytes", row("bytes"), function.bytes)?;
    }
    for collective in &calls.collectives {
        let row = |what: &str| csv_field(&format!("{} {what}", collective.name));
        writeln!(out, "mpi-calls,,{},,,,{},count", row("times compared"), collective.count)?;
        writeln!(out, "mpi-calls,,{},,,,{},ns", row("ranks waited"), collective.waited_ns)?;
        writeln!(out, "mpi-calls,,{},,,,{},ns", row("first to last"), collective.spread_ns)?;
    }
    Ok(())
}

/// The part of each slice in each activity; `group` names rank and activity.
pub(crate) fn lanes(analysis: &Analysis, out: &mut dyn Write) -> Result<()> {
    let Some(calls) = analysis.mpi.as_ref().and_then(|mpi| mpi.calls.as_ref()) else {
        return Ok(());
    };
    for lane in &calls.lanes {
        for (slice, parts) in lane.slices.iter().enumerate() {
            let from = calls.slices_from_ns + slice as i64 * calls.slice_ns;
            for (activity, part) in Activity::ALL.iter().zip(parts).filter(|(_, part)| **part > 0.0)
            {
                let (key, to) = (activity_key(*activity), from + calls.slice_ns);
                writeln!(out, "mpi-lanes,,rank {} {key},,{from},{to},{part},part", lane.rank)?;
            }
        }
    }
    Ok(())
}
