//! How likely chance alone does as much.

/// The chance that at least `successes` of `trials` succeed, each with probability `p`.
pub(super) fn at_least(successes: u64, trials: u64, p: f64) -> f64 {
    if successes == 0 {
        return 1.0;
    }
    if p <= 0.0 || successes > trials {
        return 0.0;
    }
    if p >= 1.0 {
        return 1.0;
    }
    let (n, odds) = (trials as f64, p / (1.0 - p));
    // P(X = k) from k = successes on, each from the one before; the first by logarithms of factorials.
    let k = successes as f64;
    let log_first = log_choose(n, k) + k * p.ln() + (n - k) * (1.0 - p).ln();
    let (mut term, mut sum) = (1.0_f64, 1.0_f64);
    for k in successes..trials {
        term *= (trials - k) as f64 / (k + 1) as f64 * odds;
        sum += term;
        if term < sum * 1e-12 {
            break;
        }
    }
    (log_first + sum.ln()).exp().min(1.0)
}

/// The chance that `2 n R²` of one or several sets of random phases, added up, is at least `statistic`: chi-square with two
/// degrees of freedom a set (Mardia & Jupp 2000, ch. 6.3).
pub(super) fn of_phases(statistic: f64, sets: u32) -> f64 {
    let half = statistic / 2.0;
    let (mut term, mut sum) = (1.0, 1.0);
    for j in 1..sets.max(1) {
        term *= half / f64::from(j);
        sum += term;
    }
    (sum * (-half).exp()).min(1.0)
}

fn log_choose(n: f64, k: f64) -> f64 {
    log_factorial(n) - log_factorial(k) - log_factorial(n - k)
}

/// Stirling's series, whose error is below 1e-8 from 9 on; exact below.
fn log_factorial(n: f64) -> f64 {
    if n < 9.0 {
        return (2..=n as u64).map(|k| (k as f64).ln()).sum();
    }
    let n1 = n + 1.0;
    (n1 - 0.5) * n1.ln() - n1 + 0.5 * std::f64::consts::TAU.ln() + 1.0 / (12.0 * n1)
        - 1.0 / (360.0 * n1.powi(3))
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
                assert!((at_least(k, n, p) - truth).abs() <= 1e-6 * truth.max(1e-300), "{k} of {n} at {p}");
            }
        }
        assert_eq!((at_least(3, 2, 0.5), at_least(1, 2, 0.0), at_least(2, 2, 1.0)), (0.0, 0.0, 1.0));
    }

    #[test]
    fn random_phases_exceed_their_quantile_as_often_as_they_should() {
        assert!((of_phases(5.991, 1) - 0.05).abs() < 1e-4);
        assert!((of_phases(9.488, 2) - 0.05).abs() < 1e-4);
        assert_eq!(of_phases(0.0, 3), 1.0);
    }
}
