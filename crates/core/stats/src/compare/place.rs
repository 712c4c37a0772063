//! How surely a peak's place is known: by how launches differ.
//!
//! The place is the mode of all launches together, and a mode is no mean: where launches lie apart,
//! that of all together is now near one of them and now near another. So its variance is the larger
//! of two: that of a mean of the launches' own modes, and the jackknife's (Efron & Stein 1981), by
//! leaving out one launch after the other.

use super::contrast::Side;
use super::launch::Launch;
use super::peak_side::PeakSide;
use crate::launches::LAUNCHES_LEAST;

/// The kernel, as a part of the peak's width at half its height.
const KERNEL: f64 = 0.2;
/// The finest kernel, and the deviation of a launch's mode that is allowed for at least: blocks
/// hold times to 0.8 %.
const KERNEL_LEAST: f64 = 0.01;
const DEVIATION_LEAST: f64 = 0.005;
/// Steps of the scale to a kernel, and the most that a region is cut into.
const STEPS: f64 = 4.0;
const STEPS_MOST: f64 = 4000.0;
/// Kernels beyond which a message does not count.
const REACH: f64 = 4.0;

/// A logarithmic scale over a peak's region.
struct Scale {
    from: f64,
    step: f64,
    steps: usize,
    kernel: f64,
}

/// The logarithm of the peak's place, with its variance as these launches have it; `None` where the
/// place has no logarithm, or fewer than three launches have messages there.
pub(super) fn of(launches: &[Launch], peak: &PeakSide) -> Option<Side> {
    let scale = Scale::of(peak)?;
    let densities: Vec<Vec<f64>> = launches
        .iter()
        .map(|launch| scale.density(launch, peak.region_ns))
        .filter(|density| density.iter().any(|height| *height > 0.0))
        .collect();
    if densities.len() < LAUNCHES_LEAST {
        return None;
    }
    let n = densities.len() as f64;
    let own: Vec<f64> = densities.iter().map(|density| scale.mode(density)).collect();
    let whole = sum(densities.iter());
    let without: Vec<f64> = densities
        .iter()
        .map(|left_out| {
            let rest: Vec<f64> = whole.iter().zip(left_out).map(|(all, one)| all - one).collect();
            scale.mode(&rest)
        })
        .collect();
    let of_a_launch = squares(&own) / (n - 1.0);
    let jackknife = squares(&without) * (n - 1.0) / n;
    let variance = of_a_launch.max(jackknife * n).max(DEVIATION_LEAST * DEVIATION_LEAST);
    Some(Side { mean: peak.place_ns.ln(), variance, launches: densities.len() })
}

fn sum<'a>(densities: impl Iterator<Item = &'a Vec<f64>>) -> Vec<f64> {
    densities.fold(Vec::new(), |mut sum, density| {
        sum.resize(density.len(), 0.0);
        sum.iter_mut().zip(density).for_each(|(sum, height)| *sum += height);
        sum
    })
}

/// Squared distances from the mean.
fn squares(values: &[f64]) -> f64 {
    let mean = values.iter().sum::<f64>() / values.len() as f64;
    values.iter().map(|value| (value - mean).powi(2)).sum()
}

impl Scale {
    fn of(peak: &PeakSide) -> Option<Scale> {
        if !(peak.place_ns > 0.0 && peak.place_ns.is_finite()) {
            return None;
        }
        // A region that reaches down to 0 is looked at from a thousandth of the place on.
        let from = peak.region_ns.0.max(peak.place_ns / 1000.0).ln();
        let to = peak.region_ns.1.max(peak.place_ns).ln();
        let kernel = (peak.width_ns / peak.place_ns * KERNEL).max(KERNEL_LEAST);
        let steps = ((to - from) / kernel * STEPS).ceil().clamp(1.0, STEPS_MOST);
        Some(Scale { from, step: (to - from) / steps, steps: steps as usize + 1, kernel })
    }

    /// The kernel estimate of a launch's density in the region, up to a factor.
    fn density(&self, launch: &Launch, region_ns: (f64, f64)) -> Vec<f64> {
        let mut density = vec![0.0; self.steps];
        for (value, count) in launch.within(region_ns.0, region_ns.1) {
            let place = value.max(f64::MIN_POSITIVE).ln();
            let reach = REACH * self.kernel;
            let step_of = |place: f64| (place - self.from) / self.step.max(f64::MIN_POSITIVE);
            let first = step_of(place - reach).ceil().max(0.0) as usize;
            let last = step_of(place + reach).floor().max(-1.0);
            for (at, height) in density.iter_mut().enumerate().skip(first) {
                if at as f64 > last {
                    break;
                }
                let away = (self.from + at as f64 * self.step - place) / self.kernel;
                *height += count * (-0.5 * away * away).exp();
            }
        }
        density
    }

    /// Where a density is highest.
    fn mode(&self, density: &[f64]) -> f64 {
        let top = density.iter().enumerate().max_by(|a, b| a.1.total_cmp(b.1).then(b.0.cmp(&a.0)));
        self.from + self.step * top.map_or(0.0, |(at, _)| at as f64)
    }
}
