//! Whether a recording holds all that its program did: what is missing would be played as if the
//! program had left it out.

use super::ProgramError;
use mpi_facts::MpiFacts;

/// Refuse a recording with holes in it.
pub(super) fn check(facts: &MpiFacts) -> Result<(), ProgramError> {
    if let Some(rank) = facts.missing_ranks.first() {
        return Err(ProgramError::NoLog { rank: *rank });
    }
    if let Some(log) = facts.damaged.first() {
        return Err(ProgramError::DamagedLog { rank: log.rank });
    }
    let matching = &facts.matching;
    if matching.matched_too_little() {
        let all = matching.matched + matching.unmatched_sends + matching.unmatched_receives;
        return Err(ProgramError::Unmatched { matched: matching.matched, all });
    }
    if matching.violates_too_often() {
        let early = matching.causality_violations;
        return Err(ProgramError::BeforeSent { early, matched: matching.matched });
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use mpi_facts::{Damaged, Matching};

    fn refused(facts: MpiFacts) -> String {
        check(&facts).unwrap_err().to_string()
    }

    #[test]
    fn a_recording_with_holes_is_refused() {
        assert!(check(&MpiFacts::default()).is_ok());
        let missing = MpiFacts { missing_ranks: vec![3, 5], ..MpiFacts::default() };
        assert!(refused(missing).contains("rank 3 left no log"));
        let damaged = Damaged { rank: 2, places: 1, ..Damaged::default() };
        let damaged = MpiFacts { damaged: vec![damaged], ..MpiFacts::default() };
        assert!(refused(damaged).contains("log of rank 2 is damaged"));
        let half = |matched, unmatched_sends, early| MpiFacts {
            matching: Matching {
                matched,
                unmatched_sends,
                match_rate: Some(matched as f64 / (matched + unmatched_sends) as f64),
                causality_violations: early,
                ..Matching::default()
            },
            ..MpiFacts::default()
        };
        assert!(refused(half(0, 7, 0)).contains("0 of its 7 messages"));
        assert!(refused(half(100, 0, 2)).contains("2 of its 100 messages"));
        assert!(check(&half(100, 1, 1)).is_ok());
    }
}
