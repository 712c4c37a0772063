//! What each rank did along the run, a lane each, with messages as arrows from lane to lane.

use std::collections::BTreeMap;

use crate::found::{Activity, Calls, Lane, MessageLine, Mpi};
use plotly::common::TickMode;
use plotly::layout::{Axis, AxisType, Margin};
use serde_json::{Value, json};

use crate::words::{activity_colour, activity_title};
use document::chart::{Chart, Raw, layout, time_axis};
use document::{Colour, Section};
use document::{axis_seconds, counted, size, time};

/// Lanes that one can still tell apart.
const LANES_AT_MOST: usize = 64;
/// Half of a lane's height; lanes are 1 apart.
const HALF: f64 = 0.36;
/// From the bottom of a lane to its top.
const ORDER: [Activity; 6] = [
    Activity::Computing,
    Activity::Other,
    Activity::Collective,
    Activity::Polling,
    Activity::Sending,
    Activity::Waiting,
];

pub(super) fn section(mpi: &Mpi) -> Option<Section> {
    let calls = mpi.calls.as_ref().filter(|calls| !calls.lanes.is_empty())?;
    let shown = chosen(calls);
    let beyond = match calls.lanes.len() - shown.len() {
        0 => String::new(),
        n => format!(" {} that waited less are left out.", counted(n as u64, "rank")),
    };
    let sentence = format!(
        "A lane is a rank; its height shows what part of each slice of {} it spent on what. The \
        arrows are the messages that waited \
         longest (marked) and a sample of the others, from send to taking. Drag to zoom; for \
         single calls, use fourstamp \
         export --perfetto.{beyond}",
        time(calls.slice_ns as f64)
    );
    let mut section = Section::new("mpi-lanes", "What the ranks did", sentence);
    section.legend = ORDER
        .iter()
        .map(|activity| (activity_title(*activity).to_owned(), activity_colour(*activity)))
        .chain([("Messages that waited longest".to_owned(), Colour("mark"))])
        .collect();
    section.charts.push(chart(mpi, calls, &shown));
    section.page_only = true;
    Some(section)
}

/// The lanes in order of their ranks; where there are too many, those that spent most time waiting.
fn chosen(calls: &Calls) -> Vec<&Lane> {
    let mut lanes: Vec<&Lane> = calls.lanes.iter().collect();
    if lanes.len() > LANES_AT_MOST {
        let waiting = |lane: &&Lane| {
            let parts = lane.slices.iter().map(|parts| {
                parts[Activity::Waiting as usize] + parts[Activity::Collective as usize]
            });
            std::cmp::Reverse((f64::from(parts.sum::<f32>()) * 1e6) as u64)
        };
        lanes.sort_by_key(waiting);
        lanes.truncate(LANES_AT_MOST);
        lanes.sort_by_key(|lane| lane.rank);
    }
    lanes
}

fn chart(mpi: &Mpi, calls: &Calls, lanes: &[&Lane]) -> Chart {
    let every = lanes.len().div_ceil(32);
    let named: Vec<(f64, String)> = lanes
        .iter()
        .enumerate()
        .step_by(every)
        .map(|(at, lane)| (at as f64, lane.rank.to_string()))
        .collect();
    let (values, names) = named.into_iter().unzip();
    let axes = layout()
        .margin(Margin::new().left(48).right(16).top(10).bottom(44))
        .x_axis(time_axis("time since the run began", AxisType::Linear))
        .y_axis(
            Axis::new()
                .title("rank")
                .type_(AxisType::Linear)
                .tick_mode(TickMode::Array)
                .tick_values(values)
                .tick_text(names)
                .zero_line(false)
                .range(vec![lanes.len() as f64 - 0.5, -0.5]),
        );
    let height = (90 + 34 * lanes.len() as u32).clamp(200, 1100);
    let label = "Lanes: what each rank did along the run, with messages as arrows.".to_owned();
    let mut chart = Chart::new("mpi-lanes-chart", height, label, axes);
    for activity in ORDER {
        chart.data.extend(areas(calls, lanes, activity).map(|areas| Box::new(Raw(areas)) as _));
    }
    let at: BTreeMap<u32, f64> =
        lanes.iter().zip(0..).map(|(lane, at)| (lane.rank, f64::from(at))).collect();
    let worst: Vec<MessageLine> = mpi.worst.iter().map(|message| message.line).collect();
    let others: Vec<MessageLine> =
        mpi.sample.iter().filter(|line| !worst.contains(line)).copied().collect();
    chart.data.extend(arrows(&others, &at, "@a", 0.8).map(|arrows| Box::new(Raw(arrows)) as _));
    chart.data.extend(arrows(&worst, &at, "@mark", 2.0).map(|arrows| Box::new(Raw(arrows)) as _));
    chart
}

