//! Launches on simulated machines: their time is the machine's and not ours, so they are made side
//! by side, a core each, those first that take longest.

use super::launch::Launch;
use super::{Folder, State, Team};
use crate::failure::one_line;
use crate::progress::Bar;
use crate::{interrupt, side_by_side};
use anyhow::Result;
use std::cmp::Reverse;
use std::sync::atomic::Ordering;

/// A launch, and which group of the state notes it.
struct Piece<'a> {
    launch: Launch<'a>,
    group: usize,
}

/// Makes those of all documents, and notes after every launch what there is.
pub fn make(folder: &Folder, state: &mut State, teams: &[Team]) -> Result<()> {
    let pieces = pieces(state, teams);
    let made_so = state.clone();
    let stop = interrupt::flag();
    let make = |(): &mut (), piece: &Piece| {
        let wanted = !stop.load(Ordering::Relaxed);
        wanted.then(|| piece.launch.make(folder, &made_so))
    };
    let (mut bar, mut done) = (Bar::new("simulated machines".into(), None), 0);
    side_by_side::each(
        &pieces,
        || (),
        make,
        |at, made| {
            let Piece { launch, group } = &pieces[at];
            done += 1;
            bar.step(done, pieces.len() as u64, launch.name);
            match made {
                Some(Ok(())) => state.groups[*group].launches.push(launch.number),
                // What Ctrl-C cut short counts for nothing.
                Some(Err(why)) if !stop.load(Ordering::Relaxed) => {
                    state.groups[*group].failures.push(one_line(&why));
                }
                _ => return Ok(()),
            }
            state.save(folder)
        },
    )?;
    bar.finish();
    Ok(())
}

fn pieces<'a>(state: &mut State, teams: &'a [Team]) -> Vec<Piece<'a>> {
    let scale = state.scale;
    let mut pieces = Vec::new();
    for team in teams {
        for (at, (name, _)) in team.recipes.iter().enumerate() {
            let group = state.groups.len();
            state.groups.push(team.nothing_yet(name));
            let launch = |number| team.launch(at, number, team.limit(at, scale));
            let launches = (1..=team.launches(scale)).map(launch);
            pieces.extend(launches.map(|launch| (team.usual(at, scale), Piece { launch, group })));
        }
    }
    pieces.sort_by_key(|(usual, _)| Reverse(*usual));
    pieces.into_iter().map(|(_, piece)| piece).collect()
}
