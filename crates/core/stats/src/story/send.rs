//! What held a message before it was sent.

use super::fact::Fact;
use super::gather::Scene;
use super::seen::{Told, is_explained};
use super::work::doing;
use crate::analysis::{Account, Stage};

/// What is known of a send wait from `time.0` to `time.1`. `is_long`: it is a good part of the
/// message's life. `account`: what was seen of it.
pub(super) fn facts(
    scene: &Scene,
    time: (i64, i64),
    is_long: bool,
    account: &Account,
) -> Vec<Fact> {
    let message = &scene.message;
    let mut facts = Vec::new();
    if is_long {
        facts.extend(
            scene.usual.times(Stage::SendWait, time.1.saturating_sub(time.0)).map(Fact::Usual),
        );
        let (same, others) = (scene.counts.sent_same, scene.counts.sent_others);
        facts.push(Fact::SentMeanwhile { node: message.src, same, others });
        facts.push(Fact::TakenMeanwhile {
            node: message.dst,
            messages: scene.counts.taken_meanwhile,
        });
        facts.extend(positive(message.in_flight).map(|messages| Fact::InFlight { messages }));
        let took = scene.sender.rows().iter().any(|row| row.dst == message.src && !row.is_work());
        let quiet = same + others == 0 && !took;
        let told = Told::of(account, message.src);
        let is_known = (quiet && !is_explained(account)).then_some(!told.is_nothing());
        facts.extend(doing(scene.sender.rows(), message.src, time, is_known).facts);
        told.behind(&mut facts);
    }
    facts.extend(
        positive(message.batch).filter(|n| *n > 1).map(|messages| Fact::Frame { messages }),
    );
    facts
}

pub(super) fn positive(count: Option<i64>) -> Option<u64> {
    count.and_then(|count| u64::try_from(count).ok()).filter(|count| *count > 0)
}
