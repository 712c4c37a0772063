//! Page transfers a second along the run, and what happened to servers meanwhile: the phases of a
//! program at a glance.

use plotly::common::{Fill, HoverInfo, Line, LineShape, Visible};
use plotly::layout::AxisType;
use plotly::{Scatter, Trace};
use serde_json::json;

use super::marks::{Mark, marks, trace};
use crate::found::{PageKind, Paging, PagingBin};
use crate::words::phases;
use document::chart::{Chart, count_axis, layout, line, mode, time_axis};
use document::{Block, ChartText, Colour, Section};
use document::{axis_seconds, byte_rate, rate, time};
use pager_facts::PagerFacts;

/// What is drawn, the last on top: kind, name, class, width.
const LINES: [(PageKind, &str, &str, f64); 3] = [
    (PageKind::Parity, "Parity", "c", 1.2),
    (PageKind::Out, "Page-outs", "undo", 1.6),
    (PageKind::In, "Page-ins", "work", 1.6),
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
    let names = shown.iter().rev().map(|(_, name, class, _)| ((*name).to_owned(), Colour(class)));
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

fn chart(
    paging: &Paging,
    shown: &[(PageKind, &'static str, &'static str, f64)],
    marks: &[Mark],
    end_s: f64,
) -> Chart {
    let (pages, bytes) = (top(&paging.series, Measure::Pages), top(&paging.series, Measure::Bytes));
    let last = paging.series.last().map_or(0.0, |bin| axis_seconds(bin.to_ns as f64));
    let axes = layout()
        .x_axis(
            time_axis("time since the run began", AxisType::Linear)
                .range(vec![0.0, end_s.max(last)]),
        )
        .y_axis(count_axis("pages a second", AxisType::Linear).range(vec![0.0, pages]));
    let label = "Page-ins, page-outs and parity pages a second along the run.".to_owned();
    let mut chart = Chart::new("pager-rates-chart", 320, label, axes);
    chart.text = spark(paging);
    for (measure, top) in [(Measure::Pages, pages), (Measure::Bytes, bytes)] {
        let begins_hidden = matches!(measure, Measure::Bytes);
        let mut add = |trace: Box<Scatter<f64, f64>>| {
            let trace = if begins_hidden { trace.visible(Visible::False) } else { trace };
            chart.data.push(trace as Box<dyn Trace>);
        };
        shown.iter().for_each(|style| add(steps(&paging.series, measure, style)));
        if !marks.is_empty() {
            add(trace(marks, top));
        }
    }
    let half = chart.data.len() / 2;
    let only = |first: bool| Some((0..2 * half).map(|at| (at < half) == first).collect());
    chart.modes = vec![
        mode("pages", only(true), json!({})),
        mode(
            "bytes",
            only(false),
            json!({"yaxis.title.text": "bytes a second", "yaxis.range": [0.0, bytes]}),
        ),
    ];
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
fn steps(
    series: &[PagingBin],
    measure: Measure,
    (kind, name, class, width): &(PageKind, &'static str, &'static str, f64),
) -> Box<Scatter<f64, f64>> {
    let at = *kind as usize;
    let edge = |ns: i64| axis_seconds(ns as f64);
    let mut x: Vec<f64> = series.iter().map(|bin| edge(bin.from_ns)).collect();
    let mut y: Vec<f64> = series.iter().map(|bin| rates(bin, measure)[at].round()).collect();
    let mut texts: Vec<String> = series.iter().map(|bin| tip(bin, at, name)).collect();
    if let Some(last) = series.last() {
        x.push(edge(last.to_ns));
        y.push(0.0);
        texts.push(String::new());
    }
    let colour = format!("@{class}");
    line(x, y, name, &colour, *width)
        .line(Line::new().color(colour.clone()).width(*width).shape(LineShape::Hv))
        .fill(Fill::ToZeroY)
        .fill_color(format!("{colour}/0.18"))
        .hover_text_array(texts)
        .hover_info(HoverInfo::Text)
}

fn tip(bin: &PagingBin, at: usize, name: &str) -> String {
    format!(
        "<b>{name}</b> {} ({} pages)<br>{} to {}",
        byte_rate(bin.bytes_per_s[at]),
        rate(bin.pages_per_s[at]),
        time(bin.from_ns as f64),
        time(bin.to_ns as f64)
    )
}
