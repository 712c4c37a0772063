//! `fourstamp warp study`: a model in order and on several numbers of nodes; run time, speed-up,
//! efficiency, as a table, as CSV, and as a page like the figures of the memo of 1991.
//!
//! Every launch is a fresh process; one launch of each in turn. The first is in order, and all
//! results must be equal to its.

mod launch;
mod subject;
mod words;

use crate::args::WarpStudyArgs;
use crate::commands::place;
use crate::interrupt;
use crate::job::LaunchedJob;
use crate::progress::Bar;
use crate::show::StudyFolder;
use crate::studying::{kept, study, why_nothing};
use anyhow::{Context, Result, bail};
use sim_lens::{SpeedupSetup, SpeedupStudy};
use std::ffi::OsStr;
use std::path::PathBuf;
use std::sync::atomic::Ordering;
use std::time::Duration;
use study::{Contestant, Ended, Results, Turn};
use subject::Subject;
use warp::Summary;

/// The study's tables and their files.
const TABLES: &[(&str, Option<&str>)] =
    &[("speedup", Some("speedup.csv")), ("launches", Some("launches.csv"))];

/// What is measured.
struct Study<'a> {
    args: &'a WarpStudyArgs,
    subject: Subject,
    folder: PathBuf,
}

/// Measure, then show.
pub fn run(args: &WarpStudyArgs) -> Result<()> {
    if LaunchedJob::here().is_some() {
        bail!("the study starts its own nodes: run it without mpirun or srun");
    }
    StudyFolder::check(TABLES, &args.show)?;
    let setups = setups(args);
    let subject = Subject::new(args)?;
    // From here on Ctrl-C only sets a flag: what is measured is kept.
    let stop = interrupt::flag();
    let folder = place::for_runs(args.out.as_deref(), "study")?;
    let study = Study { args, subject, folder };
    let measured = study.measure(&setups).inspect_err(|_| {
        // Fail, as they should, when something was measured.
        let _ = std::fs::remove_dir(study.folder.join("xl_stats"));
        let _ = std::fs::remove_dir(&study.folder);
    })?;
    let early = stop.load(Ordering::Relaxed).then(|| "ended early by Ctrl-C".to_string());
    study.show(&measured, early)
}

/// In order, then the numbers of nodes with each way to time objects.
fn setups(args: &WarpStudyArgs) -> Vec<SpeedupSetup> {
    let mut nodes = args.nodes.clone();
    nodes.sort_unstable();
    nodes.dedup();
    let mut timings: Vec<&'static str> = Vec::new();
    for timing in args.timing.iter().map(|timing| timing.name()) {
        if !timings.contains(&timing) {
            timings.push(timing);
        }
    }
    // The only one needs no name.
    if timings.len() == 1 {
        timings = vec![""];
    }
    let of = |timing| nodes.iter().map(move |nodes| SpeedupSetup { nodes: Some(*nodes), timing });
    let on_nodes = timings.into_iter().flat_map(of);
    std::iter::once(SpeedupSetup::default()).chain(on_nodes).collect()
}

type Measured = Vec<(SpeedupSetup, Results<Summary>)>;

impl Study<'_> {
    fn measure(&self, setups: &[SpeedupSetup]) -> Result<Measured> {
        std::fs::create_dir(self.folder.join("xl_stats"))
            .context("cannot make a folder for XL_STATS")?;
        let contestants: Vec<Contestant> = setups
            .iter()
            .map(|setup| Contestant { key: setup.key(), limit: self.limit() })
            .collect();
        let mut bar = Bar::new(format!("study of {}", self.subject.name), None);
        let mut expected: Option<[String; 2]> = None;
        let begins = |turn: &Turn| bar.step(turn.done as u64, turn.all as u64, &turn.name);
        let results = study(self.args.launches, &contestants, begins, |turn| {
            let setup = setups[turn.contestant];
            let summary = self.launch(setup, &turn.name).map_err(|why| match setup.nodes {
                // Nothing can be compared with it.
                None => Ended::Study(why.context(turn.name.clone())),
                Some(_) => kept(&why),
            })?;
            check(&summary, &mut expected, &turn.name).map_err(Ended::Study)?;
            Ok(summary)
        })?;
        bar.finish();
        if results.iter().skip(1).all(|results| results.launches.is_empty()) {
            bail!("no nodes were measured: {}", why_nothing(results.iter()));
        }
        Ok(setups.iter().copied().zip(results).collect())
    }

    /// How long a launch may take: without a limit as long as a simulation takes.
    fn limit(&self) -> Duration {
        self.args.give_up_after.unwrap_or(Duration::MAX)
    }

    fn launch(&self, setup: SpeedupSetup, name: &str) -> Result<Summary> {
        let xl_stats =
            std::path::absolute(self.folder.join("xl_stats").join(format!("{name}.csv")))?;
        let mut words = self.subject.words(setup.nodes);
        if setup.nodes.is_some() {
            let only = self.args.timing.first().map_or("none", |timing| timing.name());
            let timing = if setup.timing.is_empty() { only } else { setup.timing };
            words.extend(["--timing".into(), timing.into()]);
        }
        let program = std::env::current_exe().context("cannot find this program's own file")?;
        let mut command = std::process::Command::new(program);
        command
            .arg("warp")
            .args(words)
            .arg("--csv")
            .args([OsStr::new("--xl-stats"), xl_stats.as_ref()]);
        launch::summary(&launch::run(command, self.limit())?)
    }

    fn show(&self, measured: &Measured, early: Option<String>) -> Result<()> {
        let cores = std::thread::available_parallelism().map_or(1, |cores| cores.get() as u32);
        let mut study = SpeedupStudy::new(&self.subject.name, cores, measured);
        study.remarks.extend(early);
        let besides = format!("XL_STATS: {}/xl_stats", self.folder.display());
        let left = StudyFolder { folder: &self.folder, tables: TABLES, besides };
        let document = study.document();
        left.show(&document, &document, &self.args.show)
    }
}

/// All results are one.
fn check(summary: &Summary, expected: &mut Option<[String; 2]>, name: &str) -> Result<()> {
    let digests = [summary.trace_digest.clone(), summary.state_digest.clone()];
    let first = expected.get_or_insert_with(|| digests.clone());
    if *first != digests {
        bail!(
            "{name} does not match the sequential run: digests {} and {}, not {} and {}; \
            fourstamp warp … --check shows what differs",
            digests[0],
            digests[1],
            first[0],
            first[1]
        );
    }
    Ok(())
}
