//! `fourstamp warp study`: a model in order and on several numbers of nodes; run time, speed-up,
//! efficiency, as a table, as CSV, and as a page like the figures of the memo of 1991.
//!
//! Every launch is a fresh process; one launch of each in turn. The first is in order, and all
//! results must be equal to its.

mod launch;
mod subject;
mod table;
mod words;

use crate::args::{StudyTiming, WarpStudyArgs};
use crate::commands::place;
use crate::interrupt;
use crate::job::LaunchedJob;
use crate::progress::Bar;
use crate::show::{self, say};
use crate::studying::{kept, study, why_nothing};
use anyhow::{Context, Result, bail};
use std::ffi::OsStr;
use std::path::PathBuf;
use std::sync::atomic::Ordering;
use std::time::Duration;
use study::{Contestant, Ended, Turn};
use subject::Subject;
use table::Row;
use warp::Summary;

/// What is measured.
struct Study<'a> {
    args: &'a WarpStudyArgs,
    subject: Subject,
    folder: PathBuf,
}

/// Measure, then show.
pub fn run(args: &WarpStudyArgs) -> Result<()> {
    if LaunchedJob::here().is_some() {
        bail!("the study starts its nodes itself: start it without mpirun or srun");
    }
    let timings = timings(&args.timing);
    let subject = Subject::new(args)?;
    // From here on Ctrl-C only sets a flag: what is measured is kept.
    let stop = interrupt::flag();
    let folder = place::for_runs(args.out.as_deref(), "study")?;
    let study = Study { args, subject, folder };
    let rows = study.measure(&timings).inspect_err(|_| {
        // Fail, as they should, when something was measured.
        let _ = std::fs::remove_dir(study.folder.join("xl_stats"));
        let _ = std::fs::remove_dir(&study.folder);
    })?;
    let early = stop.load(Ordering::Relaxed).then(|| "ended early by Ctrl-C".to_string());
    study.show(&rows, early)
}

/// The ways to time objects that are compared, each with what a launch is told.
fn timings(asked: &[StudyTiming]) -> Vec<Timing> {
    let mut timings: Vec<Timing> = Vec::new();
    for timing in asked {
        let name = match timing {
            StudyTiming::None => "none",
            StudyTiming::Process => "process",
            StudyTiming::Wall => "wall",
        };
        if !timings.iter().any(|other| other.name == name) {
            timings.push(Timing { name, words: vec!["--timing".into(), name.into()] });
        }
    }
    timings
}

/// A way to time objects.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Timing {
    name: &'static str,
    words: Vec<String>,
}

impl Study<'_> {
    fn measure(&self, timings: &[Timing]) -> Result<Vec<Row>> {
        std::fs::create_dir(self.folder.join("xl_stats"))
            .context("cannot make a folder for XL_STATS")?;
        let mut rows = self.rows(timings);
        let contestants: Vec<Contestant> =
            rows.iter().map(|row| Contestant { key: row.key(), limit: Duration::MAX }).collect();
        let mut bar = Bar::new(format!("study of {}", self.subject.name), None);
        let mut expected: Option<[String; 2]> = None;
        let begins = |turn: &Turn| bar.step(turn.done as u64, turn.all as u64, &turn.name);
        let results = study(self.args.launches, &contestants, begins, |turn| {
            let row = &rows[turn.contestant];
            let summary = self.launch(row, &turn.name).map_err(|why| match row.nodes {
                // Nothing can be compared with it.
                None => Ended::Study(why.context(turn.name.clone())),
                Some(_) => kept(&why),
            })?;
            check(&summary, &mut expected, &turn.name).map_err(Ended::Study)?;
            Ok(summary)
        })?;
        bar.finish();
        rows.iter_mut().zip(results).for_each(|(row, results)| row.results = results);
        if rows.iter().skip(1).all(|row| row.results.launches.is_empty()) {
            bail!("no nodes were measured: {}", why_nothing(rows.iter().map(|row| &row.results)));
        }
        Ok(rows)
    }

    /// In order, then the numbers of nodes with each timing.
    fn rows(&self, timings: &[Timing]) -> Vec<Row> {
        let mut nodes = self.args.nodes.clone();
        nodes.sort_unstable();
        nodes.dedup();
        let several = timings.len() > 1;
        let on_nodes = timings.iter().flat_map(|timing| {
            let name = if several { timing.name } else { "" };
            nodes.iter().map(move |nodes| Row::new(Some(*nodes), name, timing.words.clone()))
        });
        std::iter::once(Row::new(None, "", Vec::new())).chain(on_nodes).collect()
    }

    fn launch(&self, row: &Row, name: &str) -> Result<Summary> {
        let xl_stats =
            std::path::absolute(self.folder.join("xl_stats").join(format!("{name}.csv")))?;
        let mut words = self.subject.words(row.nodes);
        words.extend(row.words.iter().cloned());
        let program = std::env::current_exe().context("cannot find this program's own file")?;
        let mut command = std::process::Command::new(program);
        command
            .arg("warp")
            .args(words)
            .arg("--csv")
            .args([OsStr::new("--xl-stats"), xl_stats.as_ref()]);
        launch::summary(&launch::run(command)?)
    }

    fn show(&self, rows: &[Row], early: Option<String>) -> Result<()> {
        let cores = std::thread::available_parallelism().map_or(1, |cores| cores.get() as u32);
        let mut study = table::study(&self.subject.name, cores, rows);
        study.remarks.extend(early);
        say(&format!("{}\n{}\n", table::text(&study), study.finding))?;
        for line in study.sentences.iter().chain(&study.remarks) {
            say(&format!("{line}\n"))?;
        }
        let (table, launches) = (self.folder.join("speedup.csv"), self.folder.join("launches.csv"));
        show::file(&table, &table::csv(&study))?;
        show::file(&launches, &table::launches_csv(rows))?;
        let path = self.folder.join("report.html");
        show::page(&study.document(), &path)?;
        say(&format!(
            "page: {}\ntables: {} {}   XL_STATS: {}/xl_stats\n",
            path.display(),
            table.display(),
            launches.display(),
            self.folder.display()
        ))
    }
}

/// All results are one.
fn check(summary: &Summary, expected: &mut Option<[String; 2]>, name: &str) -> Result<()> {
    let digests = [summary.trace_digest.clone(), summary.state_digest.clone()];
    let first = expected.get_or_insert_with(|| digests.clone());
    if *first != digests {
        bail!(
            "{name} is not equal to the sequential run: digests {} and {}, not {} and {}; \
            fourstamp warp … --check says what differs",
            digests[0],
            digests[1],
            first[0],
            first[1]
        );
    }
    Ok(())
}
