//! The link between two namespaces, and how much of a time is its doing.

use std::time::Duration;

/// What `tc` is told.
pub struct Link {
    /// Bits a second.
    pub rate_bits: u64,
    /// Added to each message's way.
    pub latency: Option<Duration>,
    /// What it lets pass at once, bytes; otherwise as little as the kernel's timers allow.
    pub burst_bytes: Option<u64>,
}

impl Link {
    /// One of a rate, and no more than that.
    pub fn of_rate(rate_bits: u64) -> Link {
        Link { rate_bits, latency: None, burst_bytes: None }
    }

    /// The least time that `bytes` more in a message add to a round trip, ns: there and back.
    pub fn rate_ns(&self, bytes: u64) -> f64 {
        2.0 * bytes as f64 * 8e9 / self.rate_bits as f64
    }

    /// What it adds to each round trip, ns: there and back.
    pub fn latency_ns(&self) -> f64 {
        2.0 * self.latency.unwrap_or_default().as_nanos() as f64
    }

    /// As `100 Mbit/s, 1ms each way`.
    pub fn text(&self) -> String {
        let rate = match self.rate_bits {
            bits if bits % 1_000_000_000 == 0 => format!("{} Gbit/s", bits / 1_000_000_000),
            bits if bits % 1_000_000 == 0 => format!("{} Mbit/s", bits / 1_000_000),
            bits => format!("{} kbit/s", bits / 1000),
        };
        match self.latency {
            Some(latency) => format!("{rate} and {latency:?} each way"),
            None => rate,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_link_takes_its_time_both_ways() {
        let link = Link { latency: Some(Duration::from_millis(1)), ..Link::of_rate(100_000_000) };
        // 12,500 bytes are 100,000 bits: 1 ms each way.
        assert_eq!((link.rate_ns(12_500), link.latency_ns()), (2e6, 2e6));
        assert_eq!(link.text(), "100 Mbit/s and 1ms each way");
    }
}
