//! The choice among messages: lists, the figures of what is chosen beside those of all, and what
//! `choose.js` needs to fill them.

use maud::{Markup, html};
use serde_json::{Value, json};

use super::text;
use crate::block::Block;
use crate::chooser::{CHOSEN_QUANTILES, Chooser, ChosenFigures, Facet, Measure};
use crate::format::{NONE, count, quantile_name, time};
use crate::section::Section;

/// Its markup. Nothing is chosen yet: the figures of all are there, those of a choice are empty.
pub(super) fn chooser(chooser: &Chooser) -> Markup {
    html! {
        p.note.unlive {
            "Choosing needs JavaScript. Without it: " code { (text(&chooser.example)) }
        }
        div.choose {
            div.lists {
                @for facet in &chooser.facets { (list(facet)) }
                button type="button" disabled { "All messages" }
            }
            p.said role="status" {
                (text("All ")) (count(chooser.messages)) " messages. Choose to see some of them."
            }
            (table(&chooser.measures))
            p.note.about { (ABOUT) span hidden { (about_bins(chooser)) } }
            figure hidden {
                @let first = chooser.measures.first().map_or("", |measure| measure.name);
                figcaption { (first) ": the part of the messages that took longer" }
                ul.legend {
                    li { span.swatch.mark-line {} "chosen" }
                    li { span.swatch.faint {} "all" }
                }
                div.tailplot role="img" { svg.plot width="100%" height="100%" {} }
            }
            p.command hidden { "The whole report of these messages: " code tabindex="0" {} }
        }
    }
}

fn list(facet: &Facet) -> Markup {
    html! {
        label {
            span { (text(&facet.name)) }
            select {
                option value="" { (text(&facet.all)) }
                @for (at, choice) in facet.choices.iter().enumerate() {
                    option value=(at) { (text(&choice.label)) }
                }
            }
        }
    }
}

fn table(measures: &[Measure]) -> Markup {
    let heads = CHOSEN_QUANTILES.map(quantile_name);
    html! {
        div.scroll tabindex="0" {
            table.figures.chosen {
                thead { tr {
                    th scope="col" { "Stage" }
                    th.left scope="col" { "Which" }
                    th scope="col" { "Messages" }
                    @for head in &heads { th scope="col" { (head) } }
                    th scope="col" { "Slowest" }
                } }
                @for measure in measures {
                    tbody {
                        (row(measure, "all", Some(&measure.all)))
                        (row(measure, "chosen", None))
                    }
                }
            }
        }
    }
}

fn row(measure: &Measure, which: &'static str, figures: Option<&ChosenFigures>) -> Markup {
    let quantiles = figures.map_or([None; 4], |figures| figures.quantiles_ns);
    html! {
        tr.chosen[figures.is_none()] hidden[figures.is_none()] {
            @if figures.is_some() {
                th scope="rowgroup" rowspan="2" {
                    span class={ "swatch " (measure.colour.0) } {} (measure.name)
                }
            }
            td.left { (which) }
            td { (figures.map_or(String::new(), |figures| count(figures.count))) }
            @for ns in quantiles { td { (ns.map_or(NONE.to_owned(), |ns| time(ns as f64))) } }
            td { (figures.map_or(String::new(), |figures| time(figures.max_ns as f64))) }
        }
    }
}

/// How exact the figures are.
const ABOUT: &str = "Counts and slowest times are exact. Quantiles stop where fewer than ten \
    messages lie beyond them.";

/// The same of those after ≈. The script shows it while there are any.
fn about_bins(chooser: &Chooser) -> String {
    format!(" A quantile after ≈ is correct to {:.1}\u{a0}%.", chooser.quantile_error * 100.0)
}

/// The chooser of a section, if it has one.
pub(super) fn of(section: &Section) -> Option<&Chooser> {
    section.blocks.iter().find_map(|block| match block {
        Block::Chooser(chooser) => Some(&**chooser),
        _ => None,
    })
}

/// What the script needs, as it reads it: lists in place of names, since there are many.
pub(super) fn data(chooser: &Chooser) -> Vec<u8> {
    let facet = |facet: &Facet| {
        let choices = facet.choices.iter().map(|choice| {
            let known: Vec<Value> = choice.figures.iter().map(known).collect();
            json!({ "options": choice.options, "figures": known })
        });
        json!({ "options": facet.options, "choices": choices.collect::<Vec<_>>() })
    };
    let bins: Vec<i64> = chooser.bins.iter().flat_map(|(low, high)| [*low, *high]).collect();
    let all = json!({
        "facets": chooser.facets.iter().map(facet).collect::<Vec<_>>(),
        "command": [chooser.command.0, chooser.command.1],
        "quantiles": CHOSEN_QUANTILES,
        "messages": chooser.messages,
        "bins": bins,
        "cells": chooser.cells.iter().map(cell).collect::<Vec<_>>(),
    });
    serde_json::to_vec(&all).expect("cells hold numbers and text only")
}

/// Count, quantiles, slowest.
fn known(figures: &Option<ChosenFigures>) -> Value {
    match figures {
        Some(ChosenFigures { count, quantiles_ns, max_ns }) => {
            json!([count, quantiles_ns, max_ns])
        }
        None => Value::Null,
    }
}

/// Its choices, its messages, and for each measure the ends and then, of each bin, how many further
/// on it is than the one before and what it holds.
fn cell(cell: &crate::chooser::ChooserCell) -> Value {
    let times = cell.times.iter().map(|times| {
        let Some(times) = times else { return Value::Null };
        let mut last = 0;
        let counts = times.counts.iter().flat_map(|(at, count)| {
            let step = (*at - last) as u64;
            last = *at;
            [step, *count]
        });
        json!([times.ends_ns.0, times.ends_ns.1, counts.collect::<Vec<u64>>()])
    });
    json!([cell.of, cell.messages, times.collect::<Vec<_>>()])
}
