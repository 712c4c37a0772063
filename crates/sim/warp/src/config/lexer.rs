//! Characters to lines of words: blanks between them, quotes around strings, comments as in C.

use super::{ConfigError, Place};
use std::path::Path;
use std::sync::Arc;

/// A word, and where it begins.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Word {
    pub text: String,
    pub quoted: bool,
    pub place: Place,
}

/// The words of each line that has any.
///
/// # Errors
/// A string or a comment without an end, a character that no text has.
pub(super) fn lines(file: &Arc<Path>, text: &str) -> Result<Vec<Vec<Word>>, ConfigError> {
    let mut lexer = Lexer { file, rest: text, line: 1, column: 1 };
    let (mut lines, mut line) = (Vec::new(), Vec::new());
    loop {
        match lexer.next()? {
            Some(Lexeme::Word(word)) => line.push(word),
            Some(Lexeme::LineEnd) if line.is_empty() => {}
            Some(Lexeme::LineEnd) => lines.push(std::mem::take(&mut line)),
            None => break,
        }
    }
    lines.extend((!line.is_empty()).then_some(line));
    Ok(lines)
}

enum Lexeme {
    Word(Word),
    LineEnd,
}

struct Lexer<'a> {
    file: &'a Arc<Path>,
    rest: &'a str,
    line: u32,
    column: u32,
}

impl Lexer<'_> {
    fn next(&mut self) -> Result<Option<Lexeme>, ConfigError> {
        loop {
            let Some(first) = self.rest.chars().next() else { return Ok(None) };
            match first {
                '\n' => {
                    self.step();
                    return Ok(Some(Lexeme::LineEnd));
                }
                ' ' | '\t' | '\r' | '\u{c}' => self.step(),
                '/' if self.rest.starts_with("/*") => self.comment()?,
                '"' => return self.string().map(|word| Some(Lexeme::Word(word))),
                odd if odd.is_control() => {
                    let reason = format!("unexpected character {:?}: write plain text", odd);
                    return Err(self.place().error(reason));
                }
                _ => return Ok(Some(Lexeme::Word(self.bare()))),
            }
        }
    }

    fn comment(&mut self) -> Result<(), ConfigError> {
        let begin = self.place();
        self.step();
        self.step();
        while !self.rest.starts_with("*/") {
            if self.rest.is_empty() {
                return Err(begin.error("this comment has no end: expected */"));
            }
            self.step();
        }
        self.step();
        self.step();
        Ok(())
    }

    fn string(&mut self) -> Result<Word, ConfigError> {
        let begin = self.place();
        self.step();
        let inside = self.rest;
        while !self.rest.starts_with('"') {
            if self.rest.is_empty() || self.rest.starts_with('\n') {
                return Err(begin.error("this string has no end: expected \" on the same line"));
            }
            self.step();
        }
        let text = inside[..inside.len() - self.rest.len()].to_string();
        self.step();
        Ok(Word { text, quoted: true, place: begin })
    }

    fn bare(&mut self) -> Word {
        let (place, from) = (self.place(), self.rest);
        let ends = |rest: &str| {
            rest.starts_with(|c: char| c.is_whitespace() || c.is_control() || c == '"')
                || rest.starts_with("/*")
        };
        // Of one character at least: what cannot begin a word has been taken already.
        self.step();
        while !self.rest.is_empty() && !ends(self.rest) {
            self.step();
        }
        Word { text: from[..from.len() - self.rest.len()].to_string(), quoted: false, place }
    }

    /// Over one character.
    fn step(&mut self) {
        let mut characters = self.rest.chars();
        match characters.next() {
            Some('\n') => (self.line, self.column) = (self.line.saturating_add(1), 1),
            Some(_) => self.column = self.column.saturating_add(1),
            None => {}
        }
        self.rest = characters.as_str();
    }

    fn place(&self) -> Place {
        Place { file: Arc::clone(self.file), line: self.line, column: self.column }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str) -> Result<Vec<Vec<String>>, String> {
        let lines = lines(&Path::new("x.cfg").into(), text).map_err(|error| error.to_string())?;
        Ok(lines.into_iter().map(|line| line.into_iter().map(|word| word.text).collect()).collect())
    }

    #[test]
    fn words_strings_and_comments() {
        let text = "tell a 0 0 \"go /* on\"/* a\ncomment */ b\r\n\n\t@\"my file\"";
        let expected = vec![vec!["tell", "a", "0", "0", "go /* on", "b"], vec!["@", "my file"]];
        assert_eq!(words(text).unwrap(), expected);
        assert_eq!(words("/**/ /* * / **/").unwrap().len(), 0);
    }

    #[test]
    fn what_has_no_end_is_named_where_it_begins() {
        assert!(
            words("a\n b /* c\n").unwrap_err().starts_with("x.cfg, line 2, column 4: this comment")
        );
        assert!(
            words("é \"b\nc\"").unwrap_err().starts_with("x.cfg, line 1, column 3: this string")
        );
        assert!(words("a \0").unwrap_err().contains("column 3: unexpected character '\\0'"));
    }

    #[test]
    fn words_know_their_places() {
        let all = lines(&Path::new("x").into(), "a /* \n */ bc \"d\" e").unwrap();
        let places: Vec<_> =
            all[0].iter().map(|word| (word.place.line, word.place.column)).collect();
        assert_eq!(places, [(1, 1), (2, 5), (2, 8), (2, 12)]);
    }
}
