//! From a scene to a story.

use super::fact::{Chapter, Fact, Picked, Story};
use super::gather::Scene;
use super::seen::{Seen, Told};
use super::{lanes, receive, send, transit, work};
use crate::analysis::{Account, Stage};

/// A stage is told at length from this part of the message's life on.
const LONG: f64 = 0.1;

/// Tell the story of the scene's message, which was `picked` so; `seen`: what was seen beside its
/// launch.
pub fn tell(scene: &Scene, picked: Picked, seen: Seen<'_>) -> Story {
    let message = &scene.message;
    let life = message.stage(Stage::EndToEnd).map(|(ready, taken)| taken.saturating_sub(ready));
    let stages = [Stage::SendWait, Stage::Transit, Stage::ReceiveWait];
    let mut chapters: Vec<Chapter> =
        stages.into_iter().filter_map(|stage| chapter(scene, stage, life, &seen)).collect();
    if chapters.is_empty() {
        chapters.extend(chapter(scene, Stage::EndToEnd, life, &seen));
    }
    Story {
        picked,
        message: message.clone(),
        usual: life.and_then(|life| scene.usual.times(Stage::EndToEnd, life)),
        chapters,
        lanes: lanes::lanes(scene, &seen),
        left_out: scene.receiver.left_out() + scene.sender.left_out(),
    }
}

fn chapter(scene: &Scene, stage: Stage, life: Option<i64>, seen: &Seen<'_>) -> Option<Chapter> {
    let message = &scene.message;
    let time = message.stage(stage)?;
    let ns = time.1.saturating_sub(time.0);
    // Where the life is not known, every stage is told at length.
    let share = life.filter(|life| *life > 0).map_or(1.0, |life| ns as f64 / life as f64);
    let is_long = share >= LONG;
    let account = if is_long { seen.account(message, stage, time) } else { Account::default() };
    // The call that makes a message hands it over.
    if seen.traced && stage == Stage::SendWait && ns == 0 {
        return None;
    }
    let mut facts = match stage {
        _ if ns < 0 => vec![Fact::Backwards { ns: -ns }],
        Stage::SendWait => send::facts(scene, time, is_long, &account),
        Stage::Transit => transit::facts(scene, time, is_long, &account),
        Stage::ReceiveWait => receive::facts(scene, time, is_long, seen),
        Stage::EndToEnd => {
            let mut facts = work::doing(scene.receiver.rows(), message.dst, time, None).facts;
            facts.extend(Told::of(&account, message.dst).held);
            facts
        }
    };
    if seen.traced {
        let of_work = |fact: &Fact| matches!(fact, Fact::Silent { .. } | Fact::Unrecorded { .. });
        facts.retain(|fact| !of_work(fact));
    }
    Some(Chapter { stage, from_ns: time.0, to_ns: time.1, share, facts, account })
}
