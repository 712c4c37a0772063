//! An MPI program's figures.

use document::{Point, Series};

use crate::found::{Activity, Blocked, Mpi, MpiBy, Wait, WaitView};
use crate::words::{group_name, site_name};

type Points = fn(&Mpi) -> Vec<Point>;

/// Every series with what makes it.
const SERIES: [(&str, Points); 6] = [
    ("mpi-waits", waits),
    ("mpi-blocked", blocked),
    ("mpi-origins", origins),
    ("mpi-groups", groups),
    ("mpi-calls", calls),
    ("mpi-lanes", lanes),
];

/// Their names.
pub(crate) const NAMES: &[&str] =
    &[SERIES[0].0, SERIES[1].0, SERIES[2].0, SERIES[3].0, SERIES[4].0, SERIES[5].0];

/// All of them.
pub(crate) fn series(mpi: &Mpi) -> Vec<Series> {
    SERIES.iter().map(|(name, points)| Series { name, points: points(mpi) }).collect()
}

fn activity_key(activity: Activity) -> &'static str {
    match activity {
        Activity::Computing => "computing",
        Activity::Sending => "sending",
        Activity::Waiting => "waiting",
        Activity::Polling => "polling",
        Activity::Collective => "collective",
        Activity::CollectiveWait => "collective-wait",
        Activity::Other => "other",
    }
}

/// Each wait as a whole: calls or messages, sum, share, quantiles, and what rests on unseen
/// arrivals; then what blocked time is part of.
fn waits(mpi: &Mpi) -> Vec<Point> {
    let mut points = account(mpi);
    let known = |view: &&WaitView| mpi.account.is_some() || !view.wait.blocks();
    for wait in mpi.waits.iter().filter(known) {
        let key = wait.wait.key();
        let [observed, bracketed, modelled] = wait.rests_on_ns;
        let figures = [
            ("", wait.count as f64, if wait.wait.blocks() { "calls" } else { "messages" }),
            (" total", wait.total_ns as f64, "ns"),
            (" certain", wait.certain_ns as f64, "ns"),
            (" share", wait.share, "part"),
            (" unknown", wait.unknown as f64, "messages"),
            (" rests on observed", observed as f64, "ns"),
            (" rests on bracketed", bracketed as f64, "ns"),
            (" rests on modelled", modelled as f64, "ns"),
            (" error", wait.error_ns as f64, "ns"),
        ];
        points.extend(figures.map(|(what, y, unit)| Point::of(format!("{key}{what}"), y, unit)));
        points.extend(
            wait.summary
                .quantiles
                .iter()
                .map(|q| Point::of(format!("{key} quantile"), q.value_ns as f64, "ns").at(q.p)),
        );
    }
    points
}

fn account(mpi: &Mpi) -> Vec<Point> {
    let Some(account) = &mpi.account else { return Vec::new() };
    let figures = [
        ("blocked", account.blocked_ns),
        ("in calls", account.in_calls_ns),
        ("all ranks", account.elapsed_ns),
        ("perhaps blocked", account.unknown_ns),
        ("one-sided, not blocked", account.one_sided_ns),
    ];
    figures.map(|(what, ns)| Point::of(what, ns as f64, "ns")).into()
}

/// The first rank waited for the second.
fn blocked(mpi: &Mpi) -> Vec<Point> {
    let of = |b: &Blocked| {
        Wait::BLOCKING.map(|wait| Point::of(wait.key(), b.of(wait) as f64, "ns").over(b.rank, b.by))
    };
    mpi.blocked.iter().flat_map(of).collect()
}

