//! The mean of a figure over launches, and its interval at any level.

use crate::launches::{LAUNCHES_LEAST, Reason};
use crate::speedup::Estimate;
use crate::student::critical;

/// The mean of a figure over launches; its interval holds the truth with probability 1 − `outside`.
/// With `factors` both are of the figure's logarithm, for what is disturbed by factors. `None`
/// without any launch, or where a logarithm is wanted of what has none.
pub fn of_launches(values: &[f64], factors: bool, outside: f64) -> Option<Estimate> {
    let usable = |value: &f64| value.is_finite() && (!factors || *value > 0.0);
    if values.is_empty() || !values.iter().all(usable) {
        return None;
    }
    let scaled = |value: &f64| if factors { value.ln() } else { *value };
    // Where all are equal, so is their mean, to the last digit.
    let same = values.iter().all(|value| *value == values[0]);
    let back = |value: f64| match (same, factors) {
        (true, _) => values[0],
        (false, true) => value.exp(),
        (false, false) => value,
    };
    let count = values.len() as f64;
    let mean = values.iter().map(scaled).sum::<f64>() / count;
    if values.len() < LAUNCHES_LEAST {
        return Some(Estimate { value: back(mean), interval: Err(Reason::TooFewLaunches) });
    }
    let squares: f64 = values.iter().map(|value| (scaled(value) - mean).powi(2)).sum();
    let half = critical(outside, count - 1.0) * (squares / (count - 1.0) / count).sqrt();
    let interval = Ok((back(mean - half), back(mean + half)));
    Some(Estimate { value: back(mean), interval })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_mean_of_launches_is_as_worked_out_by_hand() {
        // Mean 2, variance of the mean 1/3, t of 2 degrees at 95 %: 4.302653.
        let found = of_launches(&[1.0, 2.0, 3.0], false, 0.05).unwrap();
        let (low, high) = found.interval.unwrap();
        assert!((found.value - 2.0).abs() < 1e-12 && (low + high - 4.0).abs() < 1e-9);
        assert!((high - 2.0 - 4.302_653 / 3f64.sqrt()).abs() < 1e-5);
        let found = of_launches(&[1.0, 4.0, 16.0], true, 0.05).unwrap();
        let (low, high) = found.interval.unwrap();
        assert!((found.value - 4.0).abs() < 1e-9 && (low * high - 16.0).abs() < 1e-6);
        let few = of_launches(&[1.0, 2.0], false, 0.05);
        let too_few = Estimate { value: 1.5, interval: Err(Reason::TooFewLaunches) };
        assert_eq!(few, Some(too_few));
        let same = of_launches(&[8.0; 3], true, 0.05).unwrap();
        assert_eq!((same.value, same.interval), (8.0, Ok((8.0, 8.0))));
        assert_eq!(of_launches(&[0.0, 1.0], true, 0.05), None);
        assert_eq!(of_launches(&[], false, 0.05), None);
    }
}
