//! The HTML page: one file that works from disk, without a network.
//!
//! Text, tables and the bars of the first screen are plain HTML, so that the answer is there before
//! any script runs, and where none may. Charts are data (packed JSON, one piece a run) that
//! `page.js` draws when they come into view, with the drawing script that the page carries packed.
//! A page without a chart carries no script.

mod blocks;
mod drawing;
mod script;
mod sections;
mod tables;

use std::io::Write;

use maud::{DOCTYPE, Markup, PreEscaped, html};

use crate::section::{Document, Run, Section};
use crate::{DocumentError, escape};

/// The page may load nothing and reach no network, whatever a name in the data may try.
const POLICY: &str = "default-src 'none';style-src 'unsafe-inline';script-src \
    'unsafe-inline';img-src data: blob:;font-src data:";

/// Write the page. With charts its size is 2 MB and some 50 kB a run.
///
/// # Errors
/// When `out` refuses the text.
pub fn page(document: &Document, out: &mut dyn Write) -> Result<(), DocumentError> {
    let one = !document.sections.is_empty() || document.runs.is_empty();
    let folded = document.runs.iter().enumerate().map(|(at, run)| (format!("r{at}"), run));
    let markup = html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                title { (text(&document.title)) }
                meta name="viewport" content="width=device-width,initial-scale=1";
                meta name="color-scheme" content="light dark";
                meta http-equiv="Content-Security-Policy" content=(POLICY);
                style { (PreEscaped(include_str!("page/page.css"))) }
            }
            body {
                main {
                    header.hero { (blocks::opening(&document.opening, true)) }
                    @if one { (sections::contents("r0", &document.sections)) }
                    @if one { (sections::sections("r0", &document.sections)) }
                    @for (id, run) in folded.clone() { (fold(&id, run)) }
                }
                (PreEscaped(include_str!("page/foot.html").trim()))
                @if has_charts(document) { (scripts(document)) }
            }
        }
    };
    out.write_all(markup.into_string().as_bytes())?;
    out.flush()?;
    Ok(())
}

/// Text from anywhere, harmless.
fn text(text: &str) -> String {
    escape::on_page(text)
}

/// One run of several: closed until it is wanted.
fn fold(id: &str, run: &Run) -> Markup {
    html! {
        details.run id={ "run-" (id) } {
            summary {
                h2 { (text(&run.title)) }
                (tables::bar(&run.parts))
                span.brief { (text(&run.brief)) }
            }
            header.hero { (blocks::opening(&run.opening, false)) }
            (sections::sections(id, &run.sections))
        }
    }
}

fn has_charts(document: &Document) -> bool {
    let folded = document.runs.iter().flat_map(|run| &run.sections);
    document.sections.iter().chain(folded).any(|section| !section.charts.is_empty())
}

/// The data of the charts, and what draws them.
fn scripts(document: &Document) -> Markup {
    let whole = (!document.sections.is_empty()).then_some(&document.sections);
    let folded = document.runs.iter().map(|run| &run.sections);
    let data: Vec<&Vec<Section>> = whole.into_iter().chain(folded).collect();
    html! {
        @for (at, sections) in data.iter().enumerate() {
            script type="application/gzip" id={ "data-r" (at) } {
                (PreEscaped(script::pack(&sections::chart_data(&format!("r{at}"), sections))))
            }
        }
        script type="application/gzip" id="plotly" { (PreEscaped(script::packed_plotly())) }
        script { (PreEscaped(include_str!("page/page.js"))) }
    }
}
