//! How likely chance is to do as much: tails of the binomial and of the normal distribution.

use statrs::function::beta::checked_beta_reg;
use statrs::function::erf::{erfc, erfc_inv};
use std::f64::consts::SQRT_2;

/// P(X ≥ `high`) for X binomial of `high + low` draws at ½: how likely one of two places that are
/// alike holds so many of what both hold. Counts may be fractions, as counts of independent
/// messages are.
pub(crate) fn unequal(high: f64, low: f64) -> f64 {
    // Beyond this the signed root of the deviance is normal to more digits than anyone needs.
    const LARGE: f64 = 4000.0;
    if high <= low {
        return 1.0;
    }
    if high + low <= LARGE {
        return incomplete_beta(0.5, high, low + 1.0);
    }
    let half = (high + low) / 2.0;
    let part = |n: f64| if n > 0.0 { n * (n / half).ln() } else { 0.0 };
    normal_tail((2.0 * (part(high) + part(low))).sqrt())
}

/// P(Z > `z`) for the standard normal, `z` at least 0.
pub(crate) fn normal_tail(z: f64) -> f64 {
    erfc(z / SQRT_2) / 2.0
}

/// The `z` that a standard normal exceeds with probability `p` below ½; at most 37, where the
/// probability leaves the range of numbers.
pub(crate) fn normal_deviate(p: f64) -> f64 {
    (SQRT_2 * erfc_inv(2.0 * p)).min(37.0)
}

/// I_x(a, b), for a and b above 0; NaN where one of them is none.
pub(crate) fn incomplete_beta(x: f64, a: f64, b: f64) -> f64 {
    checked_beta_reg(a, b, x.clamp(0.0, 1.0)).unwrap_or(f64::NAN)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn near(found: f64, truth: f64) {
        assert!((found / truth - 1.0).abs() < 1e-4, "{found}, truly {truth}");
    }

    #[test]
    fn binomial_tails_are_those_of_the_binomial() {
        near(unequal(19.0, 0.0), 0.5_f64.powi(19));
        // P(X ≥ 8) of 10: (45 + 10 + 1)/1024.
        near(unequal(8.0, 2.0), 56.0 / 1024.0);
        // Exact and by the normal law, where one passes into the other.
        assert!((unequal(2100.0, 1899.0) / unequal(2101.0, 1900.0) - 1.0).abs() < 0.06);
        assert_eq!(unequal(3.0, 3.0), 1.0);
    }

    #[test]
    fn tails_of_the_normal_are_those_of_the_tables() {
        near(normal_tail(1.959_964), 0.025);
        near(normal_tail(5.0), 2.866_516e-7);
        near(normal_deviate(2.866_516e-7), 5.0);
    }
}
