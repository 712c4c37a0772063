//! Straight lines by least squares of relative errors: a time of a microsecond counts as much as
//! one of a millisecond.

use super::sizes::At;

/// A line this far off a value, as a part of it, is not straight.
pub(super) const BENT: f64 = 0.03;

/// `base + slope × bytes + step × packets`.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Line {
    pub base: f64,
    pub slope: f64,
    pub step: f64,
}

impl Line {
    pub fn at(&self, at: &At) -> f64 {
        self.base + self.slope * at.bytes as f64 + self.step * at.packets
    }

    /// How far a value lies off it, as a part of the value.
    pub fn off(&self, at: &At) -> f64 {
        (self.at(at) - at.value) / at.value.max(1.0)
    }

    /// The best one. A step must be asked for; `None` where the values leave it open.
    pub fn through(values: &[At], with_step: bool) -> Option<Line> {
        let terms = if with_step { 3 } else { 2 };
        let (mut left, mut right) = ([[0.0; 3]; 3], [0.0; 3]);
        for at in values {
            // Bytes in thousands keep the sums of like sizes.
            let row = [1.0, at.bytes as f64 / 1e3, at.packets];
            let weight = at.value.max(1.0).powi(-2);
            for one in 0..terms {
                for other in 0..terms {
                    left[one][other] += weight * row[one] * row[other];
                }
                right[one] += weight * row[one] * at.value;
            }
        }
        let [base, slope, step] = solved(left, right, terms)?;
        Some(Line { base, slope: slope / 1e3, step })
    }

    /// The best one of no step that rises no less than `least`, and begins no lower where it can.
    pub fn rising(values: &[At], least: &Line) -> Line {
        // No part of what was measured is more than all of it.
        let whole = values.iter().map(|at| at.value).fold(f64::INFINITY, f64::min);
        let least = &Line { base: least.base.min(whole), ..*least };
        let free = Line::through(values, false).unwrap_or(Line {
            slope: least.slope,
            base: mean(values, |at| at.value - least.slope * at.bytes as f64),
            step: 0.0,
        });
        if free.slope < least.slope {
            let base = mean(values, |at| at.value - least.slope * at.bytes as f64);
            return Line { base: base.max(least.base), ..*least };
        }
        if free.base >= least.base {
            return free;
        }
        let slope = slope_from(values, least.base);
        let kept = Line { slope: slope.max(least.slope), ..*least };
        let off = |line: &Line| values.iter().map(|at| line.off(at).abs()).fold(0.0, f64::max);
        // What is measured comes before what its parts should be.
        if off(&kept) > BENT.max(2.0 * off(&free)) && free.base >= 0.0 { free } else { kept }
    }
}

fn mean(values: &[At], of: impl Fn(&At) -> f64) -> f64 {
    let weights: f64 = values.iter().map(|at| at.value.max(1.0).powi(-2)).sum();
    let sum: f64 = values.iter().map(|at| of(at) * at.value.max(1.0).powi(-2)).sum();
    if weights > 0.0 { sum / weights } else { 0.0 }
}

/// The slope of the best line that begins at `base`.
fn slope_from(values: &[At], base: f64) -> f64 {
    let (mut products, mut squares) = (0.0, 0.0);
    for at in values {
        let (bytes, weight) = (at.bytes as f64, at.value.max(1.0).powi(-2));
        products += weight * bytes * (at.value - base);
        squares += weight * bytes * bytes;
    }
    if squares > 0.0 { products / squares } else { 0.0 }
}

/// Gauss with pivots; `None` where the equations do not decide.
fn solved(mut left: [[f64; 3]; 3], mut right: [f64; 3], terms: usize) -> Option<[f64; 3]> {
    let scale = left[0][0];
    for at in 0..terms {
        let pivot = (at..terms).max_by(|a, b| left[*a][at].abs().total_cmp(&left[*b][at].abs()))?;
        left.swap(at, pivot);
        right.swap(at, pivot);
        if left[at][at].abs() <= scale * 1e-9 {
            return None;
        }
        for row in 0..terms {
            if row != at {
                let factor = left[row][at] / left[at][at];
                let pivot_row = left[at];
                (0..terms).for_each(|of| left[row][of] -= factor * pivot_row[of]);
                right[row] -= factor * right[at];
            }
        }
    }
    let mut solution = [0.0; 3];
    (0..terms).for_each(|at| solution[at] = right[at] / left[at][at]);
    Some(solution)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn values(of: impl Fn(f64, f64) -> f64) -> Vec<At> {
        let at = |bytes: u64| {
            let packets = bytes.div_ceil(1460) as f64;
            At { bytes, packets, value: of(bytes as f64, packets) }
        };
        [1, 100, 1000, 1460, 1461, 2920, 2921, 9000].map(at).to_vec()
    }

    #[test]
    fn bytes_and_packets_are_told_apart() {
        let line = Line::through(&values(|b, n| 5000.0 + 8.0 * b + 600.0 * n), true).unwrap();
        assert!((line.base - 5000.0).abs() < 0.01 && (line.slope - 8.0).abs() < 1e-5, "{line:?}");
        assert!((line.step - 600.0).abs() < 0.01, "{line:?}");
        let one = [At { bytes: 8, packets: 1.0, value: 5.0 }; 4];
        assert_eq!(Line::through(&one, false), None, "one size has no slope");
    }

    #[test]
    fn a_line_keeps_to_what_can_be() {
        let least = Line { base: 100.0, slope: 1.0, step: 0.0 };
        let steep = Line::rising(&values(|b, _| 2.0 * b + 100.0), &least);
        assert!((steep.slope - 2.0).abs() < 1e-6);
        let flat = Line::rising(&values(|b, _| 5000.0 + 0.1 * b), &least);
        assert_eq!(flat.slope, 1.0);
        let low = Line::rising(&values(|b, _| 99.0 + 3.0 * b), &least);
        assert_eq!(low.base, 100.0);
        let far = Line::rising(&values(|b, _| 10.0 + 3.0 * b), &least);
        assert!((far.base - 10.0).abs() < 1e-6, "100 would be far off at small sizes");
    }
}
