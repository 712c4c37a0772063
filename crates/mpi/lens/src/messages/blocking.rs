//! Which calls of each rank keep it until their message may go: a bit for each row of its table of
//! calls.

use std::collections::BTreeMap;

/// Rows of calls that block their rank.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct BlockingCalls {
    ranks: BTreeMap<u32, Vec<u64>>,
}

impl BlockingCalls {
    /// Say of the next rows of a rank's table, in order, whether they block. `first` is the number
    /// of the first of them, a multiple of 64 as row groups are.
    pub fn add(&mut self, rank: u32, first: u64, blocks: impl Iterator<Item = bool>) {
        let bits = self.ranks.entry(rank).or_default();
        for (row, blocks) in (first..).zip(blocks) {
            let word = (row / 64) as usize;
            if bits.len() <= word {
                bits.resize(word + 1, 0);
            }
            bits[word] |= u64::from(blocks) << (row % 64);
        }
    }

    /// Whether a row of a rank blocks; `None` when its table is not known.
    #[inline]
    pub fn blocks(&self, rank: u32, row: i64) -> Option<bool> {
        let bits = self.ranks.get(&rank)?;
        let row = u64::try_from(row).ok()?;
        Some(bits.get((row / 64) as usize)? >> (row % 64) & 1 == 1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_keep_their_bits() {
        let mut calls = BlockingCalls::default();
        calls.add(3, 0, (0..128).map(|row| row % 3 == 0));
        calls.add(3, 128, (128..200).map(|row| row % 3 == 0));
        assert!((0..200).all(|row| calls.blocks(3, row) == Some(row % 3 == 0)));
        assert_eq!(
            (calls.blocks(2, 0), calls.blocks(3, -1), calls.blocks(3, 5_000)),
            (None, None, None)
        );
    }
}
