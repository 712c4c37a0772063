//! Knees, LogGP parameters and packets in words and tables.

use stats::analysis::{Analysis, Knee, NoFit, Parameter, Segment, SizePoint, Sweep};

use document::{Block, Cell, Column, Row, Table, Unit, part, size, time};

/// What a sweep is about: how the time grows with the size. `None` for what is no sweep.
pub(crate) fn headline(analysis: &Analysis) -> Option<String> {
    let sweep = analysis.sweep.as_ref()?;
    let mut sizes = analysis.sizes.iter().filter(|point| point.is_enough());
    let first = sizes.next()?;
    let last = sizes.next_back()?;
    let what = if analysis.cycles.is_some() { "cycle" } else { "message" };
    let largest = sweep.knees.iter().max_by(|a, b| a.jump.abs().total_cmp(&b.jump.abs()));
    let how = match (sweep.knees.len(), largest) {
        (1, Some(knee)) => format!(", with one knee, {}", bracket(knee)),
        (n, Some(knee)) => format!(", with {n} knees, the largest {}", bracket(knee)),
        (_, None) => ", along a straight line".to_owned(),
    };
    let few = too_few(&analysis.sizes).map_or_else(String::new, |text| format!(" {text}."));
    Some(format!(
        "The median {what} takes {} with {} and {} with {}{how}.{few}",
        time(first.p50_ns as f64),
        size(first.bytes),
        time(last.p50_ns as f64),
        size(last.bytes)
    ))
}

/// Sizes that are named; the rest is a number.
const NAMED: usize = 5;

/// Which sizes take no part in knees and jumps, as they have too few messages; `None` if all do.
pub(crate) fn too_few(sizes: &[SizePoint]) -> Option<String> {
    let few: Vec<String> =
        sizes.iter().filter(|point| !point.is_enough()).map(|point| size(point.bytes)).collect();
    let which = match few.len() {
        0 => return None,
        n if n == sizes.len() => {
            return Some(format!("All sizes have {FEWER}, too few to look for knees"));
        }
        n if n <= NAMED => few.join(", "),
        n => format!("{} and {} more", few[..NAMED].join(", "), n - NAMED),
    };
    let have = if few.len() == 1 { "size has" } else { "sizes have" };
    Some(format!("{} {have} {FEWER} and no part in the knees: {which}", few.len()))
}

const FEWER: &str = "fewer than ten messages";

/// What to see of a sweep's knees.
pub(crate) fn sentence(sweep: &Sweep, what: &str) -> String {
    let mut jumps: Vec<&Knee> = sweep.knees.iter().filter(|knee| knee.jumps()).collect();
    jumps.sort_by(|a, b| b.jump.abs().total_cmp(&a.jump.abs()));
    let bends = sweep.knees.len() - jumps.len();
    let mut text = match jumps.first() {
        None if bends == 0 => {
            format!("The median {what} grows along one straight line, without a knee.")
        }
        None => format!("The median {what} bends {} and jumps nowhere.", times(bends)),
        Some(first) => {
            let others = match jumps.len() - 1 {
                0 => String::new(),
                n => format!(" and {} more", times(n)),
            };
            format!("The median {what} jumps {}{others}.", jump(first))
        }
    };
    if let Some(packets) = &sweep.packets {
        let (low, high) = packets.payload_interval;
        text.push_str(&format!(
            " {} steps of about {} at equal distances: the largest packet carries {:.0} B \
            ({low:.0} to {high:.0} B).",
            packets.steps,
            time(packets.step_ns),
            packets.payload_bytes
        ));
    }
    text
}

/// What the parameters are, and what cannot be told.
pub(crate) const LOGGP: &str = "Latency is LogGP's L + 2o one way (half of a round trip), the \
    line's value at one byte, and G its slope, each with its 95 % interval. One message at a time \
    cannot separate the wire's part of L + 2o from the processors', nor show the gap g between \
    messages. A parameter that may be 0 has only the upper end of its interval. A segment of fewer \
    than five sizes has no fit, nor has one whose time falls with size. Beyond the first segment \
    the latency is that of the line, not of any message.";

fn times(n: usize) -> String {
    match n {
        1 => "once".to_owned(),
        2 => "twice".to_owned(),
        n => format!("{n} times"),
    }
}

fn jump(knee: &Knee) -> String {
    let (jump, ..) = knee.jump_ns;
    let way = if jump < 0.0 { "down" } else { "up" };
    format!("{way} by {} ({}) {}", time(jump.abs()), percent(knee.jump), bracket(knee))
}

/// Where a knee is.
pub(crate) fn bracket(knee: &Knee) -> String {
    format!("between {} and {}", size(knee.before_bytes), size(knee.after_bytes))
}

