//! Draws of how long a program computes between its touches.

use super::program::{Program, Thread};
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64Mcg;

/// Steps that may stand for each other: those of one phase of the program.
const NEAR: usize = 64;
/// What takes longer than so many times the median is work of its own, such as reading a file: that
/// is done once.
const USUAL: f64 = 8.0;

/// The program, with each time of computing replaced by one of the same thread near it.
pub fn drawn(program: &Program, seed: u64, draw: u32) -> Program {
    const STEP: u64 = 0x9e37_79b9_7f4a_7c15;
    let mut random = Pcg64Mcg::seed_from_u64(seed ^ (u64::from(draw) + 1).wrapping_mul(STEP));
    let mut drawn = program.clone();
    for (thread, recorded) in drawn.threads.iter_mut().zip(&program.threads) {
        redraw(thread, recorded, &mut random);
    }
    drawn
}

fn redraw(thread: &mut Thread, recorded: &Thread, random: &mut Pcg64Mcg) {
    let near = recorded.steps.chunks(NEAR);
    for (steps, recorded) in thread.steps.chunks_mut(NEAR).zip(near) {
        let mut gaps_s: Vec<f64> = recorded.iter().map(|step| step.gap_s).collect();
        gaps_s.sort_by(f64::total_cmp);
        let most_s = USUAL * gaps_s[gaps_s.len() / 2];
        gaps_s.retain(|gap_s| *gap_s <= most_s);
        for step in steps.iter_mut().filter(|step| step.gap_s <= most_s) {
            step.gap_s = gaps_s[random.random_range(0..gaps_s.len())];
        }
    }
}
