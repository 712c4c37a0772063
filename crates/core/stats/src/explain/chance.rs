//! How likely chance alone does as much.

use crate::odds::incomplete_beta;

/// The chance that at least `successes` of `trials` succeed, each with probability `p`.
pub(super) fn at_least(successes: u64, trials: u64, p: f64) -> f64 {
    match successes {
        0 => 1.0,
        more if more > trials => 0.0,
        _ => incomplete_beta(p.clamp(0.0, 1.0), successes as f64, (trials - successes + 1) as f64),
    }
}

/// The chance that `2 n R²` of one or several sets of random phases, added up, is at least
/// `statistic`: chi-square with two degrees of freedom a set (Mardia & Jupp 2000, ch. 6.3).
pub(super) fn of_phases(statistic: f64, sets: u32) -> f64 {
    let half = statistic / 2.0;
    let (mut term, mut sum) = (1.0, 1.0);
    for j in 1..sets.max(1) {
        term *= half / f64::from(j);
        sum += term;
    }
    (sum * (-half).exp()).min(1.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_tail_of_a_binomial_is_that_of_its_definition() {
        for (n, p) in [(10_u64, 0.3_f64), (50, 0.02), (200, 0.5), (1000, 0.001)] {
            let mut pmf = vec![(1.0 - p).powi(n as i32)];
            for k in 0..n {
                pmf.push(pmf[k as usize] * (n - k) as f64 / (k + 1) as f64 * p / (1.0 - p));
            }
            for k in [0, 1, n / 4, n / 2] {
                let truth: f64 = pmf[k as usize..].iter().sum();
                assert!(
                    (at_least(k, n, p) - truth).abs() <= 1e-6 * truth.max(1e-300),
                    "{k} of {n} at {p}"
                );
            }
        }
        assert_eq!(
            (at_least(3, 2, 0.5), at_least(1, 2, 0.0), at_least(2, 2, 1.0)),
            (0.0, 0.0, 1.0)
        );
    }

    #[test]
    fn random_phases_exceed_their_quantile_as_often_as_they_should() {
        assert!((of_phases(5.991, 1) - 0.05).abs() < 1e-4);
        assert!((of_phases(9.488, 2) - 0.05).abs() < 1e-4);
        assert_eq!(of_phases(0.0, 3), 1.0);
    }
}
