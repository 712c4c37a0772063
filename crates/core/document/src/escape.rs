//! Text from outside (names of nodes, parameters, hosts) made harmless where it is put.

/// Text in a terminal: control characters could move the cursor or change the title.
pub(crate) fn terminal(text: &str) -> String {
    text.chars().map(harmless).collect()
}

/// Text on the page, before its markup is taken apart: control characters have no place there.
pub(crate) fn on_page(text: &str) -> String {
    text.chars().map(|c| if c == '\n' { c } else { harmless(c) }).collect()
}

fn harmless(c: char) -> char {
    if c.is_control() { '\u{fffd}' } else { c }
}

/// Text for a person at a terminal, as it leaves the program: our own colours and line ends stay,
/// everything else that a terminal would obey is replaced, and a line that goes on and on is cut.
/// Values from a run folder are untrusted, wherever they are put.
pub fn printable(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for line in text.split_inclusive('\n') {
        let cut = line.char_indices().nth(LINE_CHARS_MAX).map(|(at, _)| at);
        printable_line(&line[..cut.unwrap_or(line.len())], &mut out);
        if cut.is_some() {
            out.push('…');
            out.push_str(if line.ends_with('\n') { "\n" } else { "" });
        }
    }
    out
}

/// Characters of a line that a person is shown.
const LINE_CHARS_MAX: usize = 2000;

fn printable_line(line: &str, out: &mut String) {
    let mut rest = line;
    while let Some(c) = rest.chars().next() {
        let colour = if c == '\u{1b}' { colour_bytes(rest) } else { 0 };
        match c {
            _ if colour > 0 => out.push_str(&rest[..colour]),
            '\n' | '\t' => out.push(c),
            c if c.is_control() || turns_text(c) => out.push('\u{fffd}'),
            c => out.push(c),
        }
        rest = &rest[colour.max(c.len_utf8())..];
    }
}

/// Length of the `ESC [ numbers m` at the beginning: what sets a colour, and nothing else. 0: there
/// is none.
fn colour_bytes(text: &str) -> usize {
    let Some(after) = text.strip_prefix("\u{1b}[") else { return 0 };
    let numbers =
        after.bytes().take_while(|byte| byte.is_ascii_digit() || *byte == b';').take(16).count();
    if after.as_bytes().get(numbers) == Some(&b'm') { 2 + numbers + 1 } else { 0 }
}

/// Whether the character makes what follows run the other way, so that a line says something else
/// than it holds.
fn turns_text(c: char) -> bool {
    matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hostile_names_lose_their_teeth() {
        assert_eq!(on_page("a\u{7}\n"), "a\u{fffd}\n");
        assert_eq!(terminal("a\u{1b}]0;b"), "a\u{fffd}]0;b");
    }

    #[test]
    fn what_leaves_for_a_terminal_sets_colours_at_most() {
        let text = "\u{1b}[1;31mred\u{1b}[0m\u{1b}]0;title\u{7}\u{1b}[2J\r\u{9b}2J\u{202e}\tx\n";
        let shown = "\u{1b}[1;31mred\u{1b}[0m\u{fffd}]0;title\u{fffd}\u{fffd}[2J\
                     \u{fffd}\u{fffd}2J\u{fffd}\tx\n";
        assert_eq!(printable(text), shown);
        let long = printable(&format!("{}\nb\n", "a".repeat(1_000_000)));
        assert_eq!(long.chars().count(), LINE_CHARS_MAX + 4);
        assert!(long.ends_with("a…\nb\n"));
    }
}