/// Knees and segments, and what the parameters are.
pub(crate) fn tables(sweep: &Sweep) -> Vec<Block> {
    let knees = Table::new(
        "knee-table",
        [
            Column::text("knee", "Knee"),
            Column::time("jump", "Jump").with_interval(),
            Column::new("relative", "Relative", Unit::Change),
            Column::new("slope_before_ns_per_byte", "Slope before, ns/B", Unit::Number),
            Column::new("slope_after_ns_per_byte", "after", Unit::Number),
        ],
    );
    let segments = Table::new(
        "segments",
        [
            Column::text("sizes", "Sizes"),
            Column::count("measured", "Measured"),
            Column::time("latency", "Latency (L + 2o)").with_interval(),
            Column::new("gap_ns_per_byte", "G, ns/B", Unit::Number).with_interval(),
            Column::new("rate", "Rate, 1/G", Unit::BytesPerSecond),
        ],
    );
    let knees = knees.with(sweep.knees.iter().map(knee_row));
    let knees = (!knees.rows.is_empty()).then_some(Block::Table(knees));
    let segments = segments.with(sweep.segments.iter().map(segment_row));
    let rest = [Block::Table(segments), Block::Note(None, LOGGP.to_owned())];
    knees.into_iter().chain(rest).collect()
}

fn knee_row(knee: &Knee) -> Row {
    let (jump, low, high) = knee.jump_ns;
    let (jump, relative) = if knee.jumps() {
        (Cell::new(jump).between(Some((low, high))), relative(knee.jump))
    } else {
        (Cell::new(jump).shown("bends"), String::new())
    };
    let (before, after) = knee.slopes_ns;
    let slope = |ns: f64| Cell::new(ns).shown(format!("{ns:.3}"));
    vec![
        bracket(knee).into(),
        jump,
        Cell::new(knee.jump).shown(relative),
        slope(before),
        slope(after),
    ]
    .into()
}

fn segment_row(segment: &Segment) -> Row {
    let cell = |parameter: Parameter, text: fn(f64) -> String| match parameter {
        Parameter::Known(value, low, high) => {
            Cell::new(value).shown(text(value)).between(Some((low, high)))
        }
        Parameter::AtMost(high) => Cell::default().shown(format!("at most {}", text(high))),
        Parameter::Unknown(why) => Cell::default().shown("not known").small(reason(why)),
    };
    let rate = match segment.gap_ns {
        Parameter::Known(gap, ..) => Some(1e9 / gap),
        _ => None,
    };
    vec![
        format!("{} to {}", size(segment.from_bytes), size(segment.to_bytes)).into(),
        segment.sizes.into(),
        cell(segment.latency_ns, time),
        cell(segment.gap_ns, gap),
        rate.into(),
    ]
    .into()
}

fn gap(ns: f64) -> String {
    format!("{ns:.4}")
}

fn reason(why: NoFit) -> &'static str {
    match why {
        NoFit::TooFewSizes => "too few sizes",
        NoFit::Falls => "falls with size",
        NoFit::BelowZero => "below 0",
    }
}

/// A jump may be more than all that was before it, which is no part.
fn percent(jump: f64) -> String {
    if jump.abs() < 0.1 { part(jump.abs()) } else { format!("{:.0}\u{a0}%", jump.abs() * 100.0) }
}

fn relative(jump: f64) -> String {
    format!("{}{}", if jump < 0.0 { "−" } else { "+" }, percent(jump))
}

#[cfg(test)]
mod tests {
    use super::*;
    use document::plain;

    #[test]
    fn sizes_of_too_few_messages_are_named() {
        let point =
            |bytes, count| SizePoint { bytes, count, p50_ns: 1, p99_ns: 1, min_ns: 1, jump: 0.0 };
        let said = |counts: &[u64]| {
            let sizes = counts.iter().zip(1..).map(|(count, bytes)| point(bytes, *count));
            too_few(&sizes.collect::<Vec<_>>()).map(|text| plain(&text))
        };
        assert_eq!(said(&[10, 11]), None);
        assert_eq!(
            said(&[9, 10, 1]).as_deref(),
            Some("2 sizes have fewer than ten messages and no part in the knees: 1 B, 3 B")
        );
        assert_eq!(
            said(&[9, 10]).as_deref(),
            Some("1 size has fewer than ten messages and no part in the knees: 1 B")
        );
        let many = said(&[9, 9, 9, 9, 9, 9, 9, 10]).expect("some are too few");
        assert!(many.ends_with(": 1 B, 2 B, 3 B, 4 B, 5 B and 2 more"), "{many}");
        let all = said(&[9; 7]).expect("all are too few");
        assert_eq!(all, "All sizes have fewer than ten messages, too few to look for knees");
    }
}
