//! Whether two engines came to the same result, and where they differ first.

use crate::{Objects, WarpError};
use timewarp::{Counters, ObjectId, Outcome};

/// Compare an outcome with the sequential one: every object's committed counts, then the digests of
/// all committed events and of all final states.
///
/// # Errors
/// [`WarpError::Differs`] names what differs first.
pub fn compare(
    objects: &dyn Objects,
    ours: &Outcome,
    sequential: &Outcome,
) -> Result<(), WarpError> {
    let differs = |what: String| Err(WarpError::Differs { what });
    if ours.objects.len() != sequential.objects.len() {
        return differs(format!(
            "{} objects against {}",
            ours.objects.len(),
            sequential.objects.len()
        ));
    }
    for ((object, a), (_, b)) in ours.objects.iter().zip(&sequential.objects) {
        if let Some(what) = first_difference(a, b) {
            return differs(format!("object {} has {what}", objects.name_of(ObjectId(*object))));
        }
    }
    if ours.final_time != sequential.final_time {
        return differs(format!(
            "the last event is at {} against {}",
            ours.final_time, sequential.final_time
        ));
    }
    if ours.trace_digest != sequential.trace_digest {
        return differs(format!(
            "the counts match, but the digest of committed events is {:016x} against {:016x}: a \
            bundle or a time differs; compare --trace files",
            ours.trace_digest, sequential.trace_digest
        ));
    }
    if ours.state_digest != sequential.state_digest {
        return differs(format!(
            "committed events match, but the digest of final states is {:016x} against {:016x}: a \
            handler depends on more than its state and its messages, or its undo is wrong",
            ours.state_digest, sequential.state_digest
        ));
    }
    Ok(())
}

fn first_difference(a: &Counters, b: &Counters) -> Option<String> {
    let counts = [
        ("committed events", a.events, b.events),
        ("committed messages", a.messages, b.messages),
        ("sends", a.committed_sends, b.committed_sends),
        ("sends beyond the cutoff", a.committed_drops, b.committed_drops),
    ];
    counts.iter().find(|(_, a, b)| a != b).map(|(what, a, b)| format!("{a} {what} against {b}"))
}
