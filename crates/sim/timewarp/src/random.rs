//! Random numbers that live in an object's state, so that undoing an event undoes its draws.

/// A counter-based generator: the n-th number is a mix of key and n, so a copy of these 16 bytes is
/// all that there is to save, and drawing backwards is lowering the counter.
///
/// The mix is the finaliser of SplitMix64 (Steele, Lea, Flood: Fast splittable pseudorandom number
/// generators, 2014) over `key + n * golden ratio`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Random {
    key: u64,
    counter: u64,
}

const GOLDEN: u64 = 0x9e37_79b9_7f4a_7c15;

impl Random {
    /// The stream with this number under this seed: one for each object.
    pub const fn new(seed: u64, stream: u64) -> Random {
        Random {
            key: mix(mix(seed.wrapping_add(GOLDEN)) ^ stream.wrapping_mul(GOLDEN)),
            counter: 0,
        }
    }

    /// The 16 bytes as two words: for states that move between nodes.
    pub const fn words(self) -> [u64; 2] {
        [self.key, self.counter]
    }

    /// What [`Random::words`] gave.
    pub const fn from_words([key, counter]: [u64; 2]) -> Random {
        Random { key, counter }
    }

    /// 64 random bits.
    #[inline]
    pub fn bits(&mut self) -> u64 {
        self.counter += 1;
        mix(self.key.wrapping_add(self.counter.wrapping_mul(GOLDEN)))
    }

    /// Uniform in [0, 1), with 53 bits.
    #[inline]
    pub fn uniform(&mut self) -> f64 {
        (self.bits() >> 11) as f64 * (1.0 / (1u64 << 53) as f64)
    }

    /// Uniform in 0..n (0 for n = 0), without division. Its bias is below n / 2^64.
    #[inline]
    pub fn below(&mut self, n: u64) -> u64 {
        ((u128::from(self.bits()) * u128::from(n)) >> 64) as u64
    }

    /// Exponential with this mean. The logarithm is computed in software, so that its last bit is
    /// the same on every machine.
    #[inline]
    pub fn exponential(&mut self, mean: f64) -> f64 {
        -mean * libm::log(1.0 - self.uniform())
    }
}

#[inline]
const fn mix(z: u64) -> u64 {
    let z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn means_are_what_they_should_be() {
        let mut random = Random::new(1, 2);
        let draws = 200_000;
        let uniform: f64 = (0..draws).map(|_| random.uniform()).sum::<f64>() / f64::from(draws);
        let exponential: f64 =
            (0..draws).map(|_| random.exponential(3.0)).sum::<f64>() / f64::from(draws);
        assert!((uniform - 0.5).abs() < 0.005, "{uniform}");
        assert!((exponential - 3.0).abs() < 0.05, "{exponential}");
        assert!((0..1000).all(|_| random.below(7) < 7));
    }

    #[test]
    fn streams_differ_and_a_copy_repeats() {
        let (mut a, mut b) = (Random::new(1, 0), Random::new(1, 1));
        assert_ne!(a.bits(), b.bits());
        let mut copy = a;
        assert_eq!(a.bits(), copy.bits());
    }
}
