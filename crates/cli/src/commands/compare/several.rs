//! Three runs or more: each with each other, or all with one of them.

use super::{OneRun, exit_code, names, options, present, reference, refuse_mixtures};
use crate::args::CompareArgs;
use crate::show;
use anyhow::{Result, bail};
use report::{ComparedSeveral, RUNS_MOST};
use stats::compare::{Figure, SeveralOptions, common_stage, several};
use std::process::ExitCode;

/// Compare them all and show it.
pub fn run(args: &CompareArgs) -> Result<ExitCode> {
    if args.runs.len() > RUNS_MOST {
        bail!(
            "{} runs are too many for a matrix; give at most {RUNS_MOST}, or --trend for a series",
            args.runs.len()
        );
    }
    if !args.fail_if.is_empty() && args.many.reference.is_none() {
        bail!("--fail-if needs a run to compare the others with: add --reference RUN");
    }
    let runs: Vec<OneRun> =
        args.runs.iter().map(|path| OneRun::read(path, args)).collect::<Result<_>>()?;
    refuse_mixtures(&runs)?;
    let asked = SeveralOptions {
        figure: args.many.figure.unwrap_or(Figure::Quantile(0.5)),
        reference: reference(args, &runs)?,
    };
    let options = options(args);
    let samples: Vec<_> = runs.iter().map(|run| &run.read.sample).collect();
    let paths: Vec<String> = runs.iter().map(|run| run.path.display().to_string()).collect();
    let stage = common_stage(&samples, &paths, options.stage)?;
    let found = several(&samples, stage, asked, &options);
    let sides = runs.iter().zip(names(&runs)).map(|(run, name)| run.side(name));
    let compared = ComparedSeveral { runs: sides.collect(), several: &found };
    present(args, &compared.document(), "pairs", || show::figures(&found))?;
    Ok(exit_code(found.conditions.iter().map(|one| &one.checked), args.strict))
}
