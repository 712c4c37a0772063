//! Page transfers a second along the run, and what happened to servers meanwhile: the phases of a
//! program at a glance.

use super::marks::{Mark, lines, marks};
use crate::found::{PageKind, Paging, PagingBin};
use crate::words::phases;
use document::chart::{Axis, Chart, Curve};
use document::{Block, ChartText, Colour, Section, axis_seconds, byte_rate, rate, time};
use pager_facts::PagerFacts;

/// A line: kind, name, colour, width.
type Drawn = (PageKind, &'static str, Colour, f64);

/// What is drawn, the last on top.
const LINES: [Drawn; 3] = [
    (PageKind::Parity, "Parity", Colour("c"), 1.2),
    (PageKind::Out, "Page-outs", Colour("undo"), 1.6),
    (PageKind::In, "Page-ins", Colour("work"), 1.6),
];

/// What a page transfer is measured in.
#[derive(Clone, Copy)]
enum Measure {
    Pages,
    Bytes,
}

pub(super) fn section(pager: &PagerFacts, paging: &Paging) -> Section {
    let mut section =
        Section::new("pager-rates", "Page transfers along the run", phases(paging, pager));
    let shown: Vec<_> = LINES
        .into_iter()
        .filter(|(kind, ..)| paging.kinds.iter().any(|of| of.kind == *kind))
        .collect();
    let names = shown.iter().rev().map(|(_, name, colour, _)| ((*name).to_owned(), *colour));
    section.legend = names.collect();
    let end_s = pager.processes.iter().map(|process| process.seconds.elapsed).fold(0.0, f64::max);
    section.charts.push(chart(paging, &shown, &marks(pager, end_s), end_s));
    let slice = paging.series.iter().map(|bin| bin.to_ns - bin.from_ns).max().unwrap_or(0);
    section.blocks.push(Block::Note(
        None,
        format!(
            "The first and the last hundredth of a kind\u{2019}s pages are left out of the times \
            in the text; its rates are means between them. A step of the lines is {}.",
            time(slice as f64)
        ),
    ));
    section
}

fn chart(paging: &Paging, shown: &[Drawn], marks: &[Mark], end_s: f64) -> Chart {
    let last = paging.series.last().map_or(0.0, |bin| axis_seconds(bin.to_ns as f64));
    let along = Axis::time("time since the run began").range(0.0, end_s.max(last));
    let counts = |title, measure| Axis::count(title).range(0.0, top(&paging.series, measure));
    let pages = counts("pages a second", Measure::Pages);
    let bytes = counts("bytes a second", Measure::Bytes);
    let label = "Page-ins, page-outs and parity pages a second along the run.".to_owned();
    let mut chart = Chart::new("pager-rates-chart", 320, label, (along, pages));
    chart.text = spark(paging);
    for measure in [Measure::Pages, Measure::Bytes] {
        shown.iter().for_each(|style| chart.draw(steps(&paging.series, measure, style)));
        if !marks.is_empty() {
            chart.draw(lines(marks, top(&paging.series, measure)));
        }
    }
    let half = chart.data.len() / 2;
    let only = |first: bool| (0..2 * half).map(move |at| (at < half) == first);
    let bytes = chart.mode("bytes").seeing(only(false)).y(bytes);
    chart.modes = vec![chart.mode("pages").seeing(only(true)), bytes];
    chart
}

/// All pages along the run, for a terminal.
fn spark(paging: &Paging) -> Option<ChartText> {
    let (first, last) = paging.series.first().zip(paging.series.last())?;
    Some(ChartText::Spark {
        head: "Pages".to_owned(),
        ends: (time(first.from_ns as f64), time(last.to_ns as f64)),
        counts: paging
            .series
            .iter()
            .map(|bin| bin.pages_per_s.iter().sum::<f64>() as u64)
            .collect(),
    })
}

/// A little more than the highest of what is drawn; the marks' words find room above it.
fn top(series: &[PagingBin], measure: Measure) -> f64 {
    let highest = series.iter().flat_map(|bin| rates(bin, measure)).fold(0.0, f64::max);
    (highest * 1.15).ceil().max(1.0)
}

fn rates(bin: &PagingBin, measure: Measure) -> [f64; 3] {
    match measure {
        Measure::Pages => bin.pages_per_s,
        Measure::Bytes => bin.bytes_per_s,
    }
}

/// One kind as a line of steps, which begins and ends at nothing.
fn steps(series: &[PagingBin], measure: Measure, (kind, name, colour, width): &Drawn) -> Curve {
    let at = *kind as usize;
    let edge = |ns: i64| axis_seconds(ns as f64);
    let mut x: Vec<f64> = series.iter().map(|bin| edge(bin.from_ns)).collect();
    let mut y: Vec<f64> = series.iter().map(|bin| rates(bin, measure)[at].round()).collect();
    let tips = series.iter().map(|bin| tip(bin, at, name)).collect();
    if let Some(last) = series.last() {
        x.push(edge(last.to_ns));
        y.push(0.0);
    }
    Curve::line(x, y, *colour, *width).stepped().filled_to_0(colour.at(0.18)).tips(tips)
}

fn tip(bin: &PagingBin, at: usize, name: &str) -> String {
    format!(
        "{name} {} ({} pages)\n{} to {}",
        byte_rate(bin.bytes_per_s[at]),
        rate(bin.pages_per_s[at]),
        time(bin.from_ns as f64),
        time(bin.to_ns as f64)
    )
}
