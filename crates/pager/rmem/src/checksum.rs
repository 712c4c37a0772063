//! The checksum of a page: XXH3, 128 bits. It finds damage and tells contents apart; it is no
//! defence against whoever means to deceive.

use pager::{Checksum, PAGE_BYTES};

/// The checksum of a page's contents.
#[inline]
pub fn checksum(bytes: &[u8; PAGE_BYTES]) -> Checksum {
    Checksum(twox_hash::XxHash3_128::oneshot(bytes))
}

/// `None`: the page is all zero.
pub fn checksum_unless_zeros(bytes: &[u8; PAGE_BYTES]) -> Option<Checksum> {
    let zeros = bytes[..8] == [0; 8] && *bytes == [0; PAGE_BYTES];
    (!zeros).then(|| checksum(bytes))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_bit_anywhere_changes_it() {
        let zeros = checksum(&[0; PAGE_BYTES]);
        for bit in [0, 7, 4095 * 8, 4095 * 8 + 7, 1234 * 8 + 3] {
            let mut page = [0; PAGE_BYTES];
            page[bit / 8] ^= 1 << (bit % 8);
            assert_ne!(checksum(&page), zeros);
            assert_eq!(checksum_unless_zeros(&page), Some(checksum(&page)));
        }
        assert_eq!(checksum_unless_zeros(&[0; PAGE_BYTES]), None);
    }
}
