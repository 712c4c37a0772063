//! Knees, LogGP parameters and packets in words and tables, for the page and the terminal.

use stats::analysis::{Knee, NoFit, Parameter, Segment, Sweep};

use crate::format::{part, plain, size, time};
use crate::tables::wrap;
use crate::terminal::{bare, wrapped};

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
line's value at one byte, and G its \
    slope, each with its 95 % interval. What the wire and what the processors take of L + 2o, and \
    the gap g between \
    messages, one message at a time cannot show. What cannot be told from 0 has only the upper end \
    of its interval. A segment of \
    fewer than five sizes has no fit, nor has one whose time falls with size. Beyond the first \
    segment the latency is that of the line, not of any message.";

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

/// The page's tables: segments and knees.
pub(crate) fn tables(sweep: &Sweep) -> String {
    let knees: String = sweep.knees.iter().map(knee_row).collect();
    let segments: String = sweep.segments.iter().map(segment_row).collect();
    let knees = if sweep.knees.is_empty() {
        String::new()
    } else {
        wrap(&format!(
            "<table class=figures><thead><tr><th scope=col>Knee<th scope=col>Jump<th \
            scope=col>Relative<th \
             scope=col>Slope before, ns/B<th scope=col>after<tbody>{knees}</table>"
        ))
    };
    let segments = wrap(&format!(
        "<table class=figures><thead><tr><th scope=col>Sizes<th scope=col>Measured<th \
        scope=col>Latency (L + \
         2o)<th scope=col>G, ns/B<th scope=col>Rate, 1/G<tbody>{segments}</table>"
    ));
    format!("{knees}{segments}<p class=note>{LOGGP}</p>")
}

fn knee_row(knee: &Knee) -> String {
    let (jump, low, high) = knee.jump_ns;
    let shown = if knee.jumps() {
        format!(
            "{}<small>{} to {}</small><td>{}",
            signed(jump),
            signed(low),
            signed(high),
            relative(knee.jump)
        )
    } else {
        "bends<td>".to_owned()
    };
    let (before, after) = knee.slopes_ns;
    format!("<tr><th scope=row>{}<td>{shown}<td>{before:.3}<td>{after:.3}", bracket(knee))
}

fn segment_row(segment: &Segment) -> String {
    let cell = |parameter: Parameter, text: fn(f64) -> String| match parameter {
        Parameter::Known(value, low, high) => {
            format!("{}<small>{} to {}</small>", text(value), text(low), text(high))
        }
        Parameter::AtMost(high) => format!("at most {}", text(high)),
        Parameter::Unknown(why) => format!("not known<small>{}</small>", reason(why)),
    };
    let rate = match segment.gap_ns {
        Parameter::Known(gap, ..) => crate::format::byte_rate(1e9 / gap),
        _ => crate::format::NONE.to_owned(),
    };
    format!(
        "<tr><th scope=row>{} to {}<td>{}<td>{}<td>{}<td>{rate}",
        size(segment.from_bytes),
        size(segment.to_bytes),
        segment.sizes,
        cell(segment.latency_ns, time),
        cell(segment.gap_ns, gap)
    )
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

fn signed(ns: f64) -> String {
    if ns < 0.0 { format!("−{}", time(-ns)) } else { time(ns) }
}

/// A jump may be more than all that was before it, which is no part.
fn percent(jump: f64) -> String {
    if jump.abs() < 0.1 { part(jump.abs()) } else { format!("{:.0}\u{a0}%", jump.abs() * 100.0) }
}

fn relative(jump: f64) -> String {
    format!("{}{}", if jump < 0.0 { "−" } else { "+" }, percent(jump))
}

/// The terminal's lines: what jumps, the segments, the packets.
pub(crate) fn terminal_block(sweep: &Sweep, what: &str, width: usize) -> String {
    let mut table = bare();
    table.set_header(["sizes", "L + 2o", "G, ns/B", "then"]);
    for (at, segment) in sweep.segments.iter().enumerate() {
        let then = match sweep.knees.get(at) {
            Some(knee) if knee.jumps() => format!("{} {}", relative(knee.jump), bracket(knee)),
            Some(knee) => format!("bends {}", bracket(knee)),
            None => String::new(),
        };
        let sizes = format!("{} to {}", size(segment.from_bytes), size(segment.to_bytes));
        let cell = |parameter: Parameter, text: fn(f64) -> String| match parameter {
            Parameter::Known(value, ..) => text(value),
            Parameter::AtMost(high) => format!("≤ {}", text(high)),
            Parameter::Unknown(why) => reason(why).to_owned(),
        };
        let cells = [sizes, cell(segment.latency_ns, time), cell(segment.gap_ns, gap), then];
        table.add_row(cells.map(|cell| plain(&cell)));
    }
    let mut text = crate::headline::trim_lines(&table.to_string());
    text.push_str(&wrapped(&plain(&sentence(sweep, what)), width));
    text
}
