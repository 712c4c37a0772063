//! Columns of names (`kind`, `arrived_how`), read as codes.
//!
//! The names are few and lie in the column's dictionary; a row holds an index. Turning each row's
//! index into a string and the string into a code, as the general decoder would, costs ten times
//! what the indices do, so they are decoded here: the mix of runs and bit-packed groups that the
//! Parquet format calls RLE.

use crate::NULL;
use parquet::basic::Encoding;
use parquet::column::page::{Page, PageReader};
use parquet::errors::{ParquetError, Result};
use parquet::file::metadata::ColumnChunkMetaData;

/// Reads a name as its code.
pub(crate) type CodeOf = dyn Fn(&[u8]) -> Option<i64>;

/// Read a column of names: `code_of` each row's name, or [`NULL`], appended to `out`.
pub(crate) fn read(
    mut pages: impl PageReader,
    column: &ColumnChunkMetaData,
    rows: usize,
    code_of: &CodeOf,
    out: &mut Vec<i64>,
) -> Result<()> {
    let optional = column.column_descr().max_def_level() > 0;
    let mut dictionary = Vec::new();
    while out.len() < rows {
        let page = pages.get_next_page()?.ok_or_else(|| damaged("ends early"))?;
        match page {
            Page::DictionaryPage { buf, .. } => dictionary = plain_names(&buf, code_of)?,
            Page::DataPage { buf, num_values, encoding, .. } => {
                let count = checked(num_values, out.len(), rows)?;
                let (levels, values) = if optional { split_v1(&buf)? } else { (&[][..], &buf[..]) };
                page_codes(
                    optional.then_some(levels),
                    values,
                    encoding,
                    count,
                    &dictionary,
                    code_of,
                    out,
                )?;
            }
            Page::DataPageV2 {
                buf,
                num_values,
                encoding,
                def_levels_byte_len,
                rep_levels_byte_len,
                ..
            } => {
                let count = checked(num_values, out.len(), rows)?;
                let rest = buf.get(rep_levels_byte_len as usize..).ok_or_else(too_short)?;
                let (levels, values) =
                    rest.split_at_checked(def_levels_byte_len as usize).ok_or_else(too_short)?;
                page_codes(
                    optional.then_some(levels),
                    values,
                    encoding,
                    count,
                    &dictionary,
                    code_of,
                    out,
                )?;
            }
        }
    }
    Ok(())
}

fn damaged(what: &str) -> ParquetError {
    ParquetError::General(what.to_string())
}

fn too_short() -> ParquetError {
    damaged("has a page that is too short")
}

fn checked(values: u32, have: usize, rows: usize) -> Result<usize> {
    let count = values as usize;
    if count <= rows - have { Ok(count) } else { Err(damaged("has more values than rows")) }
}

/// A version 1 page begins with its levels' length.
fn split_v1(page: &[u8]) -> Result<(&[u8], &[u8])> {
    let (length, rest) = page.split_first_chunk::<4>().ok_or_else(too_short)?;
    rest.split_at_checked(u32::from_le_bytes(*length) as usize).ok_or_else(too_short)
}

fn page_codes(
    levels: Option<&[u8]>,
    values: &[u8],
    encoding: Encoding,
    rows: usize,
    dictionary: &[i64],
    code_of: &CodeOf,
    out: &mut Vec<i64>,
) -> Result<()> {
    let begin = out.len();
    let mut present = Vec::new();
    if let Some(levels) = levels {
        hybrid(levels, 1, rows, &mut present)?;
    }
    let nulls = present.iter().filter(|level| **level == 0).count();
    match encoding {
        Encoding::RLE_DICTIONARY | Encoding::PLAIN_DICTIONARY => {
            let (width, packed) = values.split_first().unwrap_or((&0, &[]));
            let mut indices = Vec::new();
            hybrid(packed, *width, rows - nulls, &mut indices)?;
            look_up(&indices, dictionary, out)?;
        }
        Encoding::PLAIN => {
            let codes = plain_names(values, code_of)?;
            out.extend(codes.get(..rows - nulls).ok_or_else(too_short)?);
        }
        other => return Err(damaged(&format!("has the encoding {other}, which names never have"))),
    }
    if nulls > 0 { spread(out, begin, &present) } else { Ok(()) }
}

fn look_up(indices: &[u8], dictionary: &[i64], out: &mut Vec<i64>) -> Result<()> {
    let highest = indices.iter().copied().max();
    if highest.is_some_and(|highest| usize::from(highest) >= dictionary.len()) {
        return Err(damaged("points outside its dictionary"));
    }
    // As long as an index can be, so that the loop has nothing to check.
    let mut codes = [NULL; 256];
    for (code, name) in codes.iter_mut().zip(dictionary) {
        *code = *name;
    }
    out.extend(indices.iter().map(|index| codes[usize::from(*index)]));
    Ok(())
}

