//! The page of a comparison: one file, without a script.

use std::io::Write;

use stats::compare::{Answer, Comparison, Difference, Measured};

use super::words::{self, chance, condition, passed, plain_part, stage_name, verdict};
use super::{Compared, ComparedSide, facts, figure, peaks, which_messages};
use crate::ReportError;
use crate::escape::html;
use crate::facts::Facts;
use crate::format::{NONE, counted, quantile_name, time};
use crate::ratios::{outcome, range, ratio, reason_text};
use crate::tables::{list, wrap};

const STYLE: &str = "
svg { display: block; width: 100%; height: auto } svg text { font: 12px var(--font); fill: var(--muted) }
.tick, .peak { text-anchor: middle } svg text.name { font-size: 14px; fill: var(--ink) } .grid { stroke: var(--grid) }
.shape { stroke-width: 1.6; fill-opacity: .14 } .shape.a { stroke: var(--b); fill: var(--b) } .shape.b { stroke: var(--mark); fill: var(--mark) }
svg text.peak.a { fill: var(--b) } svg text.peak.b { fill: var(--mark) }
.swatch.of-a { background: var(--b) } .swatch.of-b { background: var(--mark) }
.least { fill: var(--grid) } .interval { stroke-width: 4; stroke: var(--faint); stroke-linecap: round } circle { fill: var(--faint) }
.interval.slower { stroke: var(--mark) } circle.slower { fill: var(--mark) } .interval.faster { stroke: var(--d) } circle.faster { fill: var(--d) }
td.slower, b.holds { color: var(--mark); font-weight: 650 } td.faster { color: var(--d); font-weight: 650 } td.words { text-align: left; white-space: normal }
";

/// Write the page.
///
/// # Errors
/// When `out` refuses the text.
pub fn compare_html(compared: &Compared<'_>, out: &mut dyn Write) -> Result<(), ReportError> {
    let comparison = compared.comparison;
    writeln!(
        out,
        "<!doctype html>\n<html lang=en>\n<head>\n<meta charset=utf-8>\n<title>{} and {} · \
        Fourstamp</title>\n<meta name=viewport \
         content=\"width=device-width,initial-scale=1\">\n<meta name=color-scheme content=\"light \
         dark\">\n<meta \
         http-equiv=Content-Security-Policy content=\"default-src 'none';style-src \
         'unsafe-inline'\">\n<style>{}{STYLE}</style>\n\
         </head>\n<body><main><header class=hero><h1>{}</h1>{}{}</header>",
        html(&compared.a.name),
        html(&compared.b.name),
        include_str!("../page/page.css"),
        html(&verdict(comparison)),
        sides(compared),
        conditions(comparison),
    )?;
    let answers =
        [shape(comparison), quantiles(comparison), matched(comparison), elsewhere(comparison)]
            .concat();
    // What differs besides the times is said before the times.
    let differs = !facts::differing(compared).is_empty();
    let run = differing(compared);
    writeln!(out, "{}", if differs { run + &answers } else { answers + &run })?;
    writeln!(out, "</main></body></html>")?;
    out.flush()?;
    Ok(())
}

fn sides(compared: &Compared<'_>) -> String {
    let (launches, messages) = (compared.comparison.launches, compared.comparison.messages);
    let line =
        |class: &str, letter: char, side: &ComparedSide<'_>, launches: usize, messages: u64| {
            let first = side.facts.first();
            format!(
                "<li><span class=\"swatch {class}\"></span>{letter}: {}, {}, {}, {}, {}</li>",
                html(&side.name),
                html(&first.map_or_else(String::new, Facts::title)),
                words::launches(launches),
                counted(messages, "time"),
                html(first.map_or("", |facts| &facts.started)),
            )
        };
    let a = line("of-a", 'A', &compared.a, launches.0, messages.0);
    let which = which_messages(compared)
        .map_or_else(String::new, |text| format!("<p class=note>{}</p>", html(&text)));
    format!(
        "<ul class=legend>{a}{}</ul>{which}",
        line("of-b", 'B', &compared.b, launches.1, messages.1)
    )
}

fn conditions(comparison: &Comparison) -> String {
    let item = |checked| format!("<li>{}</li>", html(&condition(checked)));
    let items: String = comparison.conditions.iter().map(item).collect();
    let holds = comparison.conditions.iter().any(|checked| checked.answer == Answer::Holds);
    let word = if holds {
        format!("<b class=holds>{}</b>", passed(comparison))
    } else {
        passed(comparison).to_owned()
    };
    if items.is_empty() {
        items
    } else {
        format!("<p class=note>{word}</p><ul class=plain>{items}</ul>")
    }
}

