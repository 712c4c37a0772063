//! Reading a column that may hold nulls and holds none.
//!
//! Each page of such a column begins with its levels: which rows are null. Where the statistics say
//! that none is, the levels are cut off, and the column is decoded as one that cannot hold nulls:
//! decoding a level for each row costs almost as much as decoding the row. If the statistics were
//! wrong, the values are fewer than the rows, and the decoder says so.

use parquet::basic::Encoding;
use parquet::column::page::{Page, PageMetadata, PageReader};
use parquet::errors::{ParquetError, Result};

/// The pages of another reader, without their levels.
pub(crate) struct WithoutLevels<P>(pub P);

impl<P: PageReader> Iterator for WithoutLevels<P> {
    type Item = Result<Page>;

    fn next(&mut self) -> Option<Self::Item> {
        self.get_next_page().transpose()
    }
}

impl<P: PageReader> PageReader for WithoutLevels<P> {
    fn get_next_page(&mut self) -> Result<Option<Page>> {
        self.0.get_next_page()?.map(cut).transpose()
    }

    fn peek_next_page(&mut self) -> Result<Option<PageMetadata>> {
        self.0.peek_next_page()
    }

    fn skip_next_page(&mut self) -> Result<()> {
        self.0.skip_next_page()
    }
}

fn cut(mut page: Page) -> Result<Page> {
    match &mut page {
        Page::DictionaryPage { .. } => {}
        // Version 1: the levels after their length in four bytes.
        Page::DataPage { buf, def_level_encoding, .. } => {
            if *def_level_encoding != Encoding::RLE {
                return Err(ParquetError::General(format!(
                    "has levels encoded as {def_level_encoding}"
                )));
            }
            let length =
                buf.first_chunk::<4>().map(|length| u32::from_le_bytes(*length) as usize + 4);
            *buf = rest(buf, length)?;
        }
        // Version 2: their length is in the page's head.
        Page::DataPageV2 { buf, def_levels_byte_len, rep_levels_byte_len, .. } => {
            *buf = rest(buf, Some(*def_levels_byte_len as usize + *rep_levels_byte_len as usize))?;
            (*def_levels_byte_len, *rep_levels_byte_len) = (0, 0);
        }
    }
    Ok(page)
}

fn rest(page: &bytes::Bytes, from: Option<usize>) -> Result<bytes::Bytes> {
    match from {
        Some(from) if from <= page.len() => Ok(page.slice(from..)),
        _ => Err(ParquetError::General("has a page that is too short".to_string())),
    }
}
