//! MVEC: a matrix times one vector after another, with a matrix that need not fit in memory. It is
//! read in order, again and again.
//!
//! All numbers are small and whole, so that sums are exact. The check is Freivalds': for a random
//! row vector u, u(Av) must equal (uA)v, and uA was summed up while the matrix was made. One wrong
//! number of the matrix shows.
//!
//!     cargo run --release --package fourstamp-examples --example mvec -- --size 256M

#![forbid(unsafe_code)]

mod given;

use std::process::ExitCode;

const ROUNDS: u64 = 4;

/// Whole, and small.
fn whole(index: u64) -> f64 {
    (given::noise(index) % 31) as f64 - 15.0
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

/// Row by row, and u times it.
fn make(matrix: &mut [f64], u: &[f64]) -> Vec<f64> {
    let n = u.len();
    let mut product = vec![0.0; n];
    for (i, row) in matrix.chunks_exact_mut(n).enumerate() {
        for (j, entry) in row.iter_mut().enumerate() {
            *entry = whole((i * n + j) as u64);
            product[j] += u[i] * *entry;
        }
    }
    product
}

fn main() -> ExitCode {
    let n = (given::size_bytes(64 << 20) / size_of::<f64>()).isqrt();
    let vector = |seed: u64| (0..n as u64).map(|k| whole((seed << 48) + k)).collect::<Vec<f64>>();
    let u = vector(1);
    let mut matrix = vec![0.0; n * n];
    let u_matrix = make(&mut matrix, &u);

    let (mut wrong, slow) = (0, given::slow());
    for round in 0..ROUNDS {
        let v = vector(2 + round);
        let product: Vec<f64> =
            matrix.chunks_exact(n).map(|row| given::work(slow, || dot(row, &v))).collect();
        wrong += u32::from(dot(&u, &product) != dot(&u_matrix, &v));
    }
    given::verdict(
        wrong == 0,
        &format!("mvec: {n} x {n}, {ROUNDS} products, {wrong} of them not as u(Av) = (uA)v"),
    )
}
