//! A link as far as a prediction needs it.

/// What lies between the program and its servers. Each direction carries one byte after the other.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Link {
    /// Bytes a second, of what travels: headers included.
    pub bytes_per_s: f64,
    /// From one end to the other, for a message without length.
    pub latency_s: f64,
    /// Bytes on the wire for each byte of a message: 1 where headers cost nothing.
    pub framing: f64,
    /// How long acknowledgements keep the way back busy, as a part of what a message does to the
    /// way there.
    pub acknowledging: f64,
}

impl Link {
    /// Ethernet, IP and TCP headers with a time stamp around 1448 bytes.
    pub const TCP_OVER_ETHERNET: f64 = 1514.0 / 1448.0;

    /// One without data for two full packets.
    pub const TCP_ACKNOWLEDGING: f64 = 66.0 / (2.0 * 1514.0);

    /// A link of so many bits a second for TCP over Ethernet, as one that is shaped.
    pub fn of_bits(bits_per_s: u64) -> Link {
        Link {
            bytes_per_s: bits_per_s as f64 / 8.0,
            latency_s: 0.0,
            framing: Link::TCP_OVER_ETHERNET,
            acknowledging: Link::TCP_ACKNOWLEDGING,
        }
    }

    /// A link that carries so many bytes a second of messages, whatever lies around them.
    pub fn of_rate(bytes_per_s: f64) -> Link {
        Link { bytes_per_s, latency_s: 0.0, framing: 1.0, acknowledging: 0.0 }
    }

    /// How long so many bytes of a message keep it busy.
    pub fn busy_s(&self, bytes: u64) -> f64 {
        bytes as f64 * self.framing / self.bytes_per_s
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headers_take_their_part() {
        let link = Link::of_bits(100_000_000);
        assert!((link.busy_s(1448) - 1514.0 * 8.0 / 1e8).abs() < 1e-12);
    }
}
