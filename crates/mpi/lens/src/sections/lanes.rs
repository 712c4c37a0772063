//! What each rank did along the run, a lane each, with messages as arrows from lane to lane.

use std::collections::BTreeMap;

use crate::found::{Activity, Calls, Lane, MessageLine, Mpi};

use crate::words::{activity_colour, activity_title};
use document::chart::{Axis, Chart, Curve, Quantity};
use document::{Colour, Section, axis_seconds, counted, size, time};

/// Lanes that one can still tell apart.
const LANES_AT_MOST: usize = 64;
/// Half of a lane's height; lanes are 1 apart.
const HALF: f64 = 0.36;
/// From the bottom of a lane to its top.
const ORDER: [Activity; 7] = [
    Activity::Computing,
    Activity::Other,
    Activity::Collective,
    Activity::CollectiveWait,
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
        arrows are the messages of the longest waits (marked) and a sample of the others, from \
        send to taking. Drag to zoom; for \
         single calls, use fourstamp \
         export --perfetto.{beyond}",
        time(calls.slice_ns as f64)
    );
    let mut section = Section::new("mpi-lanes", "What the ranks did", sentence);
    section.legend = ORDER
        .iter()
        .map(|activity| (activity_title(*activity).to_owned(), activity_colour(*activity)))
        .chain([("Messages of the longest waits".to_owned(), Colour("mark"))])
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
                parts[Activity::Waiting as usize] + parts[Activity::CollectiveWait as usize]
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
    let axes = (
        Axis::time("time since the run began"),
        Axis::new(Quantity::Number, "rank").ticks(named).range(lanes.len() as f64 - 0.5, -0.5),
    );
    let height = (90 + 34 * lanes.len() as u32).clamp(200, 1100);
    let label = "Lanes: what each rank did along the run, with messages as arrows.".to_owned();
    let mut chart = Chart::new("mpi-lanes-chart", height, label, axes);
    for activity in ORDER {
        chart.data.extend(areas(calls, lanes, activity).map(Into::into));
    }
    let at: BTreeMap<u32, f64> =
        lanes.iter().zip(0..).map(|(lane, at)| (lane.rank, f64::from(at))).collect();
    let worst: Vec<MessageLine> = mpi.worst.iter().filter_map(|wait| wait.message).collect();
    let others: Vec<MessageLine> =
        mpi.sample.iter().filter(|line| !worst.contains(line)).copied().collect();
    chart.data.extend(arrows(&others, &at, Colour("a"), 0.8).map(Into::into));
    chart.data.extend(arrows(&worst, &at, Colour("mark"), 2.0).map(Into::into));
    chart
}

/// Outlines of one activity in all lanes, one closed line for each run of slices that have any of
/// it.
fn areas(calls: &Calls, lanes: &[&Lane], activity: Activity) -> Option<Curve> {
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
        let level = |part: f64| ((f64::from(place) + HALF - 2.0 * HALF * part) * 1e4).round() / 1e4;
        let edge = |slice: usize| {
            axis_seconds((calls.slices_from_ns + slice as i64 * calls.slice_ns) as f64)
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
            x.push(f64::NAN);
            y.push(f64::NAN);
            first += run;
        }
    }
    (!x.is_empty()).then(|| Curve::outlines(x, y, activity_colour(activity)))
}

/// Messages between lanes that are shown; a message within a rank has no arrow.
fn arrows(
    lines: &[MessageLine],
    at: &BTreeMap<u32, f64>,
    colour: Colour,
    width: f64,
) -> Option<Curve> {
    let (mut x, mut y, mut tips) = (Vec::new(), Vec::new(), Vec::new());
    for line in lines {
        let (Some(from), Some(to)) = (at.get(&line.src), at.get(&line.dst)) else { continue };
        if from == to {
            continue;
        }
        let edge = HALF * (to - from).signum();
        let text = format!(
            "{} → {}, number {}, {}\nsent at {}, taken after {}",
            line.src,
            line.dst,
            line.seq,
            size(line.bytes),
            time(line.ready_ns as f64),
            time((line.taken_ns - line.ready_ns) as f64)
        );
        let ends = [line.ready_ns, line.taken_ns].map(|ns| axis_seconds(ns as f64));
        x.extend([ends[0], ends[1], f64::NAN]);
        y.extend([from + edge, to - edge, f64::NAN]);
        tips.extend([text.clone(), text, String::new()]);
    }
    (!x.is_empty()).then(|| Curve::line(x, y, colour, width).arrows().tips(tips))
}
