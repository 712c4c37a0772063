//! What the processes of a launch are told, and what is told of their end, however they are
//! started.

use crate::options::LaunchOptions;
use fabric::RunKey;
use std::path::PathBuf;

/// How a process ended.
pub(crate) struct Obituary {
    pub slot: u16,
    pub how: String,
    pub last_line: Option<String>,
}

/// What every process of a launch is told.
pub(crate) struct Briefing<'a> {
    pub join: String,
    pub key: &'a RunKey,
    pub options: &'a LaunchOptions,
    /// Folder for what processes print; made if needed.
    pub logs: PathBuf,
}

/// The last line with something on it, without what a terminal would obey.
pub(crate) fn last_line_of(text: &str) -> Option<String> {
    let line = text.lines().map(str::trim).rfind(|line| !line.is_empty())?;
    Some(line.chars().filter(|character| !character.is_control()).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_line_is_the_last_with_text_and_cannot_paint_the_terminal() {
        assert_eq!(last_line_of("one\n\x1b[31mtwo\x07\n\n  \n").as_deref(), Some("[31mtwo"));
        assert_eq!(last_line_of(" \n"), None);
    }
}
