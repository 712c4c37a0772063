//! A measurement that goes on: its run folder, and a launch at a time.

use super::background::{self, Background, Beside};
use super::plan;
use crate::args::{Common, WorkloadArgs};
use crate::commands::place;
use crate::counted::Counted;
use crate::interrupt;
use crate::job::Leader;
use crate::launching::{self, Nodes};
use crate::memory_limit;
use crate::progress::Bar;
use crate::work::{BenchJob, Job, What};
use anyhow::{Error, Result};
use bench::Workload;
use fabric::Spec;
use launch::{Coordinator, Note, Starter};
use record::{RunFolder, RunInfo};
use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering;

/// Where `run.json` has [`fabric::EagerBounds`], among the parameters.
pub const EAGER_KEY: &str = "eager";

/// A measurement that has begun.
pub struct Measurement<'a> {
    common: Common,
    spec: Spec,
    job: BenchJob,
    nodes: &'a Nodes,
    coordinator: Coordinator,
    starter: Starter,
    folder: RunFolder,
    counted: Counted,
    /// What went on beside each launch on purpose.
    background: Vec<Beside>,
}

impl<'a> Measurement<'a> {
    /// Check what is asked for, and make the run folder: `out`, or the next free one.
    pub fn begin(
        workload: &WorkloadArgs,
        nodes: &'a Nodes,
        out: Option<&Path>,
    ) -> Result<Measurement<'a>> {
        let common = workload.common();
        let spec = plan::spec(workload)?;
        let plan = plan::plan(workload, &spec)?;
        plan.check(spec.nodes)?;
        spec.check()?;
        memory_limit::refuse_messages(plan.largest_bytes(), spec.nodes)?;
        let key = launching::run_key(nodes)?;
        let coordinator = launching::coordinator(nodes, common.joining.listen, key.clone())?;
        let mut info = plan::info(&plan, &spec, common);
        if let Nodes::OfJob(leader) = nodes {
            say_of_job(leader, &plan.workload, &mut info)?;
        }
        let path =
            place::for_run(out, &format!("{}-{}", plan.workload.name(), spec.transport.name()))?;
        let folder = RunFolder::create(&path, info)?;
        launching::invite(nodes, &coordinator, &key, spec.nodes)?;
        let starter = launching::starter(nodes)?;
        let job = BenchJob {
            plan,
            recording: if common.no_record { What::Cycles } else { What::Messages },
            pin: !common.no_pin,
            watch: !common.no_watch,
            real_time: common.real_time,
        };
        let (common, counted) = (common.clone(), Counted::new(spec.transport.kind));
        Ok(Measurement {
            common,
            spec,
            job,
            nodes,
            coordinator,
            starter,
            folder,
            counted,
            background: Vec::new(),
        })
    }

    /// `pingpong over tcp`.
    pub fn label(&self) -> String {
        format!("{} over {}", self.job.plan.workload.name(), self.spec.transport.name())
    }

    /// Where the run is.
    pub fn path(&self) -> &Path {
        self.folder.path()
    }

    /// Do a launch; `bar` shows how far it is among `of`, of which `before` are done.
    pub fn launch(&mut self, launch: u32, bar: &mut Bar, (before, of): (u32, u32)) -> Result<()> {
        let mut options =
            plan::options(launch, &self.common, &self.spec, &self.job, self.starter.clone());
        let nodes = self.nodes;
        options.deadlines.join = launching::join_limit(nodes).unwrap_or(options.deadlines.join);
        let mut hear = |note: Note| {
            launching::hear(nodes, &note);
            show(note, bar, before, of);
        };
        let job = serde_json::to_value(Job::Bench(self.job.clone()))?;
        let Measurement { coordinator, folder, .. } = self;
        let background = Background::begin(&self.common.background)?;
        let outcome =
            coordinator.run_launch(folder, &options, &job, interrupt::flag(), &mut hear)?;
        self.background.push(background.end());
        if interrupt::flag().load(Ordering::Relaxed) {
            Ok(())
        } else {
            self.counted.add(launch, &outcome)
        }
    }

    /// Close the run, also one that failed: what was recorded stays readable.
    pub fn end(mut self, failure: Option<Error>) -> Result<PathBuf> {
        let notes = &mut self.folder.info_mut().notes;
        if interrupt::flag().load(Ordering::Relaxed) {
            notes.push("ended early by Ctrl-C".into());
        }
        notes.extend(self.counted.notes());
        notes.extend(background::note(&self.common.background, &self.background));
        let closed = launching::close(self.folder, failure)?;
        self.counted.write(&closed)?;
        Ok(closed)
    }
}

/// What a run says of its job; of a sweep over MPI, whose knees it explains, also which messages
/// wait for their receives.
fn say_of_job(leader: &Leader, workload: &Workload, info: &mut RunInfo) -> Result<()> {
    info.notes.extend(leader.notes());
    if !matches!(workload, Workload::Sweep { .. }) {
        return Ok(());
    }
    let Some(found) = leader.find_eager_limit()? else { return Ok(()) };
    let at_once = document::count(found.at_once_bytes);
    info.notes.push(match found.waits_bytes {
        Some(_) => format!(
            "between ranks 0 and 1, messages of up to {at_once} B go at once; longer ones wait for \
            their receives (the library's eager limit, tried with no receive posted)"
        ),
        None => format!(
            "between ranks 0 and 1, messages of up to {at_once} B at least go at once, whether or \
            not their receives are posted"
        ),
    });
    info.parameters.insert(EAGER_KEY.into(), serde_json::to_value(found)?);
    Ok(())
}

fn show(note: Note, bar: &mut Bar, before: u32, of: u32) {
    let (before, of) = (u64::from(before), u64::from(of));
    match note {
        Note::Begun => bar.begin(),
        Note::Progress(progress) => {
            bar.at(before * progress.goal + progress.done, of * progress.goal)
        }
        Note::Refused(what) | Note::Remark(what) => bar.say(&what),
        Note::Joined { .. } | Note::Lost(_) => {}
    }
}
