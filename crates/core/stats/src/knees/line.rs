//! Straight lines through points of different weight.

/// Weighted sums about the means, so that they can grow by a point at a time and lose no digits.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Sums {
    pub points: usize,
    weight: f64,
    x: f64,
    y: f64,
    xx: f64,
    xy: f64,
    yy: f64,
}

/// A line and how sure it is.
#[derive(Clone, Copy, Debug)]
pub(super) struct Line {
    pub base: f64,
    pub slope: f64,
    /// Sum of squared residuals in units of the points' own variances.
    pub misfit: f64,
    middle: f64,
    weight: f64,
    xx: f64,
}

impl Sums {
    /// Take in a point with this standard deviation (West 1979).
    pub fn add(&mut self, x: f64, y: f64, deviation: f64) {
        let weight = deviation.powi(-2);
        self.points += 1;
        self.weight += weight;
        let part = weight / self.weight;
        let (dx, dy) = (x - self.x, y - self.y);
        self.x += dx * part;
        self.y += dy * part;
        self.xx += weight * dx * (x - self.x);
        self.xy += weight * dx * (y - self.y);
        self.yy += weight * dy * (y - self.y);
    }

    /// The best line.
    pub fn line(&self) -> Line {
        let slope = if self.xx > 0.0 { self.xy / self.xx } else { 0.0 };
        Line {
            base: self.y - slope * self.x,
            slope,
            misfit: (self.yy - slope * self.xy).max(0.0),
            middle: self.x,
            weight: self.weight,
            xx: self.xx,
        }
    }
}

impl Line {
    /// Its value.
    pub fn at(&self, x: f64) -> f64 {
        self.base + self.slope * x
    }

    /// Standard deviation of its value.
    pub fn deviation_at(&self, x: f64) -> f64 {
        let lever = if self.xx > 0.0 { (x - self.middle).powi(2) / self.xx } else { 0.0 };
        (1.0 / self.weight + lever).sqrt()
    }

    /// Standard deviation of its slope.
    pub fn slope_deviation(&self) -> f64 {
        if self.xx > 0.0 { self.xx.powf(-0.5) } else { f64::INFINITY }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_far_from_the_origin_keeps_its_digits() {
        let mut sums = Sums::default();
        for (x, off) in [(1e6, 1.0), (1e6 + 4.0, -2.0), (1e6 + 8.0, 1.0)] {
            sums.add(x, 5e6 + 3.0 * x + off, 0.5);
        }
        let line = sums.line();
        assert!((line.slope - 3.0).abs() < 1e-6 && (line.at(1e6) - 8e6).abs() < 1e-3, "{line:?}");
        // Residuals 1, −2, 1 of deviation ½ each.
        assert!((line.misfit - 24.0).abs() < 1e-3, "{line:?}");
    }
}
