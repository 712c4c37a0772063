//! Whether nodes had to wait for cores while a benchmark was recorded: what it shows then is of a
//! machine that others use as well.

use record::{Cause, CauseSpan, RecordError, Run};

/// A machine whose nodes lacked a core for more than this part of the time is not a quiet one.
pub const QUIET: f64 = 0.05;

/// The part of its nodes' time in which one was ready to run and had no core; `None` where nobody
/// watched.
pub fn without_core(run: &Run) -> Result<Option<f64>, RecordError> {
    let nodes = run.causes()?;
    let spans = || nodes.iter().flat_map(|node| &node.spans);
    let sum = |cause: Cause, of: fn(&CauseSpan) -> i64| {
        spans().filter(|span| span.cause == cause).map(of).sum::<i64>() as f64
    };
    let watched = sum(Cause::Watched, |span| span.to_ns - span.from_ns);
    let waited = sum(Cause::RunQueue, |span| span.amount);
    Ok((watched > 0.0).then(|| waited / watched))
}
