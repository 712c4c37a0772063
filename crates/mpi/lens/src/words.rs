//! An MPI program's run in words, for the page and the terminal.

use crate::found::{Activity, Arrivals, Kind, Mpi, MpiBy, MpiGroup, MpiGroups, Wait, WaitView};

use document::{Colour, count, counted, part, time};

/// Its name as a title.
pub(crate) fn wait_title(wait: Wait) -> &'static str {
    match wait {
        Wait::LateSender => "Late sender",
        Wait::LateReceiver => "Late receiver",
        Wait::Collective => "Collectives",
        Wait::LatePost => "Late post",
        Wait::LateComplete => "Late complete",
        Wait::Lock => "Lock",
        Wait::Unexpected => "Unexpected",
        Wait::NotCollected => "Not collected",
    }
}

/// What it is, in a few words.
pub(crate) fn wait_meaning(wait: Wait) -> &'static str {
    match wait {
        Wait::LateSender => "a rank was blocked before the message that it waited for was sent",
        Wait::LateReceiver => {
            "a rank was blocked in sending before the receive was posted; a send that travels at \
            once is not"
        }
        Wait::Collective => {
            "a rank was blocked before those whose data it needs had entered: for the root of a \
            broadcast or scatter, as the root of a reduce or gather for all, in a scan for lower \
            ranks, else for the last"
        }
        Wait::LatePost => {
            "a rank was blocked in accessing a window before its target had called MPI_Win_post"
        }
        Wait::LateComplete => {
            "a rank was blocked in MPI_Win_wait before an origin had called MPI_Win_complete"
        }
        Wait::Lock => {
            "a rank was blocked in accessing a window before another that held a conflicting lock \
            had called MPI_Win_unlock or MPI_Win_unlock_all"
        }
        Wait::Unexpected => "a message had arrived before its receive was posted",
        Wait::NotCollected => {
            "a message had arrived and was expected, but the receiver was outside MPI or in \
            another call"
        }
    }
}

/// The colour of it.
pub(crate) fn wait_colour(wait: Wait) -> Colour {
    Colour(match wait {
        Wait::LateSender => "undo",
        Wait::LateReceiver => "c",
        Wait::Collective => "cycle",
        Wait::LatePost => "b",
        Wait::LateComplete => "d",
        Wait::Lock => "s6",
        Wait::Unexpected => "work",
        Wait::NotCollected => "collect",
    })
}

/// A kind of ranks.
pub(crate) fn kind_name(kind: &Kind) -> String {
    match kind.ranks.len() {
        1 => format!("rank {}", kind.typical),
        ranks => format!("{} like {}", counted(ranks as u64, "rank"), kind.typical),
    }
}

/// Ranks in order, those that follow one another as a range; so many ranges at most.
pub(crate) fn rank_ranges(ranks: &[u32], most: usize) -> String {
    let mut ranges: Vec<(u32, u32)> = Vec::new();
    for &rank in ranks {
        match ranges.last_mut() {
            Some((_, last)) if *last + 1 == rank => *last = rank,
            _ => ranges.push((rank, rank)),
        }
    }
    let beyond: u64 =
        ranges.iter().skip(most).map(|(first, last)| u64::from(last - first) + 1).sum();
    let name = |&(first, last): &(u32, u32)| match last - first {
        0 => first.to_string(),
        _ => format!("{first}–{last}"),
    };
    let shown = ranges.iter().take(most).map(name).collect::<Vec<_>>().join(", ");
    if beyond > 0 { format!("{shown} and {} more", count(beyond)) } else { shown }
}

/// The activity as a title.
pub(crate) fn activity_title(activity: Activity) -> &'static str {
    activity_words(activity).0
}

/// The colour of it.
pub(crate) fn activity_colour(activity: Activity) -> Colour {
    Colour(activity_words(activity).1)
}

