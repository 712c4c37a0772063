//! Run times of launches, and how many times as fast one set of launches is as another.
//!
//! Launches are the unit of replication, as in [`crate::compare`]. Times multiply what disturbs them, so all is done with
//! logarithms: the centre is the geometric mean, intervals are Student's t, and the ratio of two sets has Welch's degrees of
//! freedom (B. L. Welch, The generalization of "Student's" problem when several different population variances are
//! involved, Biometrika 34, 1947).

use crate::compare::student::critical;

/// How likely a truth lies outside its interval.
const OUTSIDE: f64 = 0.05;

/// A figure and its 95 % interval, which takes two launches (of each side of a ratio).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Estimate {
    /// The figure.
    pub value: f64,
    /// From, to.
    pub interval: Option<(f64, f64)>,
}

impl Estimate {
    /// Divided by a number above 0.
    pub fn per(self, divisor: f64) -> Estimate {
        let interval = self.interval.map(|(low, high)| (low / divisor, high / divisor));
        Estimate { value: self.value / divisor, interval }
    }
}

/// Geometric mean of times; `None` without any, or when one is not above 0.
pub fn typical(times: &[f64]) -> Option<Estimate> {
    let logs = Logs::of(times)?;
    let spread = logs.freedom().map(|freedom| critical(OUTSIDE, freedom) * logs.variance_of_mean.sqrt());
    Some(about(logs.mean, spread))
}

/// How many times as long `long` takes as `short`; `None` as for [`typical`].
pub fn ratio(long: &[f64], short: &[f64]) -> Option<Estimate> {
    let (long, short) = (Logs::of(long)?, Logs::of(short)?);
    let variance = long.variance_of_mean + short.variance_of_mean;
    let spread = long.freedom().zip(short.freedom()).map(|(a, b)| {
        let parts = long.variance_of_mean.powi(2) / a + short.variance_of_mean.powi(2) / b;
        // Without any variance there is no interval to widen.
        let freedom = if parts > 0.0 { variance.powi(2) / parts } else { a + b };
        critical(OUTSIDE, freedom) * variance.sqrt()
    });
    Some(about(long.mean - short.mean, spread))
}

fn about(log: f64, spread: Option<f64>) -> Estimate {
    Estimate { value: log.exp(), interval: spread.map(|spread| ((log - spread).exp(), (log + spread).exp())) }
}

struct Logs {
    count: f64,
    mean: f64,
    variance_of_mean: f64,
}

impl Logs {
    fn of(times: &[f64]) -> Option<Logs> {
        if times.is_empty() || !times.iter().all(|time| *time > 0.0 && time.is_finite()) {
            return None;
        }
        let count = times.len() as f64;
        let mean = times.iter().map(|time| time.ln()).sum::<f64>() / count;
        let squares: f64 = times.iter().map(|time| (time.ln() - mean).powi(2)).sum();
        let variance_of_mean = if count > 1.0 { squares / (count - 1.0) / count } else { 0.0 };
        Some(Logs { count, mean, variance_of_mean })
    }

    fn freedom(&self) -> Option<f64> {
        (self.count > 1.0).then_some(self.count - 1.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn near(a: f64, b: f64) -> bool {
        (a - b).abs() < 1e-6 * b.abs()
    }

    #[test]
    fn as_worked_out_by_hand() {
        let e = std::f64::consts::E;
        // Logarithms 0, 1, 2: mean 1, variance of the mean 1/3, t of 2 degrees 4.302653.
        let found = typical(&[1.0, e, e * e]).unwrap();
        let (low, high) = found.interval.unwrap();
        assert!(near(found.value, e) && near(high.ln() - 1.0, 4.302_653 / 3f64.sqrt()), "{found:?}");
        assert!(near(1.0 - low.ln(), 4.302_653 / 3f64.sqrt()));
        // Equal variances and counts: Welch has all 4 degrees of freedom, t 2.776445.
        let found = ratio(&[e, e * e, e * e * e], &[1.0, e, e * e]).unwrap();
        assert!(near(found.value, e), "{found:?}");
        assert!(near(found.interval.unwrap().1.ln() - 1.0, 2.776_445 * (2.0f64 / 3.0).sqrt()), "{found:?}");
    }

    #[test]
    fn one_launch_has_no_interval_and_none_no_time() {
        assert_eq!(typical(&[2.0]).unwrap().interval, None);
        assert_eq!(
            ratio(&[4.0, 4.0], &[2.0]),
            Some(Estimate { value: (4f64.ln() - 2f64.ln()).exp(), interval: None })
        );
        for nonsense in [&[][..], &[0.0], &[-1.0, 1.0], &[f64::NAN]] {
            assert_eq!(typical(nonsense), None);
        }
        let same = ratio(&[3.0, 3.0], &[1.5, 1.5]).unwrap();
        assert!(near(same.interval.unwrap().0, 2.0) && near(same.per(2.0).value, 1.0), "{same:?}");
    }
}
