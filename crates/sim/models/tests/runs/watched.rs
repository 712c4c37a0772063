//! Running models under the sequential engine so that tests see everything.

use std::fs;
use std::path::{Path, PathBuf};
use timewarp::{Kept, Limits, Model, ObjectId, Outcome, sequential};

/// A run, its committed trace in canonical order, and its lines.
pub struct Run {
    pub outcome: Outcome,
    pub kept: Kept,
}

pub fn run<M: Model>(model: &M, cutoff: Option<f64>) -> Run {
    let mut limits = Limits::default();
    if let Some(cutoff) = cutoff {
        limits.cutoff = cutoff;
    }
    let mut kept = Kept::default();
    let outcome = sequential::run(model, &limits, &mut kept).unwrap();
    kept.sort();
    Run { outcome, kept }
}

impl Run {
    /// Lines of the trace in the golden files' columns, without the heading.
    pub fn trace<M: Model>(&self, model: &M) -> impl Iterator<Item = String> {
        self.kept.trace.iter().map(|event| {
            let (time, name) = (event.time, model.name(event.object));
            let (seq1, seq2) = (time.seq1(), time.seq2());
            format!("{},{seq1},{seq2},{name},{},{}", time.simtime(), event.messages, event.sent)
        })
    }

    /// Lines of the counts per object in the golden files' columns, without the heading, the total
    /// last.
    pub fn counts<M: Model>(&self, model: &M) -> Vec<String> {
        let columns = |c: &timewarp::Counters| {
            format!("{},{},{},{}", c.events, c.messages, c.committed_sends, c.committed_drops)
        };
        let line = |(object, counters): &(u32, timewarp::Counters)| {
            let object = ObjectId(*object);
            format!("{},{},{}", model.name(object), model.kind(object), columns(counters))
        };
        let mut lines: Vec<_> = self.outcome.objects.iter().map(line).collect();
        lines.push(format!("TOTAL,all,{}", columns(&self.outcome.total())));
        lines
    }

    pub fn largest_bundle(&self) -> u32 {
        self.kept.trace.iter().map(|event| event.messages).max().unwrap()
    }
}

/// A file of the golden set or of the benchmarks' data; says why and returns `None` where it is not
/// at hand.
pub fn shared(path: &str) -> Option<String> {
    let folder: PathBuf = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../../shared/twos");
    let file = folder.join(path);
    match fs::read_to_string(&file) {
        Ok(text) => Some(text),
        Err(error) => {
            println!("skipped: {}: {error}", file.display());
            None
        }
    }
}
