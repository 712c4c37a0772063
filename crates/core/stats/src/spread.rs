//! How much launches and blocks differ, and what that leaves of the count.

use crate::blocks::{Blocks, LaunchBlocks};
use crate::bootstrap::BLOCKS_LEAST;
use crate::distribution::BlockDistribution;
use crate::moments::Moments;

/// Launches from which their own spread tells something about the mean.
const LAUNCHES_LEAST: usize = 5;

/// How many independent messages would carry as much information about the mean as these: their
/// variance over the variance of their mean, which is estimated between blocks and, with five
/// launches or more, between launches; the larger counts. At most their number. `None` with fewer
/// than 10 blocks that have messages, and when all messages took the same time.
pub(crate) fn effective_count(whole: &Moments, blocks: &Blocks, stage: usize) -> Option<f64> {
    let launches = blocks.plan.launches();
    let by_block: Vec<(f64, f64)> = launches
        .iter()
        .flat_map(|launch| blocks.stage(launch, stage))
        .filter_map(sum_and_count)
        .collect();
    if by_block.len() < BLOCKS_LEAST || whole.variance() == 0.0 {
        return None;
    }
    let mut of_mean = variance_of_mean(&by_block);
    let by_launch: Vec<(f64, f64)> =
        launches.iter().filter_map(|launch| launch_sum(blocks, launch, stage)).collect();
    if by_launch.len() >= LAUNCHES_LEAST {
        of_mean = of_mean.max(variance_of_mean(&by_launch));
    }
    Some((whole.variance() / of_mean).min(whole.count as f64))
}

/// Standard deviation of `values` as a part of their mean; `None` for fewer than two, or a mean of
/// 0.
pub(crate) fn relative_deviation(values: &[f64]) -> Option<f64> {
    let n = values.len() as f64;
    let mean = values.iter().sum::<f64>() / n;
    let squares: f64 = values.iter().map(|value| (value - mean).powi(2)).sum();
    (values.len() >= 2 && mean != 0.0).then(|| (squares / (n - 1.0)).sqrt() / mean.abs())
}

/// The relative deviation of block medians inside a launch, averaged over launches.
pub(crate) fn within_launches(blocks: &Blocks, stage: usize) -> Option<f64> {
    let deviation = |launch: &LaunchBlocks| {
        let medians: Vec<f64> =
            blocks.stage(launch, stage).filter_map(|b| b.quantile(0.5)).map(|m| m as f64).collect();
        relative_deviation(&medians)
    };
    let deviations: Vec<f64> = blocks.plan.launches().iter().filter_map(deviation).collect();
    (!deviations.is_empty()).then(|| deviations.iter().sum::<f64>() / deviations.len() as f64)
}

/// The variance of the overall mean, from parts (sum, count) that are taken to be independent. The
/// ratio estimator of cluster sampling (Cochran 1977, 9.1), since parts differ in size.
fn variance_of_mean(parts: &[(f64, f64)]) -> f64 {
    let (sum, count) =
        parts.iter().fold((0.0, 0.0), |(sum, count), part| (sum + part.0, count + part.1));
    let mean = sum / count;
    let k = parts.len() as f64;
    let squares: f64 = parts.iter().map(|part| (part.0 - part.1 * mean).powi(2)).sum();
    squares / (count * count) * k / (k - 1.0)
}

fn sum_and_count(block: &BlockDistribution) -> Option<(f64, f64)> {
    (block.count() > 0).then(|| (block.moments().sum as f64, block.count() as f64))
}

fn launch_sum(blocks: &Blocks, launch: &LaunchBlocks, stage: usize) -> Option<(f64, f64)> {
    let parts = blocks.stage(launch, stage).filter_map(sum_and_count);
    parts.reduce(|(sum, count), part| (sum + part.0, count + part.1))
}
