//! Closing runs whose producers keep logs of their own: logs become messages. Those of MPI ranks in
//! one piece or in shares.

use crate::closing_note::ClosingNote;
use crate::job::LaunchedJob;
use crate::progress::Bar;
use anyhow::{Result, bail};
use calls::CloseError;
use record::Closing;
use std::path::Path;
use std::time::{Duration, Instant};

/// Closing is worth a progress bar from here on.
const WORTH_A_BAR: Duration = Duration::from_secs(2);
/// More shares than this only read the logs more often.
const SHARES_MOST: u32 = 1 << 16;

/// Close a run in `shares`, one after another.
pub fn close(closing: Closing, shares: u32) -> Result<(), CloseError> {
    with_bar(|progress| calls::close::close_in(closing, shares, progress).map(|_| ()))
}

/// Close the run at `path` in `shares`: with the other processes that a launcher has started
/// together with this one, each taking one, or else one after another. Whether this process is the
/// one that shows the run.
pub fn close_in_shares(path: &Path, shares: Option<u32>) -> Result<bool> {
    let job = LaunchedJob::here();
    let (at, of) = match (&job, shares) {
        (Some(job), Some(shares)) if shares != u32::from(job.ranks) => bail!(
            "{} has started {} processes and --shards says {shares}: leave the number out, or \
            start as many processes",
            job.launcher,
            job.ranks
        ),
        (Some(job), _) => (u32::from(job.rank), u32::from(job.ranks)),
        (None, Some(shares)) if (1..=SHARES_MOST).contains(&shares) => (0, shares),
        (None, Some(shares)) => bail!("--shards {shares}: at least 1 and at most {SHARES_MOST}"),
        (None, None) => bail!(
            "no launcher has started several processes here: say how many shards to close one \
            after another (--shards=8), or start several (srun -n 8 fourstamp report --shards RUN)"
        ),
    };
    if at > 0 {
        with_bar(|progress| calls::close::help(path, at, of, progress))?;
        return Ok(false);
    }
    if calls::close::has_logs(path)
        && let Some(closing) = Closing::of_cut(path)?
    {
        match job {
            Some(_) => with_bar(|progress| {
                calls::close::close_together(closing, of, progress).map(|_| ())
            })?,
            None => close(closing, of)?,
        }
    }
    Ok(true)
}

/// Close a run of programs that were traced at their sockets.
pub fn close_sockets(closing: Closing) -> Result<(), streams::CloseError> {
    let mut note = ClosingNote::begin(closing.path());
    with_bar(|progress| {
        let mut both = |done, of| {
            note.at(done, of);
            progress(done, of);
        };
        streams::close::close(closing, &mut both).map(|_| ())
    })
}

/// Do it, with a bar if it takes long.
fn with_bar<E>(work: impl FnOnce(&mut dyn FnMut(u64, u64)) -> Result<(), E>) -> Result<(), E> {
    memory::keep_freed();
    let begun = Instant::now();
    let mut bar = None;
    let result = work(&mut |done, of| {
        if begun.elapsed() > WORTH_A_BAR {
            bar.get_or_insert_with(|| Bar::new("matching".into(), None)).at(done, of);
        }
    });
    if let Some(bar) = bar {
        bar.finish();
    }
    result
}
