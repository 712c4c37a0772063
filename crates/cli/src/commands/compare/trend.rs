//! A series of runs: what lasted, and how the newest run stands to those before it.

use super::{exit_code, folder, names, options, present, reference, refuse_mixtures};
use crate::args::CompareArgs;
use crate::show;
use anyhow::{Result, bail};
use report::ComparedTrend;
use stats::compare::{Figure, Trend, TrendOptions, common_stage, trend};
use std::process::ExitCode;

/// What scripts get besides what is said: each run's folder, in order, and all figures.
#[derive(serde::Serialize)]
struct TrendFigures<'a> {
    folders: &'a [String],
    skipped: &'a [String],
    trend: &'a Trend,
}

/// Read the series and show it.
pub fn run(args: &CompareArgs) -> Result<ExitCode> {
    let found = folder::read(args)?;
    let (runs, skipped) = (found.runs, found.skipped);
    if let [alone] = &runs[..] {
        let left_out = match skipped.len() {
            0 => String::new(),
            1 => format!(" (left out: {})", skipped[0]),
            more => format!(" ({more} folders left out, the first: {})", skipped[0]),
        };
        bail!("{} is the only run; a trend needs two or more{left_out}", alone.path.display());
    }
    refuse_mixtures(&runs)?;
    let options = options(args);
    let samples: Vec<_> = runs.iter().map(|run| &run.read.sample).collect();
    let folders: Vec<String> = runs.iter().map(|run| run.path.display().to_string()).collect();
    let stage = common_stage(&samples, &folders, options.stage)?;
    let asked = TrendOptions {
        figure: args.many.figure.unwrap_or(Figure::Quantile(0.5)),
        last: usize::from(args.many.last),
        reference: reference(args, &runs)?.unwrap_or(0),
    };
    let trend = trend(&samples, stage, asked, &options);
    let sides = runs.iter().zip(names(&runs)).map(|(run, name)| run.side(name));
    let compared = ComparedTrend { runs: sides.collect(), trend: &trend, skipped: &skipped };
    let figures =
        || show::figures(&TrendFigures { folders: &folders, skipped: &skipped, trend: &trend });
    present(args, &compared.document(), "trend", figures)?;
    Ok(exit_code(trend.newest.conditions.iter(), args.strict))
}
