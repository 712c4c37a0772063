//! The cases of a suite one after another, with a sum of what they came to.

use super::Cases;
use anyhow::{Result, ensure};
use std::fmt::Debug;
use std::ops::AddAssign;
use std::time::Instant;

/// Cases between two lines of progress.
const TOLD: u64 = 50;

/// Runs each case, says which failed and why, and gives back the sum of the others; an error that
/// names the failures if there are any, and how to run one again.
pub fn each<S: AddAssign + Debug + Default>(
    suite: &str,
    cases: Cases,
    mut case: impl FnMut(u64) -> Result<S>,
) -> Result<()> {
    let begun = Instant::now();
    let (mut failures, mut sums) = (Vec::new(), S::default());
    for number in cases.from..cases.from + cases.count {
        match case(number) {
            Ok(done) => sums += done,
            Err(error) => {
                println!("case {number}: {error:#}");
                failures.push(number);
            }
        }
        let done = number + 1 - cases.from;
        if done.is_multiple_of(TOLD) {
            println!("{done} cases, {:.0} s: {sums:?}", begun.elapsed().as_secs_f64());
        }
    }
    println!("{suite}: {} cases, {} failures, {sums:?}", cases.count, failures.len());
    ensure!(
        failures.is_empty(),
        "cases {failures:?}: cargo xtask soak --only {suite} --count 1 --from N"
    );
    Ok(())
}
