//! The second pass over a run: which messages are slow, and what happened beside them.

use crate::analyse::open;
use crate::reading::on_all_cores;
use anyhow::{Context, Result};
use record::{Batch, Chunk};
use stats::Position;
use stats::analysis::{Analysis, Explanation};
use stats::explain::{FIELDS, Gatherer, Lateness, questions};
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};

/// Explain the run at `path`, whose first pass found `analysis`.
pub fn explain(path: &Path, analysis: &Analysis) -> Result<Explanation> {
    let run = open(path)?;
    let cannot = || format!("cannot read {}", path.display());
    let causes = run.causes().with_context(cannot)?;
    let nodes = run.info.nodes().map(|(_, node)| node.node + 1).max().unwrap_or(0);
    let gathered = gather_all(&run.chunks(), analysis, &run.info.topology).with_context(cannot)?;
    Ok(gathered.explain(&causes, nodes))
}

fn gather_all(chunks: &[Chunk], analysis: &Analysis, topology: &str) -> Result<Gatherer> {
    let (questions, lateness) = (questions(analysis), Lateness::of(analysis));
    let filter = &analysis.population.filter;
    let new = || Gatherer::new(questions.clone(), filter.clone(), lateness).within(topology);
    let parts = on_all_cores(chunks, Chunk::rows, |share, done| gather_some(share, new(), done))?;
    let mut all = new();
    parts.into_iter().for_each(|part| all.merge(part));
    Ok(all)
}

fn gather_some(chunks: &[Chunk], mut gatherer: Gatherer, done: &AtomicU64) -> Result<Gatherer> {
    let mut batch = Batch::new();
    for chunk in chunks {
        chunk.read(&FIELDS, &mut batch)?;
        let at =
            Position { launch: chunk.launch(), node: chunk.node(), first_row: chunk.first_row() };
        gatherer.add(&batch, at);
        done.fetch_add(chunk.rows() as u64, Ordering::Relaxed);
    }
    Ok(gatherer)
}
