//! From a run folder to its analysis: reads chunks on all cores and gives them to `stats`, which is
//! pure.

use crate::choosing::first_that_takes;
use crate::closing_note::explain;
use crate::lenses::LENSES;
use crate::reading::{each_batch, on_all_cores};
use anyhow::{Context, Result};
use record::{Batch, Chunk, Closing, Origin, Run};
use report::{Entry, Facts, Part, Reading, Told};
use stats::analysis::{Analysis, Explanation};
use stats::compare::Sample;
use stats::{Accumulator, FileRows, Filter, Options, Position};
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicU64;

/// A run that has been read.
pub struct Analysed {
    /// Where it was read from.
    pub path: PathBuf,
    /// The same as text.
    pub name: String,
    /// What ran.
    pub facts: Facts,
    /// Where the time went.
    pub analysis: Analysis,
    /// What products say of it.
    pub parts: Vec<Part>,
    /// The stories of its slowest messages, where they are to be told.
    pub told: Vec<Told>,
    /// What goes with its slow messages, where that is to be looked for.
    pub explained: Option<Explanation>,
}

/// Several runs, read as one: the launches of each follow those of the one before.
pub struct Together {
    /// What ran, run by run.
    pub facts: Vec<Facts>,
    /// Where the time of all of them went.
    pub analysis: Analysis,
    /// What a comparison looks at.
    pub sample: Sample,
    /// Where each run's timeline begins, which no two runs share.
    pub origins: Vec<Origin>,
    /// Of each run, the sums that its product has of it.
    pub totals: Vec<Vec<(String, i64)>>,
    /// Which of the [`LENSES`] each is for; `None` for a plain measurement.
    pub products: Vec<Option<usize>>,
}

/// A chunk, and the number of its launch among all that are read.
struct Numbered {
    chunk: Chunk,
    launch: u32,
}

/// Slowest messages that a report lists.
const SLOWEST: usize = 200;
/// Bootstrap resamples of an interval.
const RESAMPLES: usize = 400;

/// Read the run at `path`; a run that was cut is closed first. The analysis is about the messages
/// that `filter` takes.
pub fn analyse(path: &Path, seed: u64, filter: &Filter) -> Result<Analysed> {
    let run = open(path)?;
    let cannot = || format!("cannot read {}", path.display());
    let chunks = numbered(&run, 0);
    let readings = readings(&run).with_context(cannot)?;
    let traced = readings.iter().any(|reading| reading.is_traced());
    let pause_ns = pause_ns(&run);
    let options = Options { traced, pause_ns, ..options(&chunks, clock_error_ns(&run), seed) };
    let name = path.display().to_string();
    let read = read_chosen(&chunks, options, filter, &readings, &name)?;
    let (analysis, tallies) = read.finish_all();
    let facts = Facts::of(&run.info, LENSES);
    let mut parts = Vec::new();
    for (reading, tally) in readings.iter().zip(tallies) {
        let part = reading.finish(tally, &facts, &analysis);
        parts.extend(part.map_err(anyhow::Error::from_boxed).with_context(cannot)?);
    }
    let path = path.to_path_buf();
    Ok(Analysed { path, name, facts, analysis, parts, told: Vec::new(), explained: None })
}

/// What each product reads of the run.
pub fn readings(run: &Run) -> Result<Vec<Box<dyn Reading>>> {
    let opened = LENSES.iter().map(|lens| lens.open(run).map_err(anyhow::Error::from_boxed));
    Ok(opened.collect::<Result<Vec<_>>>()?.into_iter().flatten().collect())
}

/// Give runs that have the same title their folders' names.
pub fn tell_apart<'a>(runs: impl IntoIterator<Item = &'a mut Analysed>) {
    report::tell_apart(runs.into_iter().map(|run| (&mut run.facts, run.path.as_path())).collect());
}

/// Read the runs at `paths` as if they were one. The analysis is about the messages that `filter`
/// takes.
pub fn analyse_together(paths: &[PathBuf], seed: u64, filter: &Filter) -> Result<Together> {
    let (mut chunks, mut facts, mut launches, mut error_ns) = (Vec::new(), Vec::new(), 0, 0);
    let (mut origins, mut products, mut traced) = (Vec::new(), Vec::new(), false);
    let (mut totals, mut pause) = (Vec::new(), None);
    for path in paths {
        let run = open(path)?;
        chunks.extend(numbered(&run, launches));
        launches += run.info.launches.iter().map(|launch| launch.launch + 1).max().unwrap_or(0);
        error_ns = error_ns.max(clock_error_ns(&run));
        facts.push(Facts::of(&run.info, LENSES));
        origins.push(run.info.origin.clone());
        products.push(LENSES.iter().position(|lens| lens.facts(&run.info).is_some()));
        let cannot = || format!("cannot read {}", path.display());
        let readings = readings(&run).with_context(cannot)?;
        totals.push(sums(&readings).with_context(cannot)?);
        pause = pause_ns(&run).or(pause);
        traced |= readings.iter().any(|reading| reading.is_traced());
    }
    let names: Vec<String> = paths.iter().map(|path| path.display().to_string()).collect();
    let options = Options { traced, pause_ns: pause, ..options(&chunks, error_ns, seed) };
    let read = read_chosen(&chunks, options, filter, &[], &names.join(", "))?;
    let sample = read.sample();
    Ok(Together { facts, sample, analysis: read.finish(), origins, totals, products })
}

