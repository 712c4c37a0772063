//! What nodes leave for the end of the run, beside their rows: their outcomes, committed events and
//! printed lines. Made in the run folder, read and removed when all nodes have ended.

use crate::WarpError;
use crate::critical::Link;
use crate::samples::Samples;
use crate::sorted::{Line, SortedFile};
use std::fs;
use std::io::BufReader;
use std::path::{Path, PathBuf};
use std::time::Duration;
use timewarp::{Committed, Outcome};

/// Where they are in the run folder.
const FOLDER: &str = "warp";

/// One node's files.
#[derive(Clone, Debug)]
pub struct NodeFiles {
    folder: PathBuf,
    node: u16,
}

impl NodeFiles {
    /// Of this node, within the run folder.
    pub fn new(run: &Path, node: u16) -> NodeFiles {
        NodeFiles { folder: run.join(FOLDER), node }
    }

    /// All that a node leaves, named from the run folder. Each file only grows while the run goes
    /// on.
    pub fn names(node: u16) -> Vec<String> {
        let names = ["outcome", "trace", "lines", "links"].map(|what| hidden(what, node));
        let names = names.into_iter().chain([samples_of(node)]);
        names.map(|name| format!("{FOLDER}/{name}")).collect()
    }

    /// Make the folder for them.
    ///
    /// # Errors
    /// When that cannot be done.
    pub fn prepare(&self) -> Result<(), WarpError> {
        fs::create_dir_all(&self.folder).map_err(WarpError::file("make", &self.folder))
    }

    /// Where committed events go.
    pub fn trace(&self) -> SortedFile<Committed> {
        SortedFile::new(self.trace_path())
    }

    /// Where printed lines go.
    pub fn lines(&self) -> SortedFile<Line> {
        SortedFile::new(self.lines_path())
    }

    /// Where what committed events followed from goes.
    pub fn links(&self) -> SortedFile<Link> {
        SortedFile::new(self.links_path())
    }

    /// Where the node's course goes. It stays in the run folder.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn samples(&self, every: Duration) -> Result<Samples, WarpError> {
        Samples::create(self.samples_path(), every)
    }

    /// Leave an outcome: it has a line for every object, and may be too large for a control
    /// message.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn leave(&self, outcome: &Outcome) -> Result<(), WarpError> {
        let path = self.outcome_path();
        let json = serde_json::to_vec(outcome).map_err(std::io::Error::from);
        json.and_then(|json| fs::write(&path, json)).map_err(WarpError::file("write", &path))
    }

    /// What the node has left.
    ///
    /// # Errors
    /// When it has not, or it cannot be read.
    pub fn outcome(&self) -> Result<Outcome, WarpError> {
        let path = self.outcome_path();
        let read = record::open_input(&path)
            .and_then(|file| Ok(serde_json::from_reader(BufReader::new(file))?));
        read.map_err(WarpError::file("read", &path))
    }

    /// What nodes 0 to `nodes` - 1 have left, put together.
    ///
    /// # Errors
    /// When one of them has not, or it cannot be read.
    pub fn outcome_of_all(run: &Path, nodes: u16) -> Result<Outcome, WarpError> {
        let mut outcome = NodeFiles::new(run, 0).outcome()?;
        for node in 1..nodes {
            outcome.merge(NodeFiles::new(run, node).outcome()?);
        }
        Ok(outcome)
    }

    /// Where committed events are.
    pub fn trace_path(&self) -> PathBuf {
        self.path("trace")
    }

    /// Where printed lines are.
    pub fn lines_path(&self) -> PathBuf {
        self.path("lines")
    }

    /// Where what committed events followed from is.
    pub fn links_path(&self) -> PathBuf {
        self.path("links")
    }

    /// Where the node's course is.
    pub fn samples_path(&self) -> PathBuf {
        self.folder.join(samples_of(self.node))
    }

    /// Remove all that is not to stay; what is not there need not be removed.
    pub fn remove(&self) {
        for path in [self.outcome_path(), self.trace_path(), self.lines_path(), self.links_path()] {
            let _ = fs::remove_file(path);
        }
    }

    fn outcome_path(&self) -> PathBuf {
        self.path("outcome")
    }

    fn path(&self, what: &str) -> PathBuf {
        self.folder.join(hidden(what, self.node))
    }
}

/// What is not to stay is hidden.
fn hidden(what: &str, node: u16) -> String {
    format!(".{what}-{node}")
}

fn samples_of(node: u16) -> String {
    format!("samples-{node}.csv")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_file_of_a_node_has_a_name_of_its_own() {
        let files = NodeFiles::new(Path::new("run"), 3);
        let paths = [
            files.outcome_path(),
            files.trace_path(),
            files.lines_path(),
            files.links_path(),
            files.samples_path(),
        ];
        let named: Vec<PathBuf> =
            NodeFiles::names(3).iter().map(|name| Path::new("run").join(name)).collect();
        assert_eq!(named, paths);
    }
}