/// Outlines of one activity in all lanes, one closed line for each run of slices that have any of
/// it.
fn areas(calls: &Calls, lanes: &[&Lane], activity: Activity) -> Option<Value> {
    let below: Vec<Activity> = ORDER.into_iter().take_while(|other| *other != activity).collect();
    let (mut x, mut y) = (Vec::new(), Vec::new());
    for (lane, place) in lanes.iter().zip(0..) {
        let heights: Vec<(f64, f64)> = lane
            .slices
            .iter()
            .map(|parts| {
                let base: f64 = below.iter().map(|other| f64::from(parts[*other as usize])).sum();
                (base, base + f64::from(parts[activity as usize]))
            })
            .collect();
        let level =
            |part: f64| Some(((f64::from(place) + HALF - 2.0 * HALF * part) * 1e4).round() / 1e4);
        let edge = |slice: usize| {
            Some(axis_seconds((calls.slices_from_ns + slice as i64 * calls.slice_ns) as f64))
        };
        let mut first = 0;
        while first < heights.len() {
            let run = heights[first..].iter().take_while(|(base, top)| top > base).count();
            if run == 0 {
                first += 1;
                continue;
            }
            let slices = first..first + run;
            for slice in slices.clone() {
                x.extend([edge(slice), edge(slice + 1)]);
                y.extend([level(heights[slice].1); 2]);
            }
            for slice in slices.rev() {
                x.extend([edge(slice + 1), edge(slice)]);
                y.extend([level(heights[slice].0); 2]);
            }
            x.push(None);
            y.push(None);
            first += run;
        }
    }
    let (title, colour) = (activity_title(activity), activity_colour(activity).token());
    (!x.is_empty()).then(|| {
        json!({
            "type": "scatter", "mode": "lines", "x": x, "y": y, "fill": "toself",
            "fillcolor": colour, "line": {"width": 0, "color": colour}, "name": title,
            "text": title, "hoveron": "fills", "hoverinfo": "text",
        })
    })
}

/// Messages between lanes that are shown; a message within a rank has no arrow.
fn arrows(
    lines: &[MessageLine],
    at: &BTreeMap<u32, f64>,
    colour: &str,
    width: f64,
) -> Option<Value> {
    let (mut x, mut y, mut sizes, mut texts) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    for line in lines {
        let (Some(from), Some(to)) = (at.get(&line.src), at.get(&line.dst)) else { continue };
        if from == to {
            continue;
        }
        let edge = HALF * (to - from).signum();
        let text = format!(
            "{} → {}, number {}, {}<br>sent at {}, taken after {}",
            line.src,
            line.dst,
            line.seq,
            size(line.bytes),
            time(line.ready_ns as f64),
            time((line.taken_ns - line.ready_ns) as f64)
        );
        x.extend([
            Some(axis_seconds(line.ready_ns as f64)),
            Some(axis_seconds(line.taken_ns as f64)),
            None,
        ]);
        y.extend([Some(from + edge), Some(to - edge), None]);
        sizes.extend([0.0, 5.0 + 2.0 * width, 0.0]);
        texts.extend([text.clone(), text, String::new()]);
    }
    (!x.is_empty()).then(|| {
        json!({
            "type": "scatter", "mode": "lines+markers", "x": x, "y": y, "text": texts,
            "hoverinfo": "text", "line": {"width": width, "color": colour},
            "marker": {
                "symbol": "arrow", "angleref": "previous", "size": sizes, "color": colour,
                "opacity": 1,
            },
        })
    })
}
