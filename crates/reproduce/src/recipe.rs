//! How runs are made: commands of ours, as they would be typed.

use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// How the launches of a run are made.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Recipe {
    /// What is measured, in words.
    pub title: String,
    /// The commands of a launch, one after another, without `fourstamp`. `{run}` is the run folder
    /// of the launch, `{folder}` a folder of its own, `{launch}` its number from 1, `{machine}` the
    /// document's machine, `{cores}` how many this one has, `{data}` the option for the models'
    /// data, and any other word in braces an entry of `words`.
    pub steps: Vec<String>,
    /// A recipe from which it takes its turn, its needs and its settings, where it has none.
    pub like: Option<String>,
    /// Recipes of the same word are launched in turn.
    pub turn: Option<String>,
    /// What it needs.
    #[serde(default)]
    pub needs: Vec<Need>,
    /// On this machine; without it, the recipe is not possible here.
    pub here: Option<Setting>,
    /// On the document's machine, simulated; without it, the recipe is for real machines.
    pub simulated: Option<Setting>,
}

/// How a recipe is made in one place.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Setting {
    /// Launches: quick, as usual, in full.
    pub launches: [u32; 3],
    /// Seconds that a launch takes, about.
    pub seconds: [u32; 3],
    /// What words in braces stand for: quick, as usual, in full.
    #[serde(default)]
    pub words: BTreeMap<String, Word>,
}

/// What a word in braces stands for.
#[derive(Clone, Debug, Deserialize)]
#[serde(untagged)]
pub enum Word {
    /// The same at every scale.
    Always(String),
    /// Quick, as usual, in full.
    Scaled([String; 3]),
}

/// What a recipe needs.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq, PartialOrd, Ord)]
#[serde(rename_all = "kebab-case")]
pub enum Need {
    /// Root, for a network of a given rate.
    Root,
    /// An MPI library and its mpirun.
    Mpi,
    /// Two cores or more.
    TwoCores,
    /// Four cores or more.
    FourCores,
    /// The original data of the models, with `--data`.
    Data,
    /// Leave to choose priorities of tasks.
    Priorities,
    /// Pages of memory that a program can handle itself.
    Userfaultfd,
    /// Files of Fourstamp's sources: it is run in a checkout.
    Checkout,
}

/// How much is measured.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Scale {
    /// In two minutes.
    Quick,
    /// In twenty.
    #[default]
    Usual,
    /// As the documents did.
    Full,
}

/// Where a recipe is made.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Where {
    /// On this machine.
    Here,
    /// Simulated on this one.
    On(String),
}

/// A recipe that does not say how it is made.
#[derive(Debug, thiserror::Error, PartialEq, Eq)]
#[error("recipe {recipe} has no word for {{{word}}}")]
pub struct NoWord {
    /// Which.
    pub recipe: String,
    /// What is in braces.
    pub word: String,
}

/// What a launch's words in braces stand for, besides the recipe's own.
#[derive(Clone, Debug)]
pub struct Launch<'a> {
    /// Its number, from 1.
    pub number: u32,
    /// A folder of its own.
    pub folder: &'a str,
    /// The folder of the models' original data, where there is one.
    pub data: Option<&'a str>,
    /// Cores of this machine.
    pub cores: usize,
}

impl Recipe {
    /// With what it lacks of its own from another.
    pub(crate) fn completed(self, by: &Recipe) -> Recipe {
        Recipe {
            turn: self.turn.or_else(|| by.turn.clone()),
            needs: if self.needs.is_empty() { by.needs.clone() } else { self.needs },
            here: self.here.or_else(|| by.here.clone()),
            simulated: self.simulated.or_else(|| by.simulated.clone()),
            ..self
        }
    }

    /// How it is made in this place, if it is.
    pub fn setting(&self, place: &Where) -> Option<&Setting> {
        match place {
            Where::Here => self.here.as_ref(),
            Where::On(_) => self.simulated.as_ref(),
        }
    }

    /// The words of its commands.
    ///
    /// # Errors
    /// When a word in braces stands for nothing.
    pub fn commands(
        &self,
        name: &str,
        place: &Where,
        scale: Scale,
        launch: &Launch,
    ) -> Result<Vec<Vec<String>>, NoWord> {
        let own = self.setting(place).map(|setting| &setting.words);
        let given = |word: &str| launch.meaning(word, place);
        let find_given = |word: &str| given(word).ok_or_else(|| no_word(name, word));
        let meaning = |word: &str| match (given(word), own.and_then(|own| own.get(word))) {
            (Some(meant), _) => Ok(meant),
            (None, Some(own)) => {
                let pieces = own.at(scale).split_whitespace();
                pieces.map(|piece| inside(piece, &find_given)).collect()
            }
            (None, None) => Err(no_word(name, word)),
        };
        let fill = |step: &String| filled(step, &meaning);
        self.steps.iter().map(fill).collect()
    }
}

