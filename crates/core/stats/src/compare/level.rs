//! One run's figure: the mean of its launches' values on some scale, and how surely they know it.

use rand_pcg::Pcg64Mcg;

use super::Figure;
use super::contrast::Side;
use super::launch::Launch;

/// A figure of one run.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Level {
    pub mean: f64,
    /// Of each launch.
    values: Vec<f64>,
    /// What a launch's value varies by at least: its blocks say so.
    noise: f64,
}

impl Level {
    /// Of these launches; `None` where one has too few messages for the figure, or a value without
    /// a place on the scale (a time of 0 has no logarithm).
    pub fn of(
        launches: &[Launch],
        figure: Figure,
        scale: fn(f64) -> f64,
        random: &mut Pcg64Mcg,
    ) -> Option<Level> {
        if launches.is_empty() || !launches.iter().all(|launch| launch.supports(figure)) {
            return None;
        }
        let value =
            |launch: &Launch| launch.figure(figure).map(scale).filter(|value| value.is_finite());
        let values: Vec<f64> = launches.iter().map(value).collect::<Option<_>>()?;
        let noises: Vec<f64> =
            launches.iter().filter_map(|launch| launch.noise(figure, scale, random)).collect();
        let noise = if noises.is_empty() { 0.0 } else { mean(&noises) };
        Some(Level { mean: mean(&values), values, noise })
    }

    /// As a side of a comparison of launches; `None` below three of them.
    pub fn side(&self) -> Option<Side> {
        Side::of(&self.values, self.noise)
    }

    /// Variance of the mean, as far as this run alone can tell.
    pub fn noise_of_mean(&self) -> f64 {
        self.side().map_or(self.noise, |side| side.variance) / self.values.len() as f64
    }
}

pub(super) fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}
