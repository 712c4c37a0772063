//! What a page is made of before it is compressed.

use crate::hybrid;
use parquet::basic::Encoding;

/// How a column is stored.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Shape {
    Int,
    Long,
    /// Numbers whose differences say nothing.
    Unordered,
    /// Few values, which come again and again.
    FewLongs,
    Double,
    /// A name for each code.
    Name(&'static [&'static str]),
}

/// A page before it is compressed.
pub struct Plain {
    pub bytes: Vec<u8>,
    /// Rows, or values of a dictionary.
    pub count: usize,
    pub encoding: Encoding,
}

/// The levels of so many rows that all hold a value, or none.
pub fn levels_of_one(is_there: bool, rows: usize, bytes: &mut Vec<u8>) {
    put_levels(bytes, |bytes| hybrid::run_of(u32::from(is_there), rows, 1, bytes));
}

/// Levels, and before them how long they are.
pub fn put_levels(bytes: &mut Vec<u8>, encode: impl FnOnce(&mut Vec<u8>)) {
    let from = bytes.len();
    bytes.extend([0; 4]);
    encode(bytes);
    let length = (bytes.len() - from) as u32 - 4;
    bytes[from..from + 4].copy_from_slice(&length.to_le_bytes());
}

/// A value as pages have it that are not packed.
pub fn put_plain(value: i64, shape: Shape, bytes: &mut Vec<u8>) {
    match shape {
        Shape::Int => bytes.extend((value as i32).to_le_bytes()),
        Shape::Name(names) => {
            let name = names[value as usize];
            bytes.extend((name.len() as u32).to_le_bytes());
            bytes.extend(name.as_bytes());
        }
        Shape::Long | Shape::Unordered | Shape::FewLongs | Shape::Double => {
            bytes.extend(value.to_le_bytes())
        }
    }
}
