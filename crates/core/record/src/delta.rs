//! DELTA_BINARY_PACKED, written: the differences of whole numbers, packed into as few bits as the
//! largest of some dozen needs.
//!
//! Blocks are of 128 differences and four parts with a width of their own, as most writers have
//! them: a pause between messages widens 32 values and no more. The format is that of the Parquet
//! specification; the decoder is the Parquet crate's.

/// Differences of a block, which have one smallest in common.
const BLOCK: usize = 128;
/// Differences packed in one width.
const PART: usize = 32;

/// Append `values`, encoded.
pub(crate) fn encode(values: &[i64], out: &mut Vec<u8>) {
    varint(BLOCK as u64, out);
    varint((BLOCK / PART) as u64, out);
    varint(values.len() as u64, out);
    let first = values.first().copied().unwrap_or(0);
    zigzag(first, out);
    let mut last = first;
    let mut deltas = [0; BLOCK];
    for block in values.get(1..).unwrap_or_default().chunks(BLOCK) {
        let mut least = i64::MAX;
        for (delta, value) in deltas.iter_mut().zip(block) {
            *delta = value.wrapping_sub(last);
            least = least.min(*delta);
            last = *value;
        }
        write_block(&mut deltas, block.len(), least, out);
    }
}

/// Write the first `count` of `deltas`, of which `least` is the smallest.
fn write_block(deltas: &mut [i64; BLOCK], count: usize, least: i64, out: &mut Vec<u8>) {
    deltas[..count].iter_mut().for_each(|delta| *delta = delta.wrapping_sub(least));
    deltas[count..].fill(0);
    zigzag(least, out);
    let mut widths = [0; BLOCK / PART];
    for (width, part) in widths.iter_mut().zip(deltas.chunks_exact(PART)) {
        let bits = part.iter().fold(0, |bits, delta| bits | *delta as u64);
        *width = 64 - bits.leading_zeros() as u8;
    }
    out.extend_from_slice(&widths);
    for (width, part) in widths.into_iter().zip(deltas.chunks_exact(PART)).take(parts(count)) {
        pack(part, u32::from(width), out);
    }
}

/// Parts that hold something: the others are not written.
fn parts(count: usize) -> usize {
    count.div_ceil(PART)
}

/// Append 32 values of so many bits each, the first in the lowest.
fn pack(values: &[i64], width: u32, out: &mut Vec<u8>) {
    let (mut word, mut filled) = (0u64, 0);
    for value in values.iter().map(|value| *value as u64) {
        word |= value << filled;
        filled += width;
        if filled >= 64 {
            out.extend_from_slice(&word.to_le_bytes());
            filled -= 64;
            // What of the value did not fit; a shift by all of its bits would leave it whole.
            word = if filled == 0 { 0 } else { value >> (width - filled) };
        }
    }
    out.extend_from_slice(&word.to_le_bytes()[..filled as usize / 8]);
}

/// Append a number in groups of seven bits, the lowest first.
pub(crate) fn varint(mut value: u64, out: &mut Vec<u8>) {
    while value >= 0x80 {
        out.push(value as u8 | 0x80);
        value >>= 7;
    }
    out.push(value as u8);
}

fn zigzag(value: i64, out: &mut Vec<u8>) {
    varint((value << 1 ^ value >> 63) as u64, out);
}
