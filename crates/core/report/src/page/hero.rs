//! The first screen: the finding, the bar of stages, the key figures, what ran, and what was lost.

use stats::analysis::{Analysis, Stage, Summary};

use super::{Entry, Page};
use crate::escape::html as escaped;
use crate::facts::Facts;
use crate::finding::{largest, losses, overall_sentence, quantile, stage_shares, typical_shares};
use crate::format::{count, part, time, time_or_none};
use crate::headline::{self, Floor};
use crate::mpi;
use crate::mpi_facts::MpiFacts;
use crate::pager;
use crate::palette::{PARTS, class, name, title};
use crate::population::{self, population_words};
use crate::simulation::{Figures, headline_sentence, message_sentence};
use crate::tables::{list, mini_bar};

/// The first screen of one run.
pub(super) fn of_run(entry: &Entry, floors: &[Floor], alone: bool) -> String {
    let Entry { facts, analysis, .. } = entry;
    let lead: String = message_sentence(facts, analysis)
        .iter()
        .chain(mpi::tail(facts, analysis).iter())
        .map(|text| format!("<p class=lead>{}</p>", escaped(text)))
        .collect();
    format!(
        "<header class=hero>{}<p class=eyebrow>{}</p>{}{}{lead}{}{}{}{}{}<div \
        class=facts>{}{}{}</div></header>",
        matching_line(facts),
        eyebrow(facts, analysis),
        which_messages(facts, analysis),
        headline(facts, analysis, alone),
        loss_warning(facts, analysis),
        simulation_figures(facts, analysis),
        share_bars(analysis),
        key_figures(analysis),
        floor_line(floors),
        what_ran(facts, analysis),
        machine(facts),
        clock_and_losses(facts, analysis),
    )
}

/// How far an MPI run was understood stands before all that is said of it.
fn matching_line(facts: &Facts) -> String {
    let line = |mpi: &MpiFacts| {
        format!("<p class=\"eyebrow matching\">{}</p>", escaped(&mpi.first_line()))
    };
    facts.mpi.as_ref().map_or_else(String::new, line)
}

/// Which messages all that follows is about.
fn which_messages(facts: &Facts, analysis: &Analysis) -> String {
    let line = population::line(facts, analysis);
    let remark =
        population::remark(facts, analysis).map_or_else(String::new, |text| format!(" {text}"));
    format!(
        "<p class=\"note population\"><b>Messages:</b> {}.{}</p>",
        escaped(&line),
        escaped(&remark)
    )
}

/// A page has one first heading: the finding of its only run, or what is said of all runs together.
fn headline(facts: &Facts, analysis: &Analysis, alone: bool) -> String {
    let level = if alone { "h1" } else { "h2" };
    format!("<{level} class=finding>{}</{level}>", escaped(&headline_sentence(facts, analysis)))
}

/// The first screen of several runs.
pub(super) fn of_several(page: &Page) -> String {
    let runs: Vec<(&Facts, &Analysis)> =
        page.runs.iter().map(|entry| (entry.facts, entry.analysis)).collect();
    let rows: Vec<(String, &Facts, &Analysis)> = runs
        .iter()
        .enumerate()
        .map(|(i, (facts, analysis))| (format!("run-r{i}"), *facts, *analysis))
        .collect();
    let legend: String = PARTS
        .iter()
        .map(|s| format!("<li><span class=\"swatch {}\"></span>{}</li>", class(*s), title(*s)))
        .collect();
    let remarks =
        if page.remarks.is_empty() { String::new() } else { list("plain remarks", page.remarks) };
    format!(
        "<header class=hero><p class=eyebrow>{}</p><h1>{}</h1>{}{}<div class=bar><ul \
        class=legend>{legend}</ul></div>{}{}<p \
         class=note>A typical message is one about the median; all time counts slow ones by their \
         weight. Times are end to end, \
         from the call of send until the receiving program took the message; cycle is the median \
         of whole round trips or relay rounds. A run's name leads to its charts.</p><div \
         class=facts>{}{}{}</div></header>",
        escaped(page.title),
        escaped(&overall_sentence(&runs)),
        which_of_several(&runs),
        several_losses(&runs),
        headline::html_table(&rows),
        floor_line(page.floors),
        machine(runs[0].0),
        clock_and_losses_of_all(&runs),
        if remarks.is_empty() {
            String::new()
        } else {
            format!("<div><h2>This machine</h2>{remarks}</div>")
        },
    )
}

/// Which messages the table is about, run by run where they differ.
fn which_of_several(runs: &[(&Facts, &Analysis)]) -> String {
    let said: Vec<String> = runs
        .iter()
        .map(|(facts, analysis)| population_words(facts, &analysis.population))
        .collect();
    let text = match said.split_first() {
        Some((first, others)) if others.iter().all(|other| other == first) => first.clone(),
        _ => runs
            .iter()
            .zip(&said)
            .map(|((facts, _), words)| format!("{}: {words}", facts.title()))
            .collect::<Vec<_>>()
            .join("; "),
    };
    let note = "Each run's own page says what is left out.";
    let note =
        if runs.iter().any(|(_, analysis)| population::leaves_out(analysis)) { note } else { "" };
    format!("<p class=\"note population\"><b>Messages:</b> {}. {note}</p>", escaped(&text))
}

