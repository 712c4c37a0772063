//! From which size on messages wait for their receives.
//!
//! Of Open MPI the limit between hosts is known: a recording on one host shows the lower one of
//! shared memory. MPICH's depends on how it was built and on what it runs over, so the recording
//! tells.

use mpi_facts::MpiFacts;
use predict::Library;

/// The largest message that goes at once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EagerLimit {
    pub bytes: u64,
    /// How that is known, for the end of a sentence.
    pub basis: &'static str,
}

/// The limit, if it is known and the longest message is above it.
pub(super) fn limit(library: Library, facts: &MpiFacts, longest: u64) -> Option<EagerLimit> {
    let known = library.eager_bytes().map(|bytes| (bytes, "as Open MPI has it over TCP"));
    let shown = || {
        let bytes = facts.waits_from_bytes?.checked_sub(1)?;
        Some((bytes, "as the recording shows"))
    };
    let (bytes, basis) = known.or_else(shown)?;
    (bytes < longest).then_some(EagerLimit { bytes, basis })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_recording_tells_where_the_library_has_no_limit_of_its_own() {
        let facts = MpiFacts { waits_from_bytes: Some(12_288), ..MpiFacts::default() };
        let bytes = |library, facts: &MpiFacts, longest| {
            limit(library, facts, longest).map(|limit| limit.bytes)
        };
        assert_eq!(bytes(Library::Mpich, &facts, 12_288), Some(12_287));
        assert_eq!(bytes(Library::Mpich, &facts, 12_287), None);
        assert_eq!(bytes(Library::Mpich, &MpiFacts::default(), 1 << 20), None);
        assert_eq!(bytes(Library::OpenMpi, &facts, 1 << 20), Some(65_536));
    }
}
