//! The HTML page: one file that works from disk, without a network.
//!
//! Text, tables and the bars of the first screen are plain HTML, so that the answer is there before
//! any script runs, and where none may. Charts are data (packed JSON, one piece a run) that
//! `page.js` draws when they come into view, with the drawing script that the page carries packed.

mod hero;

use std::io::Write;

use plotly::Trace;
use serde::Serialize;
use stats::analysis::Analysis;

use crate::ReportError;
use crate::chart::Chart;
use crate::charts::{Section, sections};
use crate::escape::html as escaped;
use crate::facts::Facts;
use crate::headline::Floor;
use crate::script;
use crate::story::Told;

/// What a page shows.
#[derive(Debug)]
pub struct Page<'a> {
    /// The title of the window; the finding is the headline.
    pub title: &'a str,
    /// The runs: one fills the page; several get a table that compares them, and a fold each.
    pub runs: &'a [Entry<'a>],
    /// What the machine can do at best.
    pub floors: &'a [Floor],
    /// Further remarks for the first screen of a page of several runs: what the machine offers and
    /// lacks.
    pub remarks: &'a [String],
}

/// One run of a page.
#[derive(Debug)]
pub struct Entry<'a> {
    /// What ran.
    pub facts: &'a Facts,
    /// What was found.
    pub analysis: &'a Analysis,
    /// The story of its slowest message, where it is told.
    pub told: Option<&'a Told>,
}

/// Write the page. Its size is 2 MB and some 50 kB a run.
///
/// # Errors
/// When there is no run, or `out` refuses the text.
pub fn html(page: &Page, out: &mut dyn Write) -> Result<(), ReportError> {
    if page.runs.is_empty() {
        return Err(ReportError::NoRuns);
    }
    head(page.title, out)?;
    let mut data = Vec::new();
    if let [entry] = page.runs {
        writeln!(out, "<main>{}", hero::of_run(entry, page.floors, true))?;
        data.push(run_body("r0", entry, true, out)?);
    } else {
        writeln!(out, "<main>{}", hero::of_several(page))?;
        for (i, entry) in page.runs.iter().enumerate() {
            data.push(fold(i, entry, out)?);
        }
    }
    foot(&data, out)
}

/// A page about one thing: what stands first on it, then sections.
///
/// # Errors
/// When `out` refuses the text.
pub(crate) fn of_sections(
    title: &str,
    first: &str,
    sections: &[Section],
    out: &mut dyn Write,
) -> Result<(), ReportError> {
    head(title, out)?;
    writeln!(out, "<main>{first}")?;
    let data = body("r0", sections, true, out)?;
    foot(&[data], out)
}

/// The end of a page: the data of its charts, and what draws them.
fn foot(data: &[String], out: &mut dyn Write) -> Result<(), ReportError> {
    writeln!(out, "</main>{}", include_str!("foot.html").trim())?;
    for (i, text) in data.iter().enumerate() {
        writeln!(out, "<script type=\"application/gzip\" id=\"data-r{i}\">{text}</script>")?;
    }
    writeln!(
        out,
        "<script type=\"application/gzip\" id=plotly>{}</script>",
        script::packed_plotly()
    )?;
    writeln!(out, "<script>{}</script>", include_str!("page.js"))?;
    out.flush()?;
    Ok(())
}

fn head(title: &str, out: &mut dyn Write) -> std::io::Result<()> {
    // The policy forbids the page every network access, whatever a name in the data may try.
    writeln!(
        out,
        "<!doctype html>\n<html lang=en>\n<head>\n<meta charset=utf-8>\n<title>{}</title>\n<meta \
        name=viewport \
         content=\"width=device-width,initial-scale=1\">\n<meta name=color-scheme content=\"light \
         dark\">\n<meta \
         http-equiv=Content-Security-Policy content=\"default-src 'none';style-src \
         'unsafe-inline';script-src \
         'unsafe-inline';img-src data: blob:;font-src data:\">\n<style>{}</style>\n</head>\n<body>",
        escaped(title),
        include_str!("page.css")
    )
}

