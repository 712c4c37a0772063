//! The sections of an MPI program's run, in the order in which they are read.

mod blocked;
mod lanes;
mod ranks;
mod tables;
mod waits;

use crate::found::{Mpi, MpiBy, MpiGroups};
use document::{Block, Section};

use crate::words;

pub(crate) fn sections(mpi: &Mpi) -> Vec<Section> {
    let mut all = Vec::new();
    all.extend(waits::section(mpi));
    all.extend(blocked::section(mpi));
    all.extend(lanes::section(mpi));
    all.extend(worst(mpi));
    all.extend(ranks::section(mpi));
    all.extend(functions(mpi));
    all.extend(groups(mpi));
    all.extend(sites(mpi));
    all
}

fn worst(mpi: &Mpi) -> Option<Section> {
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
    Some(Section::new("mpi-worst", title, sentence).table(tables::worst(mpi)))
}

fn functions(mpi: &Mpi) -> Option<Section> {
    let calls = mpi.calls.as_ref().filter(|calls| !calls.functions.is_empty())?;
    let mut sentence =
        "Time in each function, all ranks together; polls count from the first to the last of a \
        run of them."
            .to_owned();
    if let Some(first) = calls.collectives.first().filter(|first| first.waited_ns > 0) {
        sentence.push_str(&format!(
            " In {} ranks waited {} for the last of them to enter.",
            first.name,
            document::time(first.waited_ns as f64)
        ));
    }
    let mut section = Section::new("mpi-functions", "MPI functions", sentence)
        .table(tables::functions(&calls.functions));
    if !calls.collectives.is_empty() {
        section.blocks.push(Block::Heading("Collectives: who came last".to_owned()));
        section.blocks.push(Block::Table(tables::collectives(calls)));
    }
    if calls.collectives_left_out > 0 {
        let note = words::collectives_left_out(calls.collectives_left_out);
        section.blocks.push(Block::Note(None, note));
    }
    Some(section)
}

fn groups(mpi: &Mpi) -> Option<Section> {
    let sentence = "The messages of each pair of ranks and of each tag; those whose messages \
    waited most come first.";
    let section = Section::new("mpi-groups", "Pairs and tags", sentence);
    let by = [(MpiBy::Pair, "Pairs of ranks"), (MpiBy::Tag, "Tags")];
    with_groups(section, mpi, by, |groups| !groups.groups.is_empty())
}

/// The section with a table of each of these groups; `None` without any.
fn with_groups(
    mut section: Section,
    mpi: &Mpi,
    by: [(MpiBy, &str); 2],
    wanted: impl Fn(&MpiGroups) -> bool,
) -> Option<Section> {
    for (by, heading) in by {
        if let Some(groups) = words::groups(mpi, by).filter(|groups| wanted(groups)) {
            section.blocks.push(Block::Heading(heading.to_owned()));
            section.blocks.push(Block::Table(tables::groups(mpi, groups)));
        }
    }
    (!section.blocks.is_empty()).then_some(section)
}

fn sites(mpi: &Mpi) -> Option<Section> {
    let sentence = "The places in the program that sent and received messages; those whose \
    messages waited most come first. Without \
                    debug information a place is an offset in its file: compile with -g to see \
                    functions and lines.";
    let section = Section::new("mpi-sites", "Places in the program", sentence);
    let by = [
        (MpiBy::SendSite, "Where messages were sent"),
        (MpiBy::ReceiveSite, "Where they were received"),
    ];
    with_groups(section, mpi, by, |groups| groups.groups.iter().any(|group| group.key.0 != 0))
}
