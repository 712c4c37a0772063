//! The sections of an MPI program's run, in the order in which they are read.

mod blocked;
mod lanes;
mod origins;
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
    all.extend(origins::section(mpi));
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
    let title = if mpi.worst.len() == 10 { "The ten longest waits" } else { "The longest waits" };
    let sentence = "Ranks that were blocked in a call, and messages that lay about, ranked by the \
        part of their wait that is certain, with what the rank that they waited for did meanwhile. \
        Computing is time outside MPI. For the story of a message: fourstamp story RUN --message \
        and its name.";
    Some(Section::new("mpi-worst", title, sentence).table(tables::worst(mpi)))
}

fn functions(mpi: &Mpi) -> Option<Section> {
    let calls = mpi.calls.as_ref().filter(|calls| !calls.functions.is_empty())?;
    let mut sentence =
        "Time in each function, all ranks together. Polls that follow each other count as one \
        call, from the first to the last of them."
            .to_owned();
    if let Some((name, waited)) = calls
        .collectives
        .iter()
        .filter_map(|one| Some((&one.name, one.waited_ns?)))
        .max_by_key(|(_, waited)| *waited)
        .filter(|(_, waited)| *waited > 0)
    {
        let waited = document::time(waited as f64);
        sentence.push_str(&format!(" In {name} ranks were blocked {waited} for others to enter."));
    }
    let mut section = Section::new("mpi-functions", "MPI functions", sentence)
        .table(tables::functions(&calls.functions));
    if !calls.collectives.is_empty() {
        section.blocks.push(Block::Heading("Collectives: who came late".to_owned()));
        section.blocks.push(Block::Table(tables::collectives(calls)));
    }
    if calls.collectives_left_out > 0 {
        let note = words::collectives_left_out(calls.collectives_left_out);
        section.blocks.push(Block::Note(None, note));
    }
    let account = mpi.account.unwrap_or_default();
    let notes = [
        (account.not_compared > 0).then(|| words::not_compared(account.not_compared)),
        (account.one_sided_ns > 0).then(|| words::one_sided(account.one_sided_ns)),
        (account.epochs_not_compared > 0)
            .then(|| words::epochs_not_compared(account.epochs_not_compared)),
    ];
    section.blocks.extend(notes.into_iter().flatten().map(|note| Block::Note(None, note)));
    Some(section)
}

fn groups(mpi: &Mpi) -> Option<Section> {
    let mut sentence =
        "The messages of each pair of ranks and of each tag; those with most waiting come first."
            .to_owned();
    if mpi.account.is_some() {
        sentence.push_str(" Late sender and late receiver are time that a rank was blocked.");
    }
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
    let sentence = "The places in the program whose calls were blocked, and those that sent and \
        received messages; those with most waiting come first. Without debug information a place \
        is an offset in its file: compile with -g to see functions and lines.";
    let mut section = Section::new("mpi-sites", "Places in the program", sentence);
    let blocked_at = mpi.calls.as_ref().map_or(&[][..], |calls| &calls.blocked_at);
    if blocked_at.iter().any(|at| at.site.is_some()) {
        section.blocks.push(Block::Heading("Where ranks were blocked".to_owned()));
        section.blocks.push(Block::Table(tables::blocked_at(mpi, blocked_at)));
    }
    let by = [
        (MpiBy::SendSite, "Where messages were sent"),
        (MpiBy::ReceiveSite, "Where they were received"),
    ];
    with_groups(section, mpi, by, |groups| groups.groups.iter().any(|group| group.key.0 != 0))
}
