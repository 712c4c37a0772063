//! Log-linear counting: which counter a magnitude goes to, and which magnitudes share a counter.
//!
//! Magnitudes below 2^EXACT have a counter each. Above, each power of two is divided in 2^SUB
//! counters, so that the width of a counter is at most 2^-SUB of its values. `SUB ≤ EXACT` always.
//! The way of HdrHistogram (Tene, 2012), without its fixed range.

/// The counter of `magnitude`.
#[inline(always)]
pub(crate) const fn index<const EXACT: u32, const SUB: u32>(magnitude: u64) -> usize {
    if EXACT != SUB && magnitude < 1 << EXACT {
        return magnitude as usize;
    }
    // With EXACT = SUB the two halves meet in one formula and need no branch.
    let octave = 63 - (magnitude | 1 << EXACT).leading_zeros();
    let below = (octave - SUB) as u64;
    (((octave - EXACT) as u64) << SUB) as usize
        + (magnitude >> below) as usize
        + ((1_u64 << EXACT) - (1_u64 << SUB)) as usize
}

/// The smallest magnitude of counter `index`.
pub(crate) const fn low<const EXACT: u32, const SUB: u32>(index: usize) -> u64 {
    let index = index as u64;
    if index < 1 << EXACT {
        return index;
    }
    let above = index - (1 << EXACT);
    let octave = EXACT + (above >> SUB) as u32;
    ((1 << SUB) + (above & ((1 << SUB) - 1))) << (octave - SUB)
}

/// The largest magnitude of counter `index`.
pub(crate) const fn high<const EXACT: u32, const SUB: u32>(index: usize) -> u64 {
    low::<EXACT, SUB>(index) + (width::<EXACT, SUB>(low::<EXACT, SUB>(index)) - 1)
}

/// How many magnitudes share a counter with `magnitude`: a power of two.
pub(crate) const fn width<const EXACT: u32, const SUB: u32>(magnitude: u64) -> u64 {
    if magnitude < 1 << EXACT { 1 } else { 1 << (63 - magnitude.leading_zeros() - SUB) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn holds<const EXACT: u32, const SUB: u32>(magnitude: u64) {
        let at = index::<EXACT, SUB>(magnitude);
        let (low, high) = (low::<EXACT, SUB>(at), high::<EXACT, SUB>(at));
        assert!(low <= magnitude && magnitude <= high, "{magnitude} is not in {low}..={high}");
        assert_eq!(index::<EXACT, SUB>(low), at);
        assert_eq!(index::<EXACT, SUB>(high), at);
        assert!(
            high - low <= magnitude >> SUB,
            "{magnitude} shares its counter with {low}..={high}"
        );
        if magnitude < 1 << EXACT {
            assert_eq!(low, high);
        }
        if high < u64::MAX {
            assert_eq!(index::<EXACT, SUB>(high + 1), at + 1, "counters have a gap after {high}");
        }
    }

    proptest! {
        #[test]
        fn a_magnitude_is_within_its_counter(bits: u64, shift in 0..64_u32) {
            holds::<16, 12>(bits >> shift);
            holds::<9, 9>(bits >> shift);
            holds::<7, 7>(bits >> shift);
        }
    }

    #[test]
    fn edges_hold() {
        for magnitude in [0, 1, 127, 128, 511, 512, 65_535, 65_536, 1 << 62, 1 << 63, u64::MAX] {
            holds::<16, 12>(magnitude);
            holds::<9, 9>(magnitude);
            holds::<7, 7>(magnitude);
        }
    }
}
