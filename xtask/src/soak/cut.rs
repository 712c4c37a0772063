//! Runs that are cut short by `kill -9` tell the same of their messages as runs that end well.
//!
//! A case is a run of a transport with kernel stamps, all of whose processes are killed after 2, 6
//! or 12 s. Runs that end well are measured in between: their medians differ from launch to launch,
//! and those of the cut runs may differ as much.

use super::Cases;
use super::exported::{Messages, STAGES, medians};
use crate::process::family;
use crate::workspace::Workspace;
use anyhow::{Context, Result, ensure};
use rustix::process::{Pid, Signal, kill_process};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// In turn, with kernel stamps each.
const TRANSPORTS: [&str; 2] = ["tcp", "udp"];
/// After so many seconds, in turn.
const AFTER_S: [u64; 3] = [2, 6, 12];
/// Of so many cases on a transport one ends well.
const CLOSED_EVERY: u64 = 3;
/// A single cut run may be as far beyond the closed ones: with few of these, their least and most
/// are not the last word.
const BEYOND: f64 = 1.5;
/// As good as none.
const NEGATIVE_MOST: f64 = 0.001;
/// A node of a killed run has ended by then.
const PATIENCE: Duration = Duration::from_secs(30);

/// Of so many cases: 20 of each transport and time.
pub const COUNT: u64 = 120;

/// What was measured in one run.
struct Measured {
    case: String,
    medians: [f64; 3],
    negative: f64,
}

/// Runs the cases, and compares.
pub fn cut(workspace: &Workspace, cases: Cases) -> Result<()> {
    let program = workspace.soaked();
    let home = tempfile::Builder::new().prefix("cut-").tempdir().context("no temporary folder")?;
    let (mut closed, mut killed) = ([vec![], vec![]], [vec![], vec![]]);
    for number in cases.from..cases.from + cases.count {
        let which = (number % 2) as usize;
        let turn = number / 2;
        let (transport, run) = (TRANSPORTS[which], home.path().join(format!("run-{number}")));
        let after_s = AFTER_S[(turn % 3) as usize];
        let what = format!("case {number}, {transport} killed after {after_s} s");
        kill_after(&program, transport, &run, after_s).with_context(|| what.clone())?;
        killed[which].push(measure(&program, &run, home.path(), what.clone()).context(what)?);
        if turn % CLOSED_EVERY == 0 {
            let what = format!("{transport} that ends well");
            ended_well(&program, transport, &run).with_context(|| what.clone())?;
            closed[which].push(measure(&program, &run, home.path(), what.clone()).context(what)?);
        }
    }
    let mut wrong = Vec::new();
    for ((transport, closed), killed) in TRANSPORTS.iter().zip(&closed).zip(&killed) {
        wrong.extend(differences(transport, closed, killed));
    }
    wrong.iter().for_each(|why| println!("{why}"));
    ensure!(
        wrong.is_empty(),
        "{} of the cut runs' figures are not those of closed runs",
        wrong.len()
    );
    Ok(())
}

fn bench(program: &Path, transport: &str, run: &Path) -> Command {
    let mut bench = Command::new(program);
    bench
        .args(["bench", "pingpong", "--launches", "1", "--transport", transport, "--out"])
        .arg(run);
    bench.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    bench
}

/// Starts a run and kills all of it.
fn kill_after(program: &Path, transport: &str, run: &Path, after_s: u64) -> Result<()> {
    let mut child = bench(program, transport, run).args(["--duration", "60s"]).spawn()?;
    std::thread::sleep(Duration::from_secs(after_s));
    for pid in family(child.id()) {
        if let Some(pid) = Pid::from_raw(pid as i32) {
            // Who has ended needs no signal.
            let _ = kill_process(pid, Signal::KILL);
        }
    }
    wait(&mut child)
}

fn wait(child: &mut Child) -> Result<()> {
    let begun = Instant::now();
    while child.try_wait()?.is_none() {
        ensure!(begun.elapsed() < PATIENCE, "it goes on after it was killed");
        std::thread::sleep(Duration::from_millis(10));
    }
    Ok(())
}

fn ended_well(program: &Path, transport: &str, run: &Path) -> Result<()> {
    let status = bench(program, transport, run).args(["--duration", "4s"]).status()?;
    ensure!(status.success(), "{status}");
    Ok(())
}

/// Reads a run, which closes it if it was cut, and removes it.
fn measure(program: &Path, run: &Path, scratch: &Path, case: String) -> Result<Measured> {
    let medians = medians(program, run)?;
    let messages = Messages::read(program, run, scratch)?;
    ensure!(messages.whole > 0, "no message has all its stamps");
    std::fs::remove_dir_all(run).context("cannot remove the run")?;
    let negative = messages.negative_share();
    println!(
        "{case}: {} messages, medians {medians:.0?} ns, {:.4} % negative",
        messages.whole,
        100.0 * negative
    );
    Ok(Measured { case, medians, negative })
}

/// Where cut runs say something else than closed ones.
fn differences(transport: &str, closed: &[Measured], killed: &[Measured]) -> Vec<String> {
    let mut wrong = Vec::new();
    for (at, stage) in STAGES.iter().enumerate() {
        let known = closed.iter().map(|run| run.medians[at]);
        let (least, most) =
            (known.clone().fold(f64::INFINITY, f64::min), known.fold(0.0, f64::max));
        let usual = middle(killed.iter().map(|run| run.medians[at]).collect());
        println!(
            "{transport}, {stage}: closed {least:.0} to {most:.0} ns, cut {usual:.0} ns (the \
            middle run)"
        );
        if !(least..=most).contains(&usual) {
            wrong
                .push(format!("{transport}, {stage}: {usual:.0} ns in the middle of the cut runs"));
        }
        let beyond = |run: &&Measured| !(least / BEYOND..=most * BEYOND).contains(&run.medians[at]);
        let beyond = killed.iter().filter(beyond);
        wrong.extend(beyond.map(|run| format!("{}: {stage} {:.0} ns", run.case, run.medians[at])));
    }
    let usual = closed.iter().map(|run| run.negative).fold(NEGATIVE_MOST, f64::max);
    let more = killed.iter().filter(|run| run.negative > usual);
    wrong.extend(more.map(|run| format!("{}: {:.3} % negative", run.case, 100.0 * run.negative)));
    wrong
}

fn middle(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied().unwrap_or(f64::NAN)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(transit: f64, negative: f64) -> Measured {
        Measured { case: "case".into(), medians: [20.0, transit, 15_000.0], negative }
    }

    #[test]
    fn a_cut_run_whose_arrivals_are_elsewhere_is_noticed_and_a_launch_like_others_is_not() {
        let closed = [run(2300.0, 0.0), run(2500.0, 0.0), run(2700.0, 0.0)];
        assert!(
            differences("tcp", &closed, &[run(2400.0, 0.0), run(2900.0, 0.0), run(2350.0, 0.0)])
                .is_empty()
        );
        assert_eq!(differences("tcp", &closed, &[run(19_500.0, 0.0)]).len(), 2);
        assert_eq!(differences("tcp", &closed, &[run(2400.0, 0.49)]).len(), 1);
    }
}
