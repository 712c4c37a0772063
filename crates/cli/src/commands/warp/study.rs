//! `fourstamp warp study`: models in order and on nodes, with each transport, way to time objects,
//! stretch and build that is asked for; run time, speed-up, efficiency, as a table, as CSV, and as
//! a page like the figures of the memo of 1991.
//!
//! Every launch is a fresh process; one launch of each in turn. The first of each model is in
//! order, and all its results must be equal to that.

mod build;
mod launch;
mod setups;
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
use build::Build;
use setups::{Contest, contests};
use sim_lens::{SpeedupSetup, SpeedupStudy, Varied};
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
    subjects: Vec<Subject>,
    builds: Vec<Build>,
    contests: Vec<Contest>,
    folder: PathBuf,
}

/// Measure, then show.
pub fn run(args: &WarpStudyArgs) -> Result<()> {
    if LaunchedJob::here().is_some() {
        bail!("the study starts its own nodes: run it without mpirun or srun");
    }
    StudyFolder::check(TABLES, &args.show)?;
    let subjects = Subject::all(args)?;
    let builds = Build::all(args)?;
    let models: Vec<&str> = subjects.iter().map(|subject| subject.name).collect();
    let names: Vec<&str> = builds.iter().map(|build| build.name.as_str()).collect();
    let contests = contests(args, &models, &names);
    // From here on Ctrl-C only sets a flag: what is measured is kept.
    let stop = interrupt::flag();
    for (at, build) in builds.iter().enumerate().skip(1) {
        let own = contests.iter().filter(|contest| contest.build == at);
        build.check(&subjects, own.map(|contest| (contest.subject, &contest.setup)))?;
    }
    let folder = place::for_runs(args.out.as_deref(), "study")?;
    let study = Study { args, subjects, builds, contests, folder };
    let measured = study.measure().inspect_err(|_| {
        // Fail, as they should, when something was measured.
        let _ = std::fs::remove_dir(study.folder.join("xl_stats"));
        let _ = std::fs::remove_dir(&study.folder);
    })?;
    let early = stop.load(Ordering::Relaxed).then(|| "ended early by Ctrl-C".to_string());
    study.show(&measured, early)
}

type Measured = Vec<(SpeedupSetup, Results<Summary>)>;

impl Study<'_> {
    fn measure(&self) -> Result<Measured> {
        std::fs::create_dir(self.folder.join("xl_stats"))
            .context("cannot make a folder for XL_STATS")?;
        let mut bar = Bar::new(format!("study of {}", self.args.words[0]), None);
        let mut expected: Vec<Option<[String; 2]>> = vec![None; self.subjects.len()];
        let begins = |turn: &Turn| bar.step(turn.done as u64, turn.all as u64, &turn.name);
        let results = study(self.args.launches, &self.contestants(), begins, |turn| {
            let contest = &self.contests[turn.contestant];
            // Nothing can be compared without this one in order.
            let is_needed = contest.setup.nodes.is_none() && contest.build == 0;
            let summary = self.launch(contest, &turn.name).map_err(|why| match is_needed {
                true => Ended::Study(why.context(turn.name.clone())),
                false => kept(&why),
            })?;
            check(&summary, &mut expected[contest.subject], &turn.name).map_err(Ended::Study)?;
            Ok(summary)
        })?;
        bar.finish();
        let measured: Measured =
            self.contests.iter().map(|contest| contest.setup.clone()).zip(results).collect();
        let mut on_nodes = measured.iter().filter(|(setup, _)| setup.nodes.is_some());
        if on_nodes.all(|(_, results)| results.launches.is_empty()) {
            let why = why_nothing(measured.iter().map(|(_, results)| results));
            bail!("no nodes were measured: {why}");
        }
        Ok(measured)
    }

    fn contestants(&self) -> Vec<Contestant> {
        let setups: Vec<SpeedupSetup> = self.contests.iter().map(|it| it.setup.clone()).collect();
        let varied = Varied::among(&setups);
        let of = |setup| Contestant { key: varied.key(setup), limit: self.limit() };
        setups.iter().map(of).collect()
    }

    /// How long a launch may take: without a limit as long as a simulation takes.
    fn limit(&self) -> Duration {
        self.args.give_up_after.unwrap_or(Duration::MAX)
    }

    fn launch(&self, contest: &Contest, name: &str) -> Result<Summary> {
        let xl_stats =
            std::path::absolute(self.folder.join("xl_stats").join(format!("{name}.csv")))?;
        let mut command = std::process::Command::new(&self.builds[contest.build].program);
        command.args(self.subjects[contest.subject].launch(&contest.setup, &xl_stats));
        launch::summary(&launch::run(command, self.limit())?)
    }

    fn show(&self, measured: &Measured, early: Option<String>) -> Result<()> {
        let cores = std::thread::available_parallelism().map_or(1, |cores| cores.get() as u32);
        let mut study = SpeedupStudy::new(cores, measured);
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
