//! What is known of a rank beside its calls: the last entry of this kind counts.

use crate::library::Library;
use crate::rank::{COUNTED, Rank};
use calls::entry::encode_facts;
use calls::list::{COUNT, NAMES};
use mpi_facts::RankFacts;
use std::sync::atomic::Ordering;

/// What is known from the beginning.
pub fn known(library: &Library, rank: &Rank) -> RankFacts {
    RankFacts {
        library: Some(short(&library.version_text())),
        size: rank.communicators.ranks(),
        functions: COUNT,
        ..RankFacts::default()
    }
}

/// Write them down, with what was counted so far.
pub fn write(rank: &mut Rank) {
    let counts =
        NAMES.iter().zip(&COUNTED).map(|(name, count)| (name, count.load(Ordering::Relaxed)));
    let called = counts.filter(|(_, count)| *count > 0);
    rank.facts.passed_through = called.map(|(name, n)| (format!("MPI_{name}"), n)).collect();
    let written = rank.log.entry(&encode_facts(&rank.facts));
    rank.check(written);
}

/// `Open MPI 4.1.4` from what the library says of itself.
fn short(version: &str) -> String {
    let first = version.lines().next().unwrap_or_default();
    let first = first.split(',').next().unwrap_or_default();
    first
        .replace("Open MPI v", "Open MPI ")
        .replace(" Version:", "")
        .split_whitespace()
        .collect::<Vec<_>>()
        .join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn libraries_have_short_names() {
        assert_eq!(
            short("Open MPI v4.1.4, package: Debian OpenMPI, ident: 4.1.4"),
            "Open MPI 4.1.4"
        );
        assert_eq!(short("MPICH Version:\t4.0.2\nMPICH Release date:\tThu"), "MPICH 4.0.2");
    }
}
