//! The difference between two sets of launches, and how sure it is.
//!
//! A launch is the unit of replication, so a run gives as many values as it has launches, often
//! three to five. The percentile bootstrap over so few is far too narrow: it never draws a launch
//! that differs more than those it has. Student's t with Welch's degrees of freedom allows for
//! that: few launches that differ give a wide interval.

use crate::launches::{LAUNCHES_LEAST, Reason, of_ratio};
use crate::student;

/// One run's values, a launch each.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Side {
    pub mean: f64,
    /// Variance of a launch's value.
    pub variance: f64,
    pub launches: usize,
}

/// B minus A.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Contrast {
    pub estimate: f64,
    /// Standard error of the estimate.
    error: f64,
    freedom: f64,
    /// Variances of one launch's value of A and of B together.
    variances: f64,
    /// Of the side that has more.
    launches: usize,
}

/// Launches beyond which nobody is told to go: the estimate rests on the spread of a few.
const LAUNCHES_MOST: u32 = 100;

impl Side {
    /// Of the launches' `values`, each known to a variance of `noise` at best (what blocks within a
    /// launch say): launches can hardly differ by less than that, whatever a few of them happen to
    /// show. `None` below three launches.
    pub fn of(values: &[f64], noise: f64) -> Option<Side> {
        let n = values.len() as f64;
        if values.len() < LAUNCHES_LEAST {
            return None;
        }
        let mean = values.iter().sum::<f64>() / n;
        let between = values.iter().map(|value| (value - mean).powi(2)).sum::<f64>() / (n - 1.0);
        Some(Side { mean, variance: between.max(noise), launches: values.len() })
    }

    /// Half the width of the interval that the mean lies outside of with probability `outside`.
    pub fn half(&self, outside: f64) -> f64 {
        student::critical(outside, self.launches as f64 - 1.0) * self.of_mean().sqrt()
    }

    fn of_mean(&self) -> f64 {
        self.variance / self.launches as f64
    }
}

impl Contrast {
    /// Welch's: the sides may vary differently.
    pub fn between(a: &Side, b: &Side) -> Contrast {
        let (of_a, of_b) = (a.of_mean(), b.of_mean());
        let part = |of: f64, side: &Side| of * of / (side.launches as f64 - 1.0);
        let spread = part(of_a, a) + part(of_b, b);
        let freedom = if spread > 0.0 { (of_a + of_b).powi(2) / spread } else { 1.0 };
        Contrast {
            estimate: b.mean - a.mean,
            error: (of_a + of_b).sqrt(),
            freedom,
            variances: a.variance + b.variance,
            launches: a.launches.max(b.launches),
        }
    }

    /// One value more, against the earlier ones: it varies as they do, and their mean is not known
    /// exactly either (a prediction interval).
    pub fn of_next(earlier: &Side, next: f64) -> Contrast {
        Contrast {
            estimate: next - earlier.mean,
            error: (earlier.variance + earlier.of_mean()).sqrt(),
            freedom: earlier.launches as f64 - 1.0,
            variances: 2.0 * earlier.variance,
            launches: earlier.launches,
        }
    }

    /// How likely a difference as large as this, either way, if there is none.
    pub fn chance(&self) -> f64 {
        match self.error > 0.0 {
            true => student::two_sided(self.estimate / self.error, self.freedom),
            false => f64::from(u8::from(self.estimate == 0.0)),
        }
    }

    /// How likely a difference as large as this or larger, if it is truly at most `limit`.
    pub fn chance_above(&self, limit: f64) -> f64 {
        match self.error > 0.0 {
            true => student::above((self.estimate - limit) / self.error, self.freedom),
            false => f64::from(u8::from(self.estimate <= limit)),
        }
    }

    /// How likely a difference as small as this or smaller, if it is truly at least `limit`.
    pub fn chance_below(&self, limit: f64) -> f64 {
        match self.error > 0.0 {
            true => student::above((limit - self.estimate) / self.error, self.freedom),
            false => f64::from(u8::from(self.estimate >= limit)),
        }
    }

