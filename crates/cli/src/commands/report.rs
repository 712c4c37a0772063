//! `fourstamp report`: a run's page, terminal report or CSV.

use super::story::tell;
use crate::analyse::{Analysed, analyse, open, tell_apart};
use crate::args::ReportArgs;
use crate::failure;
use anyhow::{Context, Result, bail};
use report::{Entry, Floor, Page, Told};
use stats::Filter;
use std::io::{IsTerminal, Write};
use std::path::{Path, PathBuf};

/// Read the runs and show them as asked.
pub fn run(args: &ReportArgs) -> Result<()> {
    let filter = args.messages.filter();
    let mut analysed: Vec<Analysed> =
        args.runs.iter().map(|run| analyse(run, args.seed, &filter)).collect::<Result<_>>()?;
    tell_apart(&mut analysed);
    if let Some(series) = &args.csv {
        return print_csv(&analysed, series);
    }
    if args.terminal {
        return analysed.iter().try_for_each(print_terminal);
    }
    let out = match (&args.out, &args.runs[..]) {
        (Some(out), _) => out.clone(),
        (None, [run]) => run.join("report.html"),
        (None, _) => bail!("a page for several runs needs a place: give --out FILE"),
    };
    if let ([run], [analysed]) = (&args.runs[..], &mut analysed[..])
        && analysed.analysis.finding.is_some()
    {
        analysed.told = slowest_told(run, &analysed.analysis.population.filter);
    }
    let runs: Vec<Entry<'_>> = analysed.iter().map(Analysed::entry).collect();
    write_page(&Page { title: &title(&analysed), runs: &runs, floors: &[], remarks: &[] }, &out)?;
    say(&format!("wrote {}\n", out.display()))
}

/// The story of a run's slowest message, or of the one that its model is about. A page without it
/// is still a page, so what prevents it is only said.
fn slowest_told(path: &Path, filter: &Filter) -> Option<Told> {
    match open(path).and_then(|run| tell(&run, None, filter)) {
        Ok(told) => told.into_iter().next(),
        Err(error) => {
            let why = failure::one_line(&error);
            eprintln!("the page lacks the story of a message: {why}");
            None
        }
    }
}

fn title(analysed: &[Analysed]) -> String {
    match analysed {
        [one] => format!("{} · Fourstamp", one.facts.title()),
        several => format!("{} runs · Fourstamp", several.len()),
    }
}

/// Write a page so that it appears whole or not at all.
pub fn write_page(page: &Page<'_>, out: &Path) -> Result<()> {
    write_file(out, |file| report::html(page, file))
}

/// Write a file so that it appears whole or not at all.
pub fn write_file(
    out: &Path,
    write: impl FnOnce(&mut dyn Write) -> Result<(), report::ReportError>,
) -> Result<()> {
    let folder =
        out.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let name = out.file_name().context("the page needs a file name")?;
    let draft: PathBuf = folder.join(format!(".{}.part", name.to_string_lossy()));
    let written = write_whole(write, &draft).and_then(|()| Ok(std::fs::rename(&draft, out)?));
    if written.is_err() {
        let _ = std::fs::remove_file(&draft);
    }
    written.with_context(|| {
        format!(
            "cannot write {}: check that the folder can be written and has space",
            out.display()
        )
    })
}

fn write_whole(
    write: impl FnOnce(&mut dyn Write) -> Result<(), report::ReportError>,
    path: &Path,
) -> Result<()> {
    let mut file = std::io::BufWriter::new(std::fs::File::create(path)?);
    write(&mut file)?;
    file.flush()?;
    Ok(())
}

/// The terminal report of one run, on standard output.
pub fn print_terminal(analysed: &Analysed) -> Result<()> {
    say(&report::terminal(&analysed.facts, &analysed.analysis, terminal_width(), has_colour()))
}

/// Several runs side by side, with the floors below, on standard output.
pub fn print_terminal_table(analysed: &[Analysed], floors: &[Floor]) -> Result<()> {
    let runs: Vec<_> = analysed.iter().map(|run| (&run.facts, &run.analysis)).collect();
    say(&report::headline_table(&runs, floors, has_colour()))
}

/// CSV of every run, on standard output; of several, the first column names the run.
pub fn print_csv(analysed: &[Analysed], series: &str) -> Result<()> {
    let mut out = std::io::stdout().lock();
    if let [one] = analysed {
        return write_csv(one, series, &mut out);
    }
    for (at, one) in analysed.iter().enumerate() {
        let mut table = Vec::new();
        write_csv(one, series, &mut table)?;
        let table = String::from_utf8_lossy(&table);
        let mut lines = table.lines();
        let head = lines.next().filter(|_| at == 0);
        head.iter().try_for_each(|head| writeln!(out, "run,{head}"))?;
        let run = record::csv_field(&one.path.display().to_string());
        lines.try_for_each(|line| writeln!(out, "{run},{line}"))?;
    }
    Ok(())
}

fn write_csv(
    Analysed { facts, analysis, .. }: &Analysed,
    series: &str,
    out: &mut dyn Write,
) -> Result<()> {
    match series {
        "quantiles" => report::csv_quantiles(facts, analysis, out)?,
        "all" => report::csv(analysis, None, out)?,
        one => report::csv(analysis, Some(one), out)?,
    }
    Ok(())
}

/// Write to standard output, harmless to a terminal whatever a run folder held; a reader that has
/// gone is an error that `main` knows.
pub fn say(text: &str) -> Result<()> {
    Ok(std::io::stdout().lock().write_all(report::printable(text).as_bytes())?)
}

/// Whether standard output shows colours.
pub fn has_colour() -> bool {
    std::io::stdout().is_terminal() && std::env::var_os("NO_COLOR").is_none()
}

/// Columns of the terminal, 80 where there is none.
pub fn terminal_width() -> usize {
    let size = rustix::termios::tcgetwinsize(std::io::stdout());
    size.map(|size| usize::from(size.ws_col)).ok().filter(|columns| *columns >= 40).unwrap_or(80)
}
