//! The sections of a paged run, in the order in which they are read.

mod marks;
mod places;
mod rates;

use crate::found::Paging;
use crate::parts::{colour, shown};
use crate::words::{
    TRANSFERS_NOTE, about, faults_table, predictions_table, seconds_table, servers_table, transfers,
};
use document::chart::{Axis, Bars, Chart};
use document::{Block, Pairs, Section};
use document::{part, time};
use pager_facts::{Paged, PagedSeconds, PagerFacts};

pub(crate) fn sections(pager: &PagerFacts, paging: Option<&Paging>) -> Vec<Section> {
    let Some(process) = pager.main() else { return Vec::new() };
    let mut all = vec![completion(pager, process)];
    all.extend(paging.map(|paging| rates::section(pager, paging)));
    all.push(faults(process));
    all.extend(places::section(process));
    all.extend(servers(pager));
    all
}

/// Where the completion time went, and where it would go.
fn completion(pager: &PagerFacts, process: &Paged) -> Section {
    let sentence = about(process, pager);
    let mut section = Section::new("pager-time", "Where the completion time went", sentence);
    let parts = shown(&process.seconds);
    section.legend = parts.iter().map(|part| (part.name.to_owned(), colour(part))).collect();
    section.charts.push(bar(&process.seconds));
    section.blocks.push(Block::Table(seconds_table(&process.seconds)));
    if let Some(table) = predictions_table(pager, process) {
        section.blocks.push(Block::Heading("On another network, as predicted".to_owned()));
        section.blocks.push(Block::Table(table));
    }
    section
}

fn bar(seconds: &PagedSeconds) -> Chart {
    let axes = (Axis::time("time"), Axis::names("").without_ticks());
    let label = "The completion time as the sum of its parts.".to_owned();
    let mut chart = Chart::new("pager-bar", 150, label, axes).stacked(0.25);
    let whole = seconds.elapsed.max(f64::MIN_POSITIVE);
    for one in shown(seconds) {
        let (name, s) = (one.name, one.seconds);
        let tip = format!("{} {name}\n{}", time(s * 1e9), part(s / whole));
        let (x, y) = (vec![(s * 1e6).round() / 1e6], vec!["completion time".to_owned()]);
        chart.draw(Bars::lying(x, y, colour(&one)).tips(vec![tip]));
    }
    chart
}

fn faults(process: &Paged) -> Section {
    let sentence = "A fault is a touch of a page that is not in the program's memory. What is \
        fetched comes from a server or the disk; a page on its way out, or read ahead, is given \
        back at once; one that was never touched, or was all zero when it left, is filled with \
        zeros.";
    let transfers = transfers(process);
    let pairs = transfers.into_iter().map(|(name, value)| (name.to_owned(), value)).collect();
    let mut section =
        Section::new("pager-faults", "Faults and transfers", sentence).table(faults_table(process));
    section.blocks.push(Block::Pairs(vec![Pairs::new("Transfers", pairs)]));
    section.blocks.push(Block::Note(None, TRANSFERS_NOTE.to_owned()));
    section
}

fn servers(pager: &PagerFacts) -> Option<Section> {
    let events: Vec<String> =
        pager.events().map(|event| format!("{:.3} s: {}", event.at_s, event.what)).collect();
    if pager.servers.is_empty() && events.is_empty() {
        return None;
    }
    let sentence = match events.is_empty() {
        true => "No server was lost or joined during the run.",
        false => "What happened, by the time since the run began.",
    };
    let mut section = Section::new("pager-servers", "Servers", sentence);
    section.blocks.push(Block::Table(servers_table(&pager.servers)));
    section.blocks.push(Block::List(events));
    Some(section)
}
