//! The sections of a run's report, in the order in which they are read. A section without data is
//! left out.

mod breakdown;
mod counts;
pub(crate) mod distribution;
mod gvt;
pub(crate) mod launches;
mod mpi;
mod mpi_blocked;
mod mpi_lanes;
mod mpi_ranks;
mod mpi_waits;
mod node_time;
mod pager;
mod pager_marks;
mod pager_rates;
mod peaks;
mod rates;
mod rollbacks;
mod sends;
mod series;
mod shares;
mod simulation;
pub(crate) mod sizes;
mod speedup;
mod tail;

use crate::chart::Chart;
use crate::page::Entry;
use crate::{story, tables};

/// A part of the page under one heading.
pub(crate) struct Section {
    /// Unique on the page.
    pub(crate) id: String,
    pub(crate) title: &'static str,
    /// One sentence that says what to see. Not escaped yet.
    pub(crate) sentence: String,
    pub(crate) charts: Vec<Chart>,
    /// Charts side by side where the page is wide enough.
    pub(crate) columns: usize,
    /// Colours that the charts use: name and class.
    pub(crate) legend: Vec<(String, String)>,
    /// Tables and remarks below the charts, as finished HTML.
    pub(crate) below: String,
}

impl Section {
    pub(crate) fn new(run: &str, id: &str, title: &'static str, sentence: String) -> Section {
        Section {
            id: format!("{run}-{id}"),
            title,
            sentence,
            charts: Vec::new(),
            columns: 1,
            legend: Vec::new(),
            below: String::new(),
        }
    }
}

/// All sections of one run; `run` makes their ids unique on a page of several.
pub(crate) fn sections(run: &str, entry: &Entry) -> Vec<Section> {
    let Entry { facts, analysis, told } = *entry;
    let mut all = simulation::sections(run, facts, analysis);
    all.extend(mpi::sections(run, facts, analysis));
    all.extend(pager::sections(run, facts, analysis));
    all.extend(sizes::section(run, analysis));
    all.extend(shares::section(run, facts, analysis));
    all.extend(distribution::stages(run, analysis));
    all.extend(peaks::section(run, analysis));
    all.extend(tail::section(run, analysis));
    all.extend(tables::quantiles_section(run, analysis));
    all.extend(distribution::cycles(run, analysis));
    all.extend(series::section(run, analysis));
    all.extend(breakdown::sections(run, analysis));
    all.extend(counts::section(run, analysis));
    all.extend(sends::section(run, analysis));
    all.extend(launches::section(run, analysis));
    all.extend(told.and_then(|told| story::section(run, told)));
    all.extend(tables::slowest_section(run, analysis));
    all.push(tables::facts_section(run, facts));
    all
}
