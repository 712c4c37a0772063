//! Making runs: the commands of recipes, each launch in processes of its own, in turn.

use super::folder::{Folder, Group, State};
use super::here;
use crate::interrupt;
use crate::progress::Bar;
use crate::studying::{kept, limits, study};
use anyhow::{Context, Result, bail};
use reproduce::{Book, Chosen, Recipe, Scale, Where};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::process::Command;
use std::sync::atomic::Ordering;
use std::time::Duration;
use study::{Contestant, Ended, Turn, process};

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
    for team in teams(state, books, chosen) {
        if stop.load(Ordering::Relaxed) {
            break;
        }
        let (able, unable): (Vec<_>, Vec<_>) =
            team.recipes.iter().copied().partition(|(_, recipe)| lacks(recipe).is_none());
        for (name, recipe) in unable {
            let why = lacks(recipe).unwrap_or_default();
            state.groups.push(group(&team, name, Vec::new(), vec![why]));
        }
        if !able.is_empty() {
            let able = Team { recipes: able, book: team.book, place: team.place.clone() };
            able.make(folder, state, launches)?;
        }
        state.save(folder)?;
    }
    Ok(())
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
    fn make(&self, folder: &Folder, state: &mut State, launches: Option<u32>) -> Result<()> {
        let contestants = self.contestants(state.scale);
        let launches = launches.filter(|_| !self.place.is_simulated());
        let launches = launches.unwrap_or_else(|| self.launches(state.scale));
        let mut bar = Bar::new(format!("{} {}", self.book.document.id, self.place.name()), None);
        let first = state.groups.len();
        let empty = |(name, _): &(&str, &Recipe)| group(self, name, Vec::new(), Vec::new());
        state.groups.extend(self.recipes.iter().map(empty));
        let begins = |turn: &Turn| bar.step(turn.done as u64, turn.all as u64, &turn.name);
        let results = study(launches, &contestants, begins, |turn| {
            self.launch(folder, state, turn).map_err(|why| kept(&why))?;
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
        let of = |(name, recipe): &(&str, &Recipe)| {
            let setting = recipe.setting(&self.place);
            let seconds = setting.map_or(0, |setting| setting.seconds[scale.place()]);
            let usual = Duration::from_secs(seconds.into());
            Contestant { key: (*name).to_owned(), limit: (usual * PATIENCE).max(LEAST) }
        };
        self.recipes.iter().map(of).collect()
    }

    /// A launch: its commands one after another. What the last of them printed is kept.
    fn launch(&self, folder: &Folder, state: &State, turn: &Turn) -> Result<()> {
        let (name, recipe) = self.recipes[turn.contestant];
        let own = folder.launch(&self.book.document.id, name, self.place.name(), turn.round);
        std::fs::create_dir_all(&own)
            .with_context(|| format!("cannot create {}", own.display()))?;
        let path = own.to_str().context("a folder's name is no text")?;
        let launch = state.launch(turn.round, path);
        let mut said = String::new();
        for words in recipe.commands(name, &self.place, state.scale, &launch)? {
            said = step(&words, turn.limit)?;
        }
        if said.trim_start().starts_with('{') {
            keep(&own.join(SAID), &said)?;
        }
        Ok(())
    }
}

/// One of our own commands; what it printed.
fn step(words: &[String], limit: Duration) -> Result<String> {
    let program = std::env::current_exe().context("cannot find this program's own file")?;
    let mut command = Command::new(program);
    command.args(words);
    // Nobody would note it, or end it, when we are gone.
    rmem::end_with_parent(&mut command);
    let ended = process::watch(command, limits(limit))?;
    if !ended.status.success() {
        let why = ended.reason().unwrap_or("it failed and said nothing").to_owned();
        bail!("{}: {why}", words.iter().take(2).cloned().collect::<Vec<_>>().join(" "));
    }
    Ok(ended.out)
}

fn keep(path: &Path, said: &str) -> Result<()> {
    record::write_whole(path, |out| out.write_all(said.as_bytes()))
        .with_context(|| format!("cannot write {}", path.display()))
}
