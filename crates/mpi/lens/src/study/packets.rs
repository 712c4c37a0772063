//! Graph 2.1: time against size, trial by trial; knees and packets of each trial and of all.
//!
//! The knees of all trials together are fitted to the medians of the trials, each trial being a
//! visit: so their intervals are as wide as launches differ.

use document::chart::{Axis, Chart, Curve, Dash, seconds};
use document::{Block, Cell, Colour, Column, Row, Section, Table, Unit, size, time};
use stats::analysis::{Knee, Packets, SizePoint};
use stats::knees::{self, Point};

use super::{BoxStudy, INTEGER_BYTES, ONE_BOX, Sweep, TWO_BOXES};

/// All trials of these boxes as one.
pub(super) struct Joined<'a> {
    pub boxes: &'static str,
    pub trials: Vec<&'a Sweep<'a>>,
    /// Of each size the median of the trials' medians and p99, and the least time of all.
    pub sizes: Vec<SizePoint>,
    /// What is fitted to these.
    pub fit: Option<stats::analysis::Sweep>,
}

/// One box before two, as far as they were measured.
pub(super) fn joined<'a>(sweeps: &'a [Sweep<'a>]) -> Vec<Joined<'a>> {
    let of = |boxes: &'static str| {
        let trials: Vec<&Sweep> = sweeps.iter().filter(|sweep| sweep.boxes == boxes).collect();
        let (sizes, fit) = match &trials[..] {
            [] => return None,
            [alone] => (alone.sizes.to_vec(), alone.fit.cloned()),
            several => of_all(several),
        };
        Some(Joined { boxes, trials, sizes, fit })
    };
    [ONE_BOX, TWO_BOXES].into_iter().filter_map(of).collect()
}

fn of_all(trials: &[&Sweep]) -> (Vec<SizePoint>, Option<stats::analysis::Sweep>) {
    let mut points: Vec<&SizePoint> = trials.iter().flat_map(|trial| trial.sizes).collect();
    points.sort_by_key(|point| point.bytes);
    let mut sizes: Vec<SizePoint> = Vec::new();
    let mut fitted = Vec::new();
    for same in points.chunk_by(|a, b| a.bytes == b.bytes) {
        let middle = |get: fn(&SizePoint) -> i64| {
            let mut values: Vec<i64> = same.iter().map(|point| get(point)).collect();
            values.sort_unstable();
            (values[(values.len() - 1) / 2] + values[values.len() / 2]) / 2
        };
        let (p50_ns, p99_ns) = (middle(|point| point.p50_ns), middle(|point| point.p99_ns));
        let before = sizes.last().map_or(p50_ns, |point| point.p50_ns).max(1);
        sizes.push(SizePoint {
            bytes: same[0].bytes,
            count: same.iter().map(|point| point.count).sum(),
            p50_ns,
            p99_ns,
            min_ns: same.iter().map(|point| point.min_ns).min().unwrap_or_default(),
            jump: p50_ns as f64 / before as f64 - 1.0,
        });
        if same.iter().all(|point| point.is_enough()) {
            let visits = same.iter().map(|one| [one.p50_ns as f64, one.p99_ns as f64]).collect();
            let values = [p50_ns as f64, p99_ns as f64];
            fitted.push(Point { bytes: same[0].bytes, values, visits });
        }
    }
    let fit = knees::fit(&fitted, true);
    (sizes, fit)
}

/// The graph, the knees and the packets.
pub(super) fn section(study: &BoxStudy) -> Option<Section> {
    let joined = joined(&study.sweeps);
    if joined.is_empty() {
        return None;
    }
    let sentence = joined.iter().map(sentence).collect::<Vec<_>>().join(" ");
    let mut section = Section::new("graph", "Round trip against size, by trial", sentence);
    let legend = |joined: &Joined| (capital(joined.boxes), colour(joined.boxes));
    section.legend = joined.iter().map(legend).collect();
    section.legend.push(("Where the time jumps, in all trials together".to_owned(), MARK));
    section.charts.push(chart(&joined));
    section.blocks.push(Block::Table(packet_table(&joined)));
    section.blocks.push(Block::Table(knee_table(&joined)));
    Some(section)
}