/// The words of a command, what is in braces filled in: a word that is nothing but braces may
/// stand for several words, or for none.
fn filled(
    step: &str,
    find: &impl Fn(&str) -> Result<Vec<String>, NoWord>,
) -> Result<Vec<String>, NoWord> {
    let mut words = Vec::new();
    for word in step.split_whitespace() {
        let name = word.strip_prefix('{').and_then(|rest| rest.strip_suffix('}'));
        match name.filter(|name| !name.contains(['{', '}'])) {
            Some(name) => words.extend(find(name)?),
            None => words.push(inside(word, find)?),
        }
    }
    Ok(words)
}

fn no_word(recipe: &str, word: &str) -> NoWord {
    NoWord { recipe: recipe.to_owned(), word: word.to_owned() }
}

impl Launch<'_> {
    /// What a word stands for in every recipe.
    fn meaning(&self, word: &str, place: &Where) -> Option<Vec<String>> {
        let machine = if let Where::On(machine) = place { machine } else { "" };
        Some(match word {
            "run" => vec![format!("{}/run", self.folder)],
            "folder" => vec![self.folder.to_owned()],
            "launch" => vec![self.number.to_string()],
            "machine" => vec![machine.to_owned()],
            "cores" => vec![self.cores.to_string()],
            "data" => match self.data {
                Some(data) => vec!["--data".to_owned(), data.to_owned()],
                None => Vec::new(),
            },
            _ => return None,
        })
    }
}

/// A word with what is in braces within it filled in.
fn inside(
    word: &str,
    find: &impl Fn(&str) -> Result<Vec<String>, NoWord>,
) -> Result<String, NoWord> {
    let (mut text, mut rest) = (String::new(), word);
    while let Some((before, (name, after))) =
        rest.split_once('{').and_then(|(before, rest)| Some((before, rest.split_once('}')?)))
    {
        text = text + before + &find(name)?.join(" ");
        rest = after;
    }
    Ok(text + rest)
}

impl Word {
    fn at(&self, scale: Scale) -> &str {
        match self {
            Word::Always(text) => text,
            Word::Scaled(texts) => &texts[scale.place()],
        }
    }
}

impl Scale {
    /// Its place in lists of three.
    pub fn place(self) -> usize {
        match self {
            Scale::Quick => 0,
            Scale::Usual => 1,
            Scale::Full => 2,
        }
    }
}

impl Need {
    /// What it is, for people.
    pub fn words(self) -> &'static str {
        match self {
            Need::Root => "root, for networks of a given rate",
            Need::Mpi => "an MPI library with its mpirun",
            Need::TwoCores => "two cores",
            Need::FourCores => "four cores",
            Need::Data => "the models' original data (--data DIR)",
            Need::Priorities => "leave to choose priorities (CAP_SYS_NICE)",
            Need::Userfaultfd => "userfaultfd",
            Need::Checkout => "to be run in a checkout of Fourstamp",
        }
    }
}

impl Where {
    /// For folders and columns: `here`, or the machine's name, which of a file is the file's.
    pub fn name(&self) -> &str {
        match self {
            Where::Here => "here",
            Where::On(machine) => {
                let file = machine.rsplit('/').next().unwrap_or(machine);
                file.strip_suffix(".toml").unwrap_or(file)
            }
        }
    }

    /// Whether it is simulated.
    pub fn is_simulated(&self) -> bool {
        matches!(self, Where::On(_))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn recipe() -> Recipe {
        toml::from_str(
            "title = 'x'\n\
             steps = ['warp ctls {place} --seed {launch} --out {run}', 'story {run} --json']\n\
             [here]\nlaunches = [2, 5, 10]\nseconds = [1, 2, 3]\n\
             words = { place = ['--nodes 2', '--nodes 4', '--nodes 32'] }\n\
             [simulated]\nlaunches = [1, 1, 1]\nseconds = [1, 2, 3]\n\
             words = { place = '--nodes 32 --on {machine}' }\n",
        )
        .expect("a recipe")
    }

    #[test]
    fn words_in_braces_are_filled_in_and_paths_stay_one_word() {
        let launch = Launch { number: 3, folder: "/tmp/a b", data: None, cores: 2 };
        let of = |place, scale| recipe().commands("r", &place, scale, &launch);
        let words = of(Where::Here, Scale::Usual).expect("all words are known");
        let first = ["warp", "ctls", "--nodes", "4", "--seed", "3", "--out", "/tmp/a b/run"];
        assert_eq!(words[0], first);
        assert_eq!(words[1], ["story", "/tmp/a b/run", "--json"]);
        let simulated = of(Where::On("mark3".into()), Scale::Quick).expect("all words are known");
        assert_eq!(simulated[0][2..6], ["--nodes", "32", "--on", "mark3"]);
    }

    #[test]
    fn a_machine_of_a_file_is_called_by_its_name() {
        let on = |machine: &str| Where::On(machine.into()).name().to_owned();
        assert_eq!([on("mark3"), on("a/b/mine.toml"), on("../m")], ["mark3", "mine", "m"]);
    }

    #[test]
    fn a_word_without_a_meaning_is_named() {
        let mut recipe = recipe();
        recipe.steps = vec!["warp {modle}".into()];
        let launch = Launch { number: 1, folder: "f", data: None, cores: 2 };
        let error = recipe.commands("r", &Where::Here, Scale::Quick, &launch).unwrap_err();
        assert_eq!(error.to_string(), "recipe r has no word for {modle}");
    }
}
