//! Real programs, paged: each gives what it gives without, and what is not paged of it is no more
//! than the table says. A case is a program of the table.
//!
//! What a program needs is installed, as root; what is not there is skipped, with the reason.

use super::Cases;
use crate::paged_programs::{self, Fate, PROGRAMS, Program};
use crate::process;
use crate::workspace::Workspace;
use anyhow::{Context, Result, ensure};
use serde_json::Value;
use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

/// Each program once.
pub const COUNT: u64 = PROGRAMS.len() as u64;
/// A paged program has at most so much that is not paged, MiB.
const LITTLE_MIB: f64 = 48.0;
/// For a program, in either way.
const LIMIT: Duration = Duration::from_secs(600);

/// Runs the cases.
pub fn paged(workspace: &Workspace, cases: Cases) -> Result<()> {
    let fourstamp = workspace.soaked();
    let home = workspace.fresh("paged-programs")?;
    let some = (cases.from..cases.from + cases.count).filter_map(|at| PROGRAMS.get(at as usize));
    let there: Vec<&Program> = some.filter(|program| is_there(program)).collect();
    paged_programs::prepare(&home)?;
    println!(
        "| {:<32} | {:>7} | {:>9} | {:>8} | {:>11} | {:>9} |",
        "program", "--local", "threshold", "time, s", "pages moved", "unpaged"
    );
    for program in there {
        let again = || format!("{}: cargo xtask soak --only paged-programs", program.name);
        println!("{}", case(&fourstamp, program, &home).with_context(again)?);
    }
    Ok(())
}

fn is_there(program: &Program) -> bool {
    let is_there = program.install();
    if !is_there {
        println!("skipped: {}: {} cannot be installed", program.name, program.package);
    }
    is_there
}

/// A row of the table.
fn case(fourstamp: &Path, program: &Program, home: &Path) -> Result<String> {
    let run = home.join("run");
    if run.exists() {
        std::fs::remove_dir_all(&run)?;
    }
    let mut paged = Command::new(fourstamp);
    let fixed = ["pager", "run", "--no-report", "--no-record"];
    paged.args(fixed).args(["--local", program.local, "--threshold", program.threshold]);
    paged.args(["--out".as_ref(), run.as_os_str()]).args(["--", "sh", "-c", program.command]);
    let begun = Instant::now();
    let output = process::output_within(paged.current_dir(home), LIMIT)?;
    let seconds = begun.elapsed().as_secs_f64();
    let said = String::from_utf8_lossy(&output.stderr);
    if program.fate == Fate::Refused {
        ensure!(output.status.code() == Some(2), "it was not refused: {said}");
        ensure!(said.contains("cannot be paged"), "no reason: {said}");
        return Ok(row(program, ["refused", "", ""]));
    }
    let mut plain = Command::new("sh");
    plain.args(["-c", program.command]).current_dir(home);
    let plain = process::output_within(&mut plain, LIMIT)?;
    ensure!(
        plain.status.success(),
        "it fails by itself: {}",
        String::from_utf8_lossy(&plain.stderr)
    );
    ensure!(output.status.code() == plain.status.code(), "{:?}: {said}", output.status);
    ensure!(output.stdout == plain.stdout, "its output differs: {said}");
    let unpaged = unpaged_mib(&said);
    let is_little = unpaged.is_none_or(|mib| mib <= LITTLE_MIB);
    ensure!(is_little == (program.fate == Fate::Paged), "{unpaged:?} MiB are not paged: {said}");
    let moved = transfers(&run.join("run.json"))?;
    ensure!(moved > 0 || program.fate == Fate::Partly, "no page was moved: {said}");
    let unpaged = unpaged.map_or_else(|| "-".to_owned(), |mib| format!("{mib:.0} MiB"));
    Ok(row(program, [&format!("{seconds:.1}"), &moved.to_string(), &unpaged]))
}

fn row(program: &Program, [time, moved, unpaged]: [&str; 3]) -> String {
    let Program { name, local, threshold, .. } = program;
    format!("| {name:<32} | {local:>7} | {threshold:>9} | {time:>8} | {moved:>11} | {unpaged:>9} |")
}

/// The most that a process had that was not paged, as the end of the run tells; none if it was
/// within the bound.
fn unpaged_mib(said: &str) -> Option<f64> {
    let told = said.lines().filter(|line| line.contains("the most that was seen"));
    let amounts = told.filter_map(|line| {
        let (_, rest) = line.split_once(" has ")?;
        rest.split_once(" MiB that is not paged")?.0.parse::<f64>().ok()
    });
    amounts.reduce(f64::max)
}

fn transfers(run: &Path) -> Result<u64> {
    let Ok(text) = std::fs::read_to_string(run) else { return Ok(0) };
    let info: Value = serde_json::from_str(&text)?;
    let processes = info.pointer("/parameters/pager/processes").and_then(Value::as_array);
    let of = |process: &Value| process["transfers"].as_u64().unwrap_or(0);
    Ok(processes.into_iter().flatten().map(of).sum())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_largest_of_what_is_told_at_the_end_counts() {
        let said = "fourstamp: --local 64.0 MiB does not bound this program: process 1 (a) has \
            99.0 MiB that is not paged: x\nfourstamp: the most that was seen: process 1 (a) has \
            20.5 MiB that is not paged: x\nfourstamp: the most that was seen in 2 such \
            processes: process 7 (b) has 31.0 MiB that is not paged: y\n";
        assert_eq!(unpaged_mib(said), Some(31.0));
        assert_eq!(unpaged_mib("run: x\n"), None);
    }
}
