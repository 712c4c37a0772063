//! Local maxima of a smoothed histogram, each with the saddle that parts it from higher ground.

/// A local maximum; all of it in bins.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Summit {
    pub at: usize,
    /// The lowest point on the way to higher ground, the higher of the two where there is higher
    /// ground on both sides; `None` for the highest summit of all.
    pub saddle: Option<usize>,
    /// All about it that is higher than the saddle and than half of it.
    pub above: (usize, usize),
}

/// Sums over `width` bins about each bin, twice: a triangle that reaches `width` bins to either
/// side.
pub(super) fn smoothed(counts: &[f64], width: usize) -> Vec<f64> {
    let once = sums(counts, width / 2, width - width / 2 - 1);
    sums(&once, width - width / 2 - 1, width / 2)
}

fn sums(counts: &[f64], left: usize, right: usize) -> Vec<f64> {
    let mut cumulated = vec![0.0];
    cumulated.extend(counts.iter().scan(0.0, |sum, count| {
        *sum += count;
        Some(*sum)
    }));
    let end = counts.len();
    (0..end)
        .map(|at| cumulated[(at + right + 1).min(end)] - cumulated[at.saturating_sub(left)])
        .collect()
}

/// The summits of `heights` that are not lower than `least`, by place.
pub(super) fn summits(heights: &[f64], least: f64) -> Vec<Summit> {
    let mut found = Vec::new();
    let mut at = 0;
    while at < heights.len() {
        let level = heights[at];
        let end = (at..heights.len()).find(|&i| heights[i] != level).unwrap_or(heights.len());
        let rises = at == 0 || heights[at - 1] < level;
        let falls = end == heights.len() || heights[end] < level;
        if rises && falls && level >= least && level > 0.0 {
            found.push(summit(heights, (at + end - 1) / 2));
        }
        at = end;
    }
    found
}

/// The lowest place between two, in the middle of it where it is flat.
pub(super) fn lowest(heights: &[f64], from: usize, to: usize) -> usize {
    let (from, to) = (from.min(to), from.max(to));
    let level = heights[from..=to].iter().copied().fold(f64::INFINITY, f64::min);
    let first = (from..=to).find(|&at| heights[at] == level).unwrap_or(from);
    let last = (first..=to).take_while(|&at| heights[at] == level).last().unwrap_or(first);
    (first + last) / 2
}

fn summit(heights: &[f64], at: usize) -> Summit {
    // Of equal summits the left one counts as the higher.
    let left = (0..at).rev().find(|&i| heights[i] >= heights[at] && lower_between(heights, i, at));
    let right = (at + 1..heights.len()).find(|&i| heights[i] > heights[at]);
    let saddles = [left, right].into_iter().flatten().map(|higher| lowest(heights, higher, at));
    let saddle = saddles.max_by(|a, b| heights[*a].total_cmp(&heights[*b]));
    let level = saddle.map_or(0.0, |saddle| heights[saddle]).max(heights[at] / 2.0);
    let from = (0..at).rev().find(|&i| heights[i] <= level).unwrap_or(0);
    let to = (at..heights.len()).find(|&i| heights[i] <= level).unwrap_or(heights.len() - 1);
    Summit { at, saddle, above: (from, to) }
}

/// Whether two places are parted by a lower one: those of one flat top are not.
fn lower_between(heights: &[f64], from: usize, to: usize) -> bool {
    heights[from] > heights[to] || heights[from + 1..to].iter().any(|&height| height < heights[to])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn summits_have_the_saddle_to_higher_ground() {
        let heights = [0.0, 3.0, 1.0, 2.0, 0.5, 9.0, 4.0, 5.0, 5.0, 0.0];
        let found: Vec<(usize, Option<usize>)> =
            summits(&heights, 0.0).iter().map(|summit| (summit.at, summit.saddle)).collect();
        assert_eq!(found, [(1, Some(4)), (3, Some(2)), (5, None), (7, Some(6))]);
    }

    #[test]
    fn smoothing_keeps_the_sum_and_the_middle() {
        let mut counts = vec![0.0; 41];
        counts[20] = 1.0;
        for width in [1, 2, 3, 8] {
            let heights = smoothed(&counts, width);
            assert_eq!(heights.iter().sum::<f64>(), (width * width) as f64);
            assert!((0..20).all(|off| heights[20 - off] == heights[20 + off]), "{heights:?}");
        }
    }

    #[test]
    fn a_flat_top_is_one_summit() {
        assert_eq!(summits(&[0.0, 2.0, 2.0, 2.0, 1.0, 2.0, 0.0], 0.0).len(), 2);
        assert_eq!(summits(&[1.0; 5], 0.0), [Summit { at: 2, saddle: None, above: (0, 4) }]);
    }
}