/// What a closed fold says about its run.
pub(super) fn summary_line(analysis: &Analysis) -> String {
    let view = analysis.stage(Stage::EndToEnd);
    let median = time_or_none(view.and_then(|view| quantile(&view.summary, 0.5)));
    let [_, of_time] = largest(analysis.finding.as_ref());
    format!(
        "{}<span class=brief>median {median} · {of_time} of the time</span>",
        mini_bar(&stage_shares(analysis))
    )
}

fn eyebrow(facts: &Facts, analysis: &Analysis) -> String {
    let many = pager::counts(facts, analysis).map_or_else(
        || {
            vec![
                noun(facts.nodes as u64, "node", "nodes"),
                noun(facts.launches as u64, "launch", "launches"),
                noun(analysis.messages, "message", "messages"),
            ]
        },
        |counts| counts.to_vec(),
    );
    let what = [facts.title(), facts.topology_besides_title().to_owned()];
    let parts: Vec<String> = what
        .into_iter()
        .chain(many)
        .filter(|text| !text.is_empty())
        .map(|text| escaped(&text))
        .collect();
    parts.join(" <span aria-hidden=true>·</span> ")
}

fn noun(n: u64, one: &str, many: &str) -> String {
    format!("{}\u{a0}{}", count(n), if n == 1 { one } else { many })
}

/// The bars that answer the question: all time together, and a typical message, since a few slow
/// ones can make up most of the time.
fn share_bars(analysis: &Analysis) -> String {
    let shares = stage_shares(analysis);
    if shares.is_empty() {
        return String::new();
    }
    let keys: String =
        shares.iter().map(|(stage, share)| share_key(analysis, *stage, *share)).collect();
    format!(
        "<div class=sharebars>{}{}</div><ul class=\"legend keys\">{keys}</ul>",
        share_bar("All time", "all", &shares),
        share_bar("A typical message", "typical", &typical_shares(analysis))
    )
}

fn share_bar(head: &str, kind: &str, shares: &[(Stage, f64)]) -> String {
    if shares.is_empty() {
        return String::new();
    }
    let words: Vec<String> =
        shares.iter().map(|(stage, share)| format!("{} {}", name(*stage), part(*share))).collect();
    let parts: String = shares
        .iter()
        .filter(|(_, share)| *share > 0.0)
        .map(|(stage, share)| {
            format!(
                "<div class=\"{} part\" style=\"flex-grow:{share:.4}\"><span>{}</span></div>",
                class(*stage),
                part(*share)
            )
        })
        .collect();
    format!(
        "<div class=barlabel>{head}</div><div class=\"sharebar {kind}\" role=img \
        aria-label=\"{head}: {}\">{parts}</div>",
        words.join(", ")
    )
}

fn share_key(analysis: &Analysis, stage: Stage, share: f64) -> String {
    let median = analysis.stage(stage).and_then(|view| quantile(&view.summary, 0.5));
    let median = median.map_or_else(String::new, |ns| format!(", median {}", time(ns as f64)));
    let meaning = match stage {
        Stage::SendWait => "ready until handed to the network layer",
        Stage::Transit => "until the receiver's network layer has it",
        Stage::ReceiveWait => "until the receiving program takes it",
        Stage::EndToEnd => "",
    };
    format!(
        "<li><span class=\"swatch {}\"></span><b>{}</b> {}{median}<small>{meaning}</small></li>",
        class(stage),
        title(stage),
        part(share)
    )
}

fn key_figures(analysis: &Analysis) -> String {
    let end_to_end =
        analysis.stage(Stage::EndToEnd).map(|view| figures("End to end", "a", &view.summary));
    let cycles =
        analysis.cycles.as_ref().map(|view| figures("Whole cycle", "cycle", &view.summary));
    format!(
        "<div class=keyfigures>{}{}</div>",
        end_to_end.unwrap_or_default(),
        cycles.unwrap_or_default()
    )
}

fn simulation_figures(facts: &Facts, analysis: &Analysis) -> String {
    let tiles = Figures::of(facts, analysis).map_or_else(Vec::new, |figures| figures.tiles());
    if tiles.is_empty() {
        return String::new();
    }
    let tiles: String = tiles
        .iter()
        .map(|(name, value)| format!("<div><dt>{name}</dt><dd>{value}</dd></div>"))
        .collect();
    format!(
        "<div class=keyfigures><div class=\"figurerow wide\"><h2><span class=\"swatch \
        work\"></span>Simulation</h2><dl>{tiles}</dl>\
         </div></div>"
    )
}

