//! How much launches differ: one launch proves nothing.

use stats::analysis::{Analysis, LaunchSpread, Summary};

use crate::finding::quantile;
use document::chart::{Axis, Chart, Curve, Dots};
use document::{Colour, Section, axis_seconds, part, quantile_name, time};

/// The quantiles drawn, with their colours: the darker, the more typical.
const SHOWN: [(f64, Colour); 4] =
    [(0.5, Colour("a")), (0.9, Colour("s2")), (0.99, Colour("s4")), (0.999, Colour("s6"))];

pub(super) fn section(analysis: &Analysis) -> Option<Section> {
    let spread = &analysis.launches;
    if spread.launches.len() < 2 {
        return None;
    }
    let what = if analysis.cycles.is_some() { "cycle times" } else { "end-to-end times" };
    let mut section = Section::new("launches", "Launches compared", sentence(spread, what));
    section.legend = SHOWN
        .iter()
        .filter(|(p, _)| spread.launches.iter().any(|(_, summary)| quantile(summary, *p).is_some()))
        .map(|(p, colour)| (quantile_name(*p), *colour))
        .collect();
    section.charts.push(chart(spread, what));
    // Without its chart it says nothing, if the sentence has no figure.
    section.page_only = spread.between.is_none();
    Some(section)
}

pub(crate) fn sentence(spread: &LaunchSpread, what: &str) -> String {
    let launches = spread.launches.len();
    match (spread.between, spread.within) {
        (Some(between), Some(within)) => format!(
            "Quantiles of {what} in each of {launches} fresh launches. The medians vary by {} \
            between launches and by {} \
             within one: {}.",
            deviation(between),
            deviation(within),
            if between > 2.0 * within {
                "a figure from a single launch would mislead"
            } else {
                "launches agree about as well as parts of one do"
            }
        ),
        (Some(between), None) => {
            format!(
                "Quantiles of {what} in each of {launches} fresh launches. The medians vary by {}.",
                deviation(between)
            )
        }
        _ => format!("Quantiles of {what} in each of {launches} fresh launches."),
    }
}

/// A deviation as a part of the mean, which may well be more than all of it.
fn deviation(of: f64) -> String {
    if of < 1.0 { part(of) } else { format!("{:.0}\u{a0}%", of * 100.0) }
}

fn chart(spread: &LaunchSpread, what: &str) -> Chart {
    let axes = (Axis::names("launch"), Axis::time(what).log());
    let label = format!("Quantiles of {what} in {} launches.", spread.launches.len());
    let mut chart = Chart::new("launches", 300, label, axes);
    let lines = SHOWN.iter().filter_map(|(p, colour)| line(&spread.launches, *p, *colour));
    chart.data.extend(lines.map(Into::into));
    let linear = chart.mode("linear").y(Axis::time(what).from_0());
    chart.modes = vec![chart.mode("log"), linear];
    chart
}

fn line(launches: &[(u32, Summary)], p: f64, colour: Colour) -> Option<Curve> {
    let points: Vec<(u32, i64)> = launches
        .iter()
        .filter_map(|(launch, summary)| Some((*launch, quantile(summary, p)?)))
        .collect();
    let x: Vec<String> = points.iter().map(|(launch, _)| launch.to_string()).collect();
    let y: Vec<f64> = points.iter().map(|(_, ns)| axis_seconds(*ns as f64)).collect();
    let tip = |(launch, ns): &(u32, i64)| {
        format!("launch {launch}: {} {}", quantile_name(p), time(*ns as f64))
    };
    let tips = points.iter().map(tip).collect();
    (!points.is_empty()).then(|| {
        let line = Curve::line(x, y, colour.at(0.45), 1.2);
        line.dots(Dots::discs(colour, 8.0)).tips(tips)
    })
}
