//! Whether slow messages come at a fixed phase of a known period, at regular intervals, or take as
//! long as a known delay.
//!
//! Phases are tested by Rayleigh's test (Mardia & Jupp 2000, ch. 6.3), launch by launch, because a
//! launch begins at any phase. Messages that are late together are one event: of those within a
//! twentieth of the period only the first counts.

use super::chance;
use super::question::Question;
use super::sample::Member;
use crate::analysis::{Known, Reason};

/// How many periods are tried.
pub(super) const TESTS: usize = Known::PERIODS.len();

/// Events that a launch needs to have a phase.
const EVENTS_LEAST: usize = 5;
/// A phase vector shorter than this explains little, however sure it is.
const STRENGTH_LEAST: f64 = 0.5;
const CHANCE_MOST: f64 = 1e-3;
/// A place within this of a known delay may be that delay.
const PLACE_NEAR: f64 = 0.05;
/// Intervals this near to their median are regular, when most are.
const REGULAR_NEAR: f64 = 0.05;
const REGULAR_LEAST: f64 = 0.6;
const INTERVALS_LEAST: usize = 8;
/// Messages nearer to each other than this were late together, or one after the other as they were
/// sent.
const INTERVAL_NS_LEAST: i64 = 10_000_000;

/// What the times of a group's messages tell. `whole`: none of them was left out.
pub(super) fn reasons(
    question: &Question,
    members: &[Member],
    whole: bool,
    tests: usize,
) -> Vec<Reason> {
    // Whatever comes at regular intervals has a phase of every period that divides them: the
    // interval says more.
    let regular = if whole { regular(members) } else { None };
    // A multiple of a period has its phase as well: the longest one that holds says most.
    let phase = || Known::PERIODS.into_iter().rev().find_map(|known| phase(known, members, tests));
    regular.or_else(phase).into_iter().chain(place(question)).collect()
}

fn phase(known: Known, members: &[Member], tests: usize) -> Option<Reason> {
    let period = known.ns();
    let (mut statistic, mut sets, mut length, mut events) = (0.0, 0, 0.0, 0.0);
    for launch in members.chunk_by(|a, b| a.launch == b.launch) {
        let begins = apart(launch, period / 20);
        if begins.len() < EVENTS_LEAST || begins[begins.len() - 1] - begins[0] < 3 * period {
            continue;
        }
        let angle =
            |at: &i64| std::f64::consts::TAU * (at.rem_euclid(period) as f64 / period as f64);
        let (sine, cosine) = begins
            .iter()
            .map(angle)
            .fold((0.0, 0.0), |(s, c), angle| (s + angle.sin(), c + angle.cos()));
        let n = begins.len() as f64;
        let vector = f64::hypot(sine, cosine);
        statistic += 2.0 * vector * vector / n;
        sets += 1;
        length += vector;
        events += n;
    }
    if sets == 0 {
        return None;
    }
    let (strength, chance) = (length / events, chance::of_phases(statistic, sets) * tests as f64);
    (strength >= STRENGTH_LEAST && chance <= CHANCE_MOST).then_some(Reason::Phase {
        known,
        strength,
        chance,
    })
}

fn regular(members: &[Member]) -> Option<Reason> {
    let mut intervals = Vec::new();
    for launch in members.chunk_by(|a, b| a.launch == b.launch) {
        intervals.extend(apart(launch, INTERVAL_NS_LEAST).windows(2).map(|pair| pair[1] - pair[0]));
    }
    if intervals.len() < INTERVALS_LEAST {
        return None;
    }
    intervals.sort_unstable();
    let period_ns = intervals[intervals.len() / 2];
    let near =
        |interval: &&i64| (**interval - period_ns).abs() as f64 <= REGULAR_NEAR * period_ns as f64;
    let share = intervals.iter().filter(near).count() as f64 / intervals.len() as f64;
    (share >= REGULAR_LEAST).then_some(Reason::Regular { period_ns, share })
}

fn place(question: &Question) -> Option<Reason> {
    let (from, to) = question.range_ns;
    let near = |known: &Known| {
        let delay = known.ns() as f64;
        let low = from.saturating_sub(question.median_ns) as f64;
        let high = to.saturating_sub(question.median_ns) as f64;
        // The whole peak lies near it, or it lies in a peak that is narrow.
        low >= delay * (1.0 - 4.0 * PLACE_NEAR) && high <= delay * (1.0 + 4.0 * PLACE_NEAR)
    };
    Known::DELAYS.into_iter().find(near).map(|known| Reason::Place { known })
}

/// Begins of the messages, without those that follow another one within `apart_ns`.
fn apart(members: &[Member], apart_ns: i64) -> Vec<i64> {
    let mut begins: Vec<i64> = Vec::new();
    let mut last = i64::MIN;
    for begin in members.iter().map(|member| member.from_ns) {
        if begin.saturating_sub(last) > apart_ns {
            begins.push(begin);
        }
        last = begin;
    }
    begins
}