const MARK: Colour = Colour("mark");

fn colour(boxes: &str) -> Colour {
    if boxes == ONE_BOX { Colour("b") } else { Colour("c") }
}

fn capital(boxes: &str) -> String {
    let mut letters = boxes.chars();
    letters.next().map_or_else(String::new, |first| {
        first.to_uppercase().collect::<String>() + letters.as_str()
    })
}

/// What to see.
fn sentence(of: &Joined) -> String {
    let name = capital(of.boxes);
    let Some(fit) = &of.fit else {
        return format!("{name}: too few sizes were measured to look for knees.");
    };
    let jumps: Vec<&Knee> = fit.knees.iter().filter(|knee| knee.jumps()).collect();
    let jumped = match &jumps[..] {
        [] => "the time jumps nowhere".to_owned(),
        [one] => format!("the time jumps once, {}", place(one)),
        [first, ..] => format!("the time jumps {} times, first {}", jumps.len(), place(first)),
    };
    let seen = of.trials.iter().filter_map(|trial| trial.fit?.packets);
    let payloads: Vec<f64> = seen.map(|packets| packets.payload_bytes).collect();
    let least = payloads.iter().copied().fold(f64::INFINITY, f64::min);
    let most = payloads.iter().copied().fold(0.0, f64::max);
    let packets = match payloads.len() {
        0 => "no trial has three steps of like height at equal distances, so packets are not \
            inferred"
            .to_owned(),
        n => format!(
            "packets are inferred from {n} of {} trials: {least:.0} to {most:.0} bytes in the \
            largest",
            of.trials.len()
        ),
    };
    format!("{name}: {jumped}; {packets}.")
}

fn place(knee: &Knee) -> String {
    let way = if knee.jump_ns.0 < 0.0 { "down" } else { "up" };
    format!(
        "{way} by {} between {:.0} and {:.0} integers",
        time(knee.jump_ns.0.abs()),
        integers(knee.before_bytes),
        integers(knee.after_bytes)
    )
}

fn integers(bytes: u64) -> f64 {
    bytes as f64 / INTEGER_BYTES as f64
}

fn chart(joined: &[Joined]) -> Chart {
    let axes = (Axis::count("integers of 4 bytes"), Axis::time("round trip").from_0());
    let label = "Median round trip against the number of integers, a line for each trial.";
    let mut chart = Chart::new("trials-by-size", 380, label, axes);
    for of in joined {
        for (at, trial) in of.trials.iter().enumerate() {
            chart.draw(line(trial, at));
        }
        if let Some(fit) = &of.fit {
            chart.draw(jumps(fit, &of.sizes));
        }
    }
    let log = chart.mode("log-log").x(Axis::count("integers of 4 bytes").log());
    chart.modes = vec![chart.mode("linear"), log.y(Axis::time("round trip").log())];
    chart
}

/// Trials of one place differ in how they are dashed.
fn line(trial: &Sweep, at: usize) -> Curve {
    let sizes = trial.sizes.iter().filter(|point| point.bytes > 0);
    let x: Vec<f64> = sizes.clone().map(|point| integers(point.bytes)).collect();
    let y = seconds(sizes.clone().map(|point| point.p50_ns));
    let dash = [Dash::None, Dash::Dash, Dash::Dot][at % 3];
    let tip = |point: &SizePoint| {
        format!(
            "{}, trial {}\n{}: median {}",
            trial.boxes,
            trial.trial,
            size(point.bytes),
            time(point.p50_ns as f64)
        )
    };
    // A tip for every one of 10,000 sizes would be a page of its own.
    let tips = if x.len() <= TIPS_MOST { sizes.map(tip).collect() } else { Vec::new() };
    Curve::line(x, y, colour(trial.boxes).at(0.8), 1.4).dashed(dash).tips(tips)
}

