//! From a file to the lines of it and of all files that it includes, in their order.

use super::lexer::{self, Word};
use super::{ConfigError, Place};
use std::io::{Error, ErrorKind, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Files that include one another, at most.
const DEPTH_MAX: usize = 16;
/// Files in all.
const FILES_MAX: usize = 1000;
/// Bytes of them all.
const BYTES_MAX: usize = 64 << 20;

/// A file's text.
pub(super) fn from_disk(path: &Path) -> std::io::Result<String> {
    let mut text = String::new();
    // A pipe would keep us waiting for ever.
    record::open_input(path)?.take(BYTES_MAX as u64 + 1).read_to_string(&mut text)?;
    Ok(text)
}

/// The lines of a file; where it includes another, that one's lines.
pub(super) fn all_lines(
    path: &Path,
    open: &mut dyn FnMut(&Path) -> std::io::Result<String>,
) -> Result<Vec<Vec<Word>>, ConfigError> {
    let mut source = Source { open, under_way: Vec::new(), files: 0, bytes: 0, lines: Vec::new() };
    let begin = Place { file: path.into(), line: 1, column: 1 };
    source.take(path, &begin)?;
    Ok(source.lines)
}

struct Source<'a> {
    open: &'a mut dyn FnMut(&Path) -> std::io::Result<String>,
    /// The file that is read, and those that include it.
    under_way: Vec<PathBuf>,
    files: usize,
    bytes: usize,
    lines: Vec<Vec<Word>>,
}

impl Source<'_> {
    /// Take a file that is named at `place`.
    fn take(&mut self, path: &Path, place: &Place) -> Result<(), ConfigError> {
        let identity = path.canonicalize().unwrap_or_else(|_| path.to_path_buf());
        self.may_take(&identity, path, place)?;
        let text = (self.open)(path).map_err(|error| place.error(unreadable(path, &error)))?;
        self.bytes += text.len();
        if self.bytes > BYTES_MAX {
            return Err(place.error(format!(
                "with {}, the commands exceed 64 MiB; include less",
                path.display()
            )));
        }
        self.under_way.push(identity);
        let file: Arc<Path> = path.into();
        for line in lexer::lines(&file, &text)? {
            match included(&line)? {
                Some(name) => {
                    let beside = path.parent().unwrap_or(Path::new("")).join(name);
                    self.take(&beside, &line[0].place)?;
                }
                None => self.lines.push(line),
            }
        }
        self.under_way.pop();
        Ok(())
    }

    fn may_take(&mut self, identity: &Path, path: &Path, place: &Place) -> Result<(), ConfigError> {
        self.files += 1;
        let name = path.display();
        if self.under_way.iter().any(|other| other == identity) {
            return Err(place.error(format!(
                "{name} includes itself, directly or through others: remove one @"
            )));
        }
        if self.under_way.len() >= DEPTH_MAX {
            return Err(place.error(format!(
                "{name} would be included {DEPTH_MAX} files deep: merge some files"
            )));
        }
        if self.files > FILES_MAX {
            return Err(place.error(format!("more than {FILES_MAX} files are included")));
        }
        Ok(())
    }
}

/// What a line includes, if it does.
fn included(line: &[Word]) -> Result<Option<&str>, ConfigError> {
    let Some(name) = line[0].text.strip_prefix('@').filter(|_| !line[0].quoted) else {
        return Ok(None);
    };
    let (name, rest) = match (name, &line[1..]) {
        ("", [second, rest @ ..]) => (second.text.as_str(), rest),
        ("", []) => return Err(line[0].place.error("expected a file name after @")),
        (name, rest) => (name, rest),
    };
    match rest.first() {
        Some(word) => Err(word.place.error(format!("expected nothing more after @{name}"))),
        None => Ok(Some(name)),
    }
}

fn unreadable(path: &Path, error: &Error) -> String {
    let why = match error.kind() {
        ErrorKind::InvalidData => "it is not text".to_string(),
        _ => error.to_string(),
    };
    format!("cannot read {}: {why}", path.display())
}
