//! Arguments of `fourstamp warp study`.

use super::quantity;
use super::transport::{Transport, transport};
use crate::show::ShowArgs;
use clap::{Args, ValueEnum};
use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

/// `fourstamp warp study`.
#[derive(Args)]
#[command(
    arg_required_else_help = true,
    after_help = "\
Each launch is a fresh process. One launch of each contestant is made in turn, then the next, \
every other round in reverse, so that changes of the machine over time meet all alike. Every \
result must equal the sequential one of its model. Ctrl-C keeps what has been measured.

Several models are separated by commas. An option is for all of them; where its values differ, \
write MODEL=VALUE for each: --cutoff warpnet=250,pucks=40. A model that is not named goes without.

The folder gets launches.csv (a line for each launch), speedup.csv (the table), report.html, and \
the XL_STATS of each launch.

Examples:
  fourstamp warp study phold --nodes 1,2 --launches 5 --work 20
  fourstamp warp study warpnet --transport shm --out runs/speedup
  fourstamp warp study warpnet,pucks --cutoff warpnet=250,pucks=40
  fourstamp warp study stb88 --transport thread,tcp --timing none,wall
  fourstamp warp study phold --nodes 2 --stretch 1,10,100
  fourstamp warp study phold --build gcc=../gcc/fourstamp"
)]
pub struct WarpStudyArgs {
    /// Numbers of nodes
    #[arg(
        short = 'n',
        long,
        value_name = "N,...",
        value_delimiter = ',',
        default_value = "1,2,3,4",
        value_parser = quantity::nodes
    )]
    pub nodes: Vec<u16>,
    /// Launches of each contestant
    #[arg(long, default_value_t = 5, value_parser = clap::value_parser!(u32).range(1..=1000))]
    pub launches: u32,
    /// End a launch that takes longer than this, e.g. 10m; the study goes on without it
    /// [default: wait for it]
    #[arg(long, value_name = "TIME", value_parser = quantity::duration)]
    pub give_up_after: Option<Duration>,
    /// Compare the costs of the ways to time objects  [default: none; process with --stretch]
    #[arg(long, value_name = "MODE,...", value_delimiter = ',', value_enum)]
    pub timing: Vec<StudyTiming>,
    /// Compare what carries the messages  [default: thread]
    #[arg(
        long,
        value_name = "TRANSPORT,...",
        value_delimiter = ',',
        value_parser = transport()
    )]
    pub transport: Vec<Transport>,
    /// Make every event take so many times as long, in order, too
    #[arg(long, value_name = "FACTOR,...", value_delimiter = ',', value_parser = stretch)]
    pub stretch: Vec<f64>,
    /// Another fourstamp, e.g. of another compiler, takes part under this name; once for each
    #[arg(long, value_name = "NAME=PATH", value_parser = build)]
    pub build: Vec<(String, PathBuf)>,
    /// Folder for the tables and the page; must not exist yet  [default: runs/study-1, -2, ...]
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
    /// How it is shown: with --csv alone, the table of speed-ups.
    #[command(flatten)]
    pub show: ShowArgs,
    /// The model, or several separated by commas, and options, as `fourstamp warp MODEL --help`
    /// lists them
    #[arg(
        value_name = "MODEL",
        required = true,
        num_args = 1..,
        trailing_var_arg = true,
        allow_hyphen_values = true
    )]
    pub words: Vec<String>,
}

/// How many times as long events take.
fn stretch(text: &str) -> Result<f64, String> {
    let read = text.parse().ok().filter(|by| (1.0..=1e6).contains(by));
    read.ok_or_else(|| "write a factor from 1 to 1000000".to_owned())
}

/// `NAME=PATH`; the name becomes a part of files' names.
fn build(text: &str) -> Result<(String, PathBuf), String> {
    let is_plain = |c: char| c.is_alphanumeric() || ['_', '.'].contains(&c);
    match text.split_once('=') {
        Some((name, path))
            if !name.is_empty() && !path.is_empty() && name.chars().all(is_plain) =>
        {
            Ok((name.to_owned(), path.into()))
        }
        _ => {
            Err("write NAME=PATH, the name of letters and digits, e.g. gcc=../gcc/fourstamp".into())
        }
    }
}

