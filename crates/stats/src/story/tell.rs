//! From a scene to a story.

use super::beside::told;
use super::fact::{Beside, Chapter, Fact, Story};
use super::gather::Scene;
use super::{lanes, receive, send, transit, work};
use crate::analysis::Stage;

/// A stage is told at length from this part of the message's life on.
const LONG: f64 = 0.1;

/// Tell the story of the scene's message. `beside` are causes that were sampled beside the run.
pub fn tell(scene: &Scene, beside: &[Beside]) -> Story {
    let message = &scene.message;
    let life = message.stage(Stage::EndToEnd).map(|(ready, taken)| taken.saturating_sub(ready));
    let stages = [Stage::SendWait, Stage::Transit, Stage::ReceiveWait];
    let mut chapters: Vec<Chapter> =
        stages.into_iter().filter_map(|stage| chapter(scene, stage, life, beside)).collect();
    if chapters.is_empty() {
        chapters.extend(chapter(scene, Stage::EndToEnd, life, beside));
    }
    Story {
        message: message.clone(),
        usual: life.and_then(|life| scene.usual.times(Stage::EndToEnd, life)),
        chapters,
        lanes: lanes::lanes(scene, beside),
        left_out: scene.receiver.left_out() + scene.sender.left_out(),
    }
}

fn chapter(scene: &Scene, stage: Stage, life: Option<i64>, beside: &[Beside]) -> Option<Chapter> {
    let time = scene.message.stage(stage)?;
    let ns = time.1.saturating_sub(time.0);
    // Where the life is not known, every stage is told at length.
    let share = life.filter(|life| *life > 0).map_or(1.0, |life| ns as f64 / life as f64);
    let facts = match stage {
        _ if ns < 0 => vec![Fact::Backwards { ns: -ns }],
        Stage::SendWait => {
            let mut facts = send::facts(scene, time, share >= LONG);
            facts.extend(beside_if(share >= LONG, beside, time));
            facts
        }
        Stage::Transit => {
            let mut facts = transit::facts(scene, time, share >= LONG);
            facts.extend(beside_if(share >= LONG, beside, time));
            facts
        }
        Stage::ReceiveWait => receive::facts(scene, time, share >= LONG, beside),
        Stage::EndToEnd => work::doing(scene.receiver.rows(), scene.message.dst, time, false).facts,
    };
    Some(Chapter { stage, from_ns: time.0, to_ns: time.1, share, facts })
}

fn beside_if(is_long: bool, beside: &[Beside], time: (i64, i64)) -> Vec<Fact> {
    if is_long { told(beside, time) } else { Vec::new() }
}
