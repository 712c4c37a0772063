//! What is to be found: how many pieces there are, and which figures the runs tell at all. Decided
//! once, from all that was measured, so that every resample is read in the same way.

use super::line::{BENT, Line};
use super::sizes::{At, Sizes, noise};
use super::{Knees, Visits};

/// Sizes of a piece: fewer lie on some line whatever they are.
const SIZES_LEAST: usize = 3;
/// Sizes that a step by packets takes.
const STEPS_LEAST: usize = 5;
/// Figures of an end that differ by less are one: a part, and ns.
pub(super) const ALIKE: (f64, f64) = (0.1, 20.0);
/// Deviations of a size's median that are no bend.
const SURE: f64 = 4.0;

/// What is to be found.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Shape {
    /// Where lines of one way begin, from 0 on.
    pub lines: Vec<u64>,
    /// Where figures of sending begin.
    pub sends: Vec<u64>,
    /// Whether messages of several packets tell what a packet costs.
    pub packets: bool,
    /// Whether receiving was seen at sizes enough for what a byte costs there.
    pub copy: bool,
}

impl Shape {
    /// `rated`: it is known that a link's rate makes the line, and there is one.
    pub fn of(sizes: &Sizes, knees: Knees<'_>, rated: bool) -> Shape {
        let one_way: Vec<At> = sizes.one_way().collect();
        let several = one_way.iter().filter(|at| at.packets > 1.0).count();
        let line = Line::through(&one_way, true).filter(|_| several >= STEPS_LEAST);
        let packets = line.is_some_and(|line| !passes_faster(sizes, &line));
        let copy = sizes.receive().count() >= SIZES_LEAST;
        let step = step(&one_way, packets);
        let plain: Vec<At> = one_way.iter().map(|at| without(at, step)).collect();
        let lines = if rated { vec![0] } else { lines(sizes, &plain, step, knees) };
        Shape { lines, sends: sends(sizes), packets, copy }
    }
}

/// Where lines begin: at knees, and where what is between them is bent. `plain` are the values of
/// one way without what packets add, a `step` each.
fn lines(sizes: &Sizes, plain: &[At], step: f64, knees: Knees<'_>) -> Vec<u64> {
    let visits: Vec<Visits> = sizes
        .0
        .iter()
        .filter(|(_, shown)| !shown.one_way.is_empty())
        .map(|(bytes, shown)| {
            let less = step * f64::from(shown.packets);
            (*bytes, shown.one_way.iter().map(|one| one - less).collect())
        })
        .collect();
    let mut lines = vec![0];
    lines.extend(knees(&visits));
    let ends = sizes.receive().next().into_iter().chain(sizes.sending().next());
    let least = Line { base: ends.map(|at| at.value).sum(), ..Line::default() };
    let straight = BENT.max(SURE * noise(sizes));
    let bent: Vec<u64> = lines
        .iter()
        .enumerate()
        .flat_map(|(at, from)| {
            bends(&piece(plain, *from, lines.get(at + 1).copied()), &least, straight)
        })
        .collect();
    lines.extend(bent);
    lines.sort_unstable();
    lines.dedup();
    lines
}

/// What a packet adds to one way.
pub(super) fn step(one_way: &[At], packets: bool) -> f64 {
    let line = packets.then(|| Line::through(one_way, true)).flatten();
    line.map_or(0.0, |line| line.step.max(0.0))
}

/// A value without what its packets add.
pub(super) fn without(at: &At, step: f64) -> At {
    At { value: at.value - step * at.packets, ..*at }
}

/// Values from a size on and below another.
pub(super) fn piece(values: &[At], from: u64, to: Option<u64>) -> Vec<At> {
    let inside = |at: &&At| at.bytes >= from && to.is_none_or(|to| at.bytes < to);
    values.iter().filter(inside).copied().collect()
}

/// Whether a stream passes messages of several packets faster than a link could by this line of one
/// way: then what a packet seems to add is not the link's.
fn passes_faster(sizes: &Sizes, line: &Line) -> bool {
    let received: Vec<At> = sizes.receive().collect();
    let ends = Line::through(&received, true).unwrap_or_default();
    let (a_byte, a_packet) = (line.slope - 2.0 * ends.slope, line.step - ends.step);
    let link = |at: &At| a_byte * at.bytes as f64 + a_packet * at.packets;
    let mut several = sizes.passing().filter(|at| at.packets > 1.0);
    several.any(|at| link(&at) > at.value * (1.0 + BENT))
}

/// Where a piece must be cut further so that its parts are straight and begin no lower than sending
/// and receiving take.
fn bends(values: &[At], least: &Line, straight: f64) -> Vec<u64> {
    let line = Line::rising(values, least);
    let off = values.iter().map(|at| line.off(at).abs()).fold(0.0, f64::max);
    if off <= straight || values.len() < 2 * SIZES_LEAST {
        return Vec::new();
    }
    let misfit = |values: &[At]| -> f64 {
        let line = Line::rising(values, least);
        values.iter().map(|at| line.off(at).powi(2)).sum()
    };
    let best = (SIZES_LEAST..=values.len() - SIZES_LEAST)
        .map(|cut| (cut, misfit(&values[..cut]) + misfit(&values[cut..])))
        .min_by(|a, b| a.1.total_cmp(&b.1));
    let Some((cut, _)) = best else { return Vec::new() };
    let (before, after) = values.split_at(cut);
    [bends(before, least, straight), vec![after[0].bytes], bends(after, least, straight)].concat()
}

/// Where sending differs: half-way, by ratio, between two sizes of streams.
fn sends(sizes: &Sizes) -> Vec<u64> {
    let seen: Vec<At> = sizes.sending().collect();
    let mut from = vec![0];
    for pair in seen.windows(2) {
        let [low, high] = [pair[0], pair[1]];
        let apart = (high.value - low.value).abs();
        if apart > ALIKE.1.max(ALIKE.0 * low.value.max(high.value)) {
            from.push(((low.bytes.max(1) as f64 * high.bytes as f64).sqrt()).ceil() as u64);
        }
    }
    from
}