/// The sums that the run's products have of it.
fn sums(readings: &[Box<dyn Reading>]) -> Result<Vec<(String, i64)>> {
    let all = readings.iter().map(|one| one.totals().map_err(anyhow::Error::from_boxed));
    Ok(all.collect::<Result<Vec<_>>>()?.concat())
}

fn options(chunks: &[Numbered], clock_error_ns: i64, seed: u64) -> Options {
    Options {
        seed,
        files: file_rows(chunks),
        slowest: SLOWEST,
        clock_error_ns,
        resamples: RESAMPLES,
        filter: Filter::default(),
        traced: false,
        pause_ns: None,
    }
}

/// How long the run's workload pauses on purpose.
fn pause_ns(run: &Run) -> Option<i64> {
    let us = run.info.parameters.get("gap_us")?.as_i64()?;
    (us > 0).then(|| us.saturating_mul(1000))
}

/// The chunks of a run, its launches numbered from `first`.
fn numbered(run: &Run, first: u32) -> Vec<Numbered> {
    run.chunks()
        .into_iter()
        .map(|chunk| Numbered { launch: first + chunk.launch(), chunk })
        .collect()
}

/// Open the run at `path`. One that was cut is closed first, by whoever knows its logs.
pub fn open(path: &Path) -> Result<Run> {
    memory::keep_freed();
    if calls::close::has_logs(path)
        && let Some(closing) = Closing::of_cut(path)?
    {
        crate::closing::close(closing, 1)?;
    }
    if streams::close::has_logs(path)
        && let Some(closing) = Closing::of_cut(path).map_err(|error| explain(path, error))?
    {
        crate::closing::close_sockets(closing)?;
    }
    let mut run = Run::open(path)?;
    pager_drive::facts::complete_cut(&mut run.info, path);
    Ok(run)
}

impl Analysed {
    /// For a page.
    pub fn entry(&self) -> Entry<'_> {
        Entry {
            path: &self.name,
            facts: &self.facts,
            analysis: &self.analysis,
            parts: &self.parts,
            told: &self.told,
            explained: self.explained.as_ref(),
        }
    }
}

/// Read what the filter takes, or, where it is the usual one and takes nothing, what the next wider
/// one does.
fn read_chosen(
    chunks: &[Numbered],
    options: Options,
    filter: &Filter,
    readings: &[Box<dyn Reading>],
    name: &str,
) -> Result<Accumulator> {
    let all: Vec<&Chunk> = chunks.iter().map(|numbered| &numbered.chunk).collect();
    let read = |filter| read_all(chunks, &Options { filter, ..options.clone() }, readings);
    let counts = |read: &Accumulator| {
        let population = read.population();
        (population.messages(), population.taken())
    };
    first_that_takes(name, &all, filter, read, counts)
}

/// Every thread takes a run of consecutive chunks, so that what depends on the order of a file's
/// rows (the time between sends) is seen in order but for one seam a thread.
fn read_all(
    chunks: &[Numbered],
    options: &Options,
    readings: &[Box<dyn Reading>],
) -> Result<Accumulator> {
    let empty = || {
        let tallies = readings.iter().map(|reading| reading.tally()).collect();
        Accumulator::with(options.clone(), tallies)
    };
    let rows = |numbered: &Numbered| numbered.chunk.rows();
    let parts = on_all_cores(chunks, rows, |share, done| read_some(share, empty(), done))?;
    let mut all = empty();
    parts.into_iter().for_each(|part| all.merge(part));
    Ok(all)
}

fn read_some(
    chunks: &[Numbered],
    mut accumulator: Accumulator,
    done: &AtomicU64,
) -> Result<Accumulator> {
    let take = |Numbered { chunk, launch }: &Numbered, batch: &Batch| {
        let position =
            Position { launch: *launch, node: chunk.node(), first_row: chunk.first_row() };
        accumulator.add(batch, position);
    };
    each_batch(chunks, |numbered| &numbered.chunk, &stats::FIELDS, done, take)?;
    Ok(accumulator)
}

fn file_rows(chunks: &[Numbered]) -> Vec<FileRows> {
    let mut files: Vec<FileRows> = Vec::new();
    for &Numbered { ref chunk, launch } in chunks {
        let rows = chunk.rows() as u64;
        match files.last_mut().filter(|file| (file.launch, file.node) == (launch, chunk.node())) {
            Some(file) => file.rows += rows,
            None => files.push(FileRows { launch, node: chunk.node(), rows }),
        }
    }
    files
}

/// The largest error between the clocks of two nodes of a launch, ns.
fn clock_error_ns(run: &Run) -> i64 {
    let errors = run.info.launches.iter().map(|launch| run.info.largest_error_ns(launch));
    errors.fold(0.0, f64::max).ceil() as i64
}
