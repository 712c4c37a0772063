//! Ticks of an axis: as many as find room for their names.

use super::scale::Scale;
use super::words::{LINE, width, wrapped};
use crate::chart::{Axis, Quantity};
use crate::format::six_figures;

/// A tick: where it is, 0 to 1 along the axis, and its name, in lines.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Tick {
    pub(super) at: f64,
    pub(super) lines: Vec<String>,
}

/// Between the names of neighbours, CSS pixels.
const GAP: f64 = 14.0;
/// From one tick of an upright axis to the next, at least.
const ROW: f64 = 26.0;
/// Narrower columns of words are not read.
const COLUMN: f64 = 56.0;
/// Lines of a name.
const LINES: usize = 4;

/// The ticks of a lying axis of this many pixels.
pub(super) fn along(axis: &Axis, scale: &Scale, pixels: f64) -> Vec<Tick> {
    if !scale.names.is_empty() {
        return named_along(scale, pixels);
    }
    let fits = |ticks: &[Tick]| {
        let ends = |tick: &Tick| (tick.at * pixels, width(&tick.lines[0]) / 2.0);
        ticks.windows(2).all(|pair| {
            let ((left, half), (right, other)) = (ends(&pair[0]), ends(&pair[1]));
            (right - left).abs() >= half + other + GAP
        })
    };
    best(axis, scale, (pixels / 60.0).max(2.0), &fits)
}

/// The ticks of an upright axis of this many pixels.
pub(super) fn upright(axis: &Axis, scale: &Scale, pixels: f64) -> Vec<Tick> {
    if !axis.has_ticks {
        return Vec::new();
    }
    if !scale.names.is_empty() {
        let every = (LINE * scale.names.len() as f64 / pixels).ceil().max(1.0) as usize;
        return names(scale).step_by(every).map(|(at, name)| tick(at, name)).collect();
    }
    let fits = |ticks: &[Tick]| {
        ticks.windows(2).all(|pair| (pair[1].at - pair[0].at).abs() * pixels >= ROW)
    };
    best(axis, scale, pixels / 28.0, &fits)
}

fn tick(at: f64, name: &str) -> Tick {
    Tick { at, lines: vec![name.to_owned()] }
}

fn names(scale: &Scale) -> impl Iterator<Item = (f64, &str)> {
    let place = |at: usize| scale.place(at as f64);
    scale.names.iter().enumerate().map(move |(at, name)| (place(at), name.as_str()))
}

/// Names side by side, in lines; where even these find no room, every second or third of them
/// and the last.
fn named_along(scale: &Scale, pixels: f64) -> Vec<Tick> {
    let each = pixels / scale.names.len() as f64;
    let widest_word = |name: &str| name.split([' ', '\n']).map(width).fold(0.0, f64::max);
    let widest = names(scale).map(|(_, name)| widest_word(name)).fold(0.0, f64::max);
    let every = ((widest + 4.0) / each).ceil().max(1.0) as usize;
    let room = (each * every as f64 - 6.0).max(COLUMN.min(widest));
    let lines = |name: &str| {
        let mut lines = wrapped(name, room);
        lines.truncate(LINES);
        lines
    };
    let last = scale.names.len() - 1;
    // The one before the last gives way where both find no room.
    let named = |at: &usize| *at == last || (at.is_multiple_of(every) && at + every <= last);
    let shown = names(scale).enumerate().filter(|(at, _)| named(at));
    shown.map(|(_, (at, name))| Tick { at, lines: lines(name) }).collect()
}

/// The most ticks whose names find room.
fn best(axis: &Axis, scale: &Scale, wanted: f64, fits: &dyn Fn(&[Tick]) -> bool) -> Vec<Tick> {
    let within = |tick: &Tick| (-1e-6..=1.0 + 1e-6).contains(&tick.at);
    let made = |values: &[f64]| -> Vec<Tick> {
        let ticks = values.iter().zip(apart(scale, values));
        ticks.map(|(value, name)| tick(scale.place(*value), &name)).filter(within).collect()
    };
    if !axis.ticks.is_empty() {
        let named = axis.ticks.iter().map(|(at, name)| tick(scale.place(*at), name));
        return thinned(&named.filter(within).collect::<Vec<Tick>>(), fits);
    }
    let (low, high) = scale.ends();
    let wanted = (wanted.min(9.0) as i32).max(2);
    // One tick is no scale: rather more than are wanted, or some of them.
    let steps = (2..=wanted).rev().chain(wanted + 1..=9);
    let least = axis.step.unwrap_or(if whole(scale.of) { 1.0 } else { 0.0 });
    let linear = steps.map(|wanted| linear(low, high, f64::from(wanted), least));
    let log = if scale.log { log(low, high) } else { Vec::new() };
    let kept = |values: &[f64]| {
        let kept = made(values);
        (kept.len() > 1 && kept.len() <= 12 && fits(&kept)).then_some(kept)
    };
    let found = log.iter().find_map(|values| kept(values));
    let linear: Vec<Vec<f64>> = linear.collect();
    let one = |values: &Vec<f64>| made(values).into_iter().next();
    let some =
        |values: &Vec<f64>| Some(thinned(&made(values), fits)).filter(|ticks| ticks.len() > 1);
    found
        .or_else(|| linear.iter().find_map(|values| kept(values)))
        .or_else(|| linear.iter().find_map(some))
        .unwrap_or_else(|| linear.iter().rev().find_map(one).into_iter().collect())
}

