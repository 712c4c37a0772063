//! Files of the checkout that documents name: from its root, so that they can be opened.

use super::Broken;
use super::links::prose;
use std::path::Path;

/// Endings of files that stand for source.
const SOURCE: [&str; 7] = [".rs", ".c", ".css", ".js", ".mjs", ".py", ".toml"];

/// Checks a Markdown file of the workspace at `root`, named from there.
pub fn check(root: &Path, file: &Path, text: &str) -> Vec<Broken> {
    let mut broken = Vec::new();
    for (at, line) in (1..).zip(prose(text)) {
        for path in named(line).filter(|path| !root.join(path).exists()) {
            let what = format!("there is no `{path}`; name it from the root of the checkout");
            broken.push(Broken { place: format!("{}:{at}", file.display()), what });
        }
    }
    broken
}

/// What of a line's code is a path with folders to a source file or within `src` or `tests`; `NAME`
/// stands for one that is still to be written.
fn named(line: &str) -> impl Iterator<Item = &str> {
    let code = line.split('`').skip(1).step_by(2);
    code.filter(|word| {
        let is_path = word.contains('/') && !word.contains([' ', ':', '*', '<', '$']);
        let is_source = SOURCE.iter().any(|ending| word.ends_with(ending));
        let is_within = word.contains("/src/") || word.contains("/tests/");
        is_path && (is_source || is_within) && !word.starts_with('/') && !word.contains("NAME")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(text: &str) -> Vec<String> {
        let root = Path::new(env!("CARGO_MANIFEST_DIR"));
        check(root, Path::new("a.md"), text).into_iter().map(|broken| broken.place).collect()
    }

    #[test]
    fn a_path_that_is_not_there_is_found() {
        let good = "`src/main.rs`, `src/test/`, `rust/src/NAME.rs`; `main.rs`, `n/a`, `/x.rs`\n\
            ```\nnowhere/main.rs `x/y.rs`\n```\n";
        assert_eq!(found(good), [""; 0]);
        assert_eq!(found("`a`\nsee `xtask/main.rs` and `b/src/charts`"), ["a.md:2", "a.md:2"]);
    }
}
