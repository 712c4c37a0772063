//! The timeline of a story.

use record::Kind;

use super::cancelled::most;
use super::fact::{Lane, LaneOf};
use super::gather::Scene;
use super::row::Row;
use super::seen::Seen;
use crate::analysis::Stage;

/// The message's stages, what its receiver's node did meanwhile, what its sender's did before it
/// was sent, and what was seen on both. Lanes without anything in them are left out.
pub(super) fn lanes(scene: &Scene, seen: &Seen<'_>) -> Vec<Lane> {
    let message = &scene.message;
    let Some(life) = message.stage(Stage::EndToEnd) else { return Vec::new() };
    let stages = [Stage::SendWait, Stage::Transit, Stage::ReceiveWait];
    let stage =
        |stage| Some(Lane { what: LaneOf::Stage(stage), spans: vec![message.stage(stage)?] });
    let mut lanes: Vec<Lane> = stages.into_iter().filter_map(stage).collect();
    lanes.push(taken(scene, life));
    if let Some((_, rows)) = most(scene, life) {
        let spans = rows.iter().filter_map(|row| Some((row.ready_ns?, row.ready_ns?))).collect();
        lanes.push(Lane { what: LaneOf::Cancelled { node: message.dst }, spans });
    }
    lanes.extend(work(scene.receiver.rows(), message.dst, life));
    if message.src != message.dst {
        lanes.extend(work(
            scene.sender.rows(),
            message.src,
            message.stage(Stage::SendWait).unwrap_or(life),
        ));
    }
    lanes.extend(seen.lanes(message, life));
    lanes.retain(|lane| !lane.spans.is_empty());
    lanes
}

fn taken(scene: &Scene, (from, to): (i64, i64)) -> Lane {
    let node = scene.message.dst;
    let takes = |row: &&Row| row.dst == node && !row.is_work() && !row.is_within_node();
    let moments = scene.receiver.rows().iter().filter(takes).filter_map(|row| row.taken_ns);
    let during = moments.filter(|time| (from..=to).contains(time));
    Lane { what: LaneOf::Taken { node }, spans: during.map(|time| (time, time)).collect() }
}

fn work(rows: &[Row], node: u32, life: (i64, i64)) -> Vec<Lane> {
    let kinds = Kind::ALL.into_iter().filter(|kind| kind.is_interval());
    kinds
        .map(|kind| {
            let of = rows.iter().filter(|row| row.kind == kind && row.dst == node);
            let mut spans: Vec<(i64, i64)> =
                of.filter_map(|row| clip(row.ready_ns?, row.taken_ns?, life)).collect();
            spans.sort_unstable();
            Lane { what: LaneOf::Work { node, kind }, spans }
        })
        .collect()
}

/// The part of a span that lies in a time.
fn clip(begin: i64, end: i64, (from, to): (i64, i64)) -> Option<(i64, i64)> {
    (begin <= to && end >= from && begin <= end).then(|| (begin.max(from), end.min(to)))
}
