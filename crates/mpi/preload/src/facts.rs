//! What is known of a rank beside its calls: the last entry of this kind counts.

use crate::library::Library;
use crate::rank::{COUNTED, Rank};
use calls::entry::{head, kinds};
use calls::list::NAMES;
use serde_json::{Map, Value, json};
use std::sync::atomic::Ordering;

/// What is known from the beginning.
pub fn known(library: &Library, rank: &Rank) -> Map<String, Value> {
    let version = library.version_text();
    let program =
        std::env::current_exe().map(|path| path.display().to_string()).unwrap_or_default();
    let called = std::env::args_os().next().unwrap_or_default();
    let facts = json!({
        "library": short(&version),
        "version": version,
        "size": rank.communicators.about(calls::entry::WORLD).peers,
        "thread_level": library.thread_level(),
        "program": program,
        "argv0": called.to_string_lossy(),
    });
    match facts {
        Value::Object(facts) => facts,
        _ => Map::new(),
    }
}

/// Write them down, with what was counted so far.
pub fn write(rank: &mut Rank) {
    let counts =
        NAMES.iter().zip(&COUNTED).map(|(name, count)| (name, count.load(Ordering::Relaxed)));
    let counts: Map<String, Value> = counts
        .filter(|(_, count)| *count > 0)
        .map(|(name, count)| (format!("MPI_{name}"), count.into()))
        .collect();
    rank.facts.insert("passed_through".into(), counts.into());
    let text = Value::Object(rank.facts.clone()).to_string();
    let words = text.as_bytes().chunks(8).map(|bytes| {
        let mut word = [0; 8];
        word[..bytes.len()].copy_from_slice(bytes);
        u64::from_le_bytes(word)
    });
    let mut entry = vec![0, text.len() as u64];
    entry.extend(words);
    entry[0] = head(kinds::FACTS, 0, 0, entry.len() as u16, 0);
    let written = rank.log.entry(&entry);
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
