//! What each transfer followed from.

use super::{Recorded, Transfer};
use std::collections::BTreeMap;

/// Something that happens, and makes the pager ask for transfers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Cause {
    /// The begin of the run.
    Begin,
    /// The begin of the wait with this place.
    Wait(usize),
    /// The end of the transfer with this place.
    Done(usize),
}

/// Of each cause: the transfers that follow it, and how long after it.
pub(super) type Causes = BTreeMap<Cause, Vec<(f64, usize)>>;

/// A transfer follows from the last thing that happened before it was asked for.
pub(super) fn causes(run: &Recorded) -> Causes {
    // One that took no time is nobody's cause, so that nothing follows from itself.
    let took_time = |transfer: &Transfer| transfer.done_s > transfer.asked_s;
    let ended = run.transfers.iter().enumerate().filter(|(_, transfer)| took_time(transfer));
    let mut happened = vec![(0.0, Cause::Begin)];
    happened.extend(run.waits.iter().enumerate().map(|(at, wait)| (wait.from_s, Cause::Wait(at))));
    happened.extend(ended.map(|(at, transfer)| (transfer.done_s, Cause::Done(at))));
    happened.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
    let mut causes = Causes::new();
    for (at, transfer) in run.transfers.iter().enumerate() {
        let before = happened.partition_point(|(when_s, _)| *when_s <= transfer.asked_s).max(1);
        let (when_s, cause) = happened[before - 1];
        causes.entry(cause).or_default().push((transfer.asked_s - when_s, at));
    }
    causes
}

/// All at the times at which they were asked for.
pub(super) fn none(run: &Recorded) -> Causes {
    let all =
        run.transfers.iter().enumerate().map(|(at, transfer)| (transfer.asked_s, at)).collect();
    Causes::from([(Cause::Begin, all)])
}