const TIPS_MOST: usize = 300;

fn jumps(fit: &stats::analysis::Sweep, sizes: &[SizePoint]) -> Curve {
    use document::chart::{Dots, Symbol};
    let at = |knee: &&Knee| sizes.iter().find(|point| point.bytes >= knee.after_bytes);
    let jumps: Vec<(&Knee, &SizePoint)> =
        fit.knees.iter().filter(|knee| knee.jumps()).filter_map(|k| Some((k, at(&k)?))).collect();
    let x: Vec<f64> = jumps.iter().map(|(_, point)| integers(point.bytes)).collect();
    let y = seconds(jumps.iter().map(|(_, point)| point.p50_ns));
    let tips = jumps.iter().map(|(knee, _)| place(knee)).collect();
    let rings = Dots { paint: MARK.into(), size: 11.0, symbol: Symbol::Ring };
    Curve::points(x, y, rings).tips(tips)
}

/// All together, then the trials; a single one stands for all.
fn rows<'a>(of: &'a Joined) -> Vec<(String, Option<&'a stats::analysis::Sweep>)> {
    let all = ("all".to_owned(), of.fit.as_ref());
    let trials = of.trials.iter().map(|trial| (trial.trial.to_string(), trial.fit));
    (of.trials.len() > 1).then_some(all).into_iter().chain(trials).collect()
}

fn knee_table(joined: &[Joined]) -> Table {
    let columns = [
        Column::text("boxes", "Boxes"),
        Column::text("trial", "Trial"),
        Column::new("before", "Last before", Unit::Bytes),
        Column::new("after", "First after", Unit::Bytes),
        Column::time("jump", "Jump").with_interval(),
        Column::new("relative", "", Unit::Change).data(),
        Column::new("slope_before_ns_per_byte", "ns/B before", Unit::Number).wide(),
        Column::new("slope_after_ns_per_byte", "after", Unit::Number).wide(),
    ];
    let mut table = Table::new("knees", columns);
    for of in joined {
        for (trial, fit) in rows(of) {
            let knees = fit.map_or(&[][..], |fit| &fit.knees[..]).iter();
            table.rows.extend(knees.map(|knee| knee_row(of.boxes, &trial, knee)));
        }
    }
    table
}

fn knee_row(boxes: &str, trial: &str, knee: &Knee) -> Row {
    let (jump, low, high) = knee.jump_ns;
    let cell = Cell::new(jump).between(Some((low, high)));
    let slope = |ns: f64| Cell::new(ns).shown(format!("{ns:.3}"));
    Row::from([
        boxes.into(),
        trial.into(),
        knee.before_bytes.into(),
        knee.after_bytes.into(),
        if knee.jumps() { cell } else { cell.shown("bends") },
        knee.jump.into(),
        slope(knee.slopes_ns.0),
        slope(knee.slopes_ns.1),
    ])
}

fn packet_table(joined: &[Joined]) -> Table {
    let columns = [
        Column::text("boxes", "Boxes"),
        Column::text("trial", "Trial"),
        Column::count("steps", "Steps"),
        Column::new("payload_bytes", "Largest packet, bytes", Unit::Number).with_interval(),
        Column::new("header_bytes", "Header, bytes", Unit::Number),
        Column::time("step", "A packet more"),
    ];
    let mut table = Table::new("packets", columns);
    for of in joined {
        let found = rows(of).into_iter().filter_map(|(trial, fit)| Some((trial, fit?.packets?)));
        table.rows.extend(found.map(|(trial, packets)| packet_row(of.boxes, &trial, &packets)));
    }
    table
}

fn packet_row(boxes: &str, trial: &str, packets: &Packets) -> Row {
    let whole = |value: f64| Cell::new(value).shown(format!("{value:.0}"));
    Row::from([
        boxes.into(),
        trial.into(),
        packets.steps.into(),
        whole(packets.payload_bytes).between(Some(packets.payload_interval)),
        whole(packets.header_bytes),
        packets.step_ns.into(),
    ])
}
