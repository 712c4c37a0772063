//! `fourstamp story`: what held a message at each stage of its life.

use super::report::{has_colour, say, terminal_width};
use crate::analyse::open;
use crate::args::StoryArgs;
use crate::beside::beside;
use crate::scenes;
use anyhow::{Context, Result};
use record::{Run, RunInfo};
use report::{ObjectNames, Told};
use stats::Filter;
use stats::story::Wanted;

/// Find the messages and tell their stories.
pub fn run(args: &StoryArgs) -> Result<()> {
    let run = open(&args.run)?;
    let told = tell(&run, args.wanted(), &args.messages.filter())?;
    let (width, colour) = (terminal_width(), has_colour());
    let texts: Vec<String> = told.iter().map(|told| report::story(told, width, colour)).collect();
    let mut text = texts.join("\n\n");
    if is_incomplete(&run.info) {
        text.push_str("\nThis run's record is not whole (see `lost` in run.json): what is missing may have been part of this.\n");
    }
    say(&text)
}

/// The stories of the messages wanted, slowest first; the slowest of those that `filter` takes.
pub fn tell(run: &Run, wanted: Wanted, filter: &Filter) -> Result<Vec<Told>> {
    let names = object_names(run);
    let settings = scenes::gather(run, wanted, filter)?;
    let causes = run.causes().with_context(|| format!("cannot read {}", run.path().display()))?;
    let told = settings.iter().map(|setting| {
        let beside = beside(&causes, &setting.scene.message, setting.launch);
        let story = stats::story::tell(&setting.scene, &beside);
        Told { story, launch: setting.launch, names: names.clone() }
    });
    Ok(told.collect())
}

/// Whether rows are missing.
fn is_incomplete(info: &RunInfo) -> bool {
    info.lost.cut || info.lost.dropped_rows > 0 || info.lost.damaged_rows > 0 || info.lost.damaged_chunks > 0
}

/// Most bytes of a table that names are read from.
const TABLE_MOST: u64 = 64 << 20;

/// The objects of a simulation as its table of objects calls them; none where there is no such table.
fn object_names(run: &Run) -> ObjectNames {
    let path = run.path().join("warp").join("xl_stats.csv");
    let is_read = std::fs::metadata(&path).is_ok_and(|file| file.len() <= TABLE_MOST);
    let table = is_read.then(|| std::fs::read_to_string(&path).ok()).flatten().unwrap_or_default();
    ObjectNames::new(table.lines().skip(1).filter_map(name_in))
}

/// The second field of a line, which may be quoted.
fn name_in(line: &str) -> Option<String> {
    let (_, rest) = line.split_once(',')?;
    let Some(quoted) = rest.strip_prefix('"') else { return rest.split(',').next().map(str::to_owned) };
    let mut name = String::new();
    let mut letters = quoted.chars().peekable();
    while let Some(letter) = letters.next() {
        match (letter, letters.peek()) {
            ('"', Some('"')) => drop(letters.next()),
            ('"', _) => return Some(name),
            _ => {}
        }
        name.push(letter);
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_may_be_quoted() {
        assert_eq!(name_in("0,diary,1,2").as_deref(), Some("diary"));
        assert_eq!(name_in("0,\"a, \"\"b\"\"\",1").as_deref(), Some("a, \"b\""));
        assert_eq!(name_in("0,\"never ends"), None);
        assert_eq!(name_in("nothing"), None);
    }
}
