//! The second pass over a run: which messages are slow, and what happened beside them.

use crate::analyse::{open, shares};
use anyhow::{Context, Result, anyhow};
use record::{Batch, Chunk};
use stats::Position;
use stats::analysis::{Analysis, Explanation};
use stats::explain::{FIELDS, Gatherer, Question, questions};
use std::path::Path;

/// Explain the run at `path`, whose first pass found `analysis`.
pub fn explain(path: &Path, analysis: &Analysis) -> Result<Explanation> {
    let questions = questions(analysis);
    let run = open(path)?;
    let cannot = || format!("cannot read {}", path.display());
    let causes = run.causes().with_context(cannot)?;
    let nodes = run.info.nodes().map(|(_, node)| node.node + 1).max().unwrap_or(0);
    let gathered = gather_all(&run.chunks(), &questions).with_context(cannot)?;
    Ok(gathered.explain(&causes, nodes))
}

fn gather_all(chunks: &[Chunk], questions: &[Question]) -> Result<Gatherer> {
    let threads = std::thread::available_parallelism().map_or(1, usize::from).min(chunks.len()).max(1);
    let parts: Vec<Result<Gatherer>> = std::thread::scope(|scope| {
        let gather = |chunks| scope.spawn(move || gather_some(chunks, questions));
        let handles: Vec<_> = shares(chunks, Chunk::rows, threads).into_iter().map(gather).collect();
        let join = |handle: std::thread::ScopedJoinHandle<'_, Result<Gatherer>>| {
            handle.join().unwrap_or_else(|_| Err(anyhow!("a reading thread panicked")))
        };
        handles.into_iter().map(join).collect()
    });
    let mut all = Gatherer::new(questions.to_vec());
    for part in parts {
        all.merge(part?);
    }
    Ok(all)
}

fn gather_some(chunks: &[Chunk], questions: &[Question]) -> Result<Gatherer> {
    let mut gatherer = Gatherer::new(questions.to_vec());
    let mut batch = Batch::new();
    for chunk in chunks {
        chunk.read(&FIELDS, &mut batch)?;
        let at = Position { launch: chunk.launch(), node: chunk.node(), first_row: chunk.first_row() };
        gatherer.add(&batch, at);
    }
    Ok(gatherer)
}
