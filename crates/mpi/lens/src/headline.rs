//! The sentences that stand first: what ranks and messages waited for most, and what is not known
//! of it.

use crate::found::{Account, Mpi, MpiBy, Wait, WaitView};
use crate::words::{groups, site_name};
use document::{counted, part, time};
use std::cmp::Reverse;
use std::collections::BTreeMap;

/// Below this part of the time that it is part of a wait is not worth a headline.
const STANDS_OUT: f64 = 0.05;
/// Nor is one of messages below this part of the time of all ranks.
const MATTERS: f64 = 0.01;

/// From this part of all blocked time on it is worth a headline that it came through other ranks.
const THROUGH_OTHERS: f64 = 0.1;

/// The run's most important sentence: what blocked ranks most; where that is little, where messages
/// lay longest.
pub(crate) fn sentence(mpi: &Mpi) -> String {
    let stands_out = |view: &&WaitView| {
        let certain = view.certain_ns as f64 / view.total_ns.max(1) as f64;
        view.share * certain >= STANDS_OUT && matters(mpi, view.certain_ns)
    };
    let largest = |blocks: bool| {
        let of_kind = mpi.waits.iter().filter(move |view| view.wait.blocks() == blocks);
        of_kind.filter(stands_out).max_by_key(|view| view.certain_ns)
    };
    match (largest(true), largest(false), &mpi.account) {
        (Some(view), _, Some(account)) => blocked_sentence(mpi, view, account),
        (_, Some(view), _) => lying_sentence(mpi, view),
        (.., Some(account)) => little_sentence(mpi, account),
        _ if mpi.messages == 0 => "The program sent no message from rank to rank.".to_owned(),
        _ => "No message is known to have lain about for long.".to_owned(),
    }
}

/// What stands below that: where the delay began, and what is not known.
pub(crate) fn below(mpi: &Mpi) -> Option<String> {
    let said = [origin(mpi), unknown_arrivals(mpi), unknown_sends(mpi), no_account(mpi)];
    let said: Vec<String> = said.into_iter().flatten().collect();
    (!said.is_empty()).then(|| said.join(" "))
}

fn blocked_sentence(mpi: &Mpi, view: &WaitView, account: &Account) -> String {
    let share = format!(
        "{} of the time of all ranks ({} of their time in MPI)",
        part(view.share),
        part(view.total_ns as f64 / account.in_calls_ns.max(1) as f64)
    );
    let total = time(view.total_ns as f64);
    if view.wait == Wait::Collective {
        return format!("Ranks were blocked {total} in collectives, {share}{}.", late_rank(mpi));
    }
    let first = mpi.blocked.iter().max_by_key(|blocked| blocked.of(view.wait));
    let Some(first) = first else { return format!("Ranks were blocked {total}, {share}.") };
    let longest = time(first.of(view.wait) as f64);
    let all = format!("all ranks together were blocked in this way for {total}, {share}");
    match view.wait {
        Wait::LateSender => {
            format!(
                "Rank {} was blocked {longest} for rank {}, which sent late; {all}.",
                first.rank, first.by
            )
        }
        wait => format!(
            "Rank {} was blocked {longest} because rank {} {}; {all}.",
            first.rank,
            first.by,
            was_late(wait)
        ),
    }
}

/// What the rank did that was waited for.
fn was_late(wait: Wait) -> &'static str {
    match wait {
        Wait::LatePost => "posted its window late",
        Wait::LateComplete => "completed its access late",
        Wait::Lock => "held a lock",
        _ => "posted its receives late",
    }
}

/// `, most of it for rank 3 (1.20 s) and in MPI_Bcast`.
fn late_rank(mpi: &Mpi) -> String {
    let mut late: BTreeMap<u32, i64> = BTreeMap::new();
    for blocked in &mpi.blocked {
        *late.entry(blocked.by).or_default() += blocked.collective_ns;
    }
    let rank = late.into_iter().max_by_key(|(rank, ns)| (*ns, Reverse(*rank)));
    let collectives = mpi.calls.iter().flat_map(|calls| &calls.collectives);
    let longest = collectives.max_by_key(|one| one.waited_ns);
    let rank = rank.map(|(rank, ns)| format!(", {} of it for rank {rank}", time(ns as f64)));
    let which = longest.and_then(|one| {
        let ns = one.waited_ns.filter(|ns| *ns > 0)?;
        Some(format!(", {} of it in {}", time(ns as f64), one.name))
    });
    rank.into_iter().chain(which).collect()
}

