//! FILTER: an image smoothed by 5 x 5 weights in two passes, along the rows and down the columns,
//! of a size that need not fit in memory.
//!
//! The image wraps around at its edges and its weights are whole numbers that add up to 256, so the
//! check is exact: the sum of all pixels, and every 61st row calculated straight from its
//! definition, from pixels that are made again.
//!
//!     cargo run --release --package fourstamp-examples --example filter -- --size 256M

#![forbid(unsafe_code)]

mod given;

use std::process::ExitCode;

const WEIGHTS: [u32; 5] = [1, 4, 6, 4, 1];
const CHECKED_EVERY: usize = 61;

struct Shape {
    width: usize,
    height: usize,
}

fn pixel(index: usize) -> u32 {
    (given::noise(index as u64) & 0xffff) as u32
}

/// `at` moved by -2..=2, around the edge.
fn around(at: usize, tap: usize, length: usize) -> usize {
    (at + length + tap - 2) % length
}

/// Along a row. Its inner part has no edges, and no divisions.
fn smooth(from: &[u32], to: &mut [u32], slow: u32) {
    let width = from.len();
    for (x, window) in from.windows(5).enumerate() {
        let pixel = || window.iter().zip(WEIGHTS).map(|(pixel, weight)| pixel * weight).sum();
        to[x + 2] = given::work(slow, pixel);
    }
    for x in [0, 1, width - 2, width - 1] {
        to[x] = (0..5).map(|tap| from[around(x, tap, width)] * WEIGHTS[tap]).sum();
    }
}

/// One row of the second pass, out of five of the first.
fn add_up(first: &[u32], y: usize, shape: &Shape, to: &mut [u32], slow: u32) {
    let row = |tap: usize| &first[around(y, tap, shape.height) * shape.width..][..shape.width];
    let rows = [row(0), row(1), row(2), row(3), row(4)];
    for (x, pixel) in to.iter_mut().enumerate() {
        *pixel = given::work(slow, || {
            rows.iter().zip(WEIGHTS).map(|(row, weight)| row[x] * weight).sum()
        });
    }
}

/// A pixel of the result as defined.
fn defined(x: usize, y: usize, shape: &Shape) -> u32 {
    let of_row = |ty: usize| -> u32 {
        let row = around(y, ty, shape.height) * shape.width;
        (0..5).map(|tx| pixel(row + around(x, tx, shape.width)) * WEIGHTS[tx]).sum()
    };
    (0..5).map(|ty| of_row(ty) * WEIGHTS[ty]).sum()
}

fn sum(pixels: impl Iterator<Item = u32>) -> u64 {
    pixels.map(u64::from).sum()
}

fn main() -> ExitCode {
    // Two images: the one that is read and the one that is made.
    let pixels = given::size_bytes(64 << 20) / size_of::<u32>() / 2;
    let width = pixels.isqrt();
    let shape = Shape { width, height: pixels / width };
    let slow = given::slow();
    let mut image = vec![0; shape.width * shape.height];
    let mut first = vec![0; image.len()];
    image.iter_mut().enumerate().for_each(|(index, to)| *to = pixel(index));

    for (from, to) in image.chunks_exact(width).zip(first.chunks_exact_mut(width)) {
        smooth(from, to, slow);
    }
    for (y, row) in image.chunks_exact_mut(width).enumerate() {
        add_up(&first, y, &shape, row, slow);
    }

    let total = sum(image.iter().copied()) == 256 * sum((0..image.len()).map(pixel));
    let wrong_in = |(y, row): (usize, &[u32])| {
        row.iter().enumerate().filter(|(x, pixel)| **pixel != defined(*x, y, &shape)).count()
    };
    let wrong: usize =
        image.chunks_exact(width).enumerate().step_by(CHECKED_EVERY).map(wrong_in).sum();
    let said = format!(
        "filter: {} x {} pixels, {wrong} wrong in every {CHECKED_EVERY}st row, their sum {}",
        shape.width,
        shape.height,
        if total { "as it must be" } else { "off" }
    );
    given::verdict(total && wrong == 0, &said)
}
