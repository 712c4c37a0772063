//! `fourstamp report`: a run's page, terminal report, CSV, JSON, or a chart of it as SVG.

use super::story::{Usually, tell};
use crate::analyse::{Analysed, analyse, open, tell_apart};
use crate::args::ReportArgs;
use crate::closing::close_in_shares;
use crate::lenses::LENSES;
use crate::toured::Toured;
use crate::{explaining, failure, show};
use anyhow::{Result, bail};
use document::{Document, DocumentError, Series};
use report::{Entry, Page};
use serde_json::{Map, Value};
use stats::analysis::Analysis;
use stats::story::Wanted;
use std::io::Write;
use std::path::{Path, PathBuf};

/// The seed of intervals where nobody gives one.
const SEED: u64 = 1;

/// Read the runs and show them as asked.
pub fn run(args: &ReportArgs) -> Result<()> {
    if let Some(shards) = args.shards
        && !is_shown_here(&args.runs, shards)?
    {
        return Ok(());
    }
    let filter = args.messages.filter();
    let toured = match &args.runs[..] {
        [folder] => Toured::of(folder)?,
        _ => None,
    };
    let runs = toured.as_ref().map_or_else(|| args.runs.clone(), |tour| tour.runs(&args.runs[0]));
    let mut analysed: Vec<Analysed> =
        runs.iter().map(|run| analyse(run, args.seed, &filter)).collect::<Result<_>>()?;
    tell_apart(&mut analysed);
    if let Some(name) = args.show.table("quantiles") {
        return print_csv(&analysed, name);
    }
    let document_of = |analysed: &[Analysed]| match &toured {
        Some(toured) => toured.document(analysed),
        None => document_of(analysed),
    };
    if let Some(name) = &args.svg {
        return Ok(document::svg(&document_of(&analysed), name, &mut std::io::stdout().lock())?);
    }
    if args.terminal || args.show.json {
        let document = document_of(&analysed);
        return args.show.show_with(&document, "quantiles", || all_figures(&analysed));
    }
    let out = match (&args.out, &args.runs[..]) {
        (Some(out), _) => out.clone(),
        (None, [run]) => run.join("report.html"),
        (None, _) => bail!("a page of several runs needs a file to be written to: give --out FILE"),
    };
    if let ([run], [analysed]) = (&runs[..], &mut analysed[..])
        && analysed.analysis.finding.is_some()
    {
        look_closer(run, analysed);
    }
    show::page(&document_of(&analysed), &out)?;
    show::say(&format!("wrote {}\n", out.display()))
}

/// Close a run in shards; whether this process shows it then.
fn is_shown_here(runs: &[PathBuf], shards: Option<u32>) -> Result<bool> {
    let [run] = runs else { bail!("--shards is for one run, and {} are given", runs.len()) };
    close_in_shares(run, shards)
}

/// Everything of a run as JSON, as `--json` prints it.
pub fn json(run: &Path, filter: &stats::Filter) -> Result<Value> {
    let analysed = [analyse(run, SEED, filter)?];
    let mut whole = document::json(&document_of(&analysed));
    if let Some(said) = whole.as_object_mut() {
        said.extend(all_figures(&analysed)?);
    }
    Ok(whole)
}

/// Every figure of the analysis, of several runs in their order.
fn all_figures(analysed: &[Analysed]) -> Result<Map<String, Value>> {
    let figures = match analysed {
        [one] => figures(one)?,
        several => several.iter().map(figures).collect::<Result<_, _>>()?,
    };
    Ok(Map::from_iter([("analysis".to_owned(), figures)]))
}

/// Every figure: the core's, and each product's under its name.
fn figures(analysed: &Analysed) -> Result<Value> {
    let mut figures = serde_json::to_value(&analysed.analysis)?;
    if let Some(map) = figures.as_object_mut() {
        let own = analysed.parts.iter().filter_map(|part| part.figures.as_object());
        own.for_each(|own| map.extend(own.clone()));
    }
    Ok(figures)
}

/// Stories that a page tells.
const STORIES: usize = 5;

