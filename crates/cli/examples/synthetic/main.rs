//! Writes pages of made-up runs into a folder, for the browser test and for looking at:
//! `cargo run --example synthetic -- FOLDER`.

#[path = "../../../core/report/tests/made/builder.rs"]
mod builder;
#[path = "../../../mpi/lens/tests/made/mpi.rs"]
mod mpi;
#[path = "../../../mpi/lens/tests/made/mpi_read.rs"]
mod mpi_read;
#[path = "../../../pager/lens/tests/made/paging.rs"]
#[allow(dead_code)]
mod paging;
#[path = "../../../core/report/tests/made/shown.rs"]
mod shown;
#[path = "../../../sim/lens/tests/made/warp.rs"]
mod warp;

use std::fs::File;
use std::io::BufWriter;
use std::path::Path;

use builder::{Message, Recipe, analyse, with_cycles, with_sends, with_sizes};
use document::{DocumentError, Screen};
use mpi_read::MpiRun;
use report::{Entry, Facts, Floor, Page, Part};
use shown::{html, terminal_with};
use stats::analysis::Analysis;

const HOSTILE: &str = "</script><img src=x onerror=alert(1)>\"'&%{x}";

/// A run and what products say of it.
#[derive(Clone)]
struct Shown {
    facts: Facts,
    analysis: Analysis,
    parts: Vec<Part>,
}

impl From<(Facts, Analysis)> for Shown {
    fn from((facts, analysis): (Facts, Analysis)) -> Shown {
        Shown { facts, analysis, parts: Vec::new() }
    }
}

impl Shown {
    fn entry(&self) -> Entry<'_> {
        Entry { parts: &self.parts, ..Entry::new("run", &self.facts, &self.analysis) }
    }
}

fn main() -> Result<(), DocumentError> {
    let folder = std::env::args().nth(1).unwrap_or_else(|| ".".to_owned());
    let folder = Path::new(&folder);
    let runs: Vec<Shown> = several().into_iter().map(Shown::from).collect();
    write(folder, "ten.html", "Ten messages", &[ten().into()])?;
    write(folder, "large.html", "Stream over shared memory", &runs[2..3])?;
    write(folder, "hypercube.html", "Hypercube", &runs[5..6])?;
    write(folder, "several.html", "A tour of this machine", &runs)?;
    let warp = warp(&folder.join("warp-run"));
    write(folder, "warp.html", "Simulation", std::slice::from_ref(&warp))?;
    write(
        folder,
        "several-with-warp.html",
        "A tour of this machine",
        &[runs[0].clone(), warp.clone()],
    )?;
    let mpi = mpi(&folder.join("mpi-run"));
    write(folder, "mpi.html", "MPI program", &[shown_of(&mpi)])?;
    write(folder, "mpi-poor.html", "MPI program, poorly matched", &[shown_of(&poor(&mpi))])?;
    write(folder, "paged.html", "Paged program", &[paged()])?;
    write(folder, "hostile.html", HOSTILE, &[hostile().into(), shown_of(&hostile_mpi(&mpi))])?;
    let screen = Screen { width: 80, colour: false };
    for run in [&ten().into(), &runs[0], &runs[4], &runs[5], &warp, &shown_of(&mpi)] {
        println!("{}", terminal_with(&run.facts, &run.analysis, &run.parts, screen));
    }
    Ok(())
}

fn write(folder: &Path, name: &str, title: &str, runs: &[Shown]) -> Result<(), DocumentError> {
    let entries: Vec<Entry> = runs.iter().map(Shown::entry).collect();
    let floors = [
        Floor {
            name: "cache line".into(),
            p50_ns: 120,
            p99_ns: 310,
            note: "one line to and fro between two cores".into(),
        },
        Floor {
            name: "plain TCP".into(),
            p50_ns: 8_900,
            p99_ns: 12_100,
            note: "round trip, polling, no stamps".into(),
        },
    ];
    let page = Page {
        title,
        runs: &entries,
        floors: if runs.len() > 1 { &floors } else { &[] },
        remarks: &[],
    };
    html(&page, &mut BufWriter::new(File::create(folder.join(name))?))
}

/// A run folder of a simulation's rows, read as any run.
fn warp(path: &Path) -> Shown {
    if !path.exists() {
        warp::write(path, 4, 60_000, 11);
    }
    let warp::Read { facts, analysis, part } = warp::read(path, None);
    Shown { facts, analysis, parts: part.into_iter().collect() }
}

/// A paged program's run.
fn paged() -> Shown {
    let paging::Read { facts, analysis, part } = paging::read();
    Shown { facts, analysis, parts: vec![part] }
}