/// Where the delay began, where much of it came through other ranks.
fn origin(mpi: &Mpi) -> Option<String> {
    let account = mpi.account.as_ref()?;
    let mut ranks: BTreeMap<u32, (i64, i64, i64)> = BTreeMap::new();
    let origins = mpi.origins.iter().flat_map(|found| &found.origins);
    for origin in origins.clone() {
        let sum = ranks.entry(origin.rank).or_default();
        sum.0 += origin.ns;
        sum.1 += origin.ns - origin.direct_ns;
        sum.2 += origin.computing_ns();
    }
    let largest = ranks.into_iter().max_by_key(|(rank, (ns, ..))| (*ns, Reverse(*rank)));
    let (rank, (ns, through, computing)) = largest?;
    let share = |ns: i64| ns as f64 / account.blocked_ns.max(1) as f64;
    let stands_out = account.blocked_ns as f64 >= STANDS_OUT * account.elapsed_ns as f64;
    if share(through) < THROUGH_OTHERS || !stands_out {
        return None;
    }
    let own: Vec<_> = origins.filter(|origin| origin.rank == rank).collect();
    let place = own.first().filter(|origin| 2 * origin.ns > ns).and_then(|origin| origin.site);
    let place = place.map_or_else(String::new, |site| {
        let mostly = if own.len() > 1 { " mostly" } else { "" };
        format!(", which came late{mostly} to {}", site_name(mpi, site))
    });
    let least = if own.iter().all(|origin| !origin.doing.is_empty()) { "" } else { "at least " };
    let computing = match computing {
        0 => String::new(),
        ns => format!(" Rank {rank} was computing for {least}{} of it.", time(ns as f64)),
    };
    Some(format!(
        "{} of all blocked time ({}) goes back to rank {rank}{place}; {} of that came through \
        other ranks that waited themselves.{computing}",
        part(share(ns)),
        time(ns as f64),
        time(through as f64)
    ))
}

fn lying_sentence(mpi: &Mpi, view: &WaitView) -> String {
    let at = Wait::OF_MESSAGES.iter().position(|wait| *wait == view.wait).unwrap_or(2);
    let least = if view.certain_ns < view.total_ns { "at least " } else { "" };
    let all = format!(
        "all such messages did so for {least}{}, {least}{} of all message time",
        time(view.certain_ns as f64),
        part(view.share * view.certain_ns as f64 / view.total_ns.max(1) as f64)
    );
    let pairs = groups(mpi, MpiBy::Pair).map_or(&[][..], |groups| &groups.groups);
    let pair = pairs.iter().max_by_key(|pair| pair.waits_ns[at]).map(|pair| pair.key);
    let (src, dst) = pair.unwrap_or_default();
    match view.wait {
        Wait::Unexpected => format!(
            "Messages lay in the queue before their receive was posted, most from rank {src} to \
            rank {dst}; {all}."
        ),
        _ => format!(
            "Messages had arrived and were not collected, most from rank {src} at rank {dst}; \
            {all}."
        ),
    }
}

fn little_sentence(mpi: &Mpi, account: &Account) -> String {
    let compared = mpi.calls.iter().flat_map(|calls| &calls.collectives).any(|one| one.count > 0);
    if mpi.messages == 0 && !compared {
        return "The program sent no message from rank to rank and shared no collective."
            .to_owned();
    }
    format!(
        "No wait stands out: ranks were blocked {} of the {} that they spent in MPI, {} of their \
        time.",
        time(account.blocked_ns as f64),
        time(account.in_calls_ns as f64),
        part(account.blocked_ns as f64 / account.elapsed_ns.max(1) as f64)
    )
}

/// Whether so much time is worth a word in a program of this length.
fn matters(mpi: &Mpi, ns: i64) -> bool {
    mpi.account.is_none_or(|account| ns as f64 >= MATTERS * account.elapsed_ns as f64)
}