fn section(title: &str, see: &str, body: &str) -> String {
    format!("<section><h3>{title}</h3><p class=see>{see}</p>{body}</section>")
}

fn shape(comparison: &Comparison) -> String {
    let see = format!(
        "Both distributions ({}) on one logarithmic axis of time. Heights show the square root of \
        each share of messages, so that rare \
         times are visible. Numbers mark peaks.",
        stage_name(comparison.stage)
    );
    section("Distributions", &see, &figure::distributions(&comparison.shape, &comparison.peaks))
}

fn quantiles(comparison: &Comparison) -> String {
    let see = format!(
        "B's figure over A's for each quantile, with its {} interval between launches. Each figure \
        is the geometric mean over the \
         launches of that run. Changes within the band, below {}, do not matter. <i>By chance</i> \
         is how likely such a ratio is \
         between equal runs, corrected for all quantiles here.",
        plain_part(comparison.confidence),
        plain_part(comparison.least)
    );
    let body =
        figure::changes(&comparison.quantiles, comparison.least) + &table(&comparison.quantiles);
    section("Quantiles", &see, if comparison.quantiles.is_empty() { "" } else { &body })
}

fn table(quantiles: &[Difference]) -> String {
    let row = |q: &Difference| {
        let why = q.reason.map_or_else(String::new, |why| format!(": {}", reason_text(why)));
        let word = format!("{}{why}", outcome(q.outcome));
        format!(
            "<tr><th scope=row>{}<td>{}<td>{}<td>{}<td>{}<td>{}<td class=\"{}\">{word}",
            quantile_name(q.p),
            time(q.values_ns.0),
            time(q.values_ns.1),
            ratio(q.ratio),
            q.interval.map_or_else(|| NONE.to_owned(), range),
            q.chance.map_or_else(|| NONE.to_owned(), |of| html(&chance(of))),
            words::class(q.outcome),
        )
    };
    let rows: String = quantiles.iter().map(row).collect();
    wrap(&format!(
        "<table class=figures><thead><tr><th scope=col>Quantile<th scope=col>A<th scope=col>B<th \
        scope=col>B/A<th scope=col>Interval<th \
         scope=col>By chance<th scope=col>B is<tbody>{rows}</table>"
    ))
}

fn matched(comparison: &Comparison) -> String {
    if comparison.peaks.is_empty() {
        return String::new();
    }
    let row = |(number, found): (usize, &_)| {
        let [a, b, what] = peaks::row(found);
        format!(
            "<tr><th scope=row>{}<td>{}<td>{}<td class=words>{}",
            number + 1,
            html(&a),
            html(&b),
            html(&what)
        )
    };
    let rows: String = comparison.peaks.iter().enumerate().map(row).collect();
    let body = wrap(&format!(
        "<table class=figures><thead><tr><th scope=col>Peak<th scope=col>A<th scope=col>B<th \
        scope=col class=left>From A to B<tbody>{rows}</table>"
    ));
    section(
        "Peaks",
        "Peaks of both distributions, matched by place. A peak that moved is a different finding \
        from one that grew.",
        &body,
    )
}

fn elsewhere(comparison: &Comparison) -> String {
    let known = comparison.elsewhere.iter().filter(|(_, quantiles)| !quantiles.is_empty());
    let one = |(stage, quantiles): &(Measured, Vec<Difference>)| {
        format!("<h4>{}</h4>{}", stage_name(*stage), table(quantiles))
    };
    let body: String = known.map(one).collect();
    let see = "The other stages, each on its own: they are not part of the verdict and not \
    corrected for one another.";
    if body.is_empty() { body } else { section("Other stages", see, &body) }
}

fn differing(compared: &Compared<'_>) -> String {
    let rows: String = facts::differing(compared)
        .iter()
        .map(|(name, a, b)| {
            format!(
                "<tr><th scope=row>{}<td class=words>{}<td class=words>{}",
                html(name),
                html(a),
                html(b)
            )
        })
        .collect();
    let apart = facts::apart(compared.a.facts, compared.b.facts).map(str::to_owned);
    let warnings: Vec<String> = facts::warnings(compared).into_iter().chain(apart).collect();
    let warnings = list("remarks", &warnings);
    if rows.is_empty() {
        return section(
            "What was run",
            "The same on both sides, as far as was recorded.",
            &warnings,
        );
    }
    let body = wrap(&format!(
        "<table class=figures><thead><tr><th scope=col>Fact<th scope=col class=left>A<th scope=col \
        class=left>B<tbody>{rows}</table>"
    ));
    section(
        "What was run",
        "These facts differ; a difference in times may come from any of them.",
        &(body + &warnings),
    )
}