/// Every second, third, … of them, the most whose names find room.
fn thinned(all: &[Tick], fits: &dyn Fn(&[Tick]) -> bool) -> Vec<Tick> {
    (1..=all.len())
        .map(|every| all.iter().step_by(every).cloned().collect::<Vec<Tick>>())
        .find(|ticks| fits(ticks))
        .unwrap_or_default()
}

/// Whether there are no parts of one.
fn whole(of: Quantity) -> bool {
    matches!(of, Quantity::Count | Quantity::Bytes)
}

/// Places on a log axis, the densest first.
fn log(low: f64, high: f64) -> Vec<Vec<f64>> {
    const FACTORS: [&[f64]; 4] =
        [&[1.0, 1.5, 2.0, 3.0, 4.0, 5.0, 7.0], &[1.0, 2.0, 5.0], &[1.0, 3.0], &[1.0]];
    let (first, last) = (low.log10().floor() as i32, high.log10().ceil() as i32);
    let decades = |every: i32, factors: &[f64]| -> Vec<f64> {
        let tens = (first..=last).filter(|decade| decade % every == 0);
        tens.flat_map(|decade| factors.iter().map(move |f| f * 10f64.powi(decade))).collect()
    };
    let dense = FACTORS.iter().map(|factors| decades(1, factors));
    let even = (2..=9).map(|every| decades(every, &[1.0]));
    // Where there is little room, the first and the last power of ten.
    let tens: Vec<f64> =
        decades(1, &[1.0]).into_iter().filter(|ten| (low..=high).contains(ten)).collect();
    let ends = tens.first().zip(tens.last()).map(|(first, last)| vec![*first, *last]);
    dense.chain(even).chain(ends).collect()
}

fn linear(low: f64, high: f64, wanted: f64, least: f64) -> Vec<f64> {
    let rough = ((high - low) / wanted).max(least);
    let decade = 10f64.powf(rough.log10().floor());
    let step = [1.0, 2.0, 5.0, 10.0].map(|factor| factor * decade);
    let step = step.into_iter().find(|step| *step >= rough * 0.999).unwrap_or(rough);
    let first = (low / step - 1e-9).ceil() as i64;
    (first..first + 40).map(|i| i as f64 * step).take_while(|v| *v <= high + step * 1e-6).collect()
}

/// The names of values: of four figures, or of as many more as tell neighbours apart.
fn apart(scale: &Scale, values: &[f64]) -> Vec<String> {
    let mut names = Vec::new();
    for digits in 4..=12 {
        names = values.iter().map(|value| text(scale, *value, digits)).collect();
        if names.windows(2).all(|pair| pair[0] != pair[1]) {
            break;
        }
    }
    names
}

/// The name of a value.
fn text(scale: &Scale, value: f64, digits: i32) -> String {
    match scale.of {
        Quantity::Time => time(value, digits),
        Quantity::Count => si(value, "", digits),
        Quantity::Bytes => si(value, "\u{202f}B", digits),
        Quantity::Part => format!("{}\u{202f}%", figures(value * 100.0, digits)),
        Quantity::Number | Quantity::Name => six_figures(value),
        Quantity::Day => day(value / 1e3),
    }
}

fn time(seconds: f64, digits: i32) -> String {
    const STEPS: [(f64, &str); 4] = [(1.0, "s"), (1e-3, "ms"), (1e-6, "µs"), (1e-9, "ns")];
    if seconds.abs() < 1e-12 {
        return "0".to_owned();
    }
    let step = STEPS.iter().find(|(size, _)| seconds.abs() >= size * 0.9999).unwrap_or(&STEPS[3]);
    format!("{}\u{202f}{}", figures(seconds / step.0, digits), step.1)
}

fn si(value: f64, unit: &str, digits: i32) -> String {
    let steps = [(1e9, "G"), (1e6, "M"), (1e3, "k")];
    let step = steps.iter().find(|(size, _)| value.abs() >= size * 0.9999);
    let (size, name) = step.copied().unwrap_or((1.0, ""));
    let gap =
        if unit.is_empty() || name.is_empty() { unit.to_owned() } else { unit.replace('B', "") };
    let end = if name.is_empty() || unit.is_empty() { "" } else { "B" };
    format!("{}{gap}{name}{end}", figures(value / size, digits))
}

/// So many figures, none of them an idle zero.
fn figures(value: f64, digits: i32) -> String {
    let before = value.abs().max(1e-12).log10().floor() as i32;
    let text = format!("{value:.*}", (digits - 1 - before).clamp(0, 12) as usize);
    let text = match text.contains('.') {
        true => text.trim_end_matches('0').trim_end_matches('.'),
        false => &text,
    };
    text.replace('-', "−")
}

/// The time of day, UTC.
fn day(seconds: f64) -> String {
    let of_day = (seconds.rem_euclid(86_400.0)).round() as u64;
    format!("{:02}:{:02}:{:02}", of_day / 3600 % 24, of_day / 60 % 60, of_day % 60)
}
