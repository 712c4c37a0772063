//! FNV-1a, by which the golden files sum up a trace: short enough for any language.

/// What it begins with.
pub const BASIS: u64 = 0xcbf2_9ce4_8422_2325;

/// The hash of what came before, and of these bytes; [`BASIS`] to begin with.
pub fn fnv(begin: u64, bytes: &[u8]) -> u64 {
    bytes.iter().fold(begin, |hash, byte| (hash ^ u64::from(*byte)).wrapping_mul(0x100_0000_01b3))
}
