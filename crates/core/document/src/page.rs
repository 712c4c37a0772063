//! The HTML page: one file that works from disk, without a network.
//!
//! Text, tables and the bars of the first screen are plain HTML, so that the answer is there before
//! any script runs, and where none may; so are charts, as SVG. `page.js` adds what moves: tips,
//! zoom and the other modes, from data (packed JSON, one piece a run) that it unpacks when they are
//! wanted; `choose.js` lets its reader choose messages. A page without a chart carries no script.

mod blocks;
mod chooser;
mod drawing;
mod script;
mod sections;
mod tables;

use std::io::Write;

use maud::{DOCTYPE, Markup, PreEscaped, html};

use crate::section::{Document, Run, Section};
use crate::{DocumentError, escape, palette};

/// The page may load nothing and reach no network, whatever a name in the data may try.
const POLICY: &str = "default-src 'none';style-src 'unsafe-inline';script-src \
    'unsafe-inline';img-src data: blob:;font-src data:";

/// What moves.
const SCRIPT: &str = concat!(include_str!("page/page.js"), include_str!("page/choose.js"));

/// How the page looks, in the colours of its palette.
const STYLE: &str = concat!(
    include_str!("page/page.css"),
    include_str!("page/choose.css"),
    include_str!("page/widths.css")
);

/// Write the page; its size is some 200 kB a run.
///
/// # Errors
/// When `out` refuses the text.
pub fn page(document: &Document, out: &mut dyn Write) -> Result<(), DocumentError> {
    let own = own_id(document);
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
                style {
                    (PreEscaped(palette::CSS)) (PreEscaped(STYLE))
                    (PreEscaped(palette::on_page()))
                }
            }
            body {
                main {
                    header.hero { (blocks::opening(&document.opening, true)) }
                    (sections::contents(own, &document.sections))
                    @if !document.sections.is_empty() {
                        (sections::sections(own, &document.sections, false))
                    }
                    @for (id, run) in folded.clone() { (fold(&id, run)) }
                }
                (PreEscaped(include_str!("page/foot.html").trim()))
                @if moves(document) { (scripts(document)) }
            }
        }
    };
    out.write_all(markup.into_string().as_bytes())?;
    out.flush()?;
    Ok(())
}

/// What stands before the ids of a document's own sections; `r0` is its only run, or its first.
fn own_id(document: &Document) -> &'static str {
    if document.runs.is_empty() { "r0" } else { "all" }
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
                h2 id={ "run-" (id) "-h" } { (text(&run.title)) }
                (tables::bar(&run.parts))
                span.brief { (text(&run.brief)) }
            }
            header.hero { (blocks::opening(&run.opening, false)) }
            (sections::sections(id, &run.sections, true))
        }
    }
}

fn moves(document: &Document) -> bool {
    let moves = |section: &Section| !section.charts.is_empty() || chooser::of(section).is_some();
    document.all_sections().any(moves)
}

/// The data of the charts, and what draws them.
fn scripts(document: &Document) -> Markup {
    let own = (!document.sections.is_empty())
        .then(|| (own_id(document).to_owned(), document.sections.as_slice()));
    let folded = document.runs.iter().enumerate();
    let folded = folded.map(|(at, run)| (format!("r{at}"), run.sections.as_slice()));
    let data: Vec<(String, &[Section])> = own.into_iter().chain(folded).collect();
    html! {
        @for (id, sections) in &data {
            script type="application/gzip" id={ "data-" (id) } {
                (PreEscaped(script::pack(&sections::chart_data(id, sections))))
            }
            @for section in *sections {
                @if let Some(chooser) = chooser::of(section) {
                    script type="application/gzip" id={ "data-" (id) "-" (section.id) } {
                        (PreEscaped(script::pack(&chooser::data(chooser))))
                    }
                }
            }
        }
        script { (PreEscaped(SCRIPT)) }
    }
}
