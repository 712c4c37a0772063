//! The model of a study, as its launches are told of it.

use super::words;
use crate::args::{Cli, Command, ModelArgs, OtherArgs, WarpStudyArgs};
use crate::commands::warp::plan::Plan;
use anyhow::{Result, bail};
use clap::Parser;

/// The model, as launches are told of it.
pub struct Subject {
    /// What it is called.
    pub name: String,
    words: Vec<String>,
    work_steps: Option<u32>,
}

impl Subject {
    /// Read the model's words as a run would, and refuse at once what some launch would refuse.
    pub fn new(args: &WarpStudyArgs) -> Result<Subject> {
        let words = ["fourstamp", "warp"].into_iter().chain(args.words.iter().map(String::as_str));
        let Command::Warp(line) =
            Cli::try_parse_from(words).unwrap_or_else(|error| error.exit()).command
        else {
            bail!("warp study needs a model, e.g. fourstamp warp study phold");
        };
        let run = match &line.model {
            ModelArgs::Model(run) => run,
            ModelArgs::Other(OtherArgs::Unknown(_)) => bail!(warp::unknown(&args.words[0])),
            ModelArgs::Other(OtherArgs::Study(_)) => {
                bail!("a study needs a model, e.g. fourstamp warp study phold")
            }
        };
        let name = run.row.name;
        if run.row.depends_on_nodes && run.given.iter().all(|(given, _)| *given != "objects") {
            bail!(
                "{name} has one object per node, so each number of nodes would be another model: \
                give --objects"
            );
        }
        let mut plan = Plan::new(run)?;
        refuse_what_the_study_sets(&plan)?;
        let model = plan.model()?;
        for nodes in &args.nodes {
            model.placement(*nodes, &plan.job)?;
        }
        plan.remarks.iter().for_each(|remark| eprintln!("{remark}"));
        let work_steps = plan.job.model.work_steps();
        Ok(Subject { name: name.into(), words: args.words.clone(), work_steps })
    }

    /// What a launch is told.
    pub fn words(&self, nodes: Option<u16>) -> Vec<String> {
        let mut words = self.words.clone();
        if let Some(steps) = self.work_steps {
            // The same steps in every launch: µs would be measured anew by each.
            words = words::without(&words, "--work");
            words = words::without(&words, "--work-steps");
            words.extend(["--work-steps".into(), steps.to_string()]);
        }
        match nodes {
            Some(nodes) => words.extend(["--nodes".into(), nodes.to_string()]),
            None => {
                for of_nodes in ["--transport", "--topology"] {
                    words = words::without(&words, of_nodes);
                }
                words.push("--seq".into());
            }
        }
        words
    }
}

fn refuse_what_the_study_sets(plan: &Plan) -> Result<()> {
    let common = &plan.common;
    let set = [
        (common.nodes.is_some(), "-n"),
        (common.seq, "--seq"),
        (common.check, "--check"),
        (common.csv, "--csv"),
        (common.record, "--record"),
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
