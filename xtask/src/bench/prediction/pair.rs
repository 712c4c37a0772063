//! A program predicted from one link for another, and measured there.

use super::site::{Site, Work};
use super::wire::Wire;
use crate::process;
use anyhow::{Context, Result};
use std::fmt::Write;
use std::process::Command;
use std::time::Duration;

/// What is known of the other link.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Way {
    /// How many times the bandwidth it has, or how much more latency.
    Changed,
    /// All that calibrating finds out.
    Calibrated,
}

impl Way {
    pub const ALL: [Way; 2] = [Way::Changed, Way::Calibrated];

    fn words(self) -> &'static str {
        match self {
            Way::Changed => "on the machine recorded on, with what the other link has else",
            Way::Calibrated => "on the machine calibrated there",
        }
    }
}

/// Of it.
pub struct Pair {
    name: &'static str,
    wires: (Wire, Wire),
    outcome: Result<Outcome>,
}

/// Times, s.
struct Outcome {
    predicted: f64,
    interval: [f64; 2],
    measured: f64,
    /// Of the machine recorded on: predicted over measured.
    own: f64,
    /// Whether the gate would have let it pass.
    passed: bool,
}

impl Outcome {
    fn error(&self) -> f64 {
        self.predicted / self.measured - 1.0
    }

    fn is_inside(&self) -> bool {
        (self.interval[0]..=self.interval[1]).contains(&self.measured)
    }

    fn width(&self) -> f64 {
        (self.interval[1] - self.interval[0]) / self.predicted
    }
}

impl Pair {
    pub fn predict(site: &Site, work: &Work, wires: (Wire, Wire), way: Way) -> Pair {
        let outcome = outcome(site, work, wires, way);
        Pair { name: work.name, wires, outcome }
    }
}

fn outcome(site: &Site, work: &Work, (from, to): (Wire, Wire), way: Way) -> Result<Outcome> {
    let command = || {
        let mut command = Command::new(&site.fourstamp);
        command.arg("predict").args(site.recorded(work, from));
        command.arg("--from").arg(work.machine(site, from));
        match way {
            Way::Changed => command.args(from.change_to(to).into_iter().flatten()),
            Way::Calibrated => command.arg("--on").arg(work.machine(site, to)),
        };
        site.runs(work, to).iter().for_each(|run| {
            command.arg("--measured").arg(run);
        });
        match work.is_simulation() {
            true => command.args(["--nodes", "2", "--json"]),
            false => command.arg("--csv=completion"),
        };
        command
    };
    const LIMIT: Duration = Duration::from_secs(600);
    let (text, passed) = match process::capture_within(&mut command(), LIMIT) {
        Ok(text) => (text, true),
        // Refused, unless --anyway fails as well.
        Err(_) => (process::capture_within(command().arg("--anyway"), LIMIT)?, false),
    };
    let [own, there] = if work.is_simulation() { of_json(&text)? } else { of_table(&text)? };
    Ok(Outcome {
        predicted: there[0],
        interval: [there[1], there[2]],
        measured: there[3],
        own: own[0] / own[3],
        passed,
    })
}

/// Of the recorded machine and of the other one: predicted, least, most and measured, s.
type Sides = [[f64; 4]; 2];

fn of_table(table: &str) -> Result<Sides> {
    let row = |at: usize| -> Result<[f64; 4]> {
        let line = table.lines().nth(at).context("the table is short")?;
        // A name may hold commas: the numbers are what comes last.
        let mut cells = line.rsplit(',').skip(1);
        let mut number = || cells.next().and_then(|cell| cell.parse().ok()).context("a number");
        let (measured, most, least) = (number()?, number()?, number()?);
        Ok([number()?, least, most, measured])
    };
    Ok([row(1)?, row(2)?])
}

fn of_json(text: &str) -> Result<Sides> {
    let all: serde_json::Value = serde_json::from_str(text)?;
    let side = |run: &serde_json::Value| -> Result<[f64; 4]> {
        let ns = ["/predicted_ns", "/interval_ns/0", "/interval_ns/1", "/measured_ns"];
        let of = |at: &str| run.pointer(at).and_then(|ns| ns.as_f64()).context("a time");
        let seconds = ns.iter().map(|at| Ok(of(at)? / 1e9)).collect::<Result<Vec<f64>>>()?;
        seconds.try_into().ok().context("four times")
    };
    Ok([side(&all["recorded_run"])?, side(&all["runs"][0])?])
}

/// All pairs as Markdown, worst first, and what they come to.
pub fn table(way: Way, pairs: Vec<Pair>) -> String {
    let mut text = format!("\nPredicted {}:\n\n", way.words());
    let (mut known, mut failed) = (Vec::new(), Vec::new());
    for Pair { name, wires, outcome } in pairs {
        match outcome {
            Ok(outcome) => known.push((name, wires, outcome)),
            Err(why) => failed.push((name, wires, why)),
        }
    }
    known.sort_by(|a, b| b.2.error().abs().total_cmp(&a.2.error().abs()));
    text += "| program | link | predicted | measured | error | inside | itself | gate |\n";
    text += "|---|---|---|---|---|---|---|---|\n";
    for (name, (from, to), outcome) in &known {
        let Outcome { predicted, interval: [least, most], measured, own, passed } = outcome;
        let _ = writeln!(
            text,
            "| {name} | {} to {} | {predicted:.3} s ({least:.3} to {most:.3}) | \
            {measured:.3} s | {:+.1} % | {} | {:+.1} % | {} |",
            from.words(),
            to.words(),
            outcome.error() * 100.0,
            if outcome.is_inside() { "yes" } else { "no" },
            (own - 1.0) * 100.0,
            if *passed { "passed" } else { "refused" },
        );
    }
    for (name, (from, to), why) in &failed {
        let _ = writeln!(text, "\n{name}, {} to {}: {why:#}", from.words(), to.words());
    }
    let outcomes: Vec<&Outcome> = known.iter().map(|(_, _, outcome)| outcome).collect();
    text + &summary("all pairs", &outcomes)
        + &{
            let passed: Vec<&Outcome> = outcomes.into_iter().filter(|one| one.passed).collect();
            summary("pairs that the gate lets pass", &passed)
        }
}

fn summary(what: &str, outcomes: &[&Outcome]) -> String {
    if outcomes.is_empty() {
        return format!("\n{what}: none\n");
    }
    let share = |of: &dyn Fn(&Outcome) -> bool| {
        let count = outcomes.iter().filter(|one| of(one)).count();
        100.0 * count as f64 / outcomes.len() as f64
    };
    format!(
        "\n{what} ({}): median error {:.1} %, {:.0} % within 10 %; {:.0} % inside of their \
        intervals, whose median width is {:.1} %\n",
        outcomes.len(),
        100.0 * median(outcomes.iter().map(|one| one.error().abs()).collect()),
        share(&|one| one.error().abs() <= 0.1),
        share(&Outcome::is_inside),
        100.0 * median(outcomes.iter().map(|one| one.width()).collect()),
    )
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    let (low, high) = ((values.len() - 1) / 2, values.len() / 2);
    (values[low] + values[high]) / 2.0
}