/// What a page has and a table does not: the stories of the slowest messages, or that of the one
/// that the run's model is about, and what goes with slow messages. A page without them is still a
/// page, so what prevents them is only said.
fn look_closer(path: &Path, analysed: &mut Analysed) {
    let Analysis { population, slowest, .. } = &analysed.analysis;
    let usually = Usually::Known(&slowest[..slowest.len().min(STORIES)], population.taken());
    match open(path).and_then(|run| tell(&run, None, &population.filter, usually)) {
        Ok(told) => {
            analysed.told = told;
            tell_named(path, analysed);
        }
        Err(error) => {
            eprintln!("the page lacks the stories of messages: {}", failure::one_line(&error));
        }
    }
    match explaining::explain(path, &analysed.analysis) {
        Ok(explained) => analysed.explained = Some(explained),
        Err(error) => {
            let why = failure::one_line(&error);
            eprintln!("the page lacks what goes with slow messages: {why}");
        }
    }
}

/// Rows up to which the messages that products name have their stories: each is another reading.
const NAMED_ROWS_MOST: u64 = 1_000_000;

/// The stories of the messages that products' sections lead to.
fn tell_named(path: &Path, analysed: &mut Analysed) {
    let Ok(run) = open(path) else { return };
    if run.rows() > NAMED_ROWS_MOST {
        return;
    }
    let filter = analysed.analysis.population.filter.clone();
    let named: Vec<_> = analysed.parts.iter().flat_map(|part| part.messages.clone()).collect();
    for (launch, src, seq) in named {
        let is_told = analysed.told.iter().any(|told| {
            let message = &told.story.message;
            (told.launch, message.src, message.seq) == (launch, src, seq)
        });
        // One that the filter leaves out has no story here.
        let wanted = Wanted::Named { launch, src, seq };
        if !is_told && let Ok(told) = tell(&run, Some(wanted), &filter, Usually::Slowest) {
            analysed.told.extend(told);
        }
    }
}

fn title(analysed: &[Analysed]) -> String {
    match analysed {
        [one] => format!("{} · Fourstamp", one.facts.title()),
        several => format!("{} runs · Fourstamp", several.len()),
    }
}

/// CSV of the runs, on standard output; of several, the first column names the run.
pub fn print_csv(analysed: &[Analysed], name: &str) -> Result<()> {
    let mut out = std::io::stdout().lock();
    let own = || LENSES.iter().flat_map(|lens| lens.series()).copied();
    let is_series = name == "all" || report::series_names().chain(own()).any(|known| known == name);
    if !is_series || name == "quantiles" {
        let written = document::table_csv(&document_of(analysed), name, &mut out);
        return Ok(written.map_err(|error| with_series(error, analysed))?);
    }
    let wanted = Some(name).filter(|name| *name != "all");
    if let [one] = analysed {
        return Ok(document::series_csv(&series(one, wanted), &mut out)?);
    }
    for (at, one) in analysed.iter().enumerate() {
        let mut table = Vec::new();
        document::series_csv(&series(one, wanted), &mut table)?;
        let table = String::from_utf8_lossy(&table);
        let mut lines = table.lines();
        let head = lines.next().filter(|_| at == 0);
        head.iter().try_for_each(|head| writeln!(out, "run,{head}"))?;
        let run = record::csv_field(&one.path.display().to_string());
        lines.try_for_each(|line| writeln!(out, "{run},{line}"))?;
    }
    Ok(())
}

/// What there is besides tables, where no table has the name that was asked for.
fn with_series(error: DocumentError, analysed: &[Analysed]) -> DocumentError {
    let DocumentError::Unknown { name, known } = error else { return error };
    let own = analysed.iter().flat_map(|one| &one.parts).flat_map(|part| &part.series);
    let mut series: Vec<&str> = report::series_names().chain(own.map(|one| one.name)).collect();
    series.retain(|name| *name != "quantiles");
    series.sort_unstable();
    series.dedup();
    let known = format!("{known}; series: {}, all", series.join(", "));
    DocumentError::Unknown { name, known }
}

/// The series of a run of this name, or all of them: the core's and its products'.
pub fn series(analysed: &Analysed, wanted: Option<&str>) -> Vec<Series> {
    let own = analysed.parts.iter().flat_map(|part| &part.series);
    let own = own.filter(|one| wanted.is_none_or(|wanted| wanted == one.name)).cloned();
    report::series(&analysed.analysis, wanted).into_iter().chain(own).collect()
}

/// The runs as one document.
pub fn document_of(analysed: &[Analysed]) -> Document {
    let runs: Vec<Entry<'_>> = analysed.iter().map(Analysed::entry).collect();
    Page { title: &title(analysed), runs: &runs, floors: &[], remarks: &[] }.document()
}
