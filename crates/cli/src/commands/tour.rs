//! `fourstamp tour`: this machine, measured in about a minute, on one page.
//!
//! It is nothing but the commands below, which everybody can type, and the floors beside them.

use crate::analyse::{Analysed, analyse, tell_apart};
use crate::args::{BenchArgs, Cli, Command, TourArgs, WorkloadArgs};
use crate::commands::bench::measure;
use crate::commands::doctor::{self, State};
use crate::commands::place;
use crate::interrupt;
use crate::launching::Nodes;
use crate::show::{self, say};
use crate::toured::Toured;
use anyhow::{Context, Result, bail};
use bench::floor::{self, Floor as Measured};
use clap::Parser;
use clock::Clock;
use fabric::Waiting;
use report::Floor;
use std::path::Path;
use std::sync::atomic::Ordering;

/// What the tour measures: a folder's name, and the arguments of `fourstamp bench`. COUNT is
/// divided by `--quick`.
const STEPS: [(&str, &str, u64); 9] = [
    ("pingpong-thread", "pingpong --transport thread --count COUNT", 200_000),
    ("pingpong-shm", "pingpong --transport shm --count COUNT", 200_000),
    ("pingpong-tcp", "pingpong --transport tcp --count COUNT", 50_000),
    ("pingpong-tcp-blocking", "pingpong --transport tcp --receive blocking --count COUNT", 20_000),
    ("stream-shm", "stream --transport shm --count COUNT", 500_000),
    ("burst-tcp", "burst --transport tcp --messages 20 --gap 1ms --count COUNT", 10_000),
    ("relay-shm", "relay --transport shm --count COUNT", 10_000),
    (
        "sweep-tcp",
        "sweep --transport tcp --largest 128K --repeats 2 --refine 16 --count COUNT",
        100,
    ),
    (
        "hypercube-8",
        "stream --all --nodes 8 --topology hypercube --transport shm --rate 2000 --size 2K --count \
        COUNT",
        2_000,
    ),
];

/// Round trips of a floor.
const FLOOR_TRIPS: usize = 200_000;

/// Measure everything and make the page.
pub fn run(args: &TourArgs) -> Result<()> {
    let folder = place::for_runs(args.out.as_deref(), "tour")?;
    let findings = doctor::findings();
    say(&format!("This machine\n{}\n", doctor::text(&findings)))?;
    let floors = floors(args.quick)?;
    let mut analysed = Vec::new();
    for (name, arguments, count) in STEPS {
        if interrupt::flag().load(Ordering::Relaxed) {
            break;
        }
        eprintln!("{} {name}", progress_of(analysed.len()));
        let run = folder.join(name);
        measure(&step(arguments, count, &run, args)?, &Nodes::Here)?;
        analysed.push(analyse(&run, args.seed, &stats::Filter::default())?);
    }
    if analysed.is_empty() {
        bail!("stopped before anything was measured");
    }
    let remarks = findings
        .iter()
        .filter(|finding| finding.state != State::Good)
        .map(|finding| format!("{}: {}", finding.name, finding.seen));
    tell_apart(&mut analysed);
    let runs = STEPS[..analysed.len()].iter().map(|(name, ..)| (*name).to_owned()).collect();
    let toured = Toured { runs, floors, remarks: remarks.collect() };
    toured.save(&folder)?;
    finish(&folder, &analysed, &toured)
}

fn finish(folder: &Path, analysed: &[Analysed], toured: &Toured) -> Result<()> {
    let page = folder.join("report.html");
    let mut document = toured.document(analysed);
    show::page(&document, &page)?;
    // The runs one by one are on the page.
    document.runs.clear();
    show::text(&document)?;
    say(&format!(
        "\npage: {}\nruns: {1}/*   (again: fourstamp report {1}, or one of them)\n",
        page.display(),
        folder.display()
    ))
}

fn progress_of(done: usize) -> String {
    format!("[{}/{}]", done + 1, STEPS.len())
}

/// The arguments of a step as the command line would give them.
fn step(arguments: &str, count: u64, out: &Path, args: &TourArgs) -> Result<WorkloadArgs> {
    let count = (count / args.quick).max(20).to_string();
    let words = arguments
        .split(' ')
        .map(|word| if word == "COUNT" { count.clone() } else { word.to_string() });
    let fixed = [
        "--launches".into(),
        args.launches.to_string(),
        "--seed".into(),
        args.seed.to_string(),
        "--out".into(),
        out.display().to_string(),
    ];
    let words = ["fourstamp".to_string(), "bench".into()].into_iter().chain(words).chain(fixed);
    match Cli::try_parse_from(words).context("a step of the tour")?.command {
        Command::Bench(BenchArgs { workload }) => Ok(workload),
        _ => bail!("a step of the tour is a benchmark"),
    }
}

fn floors(quick: u64) -> Result<Vec<Floor>> {
    let clock = Clock::best();
    let ns_per_tick = clock::measure(&clock).ns_per_tick;
    let trips = (FLOOR_TRIPS / quick as usize).max(1000);
    let tcp = |trips, waiting| floor::tcp(clock, trips, waiting).context("plain TCP over loopback");
    let measured = [
        floor::cache_line(clock, trips),
        tcp(trips / 10, Waiting::Polling)?,
        tcp(trips / 20, Waiting::Blocking)?,
    ];
    Ok(measured.iter().map(|floor| shown(floor, ns_per_tick)).collect())
}

fn shown(floor: &Measured, ns_per_tick: f64) -> Floor {
    let quantile = |p| (floor.quantile_ticks(p) as f64 * ns_per_tick).round() as i64;
    let note = if floor.pinned { "round trip" } else { "round trip, without a core for each end" };
    Floor {
        name: floor.name.clone(),
        p50_ns: quantile(0.5),
        p99_ns: quantile(0.99),
        note: note.into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_step_is_a_command_that_can_be_typed() {
        let args = TourArgs { out: None, launches: 2, quick: 10, seed: 1 };
        for (name, arguments, count) in STEPS {
            let step = step(arguments, count, Path::new("x"), &args).expect(name);
            assert_eq!(step.common().launches, 2, "{name}");
        }
    }
}
