//! The drawing script, as a page carries it: `assets/README.md` says which and why.

use std::io::Write;
use std::sync::OnceLock;

use base64::{Engine, engine::general_purpose::STANDARD};
use flate2::{Compression, write::GzEncoder};

/// The script as gzip. The Rust crate's own copy has every kind of trace, and MathJax beside it:
/// 6.8 MB in each program.
const PLOTLY: &[u8] = include_bytes!("../../assets/plotly-basic.min.js.gz");

/// The drawing script as base64 of gzip.
pub(crate) fn packed_plotly() -> &'static str {
    static PACKED: OnceLock<String> = OnceLock::new();
    PACKED.get_or_init(|| STANDARD.encode(PLOTLY))
}

/// Bytes as base64 of gzip, safe to put inside any element.
pub(crate) fn pack(bytes: &[u8]) -> String {
    let mut packer = GzEncoder::new(Vec::new(), Compression::new(7));
    packer.write_all(bytes).expect("writing to memory cannot fail");
    STANDARD.encode(packer.finish().expect("writing to memory cannot fail"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Read;

    #[test]
    fn the_packed_script_is_plotly_alone() {
        let bytes = STANDARD.decode(packed_plotly()).unwrap();
        let mut text = String::new();
        flate2::read::GzDecoder::new(&bytes[..]).read_to_string(&mut text).unwrap();
        assert!(text.starts_with("/**\n* plotly.js (basic - minified) v3"), "{}", &text[..60]);
        assert!(text.trim_end().ends_with("return Plotly;\n}));"), "{}", &text[text.len() - 60..]);
        assert!(packed_plotly().len() < 500_000, "{}", packed_plotly().len());
    }
}
