//! The folder of a reproduction: its runs, and a file that says how they were made.

use super::machine_of;
use crate::args::ReproduceArgs;
use anyhow::{Context, Result, bail, ensure};
use reproduce::{Book, Launch, Scale, Where};
use serde::{Deserialize, Serialize};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// The file.
const FILE: &str = "reproduce.json";

/// Where things are.
pub struct Folder {
    /// The folder itself.
    pub path: PathBuf,
}

/// How the runs were made, and what became of them.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct State {
    /// How much was measured.
    pub scale: Scale,
    /// Whether this machine was measured.
    here: bool,
    /// Whether machines were simulated.
    simulated: bool,
    /// The machine that was simulated instead of each document's.
    pub on: Option<String>,
    /// The folder of the models' original data.
    pub data: Option<String>,
    /// Cores of the machine.
    cores: usize,
    /// Documents and cards that were asked for; none: all.
    #[serde(default)]
    pub ids: Vec<String>,
    /// What became of each recipe.
    pub groups: Vec<Group>,
}

/// The launches of a recipe in a place.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Group {
    /// The document's number.
    pub book: String,
    /// The recipe's name.
    pub recipe: String,
    /// The place's name.
    pub place: String,
    /// The launches that ended well.
    pub launches: Vec<u32>,
    /// Why others did not, or why there is none.
    pub failures: Vec<String>,
}

impl Folder {
    /// The folder, which is there.
    pub fn open(path: &Path) -> Result<Folder> {
        ensure!(
            path.is_dir(),
            "{} is no folder: name one that `fourstamp reproduce` has made",
            path.display()
        );
        Ok(Folder { path: path.to_path_buf() })
    }

    /// Of a launch, relative to the folder.
    pub fn launch(&self, book: &str, recipe: &str, place: &str, launch: u32) -> PathBuf {
        self.path.join("runs").join(format!("{book}-{recipe}")).join(format!("{place}-{launch}"))
    }
}

impl State {
    /// Nothing is made yet.
    pub fn new(args: &ReproduceArgs) -> Result<State> {
        let text = |path: &PathBuf| path.to_str().map(str::to_owned).context("a name is no text");
        let data = args.data.as_ref().map(std::path::absolute).transpose()?;
        if let Some(data) = data.as_ref().filter(|data| !data.is_dir()) {
            bail!("{} is no folder: give the one with the models' data", data.display());
        }
        Ok(State {
            scale: args.scale(),
            here: args.on.is_none(),
            simulated: !args.here,
            on: args.on.clone(),
            data: data.as_ref().map(text).transpose()?,
            cores: std::thread::available_parallelism().map_or(1, usize::from),
            ids: args.ids.clone(),
            groups: Vec::new(),
        })
    }

    /// As it was left in the folder.
    pub fn load(folder: &Path) -> Result<State> {
        let path = folder.join(FILE);
        let damaged = || {
            format!(
                "{} is not of `fourstamp reproduce`: name a folder that it made",
                path.display()
            )
        };
        let text = record::read_text(&path).with_context(damaged)?;
        let state: State = serde_json::from_str(&text).with_context(damaged)?;
        let is_name = |name: &String| {
            !name.is_empty() && Path::new(name).file_name().is_some_and(|file| file == &**name)
        };
        let whole =
            |group: &Group| [&group.book, &group.recipe, &group.place].into_iter().all(is_name);
        ensure!(state.groups.iter().all(whole), damaged());
        Ok(state)
    }

    /// Leave it in the folder.
    pub fn save(&self, folder: &Folder) -> Result<()> {
        let path = folder.path.join(FILE);
        let write = |out: &mut dyn Write| -> io::Result<()> {
            serde_json::to_writer_pretty(&mut *out, self)?;
            out.write_all(b"\n")
        };
        record::write_whole(&path, write)
            .with_context(|| format!("cannot write {}: see that it has space", path.display()))
    }

    /// Where the runs of a document are made.
    pub fn places_of(&self, book: &Book) -> Vec<Where> {
        let here = self.here.then_some(Where::Here);
        here.into_iter().chain(self.simulated.then(|| machine_of(self, book))).collect()
    }

    /// What the commands of a launch in a folder are made of.
    pub fn launch<'a>(&'a self, number: u32, folder: &'a str) -> Launch<'a> {
        Launch { number, folder, data: self.data.as_deref(), cores: self.cores }
    }

    /// What became of a recipe in a place.
    pub fn group(&self, book: &str, recipe: &str, place: &str) -> Option<&Group> {
        let is_it =
            |group: &&Group| group.book == book && group.recipe == recipe && group.place == place;
        self.groups.iter().find(is_it)
    }

    /// What was run, in a line.
    pub fn eyebrow(&self) -> Vec<String> {
        let scale = match self.scale {
            Scale::Quick => "quick: sizes for a look",
            Scale::Usual => "usual sizes",
            Scale::Full => "sizes as in the documents",
        };
        vec![scale.into(), document::counted(self.cores as u64, "core")]
    }

    /// What to know before the figures are read.
    pub fn remarks(&self) -> Vec<String> {
        let failed = |group: &&Group| !group.failures.is_empty() && !group.launches.is_empty();
        let lost = self.groups.iter().filter(failed).map(|group| {
            let Group { book, recipe, place, failures, .. } = group;
            let (count, last) = (failures.len(), failures.last().map_or("", String::as_str));
            format!("{count} launches of {book}-{recipe} ({place}) failed: {last}")
        });
        lost.collect()
    }
}
