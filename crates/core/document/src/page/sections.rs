//! Sections: heading, sentence, charts, and what stands below them.

use std::collections::BTreeMap;

use maud::{Markup, html};
use plotly::Trace;
use serde::Serialize;

use super::{blocks, text};
use crate::chart::{Chart, Mode};
use crate::section::Section;

/// Links to the sections.
pub(super) fn contents(run: &str, sections: &[Section]) -> Markup {
    html! {
        @if sections.len() > 1 {
            nav.contents aria-label="Sections" {
                @for section in sections {
                    a href={ "#" (run) "-" (section.id) } { (text(&section.title)) }
                }
            }
        }
    }
}

/// All sections of a run, whose name makes their ids unique on the page.
pub(super) fn sections(run: &str, sections: &[Section]) -> Markup {
    html! {
        div.sections data-run=(run) {
            @for section in sections { (one(run, section)) }
        }
    }
}

fn one(run: &str, section: &Section) -> Markup {
    let id = format!("{run}-{}", section.id);
    html! {
        section id=(id) aria-labelledby={ (id) "-h" } {
            h3 id={ (id) "-h" } { (text(&section.title)) }
            @if !section.sentence.is_empty() { p.see { (text(&section.sentence)) } }
            @if !section.charts.is_empty() {
                div.bar { (legend(section)) (switch(&id, section)) }
                div class={ "charts n" (section.columns.clamp(1, 3)) } {
                    @for chart in &section.charts { (figure(run, chart)) }
                }
            }
            (blocks::blocks(&section.blocks))
        }
    }
}

fn legend(section: &Section) -> Markup {
    html! {
        ul.legend {
            @for (name, colour) in &section.legend {
                li { span class={ "swatch " (colour.0) } {} (text(name)) }
            }
        }
    }
}

/// The buttons that all charts of the section obey.
fn switch(id: &str, section: &Section) -> Markup {
    let chart = section.charts.iter().find(|chart| !chart.modes.is_empty());
    html! {
        @if let Some(chart) = chart {
            div.switch role="group" aria-label="Scale" data-section=(id) {
                @for (at, mode) in chart.modes.iter().enumerate() {
                    button type="button" data-mode=(at) aria-pressed=(at == 0) {
                        (text(mode.name))
                    }
                }
            }
        }
    }
}

fn figure(run: &str, chart: &Chart) -> Markup {
    html! {
        figure {
            @if !chart.title.is_empty() { figcaption { (text(&chart.title)) } }
            div.chart id={ (run) "-" (chart.id) } role="img" aria-label=(text(&chart.label))
                style={ "height:" (chart.height) "px" } {}
        }
    }
}

#[derive(Serialize)]
struct Drawn<'a> {
    data: &'a [Box<dyn Trace>],
    layout: &'a plotly::Layout,
    modes: &'a [Mode],
}

/// The charts by their place on the page.
pub(super) fn chart_data(run: &str, sections: &[Section]) -> Vec<u8> {
    let charts: BTreeMap<String, Drawn> = sections
        .iter()
        .flat_map(|section| &section.charts)
        .map(|c| {
            let drawn = Drawn { data: &c.data, layout: &c.layout, modes: &c.modes };
            (format!("{run}-{}", c.id), drawn)
        })
        .collect();
    serde_json::to_vec(&charts).expect("charts hold numbers and text only")
}
