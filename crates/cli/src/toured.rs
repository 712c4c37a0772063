//! What a tour leaves beside its runs, so that `fourstamp report` makes the same page again.

use crate::analyse::Analysed;
use anyhow::{Context, Result, ensure};
use document::Document;
use report::{Entry, Floor, Page};
use serde::{Deserialize, Serialize};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// Its file in the folder of the runs.
const FILE: &str = "tour.json";

/// A tour.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Toured {
    /// The folders of its runs, as they were made.
    pub runs: Vec<String>,
    /// What the machine can do at best.
    pub floors: Vec<Floor>,
    /// What the machine lacks.
    pub remarks: Vec<String>,
}

impl Toured {
    /// The tour in this folder; `None` if it is no tour's.
    pub fn of(folder: &Path) -> Result<Option<Toured>> {
        let path = folder.join(FILE);
        if folder.join("run.json").exists() || !path.exists() {
            return Ok(None);
        }
        let damaged = || format!("{} is damaged; name the runs themselves", path.display());
        let text = record::read_text(&path).with_context(damaged)?;
        let toured: Toured = serde_json::from_str(&text).with_context(damaged)?;
        // Whoever made the file, only what lies in the folder is read.
        let is_name = |run: &String| Path::new(run).file_name().is_some_and(|name| name == &**run);
        ensure!(toured.runs.iter().all(is_name) && !toured.runs.is_empty(), damaged());
        Ok(Some(toured))
    }

    /// Leave it in the folder.
    pub fn save(&self, folder: &Path) -> Result<()> {
        let path = folder.join(FILE);
        let write = |out: &mut dyn Write| -> io::Result<()> {
            serde_json::to_writer_pretty(&mut *out, self)?;
            out.write_all(b"\n")
        };
        record::write_whole(&path, write)
            .with_context(|| format!("cannot write {}", path.display()))
    }

    /// The folders of its runs.
    pub fn runs(&self, folder: &Path) -> Vec<PathBuf> {
        self.runs.iter().map(|run| folder.join(run)).collect()
    }

    /// Its page.
    pub fn document(&self, analysed: &[Analysed]) -> Document {
        let runs: Vec<Entry<'_>> = analysed.iter().map(Analysed::entry).collect();
        let title = "Where message time goes on this machine · Fourstamp";
        Page { title, runs: &runs, floors: &self.floors, remarks: &self.remarks }.document()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tour_is_found_again_and_names_no_other_folder() {
        let folder = tempfile::tempdir().unwrap();
        assert_eq!(Toured::of(folder.path()).unwrap(), None);
        let floor = Floor { name: "a".into(), p50_ns: 1, p99_ns: 2, note: "b".into() };
        let mut toured =
            Toured { runs: vec!["one".into()], floors: vec![floor], remarks: vec!["c".into()] };
        toured.save(folder.path()).unwrap();
        assert_eq!(Toured::of(folder.path()).unwrap().as_ref(), Some(&toured));
        for elsewhere in ["../one", "/etc", "..", ""] {
            toured.runs = vec![elsewhere.into()];
            toured.save(folder.path()).unwrap();
            let why = Toured::of(folder.path()).unwrap_err().to_string();
            assert!(why.contains("damaged"), "{elsewhere}: {why}");
        }
    }
}