/// How objects are timed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum StudyTiming {
    /// Not at all
    None,
    /// By the processor time of the running object
    Process,
    /// By wall-clock time
    Wall,
}

impl StudyTiming {
    /// As a launch is told of it.
    pub fn name(self) -> &'static str {
        match self {
            StudyTiming::None => "none",
            StudyTiming::Process => "process",
            StudyTiming::Wall => "wall",
        }
    }
}

/// The study's own options that take a value.
const OWN: [&str; 9] = [
    "--nodes",
    "-n",
    "--launches",
    "--give-up-after",
    "--timing",
    "--transport",
    "--stretch",
    "--build",
    "--out",
];
/// Those whose value, if they have one, stands behind a `=`.
const OWN_ALONE: [&str; 2] = ["--csv", "--json"];

/// Put the study's options before the model, wherever they stand: what stands behind the model is
/// the model's.
pub fn study_options_first(words: impl Iterator<Item = OsString>) -> Vec<OsString> {
    let words: Vec<OsString> = words.collect();
    let is_study = words.get(1).is_some_and(|word| word == "warp")
        && words.get(2).is_some_and(|word| word == "study");
    if !is_study {
        return words;
    }
    let (mut ours, mut models) = (words[..3].to_vec(), Vec::new());
    let mut rest = words.into_iter().skip(3);
    while let Some(word) = rest.next() {
        let text = word.to_string_lossy().into_owned();
        if OWN.contains(&&*text) {
            ours.push(word);
            ours.extend(rest.next());
        } else if OWN_ALONE.contains(&&*text)
            || OWN
                .iter()
                .chain(&OWN_ALONE)
                .any(|own| text.strip_prefix(own).is_some_and(|value| value.starts_with('=')))
        {
            ours.push(word);
        } else {
            models.push(word);
        }
    }
    ours.extend(models);
    ours
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sorted(line: &str) -> String {
        let words = study_options_first(line.split(' ').map(OsString::from));
        words.join(" ".as_ref()).to_string_lossy().into_owned()
    }

    #[test]
    fn builds_have_names_and_stretches_ends() {
        assert_eq!(build("gcc14=a/b=c"), Ok(("gcc14".into(), "a/b=c".into())));
        for wrong in ["", "gcc", "=x", "gcc=", "a-b=x", "a/b=x"] {
            assert!(build(wrong).is_err(), "{wrong}");
        }
        assert_eq!((stretch("1"), stretch("12.5")), (Ok(1.0), Ok(12.5)));
        for wrong in ["0", "0.9", "-3", "1e7", "NaN", "ten"] {
            assert!(stretch(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn a_studys_options_may_stand_behind_the_model() {
        assert_eq!(
            sorted("f warp study phold --work 5 --nodes 1,2 --objects=8 --launches=3 --out x"),
            "f warp study --nodes 1,2 --launches=3 --out x phold --work 5 --objects=8"
        );
        assert_eq!(
            sorted("f warp study phold --give-up-after 10s --cutoff 9"),
            "f warp study --give-up-after 10s phold --cutoff 9"
        );
        assert_eq!(sorted("f warp study phold -n"), "f warp study -n phold");
        assert_eq!(
            sorted("f warp study phold --csv=launches --seed 2 --json"),
            "f warp study --csv=launches --json phold --seed 2"
        );
        assert_eq!(
            sorted("f warp study a,b --transport tcp --cutoff a=1,b=2 --build x=y --stretch=1,5"),
            "f warp study --transport tcp --build x=y --stretch=1,5 a,b --cutoff a=1,b=2"
        );
        assert_eq!(
            sorted("f warp phold --objects 8 --nodes 2"),
            "f warp phold --objects 8 --nodes 2"
        );
    }
}
