//! What is known of a message's way.

use record::How;

use super::fact::Fact;
use super::gather::{Scene, is_together};
use super::seen::Told;
use super::send::positive;
use crate::analysis::{Account, Stage};

/// Messages that arrived this part of its transit from its own arrival arrived together with it.
const TOGETHER: i64 = 100;
/// A receive that was posted after this part of the way was late.
const LATE: f64 = 0.5;

/// What is known of a transit from `time.0` to `time.1`. `is_long`: it is a good part of the
/// message's life. `account`: what was seen of it.
pub(super) fn facts(
    scene: &Scene,
    time: (i64, i64),
    is_long: bool,
    account: &Account,
) -> Vec<Fact> {
    let message = &scene.message;
    let mut facts = Vec::new();
    if message.how != How::Observed {
        facts.push(Fact::ArrivalKnown { how: message.how, error_ns: message.error_ns });
    }
    if is_long {
        facts.extend(
            scene.usual.times(Stage::Transit, time.1.saturating_sub(time.0)).map(Fact::Usual),
        );
        let way = (positive(message.hops), positive(message.packets));
        if way != (None, None) {
            facts.push(Fact::Way { hops: way.0, packets: way.1 });
        }
        facts.extend(message.posted_ns.and_then(|posted| posted_late(posted, time)));
        facts.extend(together(scene, time));
        facts.extend(Told::of(account, message.dst).held);
    }
    facts
}

/// A receive that was posted late in the way, so that it can have held the message.
fn posted_late(posted: i64, (sent, arrived): (i64, i64)) -> Option<Fact> {
    let after_sent_ns = posted.saturating_sub(sent);
    let is_late = posted <= arrived && after_sent_ns as f64 >= LATE * (arrived - sent) as f64;
    is_late.then_some(Fact::PostedLate { after_sent_ns })
}

fn together(scene: &Scene, (sent, arrived): (i64, i64)) -> Option<Fact> {
    let near = (arrived.saturating_sub(sent) / TOGETHER).max(1);
    let others: Vec<i64> = scene
        .receiver
        .rows()
        .iter()
        .filter(|row| is_together(&scene.message, row))
        .filter_map(|row| row.arrived_ns)
        .collect();
    let with =
        others.iter().filter(|theirs| theirs.abs_diff(arrived) <= near.unsigned_abs()).count();
    (!others.is_empty())
        .then_some(Fact::Together { on_way: others.len() as u64, arrived_with: with as u64 })
}
