//! What a run leaves: printed lines, the tables asked for, and what its folder keeps.

use super::plan::Plan;
use anyhow::{Context, Result};
use record::RunFolder;
use std::io::Write;
use std::path::PathBuf;
use timewarp::{ObjectId, Outcome};
use warp::{AnyModel, Line, NodeFiles, Summary, WarpError};

/// A finished run.
pub struct Results<'a> {
    /// What was run.
    pub plan: &'a Plan,
    /// The model.
    pub model: &'a AnyModel,
    /// Of all nodes.
    pub outcome: &'a Outcome,
    /// In a few figures.
    pub summary: &'a Summary,
    /// What each node left.
    pub files: &'a [NodeFiles],
}

impl Results<'_> {
    /// Show what committed events printed, in canonical order.
    pub fn print_lines(&self) -> Result<()> {
        let mut out = std::io::BufWriter::new(std::io::stdout().lock());
        let paths: Vec<PathBuf> = self.files.iter().map(NodeFiles::lines_path).collect();
        let mut closed = None;
        let merged = warp::merge(&paths, |line: Line| {
            writeln!(out, "{}", line.text).map_err(|error| {
                closed = Some(error);
                WarpError::Model { reason: "nobody reads the output".into() }
            })
        });
        if let Some(error) = closed {
            return Err(error.into());
        }
        merged?;
        Ok(out.flush()?)
    }

    /// Write `--counts` and `--trace`.
    pub fn write_tables(&self) -> Result<()> {
        if let Some(path) = &self.plan.common.counts {
            self.model.write_counts(self.outcome, path)?;
        }
        if let Some(path) = &self.plan.common.trace {
            let paths: Vec<PathBuf> = self.files.iter().map(NodeFiles::trace_path).collect();
            self.model.write_trace(&paths, path)?;
        }
        Ok(())
    }

    /// Put statistics and the result into the run folder.
    pub fn keep(&self, folder: &mut RunFolder, node_of: impl Fn(ObjectId) -> u16) -> Result<()> {
        let warp = folder.path().join("warp");
        std::fs::create_dir_all(&warp).with_context(|| format!("cannot make {}", warp.display()))?;
        self.model.write_xl_stats(self.outcome, node_of, &warp.join("xl_stats.csv"))?;
        warp::write_nodes(self.outcome, &warp.join("nodes.csv"))?;
        let result = serde_json::to_value(self.summary)?;
        folder.info_mut().parameters.insert("result".into(), result);
        Ok(())
    }
}
