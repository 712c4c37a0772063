//! GAUSS: linear equations solved by elimination, with a matrix that need not fit in memory.
//!
//! A block of rows is finished, then each row below is brought in once and loses all of the block's
//! columns: so the matrix passes through memory once a block, not once a row. The diagonal is heavy
//! enough that no rows need to change places. It puts the solution into the equations, whose
//! coefficients it makes again: nothing in memory can hide its own damage.
//!
//!     cargo run --release --package fourstamp-examples --example gauss -- --size 64M

#![forbid(unsafe_code)]

mod given;

use std::process::ExitCode;

const BLOCK_ROWS: usize = 128;

/// A coefficient. A row's others add up to about n / 2 at most.
fn coefficient(row: usize, column: usize, n: usize) -> f64 {
    let heavy = if row == column { n as f64 } else { 0.0 };
    given::fraction((row * n + column) as u64) + heavy
}

fn right_side(row: usize) -> f64 {
    100.0 * given::fraction(u64::MAX / 2 + row as u64)
}

/// Each row holds its right side behind its coefficients.
fn eliminate(rows: &mut [f64], width: usize) {
    let slow = given::slow();
    let n = width - 1;
    for first in (0..n).step_by(BLOCK_ROWS) {
        let last = (first + BLOCK_ROWS).min(n);
        let (above, below) = rows.split_at_mut(last * width);
        let block = &mut above[first * width..];
        for row in first + 1..last {
            let (done, rest) = block.split_at_mut((row - first) * width);
            clear(&mut rest[..width], done, (first, width), slow);
        }
        below.chunks_exact_mut(width).for_each(|row| clear(row, block, (first, width), slow));
    }
}

/// Takes multiples of the pivot rows off `row`, so that their columns become 0. The pivot rows'
/// first column is `first`.
fn clear(row: &mut [f64], pivots: &[f64], (first, width): (usize, usize), slow: u32) {
    for (k, pivot) in pivots.chunks_exact(width).enumerate() {
        let column = first + k;
        let factor = row[column] / pivot[column];
        row[column] = 0.0;
        for (entry, above) in row[column + 1..].iter_mut().zip(&pivot[column + 1..]) {
            *entry = given::work(slow, || *entry - factor * above);
        }
    }
}

/// From the last unknown to the first.
fn solve(rows: &[f64], width: usize) -> Vec<f64> {
    let n = width - 1;
    let mut solution = vec![0.0; n];
    for (i, row) in rows.chunks_exact(width).enumerate().rev() {
        let known: f64 = row[i + 1..n].iter().zip(&solution[i + 1..]).map(|(a, x)| a * x).sum();
        solution[i] = (row[n] - known) / row[i];
    }
    solution
}

/// How far the solution is from fulfilling the worst equation, against the size of its terms.
fn residual(solution: &[f64]) -> f64 {
    let n = solution.len();
    let of_row = |i: usize| {
        let terms = solution.iter().enumerate().map(|(j, x)| coefficient(i, j, n) * x);
        let (sum, size) =
            terms.fold((0.0, 0.0), |(sum, size): (f64, f64), term| (sum + term, size + term.abs()));
        (sum - right_side(i)).abs() / size
    };
    (0..n).map(of_row).fold(0.0, |a: f64, b| if b > a || b.is_nan() { b } else { a })
}

fn main() -> ExitCode {
    let bytes = given::size_bytes(32 << 20);
    let n = (bytes / size_of::<f64>()).isqrt();
    let width = n + 1;
    let mut rows = vec![0.0; n * width];
    for (i, row) in rows.chunks_exact_mut(width).enumerate() {
        row[..n].iter_mut().enumerate().for_each(|(j, entry)| *entry = coefficient(i, j, n));
        row[n] = right_side(i);
    }
    eliminate(&mut rows, width);
    let worst = residual(&solve(&rows, width));
    let bound = f64::EPSILON * n as f64;
    given::verdict(
        worst <= bound,
        &format!("gauss: {n} equations, residual {worst:.1e} (at most {bound:.1e})"),
    )
}
