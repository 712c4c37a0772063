//! The bytes of one column of one row group, read at their place in the file.
//!
//! Read by position and not by seeking: several threads read one file at a time, and a seek would
//! move the others' place.

use bytes::{Buf, Bytes};
use parquet::errors::{ParquetError, Result};
use parquet::file::reader::{ChunkReader, Length};
use std::fs::File;
use std::os::unix::fs::FileExt;

/// Most bytes that a column of a row group can need: what a damaged file can make a reader reserve.
const BYTES_MAX: u64 = 1 << 28;

/// Bytes of a file from `start` on.
pub(crate) struct ColumnBytes {
    start: u64,
    bytes: Bytes,
}

impl ColumnBytes {
    /// Read `(start, length)` of the file.
    pub fn read(file: &File, (start, length): (u64, u64)) -> Result<ColumnBytes> {
        let end = start.checked_add(length).ok_or_else(outside)?;
        if length > BYTES_MAX || end > file.metadata()?.len() {
            return Err(outside());
        }
        let mut bytes = vec![0; length as usize];
        file.read_exact_at(&mut bytes, start)?;
        Ok(ColumnBytes { start, bytes: bytes.into() })
    }

    fn from(&self, start: u64) -> Result<Bytes> {
        let skipped = start.checked_sub(self.start).ok_or_else(outside)?;
        if skipped > self.bytes.len() as u64 {
            return Err(outside());
        }
        Ok(self.bytes.slice(skipped as usize..))
    }
}

fn outside() -> ParquetError {
    ParquetError::EOF("its pages lie outside the file".to_string())
}

impl Length for ColumnBytes {
    fn len(&self) -> u64 {
        self.start + self.bytes.len() as u64
    }
}

impl ChunkReader for ColumnBytes {
    type T = bytes::buf::Reader<Bytes>;

    fn get_read(&self, start: u64) -> Result<Self::T> {
        Ok(self.from(start)?.reader())
    }

    fn get_bytes(&self, start: u64, length: usize) -> Result<Bytes> {
        let rest = self.from(start)?;
        if length > rest.len() { Err(outside()) } else { Ok(rest.slice(..length)) }
    }
}