/// Put nulls between the codes from `begin` on.
fn spread(out: &mut Vec<i64>, begin: usize, present: &[u8]) -> Result<()> {
    let codes = out.split_off(begin);
    let mut codes = codes.into_iter();
    for level in present {
        out.push(if *level == 0 { NULL } else { codes.next().ok_or_else(too_short)? });
    }
    Ok(())
}

/// Names, each after its length.
fn plain_names(mut bytes: &[u8], code_of: &CodeOf) -> Result<Vec<i64>> {
    let mut codes = Vec::new();
    while let Some((length, rest)) = bytes.split_first_chunk::<4>() {
        let (name, rest) =
            rest.split_at_checked(u32::from_le_bytes(*length) as usize).ok_or_else(too_short)?;
        let code = code_of(name).ok_or_else(|| {
            let name: String = String::from_utf8_lossy(name).chars().take(40).collect();
            damaged(&format!("has the name \"{name}\", which is unknown to this version"))
        })?;
        codes.push(code);
        bytes = rest;
    }
    Ok(codes)
}

/// Decode `count` values of `width` bits: runs of one value, and groups of eight packed values.
fn hybrid(mut bytes: &[u8], width: u8, count: usize, out: &mut Vec<u8>) -> Result<()> {
    if width > 8 {
        return Err(damaged("has indices for more names than there are"));
    }
    out.reserve(count);
    while out.len() < count {
        let left = count - out.len();
        let header = varint(&mut bytes)?;
        let amount = usize::try_from(header >> 1).map_err(|_| too_short())?;
        if amount == 0 {
            return Err(damaged("has an empty run"));
        }
        if header & 1 == 0 {
            let (value, rest) =
                bytes.split_at_checked(usize::from(width).div_ceil(8)).ok_or_else(too_short)?;
            out.resize(out.len() + amount.min(left), value.first().copied().unwrap_or(0));
            bytes = rest;
        } else {
            let length = amount.checked_mul(usize::from(width)).ok_or_else(too_short)?;
            // The last group may be cut where its values end.
            let (packed, rest) = bytes.split_at(length.min(bytes.len()));
            unpack(packed, usize::from(width), amount.saturating_mul(8).min(left), out)?;
            bytes = rest;
        }
    }
    Ok(())
}

fn varint(bytes: &mut &[u8]) -> Result<u64> {
    let mut value = 0;
    for shift in (0..63).step_by(7) {
        let (byte, rest) = bytes.split_first().ok_or_else(too_short)?;
        *bytes = rest;
        value |= u64::from(byte & 0x7f) << shift;
        if byte & 0x80 == 0 {
            return Ok(value);
        }
    }
    Err(damaged("has a run of an impossible length"))
}

/// Unpack `values` values of `width` bits, eight at a time: they lie in `width` bytes.
fn unpack(packed: &[u8], width: usize, values: usize, out: &mut Vec<u8>) -> Result<()> {
    if (values * width).div_ceil(8) > packed.len() {
        return Err(too_short());
    }
    let end = out.len() + values;
    if width == 0 {
        out.resize(end, 0);
        return Ok(());
    }
    let mask = (1u16 << width) as u64 - 1;
    for group in packed.chunks(width).take(values.div_ceil(8)) {
        let mut window = [0; 8];
        window[..group.len()].copy_from_slice(group);
        let window = u64::from_le_bytes(window);
        let eight: [u8; 8] = std::array::from_fn(|at| (window >> (at * width) & mask) as u8);
        out.extend_from_slice(&eight);
    }
    out.truncate(end);
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all(bytes: &[u8], width: u8, count: usize) -> Result<Vec<u8>> {
        let mut values = Vec::new();
        hybrid(bytes, width, count, &mut values)?;
        Ok(values)
    }

    #[test]
    fn runs_and_packed_groups_are_decoded() {
        // Five times 4 as a run, then the format's own example: 0 to 7 in 3 bits each.
        let bytes = [5 << 1, 4, 1 << 1 | 1, 0b1000_1000, 0b1100_0110, 0b1111_1010];
        assert_eq!(all(&bytes, 3, 13).unwrap(), [4, 4, 4, 4, 4, 0, 1, 2, 3, 4, 5, 6, 7]);
        assert!(all(&[], 0, 0).unwrap().is_empty());
        assert_eq!(all(&[3 << 1], 0, 3).unwrap(), [0, 0, 0]);
    }

    #[test]
    fn damage_is_an_error() {
        assert!(all(&[1 << 1 | 1, 0], 3, 8).is_err());
        assert!(all(&[0, 0], 1, 8).is_err());
        assert!(all(&[0xff; 16], 1, 8).is_err());
        assert!(all(&[2, 0], 40, 1).is_err());
    }
}
