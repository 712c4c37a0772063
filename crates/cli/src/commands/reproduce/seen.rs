//! What the runs of a reproduction say: the evidence that cards are judged by.

use super::folder::{Folder, Group, State};
use super::make::SAID;
use crate::args::FilterArgs;
use crate::commands::{explain as explained, report as reported};
use crate::failure::one_line;
use anyhow::{Context, Result};
use clap::Parser;
use report::figure::Drawn;
use reproduce::{Book, Draw, Evidence, Json, View, Where};
use stats::Filter;
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

/// Options of `fourstamp report` or `explain` as a view gives them.
#[derive(Parser)]
struct ViewArgs {
    #[command(flatten)]
    messages: FilterArgs,
}

/// A launch, and the options of the view.
type Key = (PathBuf, [Option<String>; 2]);

/// JSON, or why there is none; whoever asks first reads it.
type Once = Arc<OnceLock<Result<String, String>>>;

/// What views said already, for whoever asks on any thread.
#[derive(Default)]
pub struct Said(Mutex<HashMap<Key, Once>>);

/// The runs of a folder, as a thread reads them.
pub struct Seen<'a> {
    folder: &'a Folder,
    state: &'a State,
    said: &'a Said,
    /// What was parsed already: that does not go from thread to thread.
    parsed: HashMap<Key, Result<Json, String>>,
}

impl Said {
    /// What a view says; read once, however many ask.
    fn of(&self, key: &Key, view: &View) -> Result<String, String> {
        let known = || self.0.lock().unwrap_or_else(PoisonError::into_inner);
        // The lock is not held while the run is read.
        let once = Arc::clone(known().entry(key.clone()).or_default());
        once.get_or_init(|| read(&key.0, view).map_err(|error| one_line(&error))).clone()
    }
}

impl<'a> Seen<'a> {
    /// Nothing is read yet.
    pub fn new(folder: &'a Folder, state: &'a State, said: &'a Said) -> Seen<'a> {
        Seen { folder, state, said, parsed: HashMap::new() }
    }

    fn launch(&self, book: &Book, recipe: &str, place: &Where, launch: u32) -> PathBuf {
        self.folder.launch(&book.document.id, recipe, place.name(), launch)
    }
}

impl Evidence for Seen<'_> {
    fn launches(&self, book: &Book, recipe: &str, place: &Where) -> Result<Vec<u32>, String> {
        match self.state.group(&book.document.id, recipe, place.name()) {
            None => Err("the runs were not made".into()),
            Some(Group { launches, failures, .. }) if launches.is_empty() => {
                Err(failures.last().cloned().unwrap_or_else(|| "stopped before its runs".into()))
            }
            Some(group) => Ok(group.launches.clone()),
        }
    }

    fn json(
        &mut self,
        book: &Book,
        view: &str,
        place: &Where,
        launch: u32,
    ) -> Result<Json, String> {
        let view = book.views.get(view).ok_or("there is no such view")?;
        let folder = self.launch(book, view.recipe_in(place), place, launch);
        let key = (folder, [view.report.clone(), view.explain.clone()]);
        if let Some(parsed) = self.parsed.get(&key) {
            return parsed.clone();
        }
        let parsed = self.said.of(&key, view).and_then(|text| Json::parse(&text));
        self.parsed.insert(key, parsed.clone());
        parsed
    }

    fn draw(&mut self, book: &Book, draw: &Draw, place: &Where) -> Result<Drawn, String> {
        let mut runs = Vec::new();
        for view in &draw.views {
            let view = book.views.get(view).ok_or("there is no such view")?;
            let launches = self.launches(book, view.recipe_in(place), place)?;
            let first = *launches.first().ok_or("no launch ended well")?;
            runs.push(self.launch(book, view.recipe_in(place), place, first).join("run"));
        }
        let drawn = crate::figure::draw(&draw.figure, &runs, &draw.names);
        drawn.map_err(|error| one_line(&error))
    }

    fn commands(&self, book: &Book, recipe: &str, place: &Where) -> Vec<String> {
        let Some(known) = book.recipes.get(recipe) else { return Vec::new() };
        if known.setting(place).is_none() {
            return Vec::new();
        }
        let folder = self.launch(book, recipe, place, 1).display().to_string();
        let launch = self.state.launch(1, &folder);
        let words = known.commands(recipe, place, self.state.scale, &launch);
        let typed = |words: &Vec<String>| format!("fourstamp {}", shell_words::join(words));
        words.iter().flatten().map(typed).collect()
    }
}

/// What a launch says, seen so.
fn read(launch: &Path, view: &View) -> Result<String> {
    let run = launch.join("run");
    let json = match (&view.report, &view.explain) {
        (None, None) => {
            return record::read_text(&launch.join(SAID)).context("its commands printed no JSON");
        }
        (Some(options), _) => reported::json(&run, &filter(options)?)?,
        (None, Some(options)) => explained::json(&run, &filter(options)?)?,
    };
    Ok(serde_json::to_string(&json)?)
}

fn filter(options: &str) -> Result<Filter> {
    let words = shell_words::split(options).context("options of a view")?;
    let args = ViewArgs::try_parse_from(["view".to_owned()].into_iter().chain(words));
    Ok(args.context("options of a view")?.messages.filter())
}