/// One run of several: closed until it is wanted.
fn fold(i: usize, entry: &Entry, out: &mut dyn Write) -> std::io::Result<String> {
    let run = format!("r{i}");
    writeln!(
        out,
        "<details class=run id=\"run-{run}\"><summary><h2>{}</h2>{}</summary>",
        escaped(&entry.facts.title()),
        hero::summary_line(entry.analysis)
    )?;
    writeln!(out, "{}", hero::of_run(entry, &[], false))?;
    let data = run_body(&run, entry, false, out)?;
    writeln!(out, "</details>")?;
    Ok(data)
}

/// Everything below a run's first screen; returns the packed data of its charts.
fn run_body(run: &str, entry: &Entry, nav: bool, out: &mut dyn Write) -> std::io::Result<String> {
    body(run, &sections(run, entry), nav, out)
}

/// Sections; returns the packed data of their charts.
fn body(
    run: &str,
    sections: &[Section],
    nav: bool,
    out: &mut dyn Write,
) -> std::io::Result<String> {
    if nav {
        let links: String = sections
            .iter()
            .map(|s| format!("<a href=\"#{}\">{}</a>", s.id, escaped(s.title)))
            .collect();
        writeln!(out, "<nav class=contents aria-label=Sections>{links}</nav>")?;
    }
    writeln!(out, "<div class=sections data-run=\"{run}\">")?;
    for section in sections {
        write_section(section, out)?;
    }
    writeln!(out, "</div>")?;
    Ok(script::pack(&chart_data(sections)))
}

fn write_section(section: &Section, out: &mut dyn Write) -> std::io::Result<()> {
    let id = &section.id;
    writeln!(
        out,
        "<section id=\"{id}\" aria-labelledby=\"{id}-h\"><h3 id=\"{id}-h\">{}</h3>",
        escaped(section.title)
    )?;
    writeln!(out, "<p class=see>{}</p>", escaped(&section.sentence))?;
    if !section.charts.is_empty() {
        write!(out, "<div class=bar>{}{}</div>", legend(section), switch(section))?;
        writeln!(out, "<div class=\"charts n{}\">", section.columns.clamp(1, 3))?;
        for chart in &section.charts {
            writeln!(out, "{}", figure(chart))?;
        }
        writeln!(out, "</div>")?;
    }
    writeln!(out, "{}</section>", section.below)
}

fn legend(section: &Section) -> String {
    let items: String = section
        .legend
        .iter()
        .map(|(name, class)| {
            format!("<li><span class=\"swatch {class}\"></span>{}</li>", escaped(name))
        })
        .collect();
    format!("<ul class=legend>{items}</ul>")
}

/// The buttons that all charts of the section obey.
fn switch(section: &Section) -> String {
    let Some(chart) = section.charts.iter().find(|chart| !chart.modes.is_empty()) else {
        return String::new();
    };
    let buttons: String = chart
        .modes
        .iter()
        .enumerate()
        .map(|(i, mode)| {
            format!(
                "<button type=button data-mode={i} aria-pressed={}>{}</button>",
                i == 0,
                escaped(mode.name)
            )
        })
        .collect();
    format!(
        "<div class=switch role=group aria-label=Scale data-section=\"{}\">{buttons}</div>",
        section.id
    )
}

fn figure(chart: &Chart) -> String {
    let caption = if chart.title.is_empty() {
        String::new()
    } else {
        format!("<figcaption>{}</figcaption>", escaped(&chart.title))
    };
    format!(
        "<figure>{caption}<div class=chart id=\"{}\" role=img aria-label=\"{}\" \
        style=\"height:{}px\"></div></figure>",
        chart.id,
        escaped(&chart.label),
        chart.height
    )
}

#[derive(Serialize)]
struct Drawn<'a> {
    data: &'a [Box<dyn Trace>],
    layout: &'a plotly::Layout,
    modes: &'a [crate::chart::Mode],
}

/// The charts by their place on the page.
fn chart_data(sections: &[Section]) -> Vec<u8> {
    let charts: std::collections::BTreeMap<&str, Drawn> = sections
        .iter()
        .flat_map(|section| &section.charts)
        .map(|c| (c.id.as_str(), Drawn { data: &c.data, layout: &c.layout, modes: &c.modes }))
        .collect();
    serde_json::to_vec(&charts).expect("charts hold numbers and text only")
}