    /// The interval that the difference lies outside of with probability `outside`.
    pub fn interval(&self, outside: f64) -> (f64, f64) {
        let half = self.half(outside);
        (self.estimate - half, self.estimate + half)
    }

    /// Half the width of that interval.
    pub fn half(&self, outside: f64) -> f64 {
        if self.error > 0.0 { student::critical(outside, self.freedom) * self.error } else { 0.0 }
    }

    /// The interval of the ratio whose logarithm this is.
    pub fn ratio_interval(&self, outside: f64) -> Result<(f64, f64), Reason> {
        of_ratio(self.estimate, self.half(outside))
    }

    /// Launches of each side by which this `distance` from a limit would be as sure as `outside`
    /// asks (both ways), as these launches vary; more than there are. `None` beyond a hundred, and
    /// at a distance of 0.
    pub fn launches_for(&self, distance: f64, outside: f64) -> Option<u32> {
        let enough = |n: u32| {
            let n = f64::from(n);
            student::critical(outside, 2.0 * (n - 1.0)) * (self.variances / n).sqrt() <= distance
        };
        let least = u32::try_from(self.launches + 1).ok()?;
        if distance <= 0.0 || least > LAUNCHES_MOST || !enough(LAUNCHES_MOST) {
            return None;
        }
        (least..=LAUNCHES_MOST).find(|launches| enough(*launches))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn side(values: &[f64]) -> Side {
        Side::of(values, 0.0).unwrap()
    }

    #[test]
    fn welch_as_in_his_formula() {
        // Worked by hand: means 2 and 5, variances 1 and 4, three and four launches.
        let a = Side { mean: 2.0, variance: 1.0, launches: 3 };
        let b = Side { mean: 5.0, variance: 4.0, launches: 4 };
        let contrast = Contrast::between(&a, &b);
        assert_eq!(contrast.estimate, 3.0);
        assert!((contrast.error - (1.0_f64 / 3.0 + 1.0).sqrt()).abs() < 1e-12);
        assert!(
            (contrast.freedom - (4.0_f64 / 3.0).powi(2) / (1.0 / 18.0 + 1.0 / 3.0)).abs() < 1e-12
        );
    }

    #[test]
    fn few_launches_that_differ_are_unsure() {
        // The fact that began this: medians of three launches, µs.
        let a = side(&[0.21_f64.ln(), 0.71_f64.ln(), 0.20_f64.ln()]);
        let b = side(&[0.70_f64.ln(), 0.71_f64.ln(), 0.21_f64.ln()]);
        let (low, high) = Contrast::between(&a, &b).interval(0.05);
        assert!(low < -1.0 && high > 1.5, "{low} to {high}");
    }

    #[test]
    fn two_launches_are_no_side_and_noise_is_a_floor() {
        assert_eq!((Side::of(&[1.0], 0.1), Side::of(&[1.0, 2.0], 0.1)), (None, None));
        assert_eq!(Side::of(&[1.0; 3], 0.1).map(|side| side.variance), Some(0.1));
    }

    #[test]
    fn the_launches_it_takes_suffice_and_one_less_does_not() {
        let contrast = Contrast::between(&side(&[0.0, 0.1, 0.2]), &side(&[0.05, 0.1, 0.2]));
        let n = contrast.launches_for(0.05, 0.05).unwrap();
        let half =
            |n: f64| student::critical(0.05, 2.0 * (n - 1.0)) * (contrast.variances / n).sqrt();
        assert!(half(f64::from(n)) <= 0.05 && half(f64::from(n) - 1.0) > 0.05, "{n}");
        assert_eq!(
            (contrast.launches_for(1e-6, 0.05), contrast.launches_for(0.0, 0.05)),
            (None, None)
        );
        assert_eq!(contrast.launches_for(10.0, 0.05), Some(4), "more than there are");
    }

    #[test]
    fn equal_constant_runs_do_not_differ_and_unequal_ones_do() {
        let one = side(&[3.0; 3]);
        assert_eq!(Contrast::between(&one, &one).chance(), 1.0);
        assert_eq!(Contrast::between(&one, &one).interval(0.05), (0.0, 0.0));
        assert_eq!(Contrast::between(&one, &side(&[4.0; 3])).chance(), 0.0);
    }
}