/// How much more messages may have lain about.
fn unknown_arrivals(mpi: &Mpi) -> Option<String> {
    let lying = mpi.waits.iter().filter(|view| !view.wait.blocks());
    let unknown: i64 = lying.map(|view| view.total_ns - view.certain_ns).sum();
    let share = unknown as f64 / mpi.message_time_ns.max(1) as f64;
    (share >= STANDS_OUT && matters(mpi, unknown)).then(|| {
        format!(
            "Of another {}, {} of all message time, it is not known whether messages lay about or \
            were on their way: nobody saw them arrive.",
            time(unknown as f64),
            part(share)
        )
    })
}

/// How much longer senders may have been blocked.
fn unknown_sends(mpi: &Mpi) -> Option<String> {
    let account = mpi.account.as_ref()?;
    let stands_out = account.unknown_ns as f64 >= STANDS_OUT * account.elapsed_ns as f64;
    (account.unknown_ns > 0 && stands_out).then(|| {
        format!(
            "{} may have been blocked for {} more: their size travels at once, or may, yet \
            they lasted until the receive was posted.",
            counted(account.unknown_sends, "send"),
            time(account.unknown_ns as f64)
        )
    })
}

/// What there is to say of stages where too few arrivals are known to tell them apart.
pub(crate) fn stages(mpi: &Mpi) -> Option<String> {
    let unknown = mpi.arrivals.error_ns.iter().fold(0, |sum: i64, ns| sum.saturating_add(*ns));
    let share = (unknown as f64 / mpi.message_time_ns.max(1) as f64).min(1.0);
    (share >= STANDS_OUT).then(|| {
        format!(
            "How the time of messages divides into transit and receive wait is not known of {} of \
            it: nobody saw those messages arrive. The figures below take them to have arrived \
            after the usual transit of their size.",
            part(share)
        )
    })
}