/// A run folder of an MPI program, read as any run.
fn mpi(path: &Path) -> MpiRun {
    if !path.exists() {
        mpi::write(path, 400);
    }
    mpi_read::read(path)
}

fn shown_of(run: &MpiRun) -> Shown {
    let (facts, analysis) = (run.facts(), run.analysis.clone());
    Shown { facts, analysis, parts: run.parts().into() }
}

/// The same, had a third of its messages found no partner.
fn poor(run: &MpiRun) -> MpiRun {
    let mut run = run.clone();
    run.tell("match_rate", 0.66.into());
    run.tell("unmatched_sends", 800.into());
    run.tell("causality_violations", 3.into());
    run
}

/// The same with every name an attack.
fn hostile_mpi(run: &MpiRun) -> MpiRun {
    let mut run = run.clone();
    run.tell("library", HOSTILE.into());
    run.tell("passed_through", serde_json::json!({ HOSTILE: 1 }));
    let mpi = &mut run.mpi;
    mpi.sites.values_mut().for_each(|name| name.push_str(HOSTILE));
    let doing = mpi.worst.iter_mut().flat_map(|wait| wait.doing.iter_mut());
    doing.for_each(|doing| doing.call = Some(HOSTILE.to_owned()));
    if let Some(calls) = &mut mpi.calls {
        calls.functions.iter_mut().for_each(|function| function.name.push_str(HOSTILE));
        calls.collectives.iter_mut().for_each(|collective| collective.name.push_str(HOSTILE));
    }
    run
}

fn ten() -> (Facts, Analysis) {
    let recipe =
        Recipe { launches: 1, ..Recipe::new("pingpong", "tcp", 10, [300.0, 6_000.0, 2_000.0]) };
    (recipe.facts(), analyse(&recipe.make()))
}

fn several() -> Vec<(Facts, Analysis)> {
    let pingpong = |transport, typical| {
        let recipe = Recipe::new("pingpong", transport, 50_000, typical);
        let messages = recipe.make();
        (recipe.facts(), with_cycles(analyse(&messages), &messages))
    };
    let mut stream = Recipe::new("stream", "shm", 200_000, [40.0, 90.0, 3_100.0]);
    stream.launches = 10;
    let mut sweep = Recipe::new("sweep", "tcp", 60_000, [250.0, 4_300.0, 1_800.0]);
    sweep.sizes = (0..17).map(|i| 1 << i).chain([4040, 4041, 4044, 4048, 4080]).collect();
    let mut cube = Recipe::new("relay", "thread", 60_000, [80.0, 700.0, 240.0]);
    (cube.nodes, cube.hops) = (8, 3);
    let made = |recipe: &Recipe, more: fn(Analysis, &[Message]) -> Analysis| {
        let messages = recipe.make();
        (recipe.facts(), more(analyse(&messages), &messages))
    };
    vec![
        pingpong("shm", [35.0, 120.0, 60.0]),
        pingpong("tcp", [300.0, 6_100.0, 2_000.0]),
        made(&stream, |analysis, _| with_sends(analysis, 3)),
        made(&Recipe::new("burst", "tcp", 40_000, [9_500.0, 5_800.0, 4_000.0]), |analysis, _| {
            analysis
        }),
        made(&sweep, with_sizes),
        made(&cube, with_cycles),
    ]
}

/// Every text that may come from outside is an attack here, and everything is lost that can be.
fn hostile() -> (Facts, Analysis) {
    let recipe = Recipe::new("pingpong", "tcp", 3_000, [300.0, 6_000.0, 2_000.0]);
    let (mut facts, mut analysis) = (recipe.facts(), analyse(&recipe.make()));
    let attack = || HOSTILE.to_owned();
    (facts.workload, facts.transport, facts.topology) = (attack(), attack(), attack());
    facts.parameters.push((attack(), attack()));
    facts.machine.push((attack(), attack()));
    (facts.command, facts.started, facts.program) = (attack(), attack(), attack());
    facts.clock.source = attack();
    facts.clock.models.push(attack());
    facts.notes.push(attack());
    facts.lost.failures.push(attack());
    (facts.lost.cut, facts.lost.dropped, facts.lost.unmatched_sends) = (true, 1_234, 1);
    (analysis.anomalies.negative, analysis.anomalies.missing) = ([1, 0, 2, 0], [0, 0, 30, 0]);
    for group in analysis.breakdowns.iter_mut().flat_map(|breakdown| &mut breakdown.groups) {
        group.label.push_str(HOSTILE);
    }
    (facts, analysis)
}
