//! Making runs: the commands of recipes, each launch in processes of its own. Those that are
//! measured come in turn, alone; simulated ones side by side.

mod launch;
mod simulated;

use super::folder::{Folder, Group, State};
use super::here;
use crate::interrupt;
use crate::progress::Bar;
use crate::studying::{kept, study};
use anyhow::Result;
use launch::Launch;
use reproduce::{Book, Chosen, Recipe, Scale, Where};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::Ordering;
use std::time::Duration;
use study::{Contestant, Ended, Turn};

/// The file of a launch with what its last command printed.
pub const SAID: &str = "said.json";
/// A launch may take so many times as long as it should, and at least so long.
const PATIENCE: u32 = 10;
const LEAST: Duration = Duration::from_secs(120);

/// Recipes of one place that are launched in turn.
struct Team<'a> {
    book: &'a Book,
    place: Where,
    recipes: Vec<(&'a str, &'a Recipe)>,
}

/// Makes all runs that these cards need, and notes after every launch what there is: whoever is
/// killed half-way can still judge that.
pub fn all(
    folder: &Folder,
    state: &mut State,
    books: &[Book],
    chosen: &[Chosen],
    launches: Option<u32>,
) -> Result<()> {
    // From here on Ctrl-C only sets a flag: what is made is kept.
    let stop = interrupt::flag();
    let lacks = here::lacks(state.data.is_some());
    state.save(folder)?;
    let mut able = Vec::new();
    for team in teams(state, books, chosen) {
        able.extend(team.able(state, &lacks));
    }
    let (simulated, measured): (Vec<_>, Vec<_>) =
        able.into_iter().partition(|team| team.place.is_simulated());
    for team in measured {
        if !stop.load(Ordering::Relaxed) {
            team.make(folder, state, launches)?;
        }
    }
    simulated::make(folder, state, &simulated)?;
    state.save(folder)
}

fn group(team: &Team, recipe: &str, launches: Vec<u32>, failures: Vec<String>) -> Group {
    Group {
        book: team.book.document.id.clone(),
        recipe: recipe.to_owned(),
        place: team.place.name().to_owned(),
        launches,
        failures,
    }
}

/// The recipes that the cards need, those that are launched in turn together.
fn teams<'a>(state: &State, books: &'a [Book], chosen: &[Chosen]) -> Vec<Team<'a>> {
    let mut teams = Vec::new();
    for (at, book) in books.iter().enumerate() {
        for place in state.places_of(book) {
            let cards = chosen.iter().filter(|(of, _)| *of == at);
            let needed: BTreeSet<&str> =
                cards.flat_map(|(_, card)| book.recipes_of(&book.cards[*card], &place)).collect();
            let mut own: BTreeMap<&str, Vec<(&str, &Recipe)>> = BTreeMap::new();
            for name in needed {
                if let Some((name, recipe)) = book.recipes.get_key_value(name)
                    && recipe.setting(&place).is_some()
                {
                    let turn = recipe.turn.as_deref().unwrap_or(name);
                    own.entry(turn).or_default().push((name, recipe));
                }
            }
            let team = |recipes| Team { book, place: place.clone(), recipes };
            teams.extend(own.into_values().map(team));
        }
    }
    teams
}

impl Team<'_> {
    /// Those of the recipes that this machine can make; why not of the others is noted.
    fn able(self, state: &mut State, lacks: impl Fn(&Recipe) -> Option<String>) -> Option<Self> {
        let mut able = Vec::new();
        for (name, recipe) in &self.recipes {
            match lacks(recipe) {
                None => able.push((*name, *recipe)),
                Some(why) => state.groups.push(group(&self, name, Vec::new(), vec![why])),
            }
        }
        (!able.is_empty()).then_some(Team { recipes: able, ..self })
    }

    fn make(&self, folder: &Folder, state: &mut State, launches: Option<u32>) -> Result<()> {
        let contestants = self.contestants(state.scale);
        let launches = launches.unwrap_or_else(|| self.launches(state.scale));
        let mut bar = Bar::new(format!("{} {}", self.book.document.id, self.place.name()), None);
        let first = state.groups.len();
        state.groups.extend(self.recipes.iter().map(|(name, _)| self.nothing_yet(name)));
        let begins = |turn: &Turn| bar.step(turn.done as u64, turn.all as u64, &turn.name);
        let results = study(launches, &contestants, begins, |turn| {
            let ours = self.launch(turn.contestant, turn.round, turn.limit);
            ours.make(folder, state).map_err(|why| kept(&why))?;
            state.groups[first + turn.contestant].launches.push(turn.round);
            state.save(folder).map_err(Ended::Study)
        })?;
        bar.finish();
        // What took too long has ended well, and counts for nothing all the same.
        for (at, results) in results.into_iter().enumerate() {
            let group = &mut state.groups[first + at];
            group.launches = results.launches.iter().map(|launch| launch.round).collect();
            group.failures = results.failures.into_iter().map(|failure| failure.why).collect();
        }
        Ok(())
    }

    /// As many as the recipe that needs most.
    fn launches(&self, scale: Scale) -> u32 {
        let settings = self.recipes.iter().filter_map(|(_, it)| it.setting(&self.place));
        settings.map(|it| it.launches[scale.place()]).max().unwrap_or(1)
    }

    fn contestants(&self, scale: Scale) -> Vec<Contestant> {
        let of = |at: usize| {
            let key = self.recipes[at].0.to_owned();
            Contestant { key, limit: self.limit(at, scale) }
        };
        (0..self.recipes.len()).map(of).collect()
    }

    /// The longest that a launch of a recipe may take.
    fn limit(&self, at: usize, scale: Scale) -> Duration {
        (self.usual(at, scale) * PATIENCE).max(LEAST)
    }

    /// How long it should take.
    fn usual(&self, at: usize, scale: Scale) -> Duration {
        let setting = self.recipes[at].1.setting(&self.place);
        Duration::from_secs(setting.map_or(0, |it| it.seconds[scale.place()]).into())
    }

    fn launch(&self, at: usize, number: u32, limit: Duration) -> Launch<'_> {
        let (name, recipe) = self.recipes[at];
        Launch { book: self.book, name, recipe, place: &self.place, number, limit }
    }

    fn nothing_yet(&self, recipe: &str) -> Group {
        group(self, recipe, Vec::new(), Vec::new())
    }
}