fn no_account(mpi: &Mpi) -> Option<String> {
    let said = "For whom ranks were blocked is not known: an earlier version closed this run.";
    (mpi.account.is_none() && mpi.calls.is_some()).then(|| said.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all(mpi: &Mpi) -> String {
        [Some(sentence(mpi)), below(mpi)].into_iter().flatten().collect::<Vec<_>>().join(" ")
    }
    use crate::found::{Blocked, Calls, CollectiveTime, MpiGroup, MpiGroups};
    use document::plain;
    use stats::analysis::Summary;

    /// 100 s of four ranks, 50 s of them in MPI; messages took 10 s.
    fn mpi(waits: [i64; 8]) -> Mpi {
        let blocking = *waits.first_chunk().unwrap();
        let view = |(&wait, total_ns): (&Wait, i64)| WaitView {
            wait,
            count: 1,
            unknown: 0,
            total_ns,
            certain_ns: total_ns,
            share: total_ns as f64 / if wait.blocks() { 100e9 } else { 10e9 },
            summary: Summary::default(),
            rests_on_ns: [0; 3],
            error_ns: 0,
        };
        let [late_sender, late_receiver, .., unexpected, not_collected] = waits;
        let pair = MpiGroup {
            key: (0, 3),
            messages: 9,
            bytes: 0,
            end_to_end_ns: 10_000_000_000,
            waits_ns: [late_sender, late_receiver, unexpected, not_collected],
        };
        Mpi {
            messages: 9,
            message_time_ns: 10_000_000_000,
            waits: Wait::ALL.iter().zip(waits).map(view).collect(),
            account: Some(Account {
                blocked_ns: blocking.iter().sum(),
                in_calls_ns: 50_000_000_000,
                elapsed_ns: 100_000_000_000,
                ..Account::default()
            }),
            blocked: vec![Blocked::new(3, 0, blocking)],
            groups: vec![MpiGroups { by: MpiBy::Pair, groups: vec![pair], left_out: (0, 0) }],
            ..Mpi::default()
        }
    }

    const S: i64 = 1_000_000_000;

    #[test]
    fn the_sentence_names_who_waited_for_whom() {
        let said = |waits| plain(&all(&mpi(waits)));
        assert_eq!(
            said([10 * S, 0, 0, 0, 0, 0, 9 * S, 0]),
            "Rank 3 was blocked 10.0 s for rank 0, which sent late; all ranks together were \
            blocked in this way for 10.0 s, 10 % of the time of all ranks (20 % of their time in \
            MPI)."
        );
        assert!(
            said([0, 20 * S, 0, 0, 0, 0, 0, 0])
                .starts_with("Rank 3 was blocked 20.0 s because rank 0 posted its receives late;")
        );
        for (at, late) in
            [(3, "posted its window late"), (4, "completed its access late"), (5, "held a lock")]
        {
            let mut waits = [0; 8];
            waits[at] = 20 * S;
            let begin = format!("Rank 3 was blocked 20.0 s because rank 0 {late}; all ranks ");
            assert!(said(waits).starts_with(&begin), "{}", said(waits));
        }
        assert_eq!(
            said([0, 0, 30 * S, 0, 0, 0, 0, 0]),
            "Ranks were blocked 30.0 s in collectives, 30 % of the time of all ranks (60 % of \
            their time in MPI), 30.0 s of it for rank 0."
        );
        assert!(
            said([0, 0, 0, 0, 0, 0, 2 * S, 0]).starts_with(
                "Messages lay in the queue before their receive was posted, most from"
            )
        );
        assert!(
            said([0, 0, 0, 0, 0, 0, 0, 2 * S]).starts_with("Messages had arrived and were not")
        );
        assert_eq!(
            said([S, 0, 0, 0, 0, 0, 0, 0]),
            "No wait stands out: ranks were blocked 1.00 s of the 50.0 s that they spent in MPI, \
            1 % of their time."
        );
    }

    #[test]
    fn a_headline_rests_on_what_is_known_and_says_what_is_not() {
        let mut unseen = mpi([0, 0, 0, 0, 0, 0, 8 * S, 0]);
        unseen.waits[Wait::Unexpected as usize].certain_ns = 0;
        let said = plain(&all(&unseen));
        assert!(said.starts_with("No wait stands out"), "{said}");
        assert!(
            said.ends_with(
                "Of another 8.00 s, 80 % of all message time, it is not known whether messages \
                lay about or were on their way: nobody saw them arrive."
            ),
            "{said}"
        );
        unseen.arrivals.error_ns = [6 * S, 2 * S];
        let stages = plain(&stages(&unseen).unwrap());
        assert!(stages.contains("is not known of 80 % of it"), "{stages}");
        assert_eq!(super::stages(&mpi([0; 8])), None);
        unseen.account.as_mut().unwrap().elapsed_ns = 1_000 * S;
        assert!(!all(&unseen).contains("not known"), "8 s of 1,000 are no news");
        unseen.account.as_mut().unwrap().elapsed_ns = 100 * S;
        unseen.waits[Wait::Unexpected as usize].certain_ns = 6 * S;
        let said = plain(&all(&unseen));
        assert!(said.contains("did so for at least 6.00 s, at least 60 % of all"), "{said}");
        assert!(said.contains("Of another 2.00 s, 20 % of all message time"), "{said}");
        let mut held = mpi([0; 8]);
        let account = held.account.as_mut().unwrap();
        (account.unknown_sends, account.unknown_ns) = (3, 6 * S);
        let said = plain(&all(&held));
        assert!(said.contains("3 sends may have been blocked for 6.00 s more"), "{said}");
    }

    #[test]
    fn a_program_of_collectives_alone_is_not_one_without_messages() {
        let mut none = Mpi { messages: 0, message_time_ns: 0, ..mpi([0; 8]) };
        assert!(all(&none).contains("shared no collective"));
        let reduce = CollectiveTime {
            name: "MPI_Allreduce".to_owned(),
            count: 5,
            spread_ns: S,
            spread_max_ns: S,
            in_calls_ns: Some(5 * S),
            waited_ns: Some(3 * S),
            late: Some((0, 3 * S)),
        };
        none.calls = Some(Calls { collectives: vec![reduce], ..Calls::default() });
        assert!(all(&none).starts_with("No wait stands out"), "{}", all(&none));
    }
}
