//! The communicators of a traced program.

use crate::LensError;
use record::Run;
use std::collections::BTreeMap;
use std::path::Path;

/// The members of each communicator by their ranks in the world, in the communicator's order; those
/// between two groups are left out.
///
/// # Errors
/// When their table is damaged.
pub fn communicators(run: &Run) -> Result<BTreeMap<i64, Vec<u32>>, LensError> {
    let path = run.path().join("mpi/communicators.csv");
    if !path.exists() {
        return Ok(BTreeMap::new());
    }
    read(&path).map_err(|source| LensError::Communicators { path, source })
}

fn read(path: &Path) -> Result<BTreeMap<i64, Vec<u32>>, csv::Error> {
    let text = record::read_input(path)?;
    let mut table = csv::Reader::from_reader(&text[..]);
    let mut all = BTreeMap::new();
    for row in table.deserialize() {
        let (number, _, _, members): (i64, u32, u32, String) = row?;
        if let Some(members) = members_of(&members) {
            all.insert(number, members);
        }
    }
    Ok(all)
}

/// `0-3 7` as numbers; nothing of what is between two groups, or of no world that there can be.
fn members_of(text: &str) -> Option<Vec<u32>> {
    /// More ranks than any machine has.
    const RANKS: usize = 1 << 24;
    let mut members = Vec::new();
    for run in text.split(' ').filter(|run| !run.is_empty()) {
        let (from, to) = run.split_once('-').unwrap_or((run, run));
        let run = from.parse::<u32>().ok()?..=to.parse().ok()?;
        if run.size_hint().0 > RANKS - members.len() {
            return None;
        }
        members.extend(run);
    }
    Some(members)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_of_ranks_are_told_in_full() {
        assert_eq!(members_of("0-3 7"), Some(vec![0, 1, 2, 3, 7]));
        assert_eq!(members_of("3 0"), Some(vec![3, 0]));
        assert_eq!(members_of("0-1 | 2-3"), None);
        assert_eq!(members_of("0-4000000000"), None);
    }
}