fn activity_words(activity: Activity) -> (&'static str, &'static str) {
    match activity {
        Activity::Computing => ("Computing", "idle"),
        Activity::Sending => ("Sending", "b"),
        Activity::Waiting => ("Receiving or waiting", "undo"),
        Activity::Polling => ("Polling", "c"),
        Activity::Collective => ("Collectives", "d"),
        Activity::CollectiveWait => ("Waiting in collectives", "cycle"),
        Activity::Other => ("Other MPI", "faint"),
    }
}

/// The groups by one thing.
pub(crate) fn groups(mpi: &Mpi, by: MpiBy) -> Option<&MpiGroups> {
    mpi.groups.iter().find(|groups| groups.by == by)
}

/// What a group is, as people read it.
pub(crate) fn group_name(mpi: &Mpi, by: MpiBy, group: &MpiGroup) -> String {
    match by {
        MpiBy::Pair => format!("{} → {}", group.key.0, group.key.1),
        MpiBy::Tag => group.key.0.to_string(),
        MpiBy::SendSite | MpiBy::ReceiveSite => site_name(mpi, group.key.0),
    }
}

/// A place in the program.
pub(crate) fn site_name(mpi: &Mpi, site: i64) -> String {
    match mpi.sites.get(&site) {
        Some(name) => name.clone(),
        None if site == 0 => "place not known".to_owned(),
        None => format!("place {site}"),
    }
}

/// How arrivals are known, and what that means for the waits that rest on them.
pub(crate) fn arrivals_sentence(arrivals: &Arrivals) -> String {
    let [observed, bracketed, modelled] = arrivals.known;
    let all = observed + bracketed + modelled;
    if all == 0 {
        let said = "No arrival is known, so unexpected messages and those not collected are not \
            known either.";
        return said.to_owned();
    }
    let of = |n: u64| part(n as f64 / all as f64);
    let mut text = format!("Arrivals: {} observed", of(observed));
    for (n, error, how) in [
        (bracketed, arrivals.error_ns[0], "bracketed"),
        (modelled, arrivals.error_ns[1], "modelled"),
    ] {
        if n > 0 {
            text.push_str(&format!(
                ", {} {how} (±\u{a0}{} in the mean)",
                of(n),
                time(error as f64 / n as f64)
            ));
        }
    }
    text.push('.');
    text
}

/// How much of a wait rests on arrivals that nobody saw; `None` where that is nothing.
pub(crate) fn rests_on(wait: &WaitView) -> Option<String> {
    let [_, bracketed, modelled] = wait.rests_on_ns;
    let unseen = bracketed + modelled;
    (unseen > 0).then(|| {
        format!(
            "{} rests on unseen arrivals, ±\u{a0}{}",
            part(unseen as f64 / wait.total_ns.max(1) as f64),
            time(wait.error_ns as f64)
        )
    })
}

/// What the table of collectives lacks.
pub(crate) fn collectives_left_out(n: u64) -> String {
    format!("{} collective calls are beyond those whose entering was compared.", count(n))
}

/// What time in one-sided communication went to, as far as no rank was waited for.
pub(crate) fn one_sided(ns: i64) -> String {
    format!(
        "In calls of one-sided communication ranks spent {} for which no late rank is known. What \
        that time went to is not known: the calls' own work, data on its way, a target that was \
        outside MPI and had to call it again, or a lock of which nothing tells whose came first.",
        time(ns as f64)
    )
}

/// Of which epochs of windows it is not known for whom ranks waited.
pub(crate) fn epochs_not_compared(n: u64) -> String {
    format!(
        "For {} of windows (posts, starts and locks) it is not known whether a rank waited: the \
        window or the group is not known, the other rank's call is missing, or the lock was never \
        released.",
        document::counted(n, "call")
    )
}

/// Of which collectives it is not known for whom they waited.
pub(crate) fn not_compared(n: u64) -> String {
    format!(
        "For whom {} of collectives waited is not known: a rank's call is missing, or they are \
        between two groups or among neighbours.",
        document::counted(n, "call")
    )
}
