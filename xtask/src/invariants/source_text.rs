//! Rust source with everything but code blanked out.

use std::path::Path;

/// The code alone: comments, strings and characters become spaces; lines keep their numbers.
///
/// What follows `#[cfg(test)]` and a `mod` with a body is dropped too: tests come last in a file,
/// and may do what code may not.
pub fn code(source: &str) -> String {
    let blanked = blank(source);
    let end = blanked.find("#[cfg(test)]\nmod tests {").unwrap_or(blanked.len());
    blanked[..end].to_owned()
}

/// Whether a file is of tests alone: `src/x/tests.rs`, or a file in `src/x/tests/`.
pub fn is_tests(file: &Path) -> bool {
    file.iter().skip_while(|part| *part != "src").any(|part| part == "tests" || part == "tests.rs")
}

fn blank(source: &str) -> String {
    let mut out = String::with_capacity(source.len());
    let mut rest = source;
    while let Some(first) = rest.chars().next() {
        let after_word = out.ends_with(|c: char| c.is_alphanumeric() || c == '_');
        let skipped = if after_word { plain_literal(rest) } else { comment_or_literal(rest) };
        let (taken, is_code) =
            if skipped > 0 { (skipped, false) } else { (first.len_utf8(), true) };
        let keep = |c: char| if is_code || c == '\n' { c } else { ' ' };
        out.extend(rest[..taken].chars().map(keep));
        rest = &rest[taken..];
    }
    out
}

/// Length of the comment, string or character literal at the start; 0 if it starts otherwise.
fn comment_or_literal(text: &str) -> usize {
    match raw_string(text) {
        0 => plain_literal(text),
        length => length,
    }
}

fn plain_literal(text: &str) -> usize {
    match text.as_bytes() {
        [b'/', b'/', ..] => text.find('\n').unwrap_or(text.len()),
        [b'/', b'*', ..] => block_comment(text),
        [b'"', ..] => 1 + until_quote(&text[1..], b'"'),
        [b'\'', b'\\', ..] => 1 + until_quote(&text[1..], b'\''),
        [b'\'', ..] => character(text),
        _ => 0,
    }
}

/// `'x'` is a character, `'x` is a lifetime.
fn character(text: &str) -> usize {
    let mut inside = text[1..].chars();
    let width = inside.next().map_or(0, char::len_utf8);
    if inside.next() == Some('\'') { width + 2 } else { 0 }
}

/// `r"…"`, `br#"…"#` and their like.
fn raw_string(text: &str) -> usize {
    let after_letter = text
        .strip_prefix("br")
        .or_else(|| text.strip_prefix("cr"))
        .or_else(|| text.strip_prefix('r'));
    let Some(after_letter) = after_letter else { return 0 };
    let inside = after_letter.trim_start_matches('#');
    let hashes = after_letter.len() - inside.len();
    if !inside.starts_with('"') {
        return 0;
    }
    let end = format!("\"{}", "#".repeat(hashes));
    let body = inside[1..].find(&end).map_or(inside.len(), |at| 1 + at + end.len());
    text.len() - inside.len() + body
}

/// Length up to and with the closing quote; a backslash takes the next byte with it.
fn until_quote(text: &str, quote: u8) -> usize {
    let mut escaped = false;
    for (at, byte) in text.bytes().enumerate() {
        match byte {
            _ if escaped => escaped = false,
            b'\\' => escaped = true,
            _ if byte == quote => return at + 1,
            _ => {}
        }
    }
    text.len()
}

/// Block comments nest.
fn block_comment(text: &str) -> usize {
    let mut depth = 0;
    let mut at = 0;
    while at < text.len() {
        match text.as_bytes()[at..] {
            [b'/', b'*', ..] => (depth, at) = (depth + 1, at + 2),
            [b'*', b'/', ..] => (depth, at) = (depth - 1, at + 2),
            _ => at += 1,
        }
        if depth == 0 {
            break;
        }
    }
    at
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn code_stays_and_all_else_goes() {
        for (source, code_alone) in [
            ("a // unsafe\nb", "a          \nb"),
            ("a /* x /* y */ z */ b", "a                   b"),
            (r#"f("unsafe \" x", y)"#, r#"f(             , y)"#),
            (r##"f(r#"a " b"#, y)"##, r##"f(          , y)"##),
            ("g('\"', '\\'', 'a)", "g(   ,     , 'a)"),
            ("&'a str; b'x'", "&'a str; b   "),
            ("for x in 0..3 {}", "for x in 0..3 {}"),
            ("var\"x\"", "var   "),
        ] {
            assert_eq!(blank(source), code_alone, "{source}");
        }
    }

    #[test]
    fn tests_are_dropped() {
        assert_eq!(code("fn f() {}\n#[cfg(test)]\nmod tests {\n unsafe {} }"), "fn f() {}\n");
    }

    proptest! {
        #[test]
        fn any_text_keeps_its_lines(source in "[a-z'\"/*#r\\\\\n é]{0,60}") {
            prop_assert_eq!(blank(&source).matches('\n').count(), source.matches('\n').count());
        }
    }
}
