//! Virtual time: what events are ordered by. It never mixes with clocks.

use std::fmt;

/// A point of virtual time: (simtime, seq1, seq2), ordered lexicographically.
///
/// Kept as two words whose order as integers is the order of the times, so that a comparison is
/// that of a 128-bit number. Negative zero is made zero. A time made from a NaN is
/// [`VirtualTime::INVALID`], which lies behind every other and to which nothing can be sent.
#[derive(
    Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, serde::Deserialize,
)]
pub struct VirtualTime {
    simtime: u64,
    seq: u64,
}

const SIGN: u64 = 1 << 63;

impl VirtualTime {
    /// Creation of objects; send time of configuration messages.
    pub const NEGINF: VirtualTime = VirtualTime::at(-999_999_999.0);
    /// GVT until initialisation is over.
    pub const STARTED: VirtualTime = VirtualTime::at(-999_999_998.0);
    /// End of the run: when termination sections are run.
    pub const POSINF: VirtualTime = VirtualTime::at(999_999_999.0);
    /// Everything is finished.
    pub const FINISHED: VirtualTime = VirtualTime::at(1_000_000_000.0);
    /// What a NaN becomes.
    pub const INVALID: VirtualTime = VirtualTime { simtime: u64::MAX, seq: u64::MAX };

    /// (simtime, 0, 0).
    #[inline]
    pub const fn at(simtime: f64) -> VirtualTime {
        VirtualTime::new(simtime, 0, 0)
    }

    /// (simtime, seq1, seq2).
    #[inline]
    pub const fn new(simtime: f64, seq1: u32, seq2: u32) -> VirtualTime {
        if simtime.is_nan() {
            return VirtualTime::INVALID;
        }
        // Adding zero turns -0.0 into 0.0 and changes nothing else.
        let bits = (simtime + 0.0).to_bits();
        let simtime = if bits & SIGN == 0 { bits | SIGN } else { !bits };
        VirtualTime { simtime, seq: (seq1 as u64) << 32 | seq2 as u64 }
    }

    /// Its first part.
    #[inline]
    pub const fn simtime(self) -> f64 {
        f64::from_bits(if self.simtime & SIGN == 0 { !self.simtime } else { self.simtime ^ SIGN })
    }

    /// Its second part.
    pub const fn seq1(self) -> u32 {
        (self.seq >> 32) as u32
    }

    /// Its third part.
    pub const fn seq2(self) -> u32 {
        self.seq as u32
    }

    /// So much simtime later; the sequence fields are kept.
    #[inline]
    pub const fn after(self, simtime: f64) -> VirtualTime {
        VirtualTime::new(self.simtime() + simtime, self.seq1(), self.seq2())
    }

    /// So many seq1 later.
    pub const fn after_seq1(self, steps: u32) -> VirtualTime {
        VirtualTime::new(self.simtime(), self.seq1() + steps, self.seq2())
    }

    /// So many seq2 later.
    pub const fn after_seq2(self, steps: u32) -> VirtualTime {
        VirtualTime::new(self.simtime(), self.seq1(), self.seq2() + steps)
    }

    /// The least time after this one.
    pub(crate) const fn just_after(self) -> VirtualTime {
        match self.seq.checked_add(1) {
            Some(seq) => VirtualTime { simtime: self.simtime, seq },
            None => VirtualTime { simtime: self.simtime + 1, seq: 0 },
        }
    }

    /// The greatest time before this one.
    pub(crate) const fn just_before(self) -> VirtualTime {
        match self.seq.checked_sub(1) {
            Some(seq) => VirtualTime { simtime: self.simtime, seq },
            None => VirtualTime { simtime: self.simtime - 1, seq: u64::MAX },
        }
    }

    /// As two words that order like the times; see [`VirtualTime::from_words`].
    #[inline]
    pub const fn words(self) -> [u64; 2] {
        [self.simtime, self.seq]
    }

    /// The time that has these words.
    #[inline]
    pub const fn from_words(words: [u64; 2]) -> VirtualTime {
        VirtualTime { simtime: words[0], seq: words[1] }
    }
}

impl fmt::Display for VirtualTime {
    /// `12.5`, and `12.5:1:0` when a sequence field is not zero.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if *self == VirtualTime::INVALID {
            return f.write_str("not a number");
        }
        write!(f, "{}", self.simtime())?;
        if self.seq != 0 { write!(f, ":{}:{}", self.seq1(), self.seq2()) } else { Ok(()) }
    }
}

impl fmt::Debug for VirtualTime {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn order_is_lexicographic(a in -1e9f64..1e9, b in -1e9f64..1e9, s: [u32; 4]) {
            let (x, y) = (VirtualTime::new(a, s[0], s[1]), VirtualTime::new(b, s[2], s[3]));
            let expected = a.partial_cmp(&b).unwrap().then((s[0], s[1]).cmp(&(s[2], s[3])));
            prop_assert_eq!(x.cmp(&y), expected);
            prop_assert_eq!(x.simtime(), a);
            prop_assert_eq!((x.seq1(), x.seq2()), (s[0], s[1]));
            prop_assert_eq!(VirtualTime::from_words(x.words()), x);
        }
    }

    #[test]
    fn zero_has_one_form_and_a_nan_lies_behind_everything() {
        assert_eq!(VirtualTime::at(-0.0), VirtualTime::at(0.0));
        assert_eq!(VirtualTime::at(f64::NAN), VirtualTime::INVALID);
        assert!(VirtualTime::INVALID > VirtualTime::FINISHED);
        assert!(VirtualTime::at(f64::INFINITY) > VirtualTime::POSINF);
    }
}
