//! The rate of the network, from batches of different sizes: time = fixed + bytes ÷ rate.

/// Sums of a least-squares line through (bytes, ticks).
#[derive(Clone, Copy, Debug, Default)]
pub struct Rate {
    many: f64,
    x: f64,
    y: f64,
    xx: f64,
    xy: f64,
}

impl Rate {
    /// A batch of so many bytes took so long.
    pub fn add(&mut self, bytes: usize, ticks: u64) {
        let (x, y) = (bytes as f64, ticks as f64);
        self.many += 1.0;
        self.x += x;
        self.y += y;
        self.xx += x * x;
        self.xy += x * y;
    }

    /// `None` until batches of different sizes have come, or when longer ones did not take longer.
    pub fn bytes_per_second(&self, ns_per_tick: f64) -> Option<f64> {
        let spread = self.many * self.xx - self.x * self.x;
        let slope = (self.many * self.xy - self.x * self.y) / spread;
        (spread > 0.0 && slope > 0.0).then(|| 1e9 / (slope * ns_per_tick))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_found_and_nothing_from_one_size() {
        let mut rate = Rate::default();
        (0..10).for_each(|_| rate.add(4096, 9000));
        assert_eq!(rate.bytes_per_second(1.0), None);
        for pages in [1, 2, 8, 64] {
            rate.add(pages * 4096, 5000 + pages as u64 * 4096 * 2);
        }
        let found = rate.bytes_per_second(0.5).unwrap();
        assert!((found / 1e9 - 1.0).abs() < 0.05, "{found}");
    }
}
