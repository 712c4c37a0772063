//! An MPI program's run in words, for the page and the terminal.

use crate::found::{Activity, Arrivals, Mpi, MpiBy, MpiGroup, MpiGroups, Wait, WaitView};

use document::{Colour, count, part, time};

/// Below this part of all message time a wait is not worth a headline.
const STANDS_OUT: f64 = 0.05;

/// Its name in running text.
pub(crate) fn wait_name(wait: Wait) -> &'static str {
    match wait {
        Wait::LateSender => "late sender",
        Wait::LateReceiver => "late receiver",
        Wait::Unexpected => "unexpected",
        Wait::NotCollected => "not collected",
    }
}

/// Its name as a title.
pub(crate) fn wait_title(wait: Wait) -> &'static str {
    match wait {
        Wait::LateSender => "Late sender",
        Wait::LateReceiver => "Late receiver",
        Wait::Unexpected => "Unexpected",
        Wait::NotCollected => "Not collected",
    }
}

/// What it is, in a few words.
pub(crate) fn wait_meaning(wait: Wait) -> &'static str {
    match wait {
        Wait::LateSender => "the receiver was blocked before the message was sent",
        Wait::LateReceiver => {
            "the sender was blocked in its sending call before the receive was posted"
        }
        Wait::Unexpected => "it had arrived before its receive was posted",
        Wait::NotCollected => {
            "it had arrived and was expected, but the receiver was outside MPI or in another call"
        }
    }
}

/// The colour of it.
pub(crate) fn wait_colour(wait: Wait) -> Colour {
    Colour(match wait {
        Wait::LateSender => "undo",
        Wait::LateReceiver => "c",
        Wait::Unexpected => "work",
        Wait::NotCollected => "collect",
    })
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
        Activity::Collective => ("Collectives", "cycle"),
        Activity::Other => ("Other MPI", "faint"),
    }
}

/// The run's most important sentence.
pub(crate) fn sentence(mpi: &Mpi) -> String {
    let largest = mpi.waits.iter().max_by_key(|wait| wait.total_ns);
    match largest.filter(|wait| wait.share >= STANDS_OUT) {
        Some(wait) => wait_sentence(mpi, wait),
        None if mpi.messages == 0 => "The program sent no message from rank to rank.".to_owned(),
        None => {
            let waited: i64 = mpi.waits.iter().map(|wait| wait.total_ns).sum();
            let share = waited as f64 / mpi.message_time_ns.max(1) as f64;
            format!(
                "No wait stands out: all waits together are {} of the {} that messages took.",
                part(share),
                time(mpi.message_time_ns as f64)
            )
        }
    }
}

fn wait_sentence(mpi: &Mpi, wait: &WaitView) -> String {
    let at = wait.wait as usize;
    let share = format!("{} is {} of all message time", wait_name(wait.wait), part(wait.share));
    let pairs = groups(mpi, MpiBy::Pair).map_or(&[][..], |groups| &groups.groups);
    let Some(pair) = pairs.iter().max_by_key(|pair| pair.waits_ns[at]) else {
        return format!("{share}.");
    };
    let ((src, dst), waited) = (pair.key, time(pair.waits_ns[at] as f64));
    match wait.wait {
        Wait::LateSender => {
            format!("Rank {dst} waited {waited} for rank {src}, which sent late; {share}.")
        }
        Wait::LateReceiver => {
            format!(
                "Rank {src} was blocked {waited} because rank {dst} posted its receives late; \
                {share}."
            )
        }
        Wait::Unexpected => format!(
            "Messages from rank {src} to rank {dst} lay in the queue for {waited} before their \
            receive was posted; {share}."
        ),
        Wait::NotCollected => format!(
            "Messages from rank {src} had arrived at rank {dst}, which did not collect them for \
            {waited}; {share}."
        ),
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
    format!("{} collective calls are beyond those that were compared.", count(n))
}

#[cfg(test)]
mod tests {
    use super::*;
    use document::plain;
    use stats::analysis::Summary;

    fn mpi(waits: [i64; 4]) -> Mpi {
        let view = |(&wait, total_ns): (&Wait, i64)| WaitView {
            wait,
            count: 1,
            unknown: 0,
            total_ns,
            share: total_ns as f64 / 10e9,
            summary: Summary::default(),
            rests_on_ns: [0; 3],
            error_ns: 0,
        };
        let pair = MpiGroup {
            key: (0, 3),
            messages: 9,
            bytes: 0,
            end_to_end_ns: 10_000_000_000,
            waits_ns: waits,
        };
        Mpi {
            messages: 9,
            message_time_ns: 10_000_000_000,
            waits: Wait::ALL.iter().zip(waits).map(view).collect(),
            groups: vec![MpiGroups { by: MpiBy::Pair, groups: vec![pair], left_out: (0, 0) }],
            ..Mpi::default()
        }
    }

    #[test]
    fn the_sentence_names_who_waited_for_whom() {
        let said = |waits| plain(&sentence(&mpi(waits)));
        assert_eq!(
            said([6_100_000_000, 0, 0, 1]),
            "Rank 3 waited 6.10 s for rank 0, which sent late; late sender is 61 % of all message \
            time."
        );
        assert!(
            said([0, 2_000_000_000, 0, 0]).starts_with("Rank 0 was blocked 2.00 s because rank 3")
        );
        assert!(
            said([0, 0, 2_000_000_000, 0])
                .starts_with("Messages from rank 0 to rank 3 lay in the queue")
        );
        assert!(
            said([0, 0, 0, 2_000_000_000])
                .starts_with("Messages from rank 0 had arrived at rank 3")
        );
        assert_eq!(
            said([0, 100_000_000, 0, 0]),
            "No wait stands out: all waits together are 1 % of the 10.0 s that messages took."
        );
    }
}
