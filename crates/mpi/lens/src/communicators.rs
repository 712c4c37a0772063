//! The communicators of a traced program.

use crate::LensError;
use record::Run;
use std::collections::BTreeMap;
use std::path::Path;

/// Members of all communicators together that are kept: a short table can name any number of ranks.
const MEMBERS: usize = 1 << 24;

/// The members of each communicator by their ranks in the world, in the communicator's order; those
/// between two groups are left out, and those beyond 16 million members of all together.
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
    let (mut all, mut room) = (BTreeMap::new(), MEMBERS);
    for row in table.deserialize() {
        let (number, _, _, members): (i64, u32, u32, String) = row?;
        if let Some(members) = members_of(&members, room) {
            room -= members.len();
            all.insert(number, members);
        }
    }
    Ok(all)
}

/// `0-3 7` as numbers; nothing of what is between two groups, or of more than `room`.
fn members_of(text: &str, room: usize) -> Option<Vec<u32>> {
    let mut members = Vec::new();
    for run in text.split(' ').filter(|run| !run.is_empty()) {
        let (from, to) = run.split_once('-').unwrap_or((run, run));
        let run = from.parse::<u32>().ok()?..=to.parse().ok()?;
        if run.size_hint().0 > room - members.len() {
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
        assert_eq!(members_of("0-3 7", 5), Some(vec![0, 1, 2, 3, 7]));
        assert_eq!(members_of("3 0", MEMBERS), Some(vec![3, 0]));
        assert_eq!(members_of("0-1 | 2-3", MEMBERS), None);
        assert_eq!(members_of("0-3 7", 4), None);
        assert_eq!(members_of("0-4000000000", MEMBERS), None);
    }

    proptest::proptest! {
        #[test]
        fn any_text_is_members_or_nothing(text in "[0-9 |x-]{0,40}", room in 0_usize..100) {
            proptest::prop_assert!(members_of(&text, room).is_none_or(|all| all.len() <= room));
        }
    }
}