fn figures(head: &str, class: &str, summary: &Summary) -> String {
    let mut tiles: Vec<(String, String)> =
        [(0.5, "median"), (0.99, "99\u{a0}%"), (0.999, "99.9\u{a0}%")]
            .iter()
            .filter_map(|(p, name)| Some(((*name).to_owned(), time(quantile(summary, *p)? as f64))))
            .collect();
    tiles.push(("slowest".to_owned(), time(summary.max_ns as f64)));
    if tiles.len() < 4 {
        tiles.insert(0, ("fastest".to_owned(), time(summary.min_ns as f64)));
    }
    let tiles: String = tiles
        .iter()
        .map(|(name, value)| format!("<div><dt>{name}</dt><dd>{value}</dd></div>"))
        .collect();
    format!(
        "<div class=figurerow><h2><span class=\"swatch \
        {class}\"></span>{head}</h2><dl>{tiles}</dl></div>"
    )
}

fn floor_line(floors: &[Floor]) -> String {
    if floors.is_empty() {
        return String::new();
    }
    let items: String = floors
        .iter()
        .map(|floor| format!("<li>{}</li>", escaped(&headline::floor_words(floor))))
        .collect();
    format!("<div class=floor><h2>Floor of this machine</h2><ul class=legend>{items}</ul></div>")
}

fn what_ran(facts: &Facts, analysis: &Analysis) -> String {
    let mut pairs = vec![
        ("Workload".to_owned(), facts.workload.clone()),
        ("Transport".to_owned(), facts.transport.clone()),
        ("Topology".to_owned(), facts.topology.clone()),
        ("Nodes".to_owned(), count(facts.nodes as u64)),
        ("Launches".to_owned(), count(facts.launches as u64)),
        ("Messages".to_owned(), count(analysis.messages)),
    ];
    // The first few that are not said already; all of them stand under "The run".
    let said = |name: &str| pairs.iter().any(|(said, _)| said == name);
    let more: Vec<_> =
        facts.parameters.iter().filter(|(name, _)| !said(name)).take(5).cloned().collect();
    pairs.extend(more);
    definitions("What ran", &pairs)
}

fn machine(facts: &Facts) -> String {
    let mut pairs = facts.machine.clone();
    pairs.push(("Started".to_owned(), facts.started.clone()));
    definitions("Machine", &pairs)
}

fn clock_pairs(facts: &Facts) -> Vec<(String, String)> {
    let clock = &facts.clock;
    let error = match clock.error_ns {
        Some(0.0) => "0, all nodes share one clock".to_owned(),
        Some(ns) => format!("at most {}", time(ns)),
        None => "not known".to_owned(),
    };
    vec![
        ("Clock".to_owned(), clock.source.clone()),
        ("Step".to_owned(), clock.step_ns.map(time).unwrap_or_default()),
        ("Cost of a reading".to_owned(), clock.read_cost_ns.map(time).unwrap_or_default()),
        ("Error bound".to_owned(), error),
    ]
}

fn clock_and_losses(facts: &Facts, analysis: &Analysis) -> String {
    let line = if losses(facts, analysis).is_empty() {
        if population::leaves_out(analysis) {
            "Nothing was lost; of the messages shown, no stamp is missing or out of order."
        } else {
            "Nothing was lost; no stamp is missing or out of order."
        }
    } else {
        "See the warning above."
    };
    clock_and_line(facts, line)
}

fn clock_and_losses_of_all(runs: &[(&Facts, &Analysis)]) -> String {
    let lost = runs.iter().filter(|(facts, analysis)| !losses(facts, analysis).is_empty()).count();
    let line = match lost {
        0 => "Nothing was lost in any run; of the messages shown, no stamp is missing or out of \
        order."
            .to_owned(),
        n => format!("Something was lost in {n} of {} runs; see the warning above.", runs.len()),
    };
    clock_and_line(runs[0].0, &line)
}

fn clock_and_line(facts: &Facts, line: &str) -> String {
    let mut pairs = clock_pairs(facts);
    pairs.push(("Lost".to_owned(), line.to_owned()));
    definitions("Clock and losses", &pairs)
}

fn definitions(heading: &str, pairs: &[(String, String)]) -> String {
    let rows: String = pairs
        .iter()
        .filter(|(_, value)| !value.is_empty())
        .map(|(name, value)| {
            format!("<div><dt>{}</dt><dd>{}</dd></div>", escaped(name), escaped(value))
        })
        .collect();
    format!("<div><h2>{heading}</h2><dl>{rows}</dl></div>")
}

fn loss_warning(facts: &Facts, analysis: &Analysis) -> String {
    let lines = losses(facts, analysis);
    if lines.is_empty() {
        return String::new();
    }
    format!("<div class=warning role=note><h2>Read this first</h2>{}</div>", list("plain", &lines))
}

fn several_losses(runs: &[(&Facts, &Analysis)]) -> String {
    let line = |(facts, analysis): &(&Facts, &Analysis)| {
        let lost = losses(facts, analysis);
        (!lost.is_empty()).then(|| format!("{}: {}", facts.title(), lost.join(" ")))
    };
    let lines: Vec<String> = runs.iter().filter_map(line).collect();
    if lines.is_empty() {
        return String::new();
    }
    format!("<div class=warning role=note><h2>Read this first</h2>{}</div>", list("plain", &lines))
}
