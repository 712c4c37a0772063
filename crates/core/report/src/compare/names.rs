//! What runs are called where there are many: a letter each, and as much of a path as differs.

use std::path::Path;

use crate::facts::{Facts, tell_apart};

/// The shortest endings of these paths that tell them apart.
pub fn short_names(paths: &[&Path]) -> Vec<String> {
    let mut blank = vec![Facts::default(); paths.len()];
    tell_apart(blank.iter_mut().zip(paths.iter().copied()).collect());
    blank.into_iter().map(|facts| facts.name).collect()
}

/// Runs that a matrix takes: more letters than these make no readable table.
pub const RUNS_MOST: usize = LETTERS.len();

const LETTERS: [&str; 20] = [
    "A", "B", "C", "D", "E", "F", "G", "H", "I", "J", "K", "L", "M", "N", "O", "P", "Q", "R", "S",
    "T",
];

/// What a run is called in a matrix: `A`, `B`, ...
pub(super) fn letter(at: usize) -> &'static str {
    LETTERS[at % RUNS_MOST]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn as_much_of_a_path_as_differs() {
        let paths = ["runs/a/x", "runs/b/x", "runs/c"].map(Path::new);
        assert_eq!(short_names(&paths), ["a/x", "b/x", "c"]);
        assert_eq!([0, 1, 19].map(letter), ["A", "B", "T"]);
    }
}
