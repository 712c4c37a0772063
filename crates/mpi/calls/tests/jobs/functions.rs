//! Numbers of functions never change: logs name functions by them.

use calls::list::NAMES;

/// `number name`, as every version used them since they were given. Lines are only appended (before
/// a release: all that were added to the list since the last).
const RELEASED: &str = include_str!("../functions.txt");

#[test]
fn every_number_means_what_it_always_meant() {
    let now: Vec<String> =
        NAMES.iter().enumerate().map(|(number, name)| format!("{number} {name}")).collect();
    let released: Vec<&str> = RELEASED.lines().collect();
    assert!(
        now.iter().zip(&released).all(|(now, then)| now == then) && now.len() >= released.len(),
        "a released number was given to another function: {:?}",
        now.iter().zip(&released).find(|(now, then)| now != *then)
    );
}

#[test]
fn every_number_has_a_function_and_every_function_one_number() {
    let mut names = NAMES.to_vec();
    names.sort_unstable();
    names.dedup();
    assert_eq!(names.len(), NAMES.len());
    assert!(!names.contains(&""));
}
