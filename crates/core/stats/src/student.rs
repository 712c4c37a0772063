//! Student's t: how likely a deviation is by chance alone, for any degrees of freedom.

use crate::odds::incomplete_beta;
use statrs::function::beta::inv_beta_reg;

/// Probability that |T| exceeds `t` with `freedom` degrees of freedom.
pub(crate) fn two_sided(t: f64, freedom: f64) -> f64 {
    incomplete_beta(freedom / (freedom + t * t), freedom / 2.0, 0.5)
}

/// Probability that T exceeds `t`.
pub(crate) fn above(t: f64, freedom: f64) -> f64 {
    let half = two_sided(t, freedom) / 2.0;
    if t >= 0.0 { half } else { 1.0 - half }
}

/// The `t ≥ 0` that |T| exceeds with probability `outside`, which lies between 0 and 1.
pub(crate) fn critical(outside: f64, freedom: f64) -> f64 {
    let x = inv_beta_reg(freedom / 2.0, 0.5, outside);
    (freedom * (1.0 - x) / x).sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn as_in_printed_tables() {
        let tables = [
            (1.0, 0.05, 12.706_205),
            (9.0, 0.05, 2.262_157),
            (2.0, 0.05, 4.302_653),
            (4.0, 0.01, 4.604_095),
            (8.0, 0.05, 2.306_004),
            (30.0, 0.001, 3.645_959),
            (1000.0, 0.05, 1.962_339),
        ];
        for (freedom, outside, t) in tables {
            let found = critical(outside, freedom);
            assert!((found - t).abs() < 2e-6, "{found} for {t} with {freedom}");
            assert!((above(t, freedom) - outside / 2.0).abs() < 1e-7);
            assert!((above(-t, freedom) - 1.0 + outside / 2.0).abs() < 1e-7);
        }
    }

    #[test]
    fn one_degree_of_freedom_is_cauchy() {
        for t in [0.0, 0.1, 1.0, 7.0, 1e6] {
            let truth = 0.5 - f64::atan(t) / std::f64::consts::PI;
            assert!((above(t, 1.0) - truth).abs() < 1e-9, "{t}");
        }
    }
}
