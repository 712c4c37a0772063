//! What a study leaves in its folder, and how it is shown.

use super::{ShowArgs, say, whole};
use anyhow::Result;
use document::{Document, DocumentError};
use std::path::Path;

/// What a study leaves in its folder beside its runs.
pub struct StudyFolder<'a> {
    pub folder: &'a Path,
    /// Its tables, each with its file if it has one; the first is the one that `--csv` alone means.
    pub tables: &'a [(&'static str, Option<&'static str>)],
    /// What else is there, in words.
    pub besides: String,
}

impl StudyFolder<'_> {
    /// Refuse the name of a table that the study will not have, before anything is measured.
    pub fn check(tables: &[(&'static str, Option<&'static str>)], show: &ShowArgs) -> Result<()> {
        let names = || tables.iter().map(|(id, _)| *id);
        match show.csv.as_deref() {
            None | Some("") => Ok(()),
            Some(name) if names().any(|known| known == name) => Ok(()),
            Some(name) => {
                let known = names().collect::<Vec<_>>().join(", ");
                Err(DocumentError::Unknown { name: name.to_owned(), known }.into())
            }
        }
    }

    /// Write the page and the tables, then show the study as asked.
    pub fn show(&self, study: &Document, page: &Document, show: &ShowArgs) -> Result<()> {
        let files = self.tables.iter().filter_map(|(id, file)| Some((id, (*file)?)));
        let mut written = Vec::new();
        for (id, file) in files {
            let path = self.folder.join(file);
            whole(&path, |out| Ok(document::table_csv(study, id, out)?))?;
            written.push(path.display().to_string());
        }
        let html = self.folder.join("report.html");
        super::page(page, &html)?;
        show.show(study, self.tables[0].0)?;
        if !show.is_text() {
            return Ok(());
        }
        let (page, tables) = (html.display(), written.join(" "));
        say(&format!("\npage: {page}\ntables: {tables}   {}\n", self.besides))
    }
}
