//! The drawing script, packed: as it comes it is 4.7 MB, packed and as text 1.9 MB.

use std::io::Write;
use std::sync::OnceLock;

use base64::{Engine, engine::general_purpose::STANDARD};
use flate2::{Compression, write::GzEncoder};

/// The drawing script as base64 of gzip.
pub(crate) fn packed_plotly() -> &'static str {
    static PACKED: OnceLock<String> = OnceLock::new();
    PACKED.get_or_init(|| pack(plotly_source(&plotly::Plot::offline_js_sources()).as_bytes()))
}

/// Bytes as base64 of gzip, safe to put inside any element.
pub(crate) fn pack(bytes: &[u8]) -> String {
    let mut packer = GzEncoder::new(Vec::new(), Compression::new(7));
    packer.write_all(bytes).expect("writing to memory cannot fail");
    STANDARD.encode(packer.finish().expect("writing to memory cannot fail"))
}

/// The first script element's text: the crate hands out plotly.js, then MathJax, which nothing here
/// needs.
fn plotly_source(elements: &str) -> &str {
    let start = elements.find('>').map_or(0, |at| at + 1);
    let end = elements.find("</script>").unwrap_or(elements.len());
    &elements[start..end]
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
        assert!(text.starts_with("/**\n* plotly.js v3"), "{}", &text[..40]);
        assert!(text.trim_end().ends_with("return Plotly;\n}));"), "{}", &text[text.len() - 60..]);
        assert!(packed_plotly().len() < 2_100_000, "{}", packed_plotly().len());
    }
}
