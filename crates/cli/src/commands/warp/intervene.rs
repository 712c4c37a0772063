//! `--intervene`: the same simulation with one option of the engine changed, launch by launch in
//! turn, and whether its messages are faster or slower then.

use super::{planned, simulated};
use crate::args::{Cli, Command, EngineChange, ModelRun};
use crate::commands::{compare, place};
use crate::job::LaunchedJob;
use crate::launching::Nodes;
use crate::show::say;
use anyhow::{Context, Result, bail};
use clap::Parser;
use record::Run;
use serde_json::Value;
use std::path::{Path, PathBuf};

/// What the runs of a side are called.
const SIDES: [&str; 2] = ["as-it-was", "changed"];

/// Record both sides in turn, and compare them.
pub fn run(run: &ModelRun, change: &EngineChange) -> Result<()> {
    if LaunchedJob::here().is_some() || run.common.joining.wait_for_nodes {
        bail!(
            "--intervene starts its own nodes: it cannot be used under mpirun or srun, or with \
            --wait-for-nodes"
        );
    }
    let common = &run.common;
    // What either side would refuse is refused before there is a folder.
    for which in 0..SIDES.len() {
        let (plan, model) = planned(&side(run, change, which, Path::new("")))?;
        let spec = plan.spec();
        spec.check()?;
        model.placement(spec.nodes, &plan.job)?;
    }
    let folder = place::for_runs(common.out.as_deref(), run.row.name)?;
    let mut paths = [Vec::new(), Vec::new()];
    let mut result = None;
    for (round, which) in study::turns(common.launches, SIDES.len()) {
        let path = folder.join(format!("{}-{}", SIDES[which], round + 1));
        let (plan, model) = planned(&side(run, change, which, &path))?;
        simulated(&plan, &*model, &Nodes::Here)?;
        let digests = digests(&path)?;
        if *result.get_or_insert_with(|| digests.clone()) != digests {
            bail!("{} came to another result than the launches before it", path.display());
        }
        paths[which].push(path);
    }
    let text = &change.text;
    say(&format!(
        "A: {} as it was   B: with --{text}   runs: {}\n\n",
        run.row.name,
        folder.display()
    ))?;
    compared(&paths)
}

/// The run as it was, or with the change, recorded there.
fn side(run: &ModelRun, change: &EngineChange, which: usize, out: &Path) -> ModelRun {
    let mut common = run.common.clone();
    common.out = Some(out.to_path_buf());
    if which == 1 {
        let given = &mut common.engine.settings.0;
        given.retain(|(name, _)| *name != change.name);
        given.push((change.name, change.value.clone()));
    }
    ModelRun { row: run.row, given: run.given.clone(), common }
}

/// What a run came to.
fn digests(path: &Path) -> Result<[Value; 2]> {
    let run = Run::open(path).with_context(|| format!("cannot read {}", path.display()))?;
    let result = run.info.parameters.get("result").cloned().unwrap_or_default();
    Ok(["trace_digest", "state_digest"].map(|name| result[name].clone()))
}

/// As `fourstamp compare --a … --b …` does it.
fn compared([a, b]: &[Vec<PathBuf>; 2]) -> Result<()> {
    let mut words = vec!["fourstamp".into(), "compare".into()];
    for (name, paths) in [("--a", a), ("--b", b)] {
        words.extend(paths.iter().flat_map(|path| [name.into(), path.as_os_str().to_owned()]));
    }
    let Command::Compare(args) = Cli::try_parse_from(words)?.command else {
        bail!("compare is no command");
    };
    compare::run(&args).map(drop)
}
