//! The sections of a paged run, in the order in which they are read.

use plotly::layout::{Axis, AxisType, BarMode, Margin};

use stats::analysis::Analysis;

use super::{Section, pager_rates};
use crate::chart::{Chart, bars, layout, lying, time_axis};
use crate::facts::Facts;
use crate::format::{part, time};
use crate::pager::{
    TRANSFERS_NOTE, about, faults_table, predictions_table, seconds_table, servers_table, transfers,
};
use crate::pager_facts::{Paged, PagerFacts};
use crate::pager_seconds::{PagedPart, PagedSeconds};
use crate::tables::list;

pub(super) fn sections(run: &str, facts: &Facts, analysis: &Analysis) -> Vec<Section> {
    let Some(pager) = &facts.pager else { return Vec::new() };
    let Some(process) = pager.main() else { return Vec::new() };
    let mut all = vec![completion(run, pager, process)];
    all.extend(analysis.paging.as_ref().map(|paging| pager_rates::section(run, pager, paging)));
    all.push(faults(run, process));
    all.extend(servers(run, pager));
    all
}

/// Where the completion time went, and where it would go.
fn completion(run: &str, pager: &PagerFacts, process: &Paged) -> Section {
    let sentence = about(process, pager);
    let mut section = Section::new(run, "pager-time", "Where the completion time went", sentence);
    let parts = process.seconds.shown();
    section.legend =
        parts.iter().map(|part| (part.name.to_owned(), part.class.to_owned())).collect();
    section.charts.push(bar(run, &process.seconds));
    section.below = seconds_table(&process.seconds) + &predictions_table(pager);
    section
}

fn bar(run: &str, seconds: &PagedSeconds) -> Chart {
    let axes = layout()
        .bar_mode(BarMode::Stack)
        .bar_gap(0.25)
        .margin(Margin::new().left(16).right(16).top(10).bottom(44))
        .x_axis(time_axis("time", AxisType::Linear))
        .y_axis(Axis::new().type_(AxisType::Category).show_tick_labels(false));
    let label = "The completion time as the sum of its parts.".to_owned();
    let mut chart = Chart::new(format!("{run}-pager-bar"), 150, label, axes);
    let whole = seconds.elapsed.max(f64::MIN_POSITIVE);
    for PagedPart { name, class, seconds: s, .. } in seconds.shown() {
        let text = format!("<b>{}</b> {name}<br>{}", time(s * 1e9), part(s / whole));
        let one = bars(
            vec![(s * 1e6).round() / 1e6],
            vec![String::new()],
            vec![text],
            name,
            &format!("@{class}"),
        );
        chart.data.push(lying(one));
    }
    chart
}

fn faults(run: &str, process: &Paged) -> Section {
    let sentence = "A fault is a touch of a page that is not in the program's memory. What is \
    fetched comes from a server or the disk; a page \
                    on its way out, or read ahead, is given back at once.";
    let mut section =
        Section::new(run, "pager-faults", "Faults and transfers", sentence.to_owned());
    let pairs: String = transfers(process)
        .into_iter()
        .map(|(name, value)| format!("<div><dt>{name}</dt><dd>{value}</dd></div>"))
        .collect();
    section.below = format!(
        "{}<div class=pairs><div><dl>{pairs}</dl></div></div><p class=note>{TRANSFERS_NOTE}</p>",
        faults_table(process)
    );
    section
}

fn servers(run: &str, pager: &PagerFacts) -> Option<Section> {
    let happened = pager.processes.iter().flat_map(|process| &process.events);
    let events: Vec<String> =
        happened.map(|event| format!("{:.3} s: {}", event.at_s, event.what)).collect();
    if pager.servers.is_empty() && events.is_empty() {
        return None;
    }
    let sentence = match events.is_empty() {
        true => "No server was lost or joined during the run.",
        false => "What happened, by the time since the run began.",
    };
    let mut section = Section::new(run, "pager-servers", "Servers", sentence.to_owned());
    section.below = servers_table(&pager.servers);
    if !events.is_empty() {
        section.below.push_str(&list("plain", &events));
    }
    Some(section)
}
