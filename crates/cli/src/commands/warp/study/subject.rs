//! The models of a study, as launches are told of them.

use super::setups::{stretches, timings};
use super::words;
use crate::args::{Cli, Command, ModelArgs, ModelRun, OtherArgs, WarpStudyArgs};
use crate::commands::warp::plan::Plan;
use anyhow::{Result, bail, ensure};
use clap::Parser;
use clap::error::{ContextKind, ContextValue, ErrorKind};
use sim_lens::SpeedupSetup;
use std::path::Path;
use warp::CATALOGUE;

/// A model, as launches are told of it.
pub struct Subject {
    /// What it is called.
    pub name: &'static str,
    words: Vec<String>,
    work_steps: Option<u32>,
}

impl Subject {
    /// Read each model's words as a run would, and refuse at once what some launch would refuse.
    pub fn all(args: &WarpStudyArgs) -> Result<Vec<Subject>> {
        let Some((first, options)) = args.words.split_first() else {
            bail!("warp study needs a model, e.g. fourstamp warp study phold");
        };
        let models: Vec<&str> = first.split(',').collect();
        for (at, model) in models.iter().enumerate() {
            ensure!(!models[..at].contains(model), "{model} is named twice: once is enough");
        }
        let of = |model: &&str| {
            let mut words = vec![(*model).to_owned()];
            words.extend(words::of_model(options, model, &models)?);
            Subject::new(args, words, &models)
        };
        models.iter().map(of).collect()
    }

    fn new(args: &WarpStudyArgs, words: Vec<String>, models: &[&str]) -> Result<Subject> {
        let run = read(&words, models)?;
        let name = run.row.name;
        if run.row.depends_on_nodes && run.given.iter().all(|(given, _)| *given != "objects") {
            bail!(
                "{name} has one object per node, so each number of nodes would be another model: \
                give --objects"
            );
        }
        let mut plan = Plan::new(&run)?;
        refuse_what_the_study_sets(&plan)?;
        let model = plan.model()?;
        for nodes in &args.nodes {
            model.placement(*nodes, &plan.job)?;
        }
        plan.remarks.iter().for_each(|remark| eprintln!("{remark}"));
        let work_steps = plan.job.model.work_steps();
        let subject = Subject { name, words, work_steps };
        subject.refuse_what_the_engine_cannot(args, models)?;
        Ok(subject)
    }

    /// Ways to time objects that do not go with a stretch.
    fn refuse_what_the_engine_cannot(&self, args: &WarpStudyArgs, models: &[&str]) -> Result<()> {
        for stretch in stretches(args) {
            for timing in timings(args, stretch) {
                let nodes = Some(1);
                let setup = SpeedupSetup { stretch, timing, nodes, ..SpeedupSetup::default() };
                Plan::new(&*read(&self.words(&setup), models)?)?;
            }
        }
        Ok(())
    }

    /// What a launch is told.
    pub fn launch(&self, setup: &SpeedupSetup, xl_stats: &Path) -> Vec<String> {
        let mut words = vec!["warp".to_owned()];
        words.extend(self.words(setup));
        words.extend(["--csv".into(), "--xl-stats".into(), xl_stats.display().to_string()]);
        words
    }

    /// The model and its options in this setup.
    fn words(&self, setup: &SpeedupSetup) -> Vec<String> {
        let mut words = self.words.clone();
        if let Some(steps) = self.work_steps {
            // The same steps in every launch: µs would be measured anew by each.
            words = words::without(&words, "--work");
            words = words::without(&words, "--work-steps");
            words.extend(["--work-steps".into(), steps.to_string()]);
        }
        if let Some(by) = setup.stretch {
            words.extend(["--stretch".into(), by.to_string()]);
        }
        match setup.nodes {
            Some(nodes) => {
                words.extend(["--nodes".into(), nodes.to_string()]);
                if !setup.transport.is_empty() {
                    words.extend(["--transport".into(), setup.transport.into()]);
                }
                words.extend(["--timing".into(), setup.timing.into()]);
            }
            None => {
                words = words::without(&words, "--topology");
                words.push("--seq".into());
            }
        }
        words
    }
}

/// The words of a model as `fourstamp warp` reads them.
fn read(words: &[String], models: &[&str]) -> Result<Box<ModelRun>> {
    let line = ["fourstamp", "warp"].into_iter().chain(words.iter().map(String::as_str));
    let read = match Cli::try_parse_from(line) {
        Ok(cli) => cli.command,
        Err(error) if models.len() > 1 && error.kind() == ErrorKind::UnknownArgument => {
            match error.get(ContextKind::InvalidArg) {
                Some(ContextValue::String(option)) => bail!(lacks(&words[0], option, models)),
                _ => error.exit(),
            }
        }
        Err(error) => error.exit(),
    };
    let Command::Warp(line) = read else {
        bail!("warp study needs a model, e.g. fourstamp warp study phold");
    };
    match line.model {
        ModelArgs::Model(run) => Ok(run),
        ModelArgs::Other(OtherArgs::Unknown(_)) => bail!(warp::unknown(&words[0])),
        ModelArgs::Other(OtherArgs::Study(_)) => {
            bail!("a study needs a model, e.g. fourstamp warp study phold")
        }
    }
}

/// What is said of an option that some of the models have at most.
fn lacks(model: &str, option: &str, models: &[&str]) -> String {
    let named = option.trim_start_matches('-');
    let has = |row: &&warp::Row| row.arguments().iter().any(|argument| argument.name == named);
    let rows = CATALOGUE.iter().filter(|row| models.contains(&row.name));
    let having: Vec<String> = rows.filter(has).map(|row| format!("{}=VALUE", row.name)).collect();
    let remedy = match having[..] {
        [] => format!("see fourstamp warp {model} --help"),
        _ => format!("name the models that it is for: {option} {}", having.join(",")),
    };
    format!("{model} has no option {option}: {remedy}")
}

fn refuse_what_the_study_sets(plan: &Plan) -> Result<()> {
    let common = &plan.common;
    if common.on.is_some() {
        bail!("leave --on out: a study measures this machine; fourstamp warp MODEL --on simulates");
    }
    let set = [
        (common.nodes.is_some(), "-n"),
        (common.seq, "--seq"),
        (common.check, "--check"),
        (common.csv, "--csv"),
        (common.record, "--record"),
        (common.intervene.is_some(), "--intervene"),
        (common.counts.is_some(), "--counts"),
        (common.trace.is_some(), "--trace"),
        (common.xl_stats.is_some(), "--xl-stats"),
    ];
    match set.iter().find(|(given, _)| *given) {
        Some((_, option)) => {
            bail!("leave {option} out: a study sets it for each launch")
        }
        None => Ok(()),
    }
}
