//! Figures that belong together: each draw is a resample's, and lies off what was measured as one
//! of the sizes does.
//!
//! Figures of one resample make up for each other: where it has a faster wire, it has longer
//! headers, and what a message takes is much better known than either. Ranges forget that.

use super::figures::{Figures, Piece};
use super::sizes::{At, Sizes};
use crate::DRAWS;
use rand::{Rng, RngExt, SeedableRng};
use rand_pcg::Pcg64Mcg;

/// As many as predictions draw, of the resamples; `clock_error` bounds that of an arrival, ns.
pub(super) fn together(
    sizes: &Sizes,
    best: &Figures,
    drawn: &[Figures],
    clock_error: f64,
    seed: u64,
) -> Vec<Figures> {
    let mut random = Pcg64Mcg::seed_from_u64(seed);
    let misfits: Vec<Misfit> =
        best.pieces.iter().map(|piece| Misfit::of(sizes, best, piece)).collect();
    let count = DRAWS as usize;
    let chosen = (0..count).filter_map(|at| drawn.get(at * drawn.len() / count));
    chosen
        .map(|figures| {
            let mut figures = figures.clone();
            let late = clock_error * random.random_range(-1.0..=1.0);
            let ends = figures.handler + figures.wake;
            for (piece, misfit) in figures.pieces.iter_mut().zip(&misfits) {
                misfit.put(piece, ends, &mut random);
                arrives(piece, late);
            }
            figures
        })
        .collect()
}

/// How far sizes of a piece lie off its line, as parts of what it says.
struct Misfit {
    /// Where bytes are most of the time, and elsewhere.
    bytes: Vec<f64>,
    rest: Vec<f64>,
}

impl Misfit {
    fn of(sizes: &Sizes, best: &Figures, piece: &Piece) -> Misfit {
        let here = sizes.one_way().filter(|at| best.piece(at.bytes).from == piece.from);
        let by_bytes = |at: &At| piece.wire * at.bytes as f64 > at.value / 2.0;
        let (bytes, rest): (Vec<At>, Vec<At>) = here.partition(by_bytes);
        let off = |at: &At| at.value / best.one_way(at.bytes, at.packets).max(1.0) - 1.0;
        let all = |of: Vec<At>| of.iter().map(off).collect();
        let streamed = |at: At| at.value / best.passing(&at).max(1.0) - 1.0;
        let bytes = match best.burst {
            // Its rate was seen in streams.
            Some(_) => sizes.passing().map(streamed).collect(),
            None => all(bytes),
        };
        Misfit { bytes, rest: all(rest) }
    }

    /// `piece` with the misfit of one size in its rate, and of another one in what bytes do not
    /// take, which is `ends` and more.
    fn put(&self, piece: &mut Piece, ends: f64, random: &mut impl Rng) {
        let mut of = |sizes: &[f64]| match sizes.len() {
            0 => 0.0,
            count => sizes[random.random_range(0..count)],
        };
        piece.wire *= 1.0 + of(&self.bytes);
        let more = of(&self.rest) * (ends + piece.parts.sum());
        piece.parts.latency = (piece.parts.latency + more).max(0.0);
    }
}

/// The same if messages arrive so much later than was seen.
fn arrives(piece: &mut Piece, late: f64) {
    let late = late.clamp(-piece.parts.latency, piece.parts.receive);
    piece.parts.latency += late;
    piece.parts.receive -= late;
}
