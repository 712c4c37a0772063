//! How source and documents are laid out: lines of at most 100 columns, and one module style.

use super::Broken;
use std::path::Path;

/// The longest line, in characters.
const COLUMNS: usize = 100;

/// Checks a Rust or Markdown file, named from the root.
pub fn check(file: &Path, text: &str) -> Vec<Broken> {
    let lines = (1..).zip(text.lines()).map(|(at, line)| (at, line.chars().count()));
    let long = lines.filter(|(_, columns)| *columns > COLUMNS).map(|(at, columns)| Broken {
        place: format!("{}:{at}", file.display()),
        what: format!("{columns} columns; at most {COLUMNS}"),
    });
    long.chain(old_module(file)).collect()
}

/// `x/mod.rs`, but in a folder of tests: there cargo takes any other name for a test.
fn old_module(file: &Path) -> Option<Broken> {
    let in_tests = file.iter().any(|part| part == "tests");
    (file.ends_with("mod.rs") && !in_tests).then(|| Broken {
        place: file.display().to_string(),
        what: "a module's file stands beside its folder: x.rs, not x/mod.rs".into(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_characters() {
        let of = |text: &str| check(Path::new("README.md"), text).len();
        assert_eq!(of(&"é".repeat(100)), 0);
        assert_eq!(of(&format!("short\n{}\n", "x".repeat(101))), 1);
    }

    #[test]
    fn only_helpers_of_tests_are_in_a_mod_rs() {
        let of = |file: &str| check(Path::new(file), "").len();
        assert_eq!(of("crates/core/stats/src/peaks/mod.rs"), 1);
        assert_eq!(of("crates/cli/tests/common/mod.rs"), 0);
        assert_eq!(of("crates/core/stats/src/peaks.rs"), 0);
    }
}
