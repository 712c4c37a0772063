//! The mix of runs and packed groups that the Parquet format calls RLE, written: for levels and for
//! the places in a dictionary.

use crate::delta::varint;

/// Values of a packed group.
const GROUP: usize = 8;

/// Append `values` of `width` bits: equal ones in a row as a run, others in groups of eight.
pub(crate) fn encode(values: &[u32], width: u32, out: &mut Vec<u8>) {
    let (mut from, mut at) = (0, 0);
    while at < values.len() {
        let run = run_length(&values[at..]);
        let into_group = (at - from) % GROUP;
        if into_group == 0 && run >= GROUP {
            packed(&values[from..at], width, out);
            run_of(values[at], run, width, out);
            at += run;
            from = at;
        } else {
            // Groups are whole: a run begins where one ends.
            at += run.min(GROUP - into_group);
        }
    }
    packed(&values[from..], width, out);
}

/// Append `count` times the same value.
pub(crate) fn run_of(value: u32, count: usize, width: u32, out: &mut Vec<u8>) {
    if count == 0 {
        return;
    }
    varint((count as u64) << 1, out);
    out.extend_from_slice(&value.to_le_bytes()[..width.div_ceil(8) as usize]);
}

fn run_length(values: &[u32]) -> usize {
    values.iter().position(|value| *value != values[0]).unwrap_or(values.len())
}

/// Whole groups but for the last, which is filled up with zeros.
fn packed(values: &[u32], width: u32, out: &mut Vec<u8>) {
    if values.is_empty() {
        return;
    }
    varint((values.len().div_ceil(GROUP) as u64) << 1 | 1, out);
    for group in values.chunks(GROUP) {
        let end = out.len() + width as usize;
        let (mut word, mut filled) = (0u64, 0);
        for value in group {
            word |= u64::from(*value) << filled;
            filled += width;
            while filled >= 8 {
                out.push(word as u8);
                word >>= 8;
                filled -= 8;
            }
        }
        if filled > 0 {
            out.push(word as u8);
        }
        out.resize(end, 0);
    }
}
