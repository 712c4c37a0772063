//! A figure of runs: reads each once, or a few times where a cut must be found first, and draws.

use crate::analyse::open;
use crate::choosing::first_that_takes;
use crate::lenses::LENSES;
use crate::reading::{each_batch, on_all_cores};
use anyhow::{Result, ensure};
use record::{Chunk, Run};
use report::Facts;
use report::figure::{Drawn, Figure, FigureRun, drawn};
use stats::Columns;
use stats::figure::{FIGURE_FIELDS, FigureAsked, FigureGather};
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicU64;

/// Draw a figure of these runs on one axes. Each has one of the names, or a short one of its folder
/// where none are given.
pub fn draw(figure: &Figure, runs: &[PathBuf], names: &[String]) -> Result<Drawn> {
    figure.check()?;
    ensure!(!runs.is_empty(), "a figure needs a run");
    ensure!(
        names.is_empty() || names.len() == runs.len(),
        "{} runs need as many names, and {} are given",
        runs.len(),
        names.len()
    );
    let names = match (runs, names) {
        ([only], []) => vec![only.display().to_string()],
        (several, []) => {
            report::short_names(&several.iter().map(PathBuf::as_path).collect::<Vec<_>>())
        }
        (_, given) => given.to_vec(),
    };
    let read = runs.iter().map(|path| gathered(figure, path)).collect::<Result<Vec<_>>>()?;
    let (facts, gathered): (Vec<Facts>, Vec<FigureGather>) = read.into_iter().unzip();
    let each = names.into_iter().zip(&facts).zip(gathered);
    let runs: Vec<FigureRun<'_>> =
        each.map(|((name, facts), gathered)| FigureRun { name, facts, gathered }).collect();
    Ok(drawn(figure, &runs)?)
}

/// What a run has of a figure: of what its filter takes, or, where that is the usual one and takes
/// nothing, of what the next wider one does.
fn gathered(figure: &Figure, path: &Path) -> Result<(Facts, FigureGather)> {
    let run: Run = open(path)?;
    let name = path.display().to_string();
    let chunks = run.chunks();
    let all: Vec<&Chunk> = chunks.iter().collect();
    let read = |filter| read_all(&all, &figure.asked(filter));
    let gathered = first_that_takes(&name, &all, &figure.filter(), read, FigureGather::counts)?;
    Ok((Facts::of(&run.info, LENSES), gathered))
}

fn read_all(chunks: &[&Chunk], asked: &FigureAsked) -> Result<FigureGather> {
    let new = || FigureGather::new(asked.clone());
    let parts =
        on_all_cores(chunks, |chunk| chunk.rows(), |share, done| read_some(share, new(), done))?;
    let mut all = new();
    parts.into_iter().for_each(|part| all.merge(part));
    Ok(all)
}

fn read_some(
    chunks: &[&Chunk],
    mut gathered: FigureGather,
    done: &AtomicU64,
) -> Result<FigureGather> {
    each_batch(
        chunks,
        |chunk| chunk,
        &FIGURE_FIELDS,
        done,
        |chunk, batch| {
            gathered.add(&Columns::of(batch), chunk.launch());
        },
    )?;
    Ok(gathered)
}
