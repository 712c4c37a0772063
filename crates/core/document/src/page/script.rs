//! What the script needs, packed.

use std::io::Write;

use base64::{Engine, engine::general_purpose::STANDARD};
use flate2::{Compression, write::GzEncoder};

/// Bytes as base64 of gzip, safe to put inside any element.
pub(crate) fn pack(bytes: &[u8]) -> String {
    let mut packer = GzEncoder::new(Vec::new(), Compression::new(7));
    packer.write_all(bytes).expect("writing to memory cannot fail");
    STANDARD.encode(packer.finish().expect("writing to memory cannot fail"))
}
