//! The pages of a column, put together.

use super::plain::Plain;
use bytes::Bytes;
use parquet::basic::{Compression, Encoding, ZstdLevel};
use parquet::column::page::{CompressedPage, Page, PageWriter};
use parquet::errors::Result;
use parquet::file::metadata::ColumnChunkMetaData;
use parquet::file::statistics::Statistics;
use parquet::file::writer::{SerializedPageWriter, TrackedWrite};
use parquet::schema::types::ColumnDescPtr;

/// Of zstd.
pub const LEVEL: i32 = 1;

/// A column of a row group: its bytes, and what the file's metadata has to say of them, with places
/// counted from their begin.
pub(crate) type Encoded = (Bytes, ColumnChunkMetaData);

/// Put the pages one after another.
pub fn finish(
    of: ColumnDescPtr,
    rows: usize,
    (dictionary, pages): (Option<Plain>, Vec<Plain>),
    compressed: Option<Vec<Vec<u8>>>,
    statistics: Statistics,
) -> Result<Encoded> {
    let codec = match compressed {
        Some(_) => Compression::ZSTD(ZstdLevel::try_new(LEVEL)?),
        None => Compression::UNCOMPRESSED,
    };
    let mut compressed = compressed.into_iter().flatten();
    let mut sink = TrackedWrite::new(Vec::new());
    let mut out = SerializedPageWriter::new(&mut sink);
    let mut encodings = vec![Encoding::RLE];
    let (mut plain, mut data_at) = (0, 0);
    let has_dictionary = dictionary.is_some();
    for (at, page) in dictionary.into_iter().chain(pages).enumerate() {
        encodings.push(page.encoding);
        let size = page.bytes.len();
        let buf = Bytes::from(compressed.next().unwrap_or(page.bytes));
        let (num_values, encoding) = (page.count as u32, page.encoding);
        let page = if has_dictionary && at == 0 {
            Page::DictionaryPage { buf, num_values, encoding, is_sorted: false }
        } else {
            Page::DataPage {
                buf,
                num_values,
                encoding,
                def_level_encoding: Encoding::RLE,
                rep_level_encoding: Encoding::RLE,
                statistics: None,
            }
        };
        let written = out.write_page(CompressedPage::new(page, size))?;
        plain += written.uncompressed_size;
        if has_dictionary && at == 0 {
            data_at = written.bytes_written;
        }
    }
    let bytes = Bytes::from(sink.into_inner()?);
    let metadata = ColumnChunkMetaData::builder(of)
        .set_compression(codec)
        .set_encodings(encodings)
        .set_total_compressed_size(bytes.len() as i64)
        .set_total_uncompressed_size(plain as i64)
        .set_num_values(rows as i64)
        .set_dictionary_page_offset(has_dictionary.then_some(0))
        .set_data_page_offset(data_at as i64)
        .set_statistics(statistics)
        .build()?;
    Ok((bytes, metadata))
}
