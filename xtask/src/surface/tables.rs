//! CSV: the series of a report, and the tables of an export with their columns.

use super::without_numbers;
use crate::process;
use crate::workspace::Workspace;
use anyhow::{Context, Result};
use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

/// Runs that the example with made-up runs leaves.
const RUNS: [&str; 2] = ["warp-run", "mpi-run"];

/// Tables that are for scripts only, by the command that has them of a run.
const FOR_SCRIPTS: [(&str, &[&str]); 2] = [
    ("explain", &["groups", "reasons", "episodes", "episode-causes", "idle"]),
    ("story", &["messages", "chapters", "facts"]),
];

/// Of the made-up runs in the folder. Leaves a page of a comparison there, too.
pub fn all(workspace: &Workspace, program: &Path, folder: &Path) -> Result<BTreeSet<String>> {
    let mut lines = BTreeSet::new();
    for name in RUNS {
        let run = folder.join(name);
        let report = |csv: &str| {
            process::capture(workspace.command(program, &["report"]).arg(&run).arg(csv))
        };
        lines.extend(first_line(&report("--csv")?).map(|head| format!("csv: quantiles: {head}")));
        lines.extend(series(&report("--csv=all")?));
        for (verb, tables) in FOR_SCRIPTS {
            for table in tables {
                let mut command = workspace.command(program, &[verb]);
                let csv = process::capture(command.arg(&run).arg(format!("--csv={table}")))?;
                lines.extend(first_line(&csv).map(|head| format!("csv: {verb}/{table}: {head}")));
            }
        }
        let tables = folder.join(format!("{name}-tables"));
        let mut export = workspace.command(program, &["export"]);
        process::capture(export.arg(&run).arg("--csv").arg(&tables))?;
        lines.extend(exported(&tables, "export")?);
    }
    let checks = process::capture(workspace.command(program, &["doctor"]).arg("--csv"))?;
    lines.extend(first_line(&checks).map(|head| format!("csv: doctor/checks: {head}")));
    let [a, b] = RUNS.map(|name| folder.join(name));
    let mut compare = workspace.command(program, &["compare"]);
    process::capture(compare.args([&a, &b]).arg("--html").arg(folder.join("compare.html")))?;
    Ok(lines)
}

/// The head of the long format, and the series that are in it with their units.
fn series(csv: &str) -> BTreeSet<String> {
    let mut lines = csv.lines();
    let head = lines.next().map(|head| format!("csv: all: {head}"));
    let series = |line: &str| {
        let (name, unit) = (line.split(',').next()?, line.rsplit(',').next()?);
        Some(format!("series: {name}, in {unit}"))
    };
    head.into_iter().chain(lines.filter_map(series)).collect()
}

/// Every file of an export with its head.
fn exported(folder: &Path, place: &str) -> Result<BTreeSet<String>> {
    let mut lines = BTreeSet::new();
    for entry in
        fs::read_dir(folder).with_context(|| format!("cannot list {}", folder.display()))?
    {
        let path = entry?.path();
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let place = format!("{place}/{}", without_numbers(&name));
        if path.is_dir() {
            lines.extend(exported(&path, &place)?);
        } else {
            let text = fs::read_to_string(&path)
                .with_context(|| format!("cannot read {}", path.display()))?;
            lines.extend(first_line(&text).map(|head| format!("csv: {place}: {head}")));
        }
    }
    Ok(lines)
}

fn first_line(text: &str) -> Option<&str> {
    text.lines().next()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_series_is_listed_once_with_its_unit() {
        let found: Vec<String> =
            series("series,x,unit\ntail,1,part\ntail,2,part\n").into_iter().collect();
        assert_eq!(found, ["csv: all: series,x,unit", "series: tail, in part"]);
    }
}
