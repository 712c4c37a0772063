//! A distribution as it is shown: figures, quantiles, pieces, tail.

use crate::analysis::{Piece, PieceView, Quantile, Stage, StageView, Summary};
use crate::bins;
use crate::distribution::{Distribution, LogLinear};

/// Quantiles that are shown where the count supports them.
pub(crate) const QUANTILES: [f64; 11] =
    [0.1, 0.25, 0.5, 0.75, 0.9, 0.95, 0.99, 0.999, 0.9999, 0.99999, 0.999999];

/// Values that must lie beyond a quantile, on either side, for it to mean something.
const BEYOND: f64 = 10.0;

/// Bins of a histogram, about.
const BINS: usize = 100;

/// The quantiles that `count` values support: `n(1 − p) ≥ 10` and `np ≥ 10`. The median is always
/// there.
pub(crate) fn supported(count: u64) -> Vec<f64> {
    // A little less than 10, since 1 − p is not exact: 1000 · (1 − 0.99) is 10.000000000000009 or
    // 9.99….
    let enough = |p: f64| p == 0.5 || p.min(1.0 - p) * count as f64 >= BEYOND - 1e-6;
    QUANTILES.into_iter().filter(|&p| count > 0 && enough(p)).collect()
}

/// The figures of a distribution, without intervals.
pub fn summary<const E: u32, const S: u32>(of: &LogLinear<E, S>) -> Summary {
    let moments = of.moments();
    if moments.count == 0 {
        return Summary::default();
    }
    let ps = supported(moments.count);
    let quantiles = ps.iter().zip(of.quantiles(&ps));
    Summary {
        count: moments.count,
        total_ns: moments.sum as f64,
        min_ns: moments.min,
        max_ns: moments.max,
        mean_ns: moments.mean(),
        sd_ns: moments.variance().sqrt(),
        quantiles: quantiles
            .map(|(&p, value_ns)| Quantile { p, value_ns, interval_ns: None })
            .collect(),
        effective_count: None,
    }
}

/// All that is shown of a distribution; `None` when it is empty.
pub fn view(stage: Stage, of: &Distribution) -> Option<StageView> {
    let (min, max) = (of.moments().min, of.moments().max);
    (of.count() > 0).then(|| StageView {
        stage,
        summary: summary(of),
        pieces: pieces(of),
        log_bins: bins::log(of, min, max, BINS),
        tail: bins::tail(of),
        peaks: Vec::new(),
    })
}

/// The pieces, cut by value: equal values are never in two pieces, so that a piece may hold a
/// little more or less than its part.
fn pieces(of: &Distribution) -> Vec<PieceView> {
    let cuts = of.quantiles(&[0.95, 0.999]);
    let (fastest, middle) = (cuts[0], cuts[1]);
    let ranges = [
        (Piece::Fastest95, i64::MIN, fastest),
        (Piece::Middle, fastest.saturating_add(1), middle),
        (Piece::Slowest, middle.saturating_add(1), i64::MAX),
    ];
    ranges.into_iter().filter_map(|(piece, low, high)| piece_view(of, piece, low, high)).collect()
}

fn piece_view(of: &Distribution, piece: Piece, low: i64, high: i64) -> Option<PieceView> {
    let mut inside =
        of.counters().filter(|counter| low <= counter.middle() && counter.middle() <= high);
    let first = inside.next()?;
    let (last, count) =
        inside.fold((first, first.count), |(_, sum), counter| (counter, sum + counter.count));
    let (low, high) = (first.low, last.high);
    Some(PieceView {
        piece,
        count,
        linear_bins: bins::linear(of, low, high, BINS),
        log_bins: bins::log(of, low, high, BINS),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn counted(values: &[i64]) -> Distribution {
        let mut distribution = Distribution::default();
        distribution.add_slice(values);
        distribution
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]
        #[test]
        fn pieces_hold_every_message_once(
            values in prop::collection::vec(-50..3_000_000_i64, 1..3000),
        ) {
            let view = view(Stage::Transit, &counted(&values)).unwrap();
            let n = values.len() as u64;
            prop_assert_eq!(view.pieces.iter().map(|piece| piece.count).sum::<u64>(), n);
            prop_assert_eq!(view.log_bins.iter().map(|bin| bin.count).sum::<u64>(), n);
            for piece in &view.pieces {
                prop_assert_eq!(
                    piece.linear_bins.iter().map(|bin| bin.count).sum::<u64>(),
                    piece.count
                );
                prop_assert_eq!(
                    piece.log_bins.iter().map(|bin| bin.count).sum::<u64>(),
                    piece.count
                );
            }
        }
    }

    #[test]
    fn a_thousand_different_values_make_the_pieces_of_the_memo() {
        let view = view(Stage::EndToEnd, &counted(&(1..=1000).collect::<Vec<i64>>())).unwrap();
        let pieces: Vec<(Piece, u64)> =
            view.pieces.iter().map(|piece| (piece.piece, piece.count)).collect();
        assert_eq!(pieces, [(Piece::Fastest95, 950), (Piece::Middle, 49), (Piece::Slowest, 1)]);
    }

    #[test]
    fn quantiles_end_where_the_count_does() {
        assert!(supported(0).is_empty());
        assert_eq!(supported(10), [0.5]);
        assert_eq!(supported(999), [0.1, 0.25, 0.5, 0.75, 0.9, 0.95]);
        assert_eq!(supported(1000), [0.1, 0.25, 0.5, 0.75, 0.9, 0.95, 0.99]);
        assert_eq!(supported(10_000_000).len(), QUANTILES.len());
    }
}