/// Where delays began: blocked time by rank and place, and what cannot be put down to any.
fn origins(mpi: &Mpi) -> Vec<Point> {
    let Some(found) = &mpi.origins else { return Vec::new() };
    let mut points = Vec::new();
    for origin in &found.origins {
        let name = format!("began at {}", site_name(mpi, origin.site.unwrap_or(0)));
        points.push(Point::of(&name, origin.ns as f64, "ns").at(origin.rank));
        points.push(
            Point::of(format!("{name} direct"), origin.direct_ns as f64, "ns").at(origin.rank),
        );
    }
    let rest = [
        ("left out", found.left_out.1),
        ("in a circle", found.circle_ns),
        ("not known", found.unknown_ns),
        ("not followed", found.short_ns),
    ];
    points.extend(rest.map(|(what, ns)| Point::of(what, ns as f64, "ns")));
    points
}

/// Pairs, tags and places with their waits.
fn groups(mpi: &Mpi) -> Vec<Point> {
    let mut points = Vec::new();
    for groups in &mpi.groups {
        let by = match groups.by {
            MpiBy::Pair => "pair",
            MpiBy::Tag => "tag",
            MpiBy::SendSite => "sent at",
            MpiBy::ReceiveSite => "received at",
        };
        for group in &groups.groups {
            let name = format!("{by} {}", group_name(mpi, groups.by, group));
            let messages = group.messages as f64;
            points.push(Point::of(format!("{name} messages"), messages, "messages"));
            let waits = Wait::OF_MESSAGES.iter().zip(group.waits_ns);
            let known = |wait: &Wait| mpi.account.is_some() || !wait.blocks();
            points.extend(
                waits
                    .filter(|(wait, _)| known(wait))
                    .map(|(wait, ns)| Point::of(format!("{name} {}", wait.key()), ns as f64, "ns")),
            );
        }
    }
    points
}

/// Ranks, functions and collectives.
fn calls(mpi: &Mpi) -> Vec<Point> {
    let Some(calls) = &mpi.calls else { return Vec::new() };
    let mut points = Vec::new();
    for rank in &calls.ranks {
        let times = Activity::ALL.iter().zip(rank.activity_ns);
        let mut figures: Vec<(&str, f64, &'static str)> =
            times.map(|(activity, ns)| (activity_key(*activity), ns as f64, "ns")).collect();
        figures.push(("elapsed", rank.elapsed_ns as f64, "ns"));
        figures.push(("calls", rank.calls as f64, "count"));
        points.extend(
            figures
                .into_iter()
                .map(|(what, y, unit)| Point::of(format!("rank {what}"), y, unit).at(rank.rank)),
        );
    }
    for f in &calls.functions {
        let figures = [
            ("calls", f.calls as f64, "count"),
            ("total", f.total_ns as f64, "ns"),
            ("longest", f.max_ns as f64, "ns"),
            ("bytes", f.bytes as f64, "bytes"),
        ];
        points.extend(
            figures.map(|(what, y, unit)| Point::of(format!("{} {what}", f.name), y, unit)),
        );
    }
    for c in &calls.collectives {
        let times = [
            ("time in it", c.in_calls_ns),
            ("ranks waited", c.waited_ns),
            ("first to last", Some(c.spread_ns)),
        ];
        let mut figures = vec![("times compared", c.count as f64, "count")];
        figures.extend(times.iter().filter_map(|(what, ns)| Some((*what, (*ns)? as f64, "ns"))));
        points.extend(
            figures
                .into_iter()
                .map(|(what, y, unit)| Point::of(format!("{} {what}", c.name), y, unit)),
        );
    }
    points
}

/// The part of each slice in each activity; `group` names rank and activity.
fn lanes(mpi: &Mpi) -> Vec<Point> {
    let Some(calls) = &mpi.calls else { return Vec::new() };
    let mut points = Vec::new();
    for lane in &calls.lanes {
        for (slice, parts) in lane.slices.iter().enumerate() {
            let from = calls.slices_from_ns + slice as i64 * calls.slice_ns;
            let known = Activity::ALL.iter().zip(parts).filter(|(_, part)| **part > 0.0);
            points.extend(known.map(|(activity, part)| {
                let name = format!("rank {} {}", lane.rank, activity_key(*activity));
                Point::of(name, f64::from(*part), "part").over(from, from + calls.slice_ns)
            }));
        }
    }
    points
}
