//! The sections of an MPI program's run, in the order in which they are read.

use stats::analysis::{Analysis, Mpi, MpiBy};

use super::{Section, mpi_blocked, mpi_lanes, mpi_ranks, mpi_waits};
use crate::escape;
use crate::facts::Facts;
use crate::mpi;
use crate::mpi_tables as tables;
use crate::tables::list;

pub(super) fn sections(run: &str, facts: &Facts, analysis: &Analysis) -> Vec<Section> {
    let Some(mpi) = &analysis.mpi else { return Vec::new() };
    let mut all = Vec::new();
    all.extend(mpi_waits::section(run, mpi));
    all.extend(mpi_blocked::section(run, mpi));
    all.extend(mpi_lanes::section(run, mpi));
    all.extend(worst(run, mpi));
    all.extend(mpi_ranks::section(run, mpi));
    all.extend(functions(run, facts, mpi));
    all.extend(groups(run, mpi));
    all.extend(sites(run, mpi));
    all
}

fn worst(run: &str, mpi: &Mpi) -> Option<Section> {
    if mpi.worst.is_empty() {
        return None;
    }
    let title = if mpi.worst.len() == 10 {
        "The ten messages that waited longest"
    } else {
        "The messages that waited longest"
    };
    let sentence = "Each with what its two ranks did from its send (or from when the receiver \
    began to wait) until it was taken, \
                    longest first. Computing is time outside MPI.";
    let mut section = Section::new(run, "mpi-worst", title, sentence.to_owned());
    section.below = tables::worst(mpi);
    Some(section)
}

fn functions(run: &str, facts: &Facts, mpi: &Mpi) -> Option<Section> {
    let calls = mpi.calls.as_ref().filter(|calls| !calls.functions.is_empty())?;
    let mut sentence =
        "Time in each function, all ranks together; polls count from the first to the last of a \
        run of them."
            .to_owned();
    if let Some(first) = calls.collectives.first().filter(|first| first.waited_ns > 0) {
        sentence.push_str(&format!(
            " In {} ranks waited {} for the last of them to enter.",
            first.name,
            crate::format::time(first.waited_ns as f64)
        ));
    }
    let mut section = Section::new(run, "mpi-functions", "MPI functions", sentence);
    section.below = tables::functions(&calls.functions);
    if !calls.collectives.is_empty() {
        section.below.push_str("<h4>Collectives: who came last</h4>");
        section.below.push_str(&tables::collectives(calls));
    }
    if calls.collectives_left_out > 0 {
        let note = escape::html(&mpi::collectives_left_out(calls.collectives_left_out));
        section.below.push_str(&format!("<p class=note>{note}</p>"));
    }
    let remarks = facts.mpi.as_ref().map_or_else(Vec::new, |mpi| mpi.remarks());
    if !remarks.is_empty() {
        section.below.push_str(&list("remarks", &remarks));
    }
    Some(section)
}

fn groups(run: &str, mpi: &Mpi) -> Option<Section> {
    let sentence = "The messages of each pair of ranks and of each tag; those whose messages \
    waited most come first.";
    let mut section = Section::new(run, "mpi-groups", "Pairs and tags", sentence.to_owned());
    for (by, heading) in [(MpiBy::Pair, "Pairs of ranks"), (MpiBy::Tag, "Tags")] {
        if let Some(groups) = mpi::groups(mpi, by).filter(|groups| !groups.groups.is_empty()) {
            section.below.push_str(&format!("<h4>{heading}</h4>{}", tables::groups(mpi, groups)));
        }
    }
    (!section.below.is_empty()).then_some(section)
}

fn sites(run: &str, mpi: &Mpi) -> Option<Section> {
    let sentence = "The places in the program that sent and received messages; those whose \
    messages waited most come first. Without \
                    debug information a place is an offset in its file: compile with -g to see \
                    functions and lines.";
    let mut section = Section::new(run, "mpi-sites", "Places in the program", sentence.to_owned());
    for (by, heading) in [
        (MpiBy::SendSite, "Where messages were sent"),
        (MpiBy::ReceiveSite, "Where they were received"),
    ] {
        let known = |groups: &&stats::analysis::MpiGroups| {
            groups.groups.iter().any(|group| group.key.0 != 0)
        };
        if let Some(groups) = mpi::groups(mpi, by).filter(known) {
            section.below.push_str(&format!("<h4>{heading}</h4>{}", tables::groups(mpi, groups)));
        }
    }
    (!section.below.is_empty()).then_some(section)
}
