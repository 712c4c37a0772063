//! Run times of launches, and how many times as fast one set of launches is as another.
//!
//! Launches are the unit of replication, as in [`crate::compare`]. Times multiply what disturbs
//! them, so all is done with logarithms: the centre is the geometric mean, intervals are Student's
//! t, and the ratio of two sets has Welch's degrees of freedom (B. L. Welch, The generalization of
//! "Student's" problem when several different population variances are involved, Biometrika 34,
//! 1947).

use crate::launches::{LAUNCHES_LEAST, Reason, of_ratio, on_log_scale};
use crate::student::critical;

/// How likely a truth lies outside its interval.
const OUTSIDE: f64 = 0.05;

/// A figure above 0 and its 95 % interval, which takes three launches (of each side of a ratio).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Estimate {
    /// The figure.
    pub value: f64,
    /// From, to; or why there is none.
    pub interval: Result<(f64, f64), Reason>,
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
    let half =
        logs.freedom().map(|freedom| critical(OUTSIDE, freedom) * logs.variance_of_mean.sqrt());
    let interval = half.and_then(|half| on_log_scale(logs.mean, half));
    Some(Estimate { value: logs.mean.exp(), interval })
}

/// How many times as long `long` takes as `short`; `None` as for [`typical`].
pub fn ratio(long: &[f64], short: &[f64]) -> Option<Estimate> {
    let (long, short) = (Logs::of(long)?, Logs::of(short)?);
    let variance = long.variance_of_mean + short.variance_of_mean;
    let half = long.freedom().and_then(|a| Ok((a, short.freedom()?))).map(|(a, b)| {
        let parts = long.variance_of_mean.powi(2) / a + short.variance_of_mean.powi(2) / b;
        // Without any variance there is no interval to widen.
        let freedom = if parts > 0.0 { variance.powi(2) / parts } else { a + b };
        critical(OUTSIDE, freedom) * variance.sqrt()
    });
    let log = long.mean - short.mean;
    Some(Estimate { value: log.exp(), interval: half.and_then(|half| of_ratio(log, half)) })
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

    fn freedom(&self) -> Result<f64, Reason> {
        let enough = self.count >= LAUNCHES_LEAST as f64;
        if enough { Ok(self.count - 1.0) } else { Err(Reason::TooFewLaunches) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::{RngExt, SeedableRng};
    use rand_pcg::Pcg64Mcg;

    fn near(a: f64, b: f64) -> bool {
        (a - b).abs() < 1e-6 * b.abs()
    }

    #[test]
    fn as_worked_out_by_hand() {
        let root = std::f64::consts::E.sqrt();
        // Logarithms 0, ½, 1: mean ½, variance of the mean 1/12, t of 2 degrees 4.302653.
        let found = typical(&[1.0, root, root * root]).unwrap();
        let (low, high) = found.interval.unwrap();
        assert!(
            near(found.value, root) && near(high.ln() - 0.5, 4.302_653 / 12f64.sqrt()),
            "{found:?}"
        );
        assert!(near(0.5 - low.ln(), 4.302_653 / 12f64.sqrt()));
        // Equal variances and counts: Welch has all 4 degrees of freedom, t 2.776445.
        let found = ratio(&[root, root.powi(2), root.powi(3)], &[1.0, root, root * root]).unwrap();
        assert!(near(found.value, root), "{found:?}");
        assert!(near(found.interval.unwrap().1.ln() - 0.5, 2.776_445 / 6f64.sqrt()), "{found:?}");
    }

    /// Seen: two launches gave "44 ns to 19079 s" and a speed-up of "0.00 to 219336.12".
    #[test]
    fn below_three_launches_there_is_no_interval_and_without_any_no_time() {
        for few in [&[2.0][..], &[0.01, 0.083]] {
            assert_eq!(typical(few).map(|of| of.interval), Some(Err(Reason::TooFewLaunches)));
            for (long, short) in [(few, &[1.0, 1.0, 1.0][..]), (&[1.0, 1.0, 1.0], few), (few, few)]
            {
                let found = ratio(long, short).unwrap();
                assert_eq!(found.interval, Err(Reason::TooFewLaunches));
                assert!(found.value > 0.0);
            }
        }
        for nonsense in [&[][..], &[0.0], &[-1.0, 1.0], &[f64::NAN]] {
            assert_eq!(typical(nonsense), None);
        }
        let same = ratio(&[3.0; 3], &[1.5; 3]).unwrap();
        assert!(near(same.interval.unwrap().0, 2.0) && near(same.per(2.0).value, 1.0), "{same:?}");
    }

    #[test]
    fn launches_that_differ_by_factors_have_no_interval_that_says_anything() {
        let wild = [1e-6, 1e-3, 1.0];
        assert_eq!(typical(&wild).map(|of| of.interval), Some(Err(Reason::SpreadTooWide)));
        assert_eq!(ratio(&wild, &[1.0; 3]).map(|of| of.interval), Some(Err(Reason::SpreadTooWide)));
    }

    /// Planted truth: the interval covers the ratio at about its rate, and never reaches 0.
    #[test]
    fn the_interval_covers_a_planted_ratio() {
        let mut random = Pcg64Mcg::seed_from_u64(3);
        for (n, deviation) in [(3, 0.02), (3, 0.3), (5, 0.02), (5, 0.3)] {
            let mut drawn = |typical: f64| -> Vec<f64> {
                let normal = |random: &mut Pcg64Mcg| {
                    (0..12).map(|_| random.random::<f64>()).sum::<f64>() - 6.0
                };
                (0..n).map(|_| typical * (deviation * normal(&mut random)).exp()).collect()
            };
            let (mut covered, mut stated) = (0, 0);
            for _ in 0..400 {
                if let Ok((low, high)) = ratio(&drawn(0.12), &drawn(1.0)).unwrap().interval {
                    assert!(0.0 < low && low < high);
                    stated += 1;
                    covered += u32::from((low..=high).contains(&0.12));
                }
            }
            // Of 400 at 95 %, fewer than 366 come one time in a hundred.
            let part = f64::from(covered) / f64::from(stated);
            assert!(stated > 300 && part > 0.915, "{n}, {deviation}: {covered} of {stated}");
        }
    }
}
