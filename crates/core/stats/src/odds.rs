//! How likely chance is to do as much: tails of the binomial and of Student's distribution.
//!
//! The regularised incomplete beta function by its continued fraction (Lentz's method, DLMF
//! 8.17.22), the logarithm of the gamma function by Stirling's series (DLMF 5.11.1) after shifting
//! the argument up.

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

/// P(T > `t`) for Student's distribution, `t` at least 0.
pub(crate) fn student_tail(t: f64, freedom: f64) -> f64 {
    incomplete_beta(freedom / (freedom + t * t), freedom / 2.0, 0.5) / 2.0
}

/// P(Z > `z`) for the standard normal, `z` at least 0.
pub(crate) fn normal_tail(z: f64) -> f64 {
    student_tail(z, 1e7)
}

/// The `z` that a standard normal exceeds with probability `p` below ½; at most 37, where the
/// probability leaves the range of numbers.
pub(crate) fn normal_deviate(p: f64) -> f64 {
    let (mut low, mut high) = (0.0, 37.0);
    for _ in 0..40 {
        let middle = (low + high) / 2.0;
        if normal_tail(middle) > p { low = middle } else { high = middle }
    }
    (low + high) / 2.0
}

/// I_x(a, b), for a and b above 0.
pub(crate) fn incomplete_beta(x: f64, a: f64, b: f64) -> f64 {
    if x <= 0.0 || x >= 1.0 {
        return if x <= 0.0 { 0.0 } else { 1.0 };
    }
    let front = (a * x.ln() + b * (-x).ln_1p() + ln_gamma(a + b) - ln_gamma(a) - ln_gamma(b)).exp();
    if x < (a + 1.0) / (a + b + 2.0) {
        front * continued(x, a, b) / a
    } else {
        1.0 - front * continued(1.0 - x, b, a) / b
    }
}

fn continued(x: f64, a: f64, b: f64) -> f64 {
    const TINY: f64 = 1e-300;
    let keep = |v: f64| if v.abs() < TINY { TINY } else { v };
    let mut d = 1.0 / keep(1.0 - (a + b) * x / (a + 1.0));
    let (mut c, mut result) = (1.0, d);
    for step in 1..500 {
        let m = f64::from(step);
        let even = m * (b - m) * x / ((a + 2.0 * m - 1.0) * (a + 2.0 * m));
        let odd = -(a + m) * (a + b + m) * x / ((a + 2.0 * m) * (a + 2.0 * m + 1.0));
        let mut change = 1.0;
        for term in [even, odd] {
            d = 1.0 / keep(1.0 + term * d);
            c = keep(1.0 + term / c);
            change *= c * d;
        }
        result *= change;
        if (change - 1.0).abs() < 1e-12 {
            break;
        }
    }
    result
}

/// The natural logarithm of Γ(x), x above 0.
pub(crate) fn ln_gamma(x: f64) -> f64 {
    let (mut x, mut shift) = (x, 0.0);
    while x < 10.0 {
        shift += x.ln();
        x += 1.0;
    }
    let (i, i2) = (1.0 / x, 1.0 / (x * x));
    let series = i * (1.0 / 12.0 - i2 * (1.0 / 360.0 - i2 * (1.0 / 1260.0 - i2 / 1680.0)));
    (x - 0.5) * x.ln() - x + 0.5 * std::f64::consts::TAU.ln() + series - shift
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
    fn tails_of_student_and_the_normal_are_those_of_the_tables() {
        near(student_tail(2.262_157, 9.0), 0.025);
        near(student_tail(12.706_2, 1.0), 0.025);
        near(normal_tail(1.959_964), 0.025);
        near(normal_tail(5.0), 2.866_516e-7);
        near(normal_deviate(2.866_516e-7), 5.0);
    }

    #[test]
    fn gamma_is_the_factorial() {
        near(ln_gamma(11.0), 3_628_800.0_f64.ln());
        near(ln_gamma(0.5), std::f64::consts::PI.sqrt().ln());
    }
}
