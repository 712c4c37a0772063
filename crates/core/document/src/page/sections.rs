//! Sections: heading, sentence, charts, and what stands below them.

use std::collections::BTreeMap;

use maud::{Markup, PreEscaped, html};
use serde::Serialize;

use super::{blocks, text};
use crate::chart::Chart;
use crate::plot::{Live, Plot};
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

/// All sections of a run, whose name makes their ids unique on the page; of several runs it is part
/// of what sections are called, too.
pub(super) fn sections(run: &str, sections: &[Section], of_several: bool) -> Markup {
    html! {
        div.sections data-run=(run) {
            @for section in sections { (one(run, section, of_several)) }
        }
    }
}

fn one(run: &str, section: &Section, of_several: bool) -> Markup {
    let id = format!("{run}-{}", section.id);
    let run_name = if of_several { format!(" run-{run}-h") } else { String::new() };
    html! {
        section id=(id) aria-labelledby={ (id) "-h" (run_name) } {
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

/// Pixels above which a chart is as high as what it shows asks for, and keeps its height on paper.
const TALL: u32 = 360;

fn figure(run: &str, chart: &Chart) -> Markup {
    let plot = Plot::elastic(chart, 0);
    html! {
        figure {
            @if !chart.title.is_empty() { figcaption { (text(&chart.title)) } }
            @if !plot.legend.is_empty() {
                ul.legend { @for (name, colour) in &plot.legend {
                    li { span class={ "swatch " (colour) } {} (text(name)) }
                } }
            }
            div.chart.tall[chart.height > TALL] id={ (run) "-" (chart.id) } role="img"
                aria-label=(text(&chart.label))
                style={ "height:" (chart.height) "px;padding:" (padding(&plot)) } {
                svg.plot width="100%" height="100%" { (PreEscaped(&plot.svg)) }
            }
        }
    }
}

fn padding(plot: &Plot) -> String {
    plot.margins.map(|pixels| format!("{pixels}px")).join(" ")
}

/// A chart as the script needs it.
#[derive(Default, Serialize)]
struct Moving {
    /// What tips say.
    texts: Vec<String>,
    modes: Vec<Shown>,
}

/// A mode of a chart: what the script shows in it.
#[derive(Serialize)]
struct Shown {
    /// Not of the first mode: the page has it.
    #[serde(skip_serializing_if = "Option::is_none")]
    svg: Option<String>,
    /// As another mode.
    #[serde(skip_serializing_if = "Option::is_none")]
    same: Option<usize>,
    padding: String,
    #[serde(flatten)]
    live: Option<Live>,
}

fn moving(chart: &Chart) -> Moving {
    let mut moving = Moving::default();
    let mut seen: Vec<String> = Vec::new();
    for at in 0..chart.modes.len().max(1) {
        let mut plot = Plot::elastic(chart, at);
        plot.live.share(&plot.texts, &mut moving.texts);
        let padding = padding(&plot);
        let same = seen.iter().position(|svg| *svg == plot.svg);
        moving.modes.push(match same {
            Some(_) => Shown { svg: None, same, padding, live: None },
            None => Shown {
                svg: (at > 0).then(|| plot.svg.clone()),
                same,
                padding,
                live: Some(plot.live),
            },
        });
        seen.push(plot.svg);
    }
    moving
}

/// The charts' modes, by the charts' places on the page.
pub(super) fn chart_data(run: &str, sections: &[Section]) -> Vec<u8> {
    let charts = sections.iter().flat_map(|section| &section.charts);
    let charts: BTreeMap<String, Moving> =
        charts.map(|chart| (format!("{run}-{}", chart.id), moving(chart))).collect();
    serde_json::to_vec(&charts).expect("charts hold numbers and text only")
}
