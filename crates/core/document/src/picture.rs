//! One chart as an SVG file.

use std::fmt::Write as _;
use std::io::Write;

use crate::chart::Chart;
use crate::plot::{Plot, escaped, text_width};
use crate::section::{Document, Section};
use crate::{DocumentError, palette};

/// Width of a picture, CSS pixels.
const WIDTH: f64 = 800.0;
/// Lines of the legend.
const LINE: f64 = 20.0;
/// From the picture's edge to what it shows.
const EDGE: f64 = 16.0;

/// The chart of this name as a picture that stands alone, in its first mode. Of several runs, that
/// of the first which has it.
///
/// # Errors
/// When there is no chart of that name, or `out` refuses the text.
pub fn svg(document: &Document, name: &str, out: &mut dyn Write) -> Result<(), DocumentError> {
    let named = |section: &'_ Section| section.charts.iter().position(|chart| chart.id == name);
    let found = document.all_sections().find_map(|section| Some((section, named(section)?)));
    let Some((section, at)) = found else { return Err(unknown(document, name)) };
    out.write_all(picture(section, &section.charts[at]).as_bytes())?;
    Ok(out.flush()?)
}

fn unknown(document: &Document, name: &str) -> DocumentError {
    let charts = document.all_sections().flat_map(|section| &section.charts);
    let mut known: Vec<&str> = charts.map(|chart| chart.id.as_str()).collect();
    known.sort_unstable();
    known.dedup();
    DocumentError::NoChart { name: name.to_owned(), known: known.join(", ") }
}

fn picture(section: &Section, chart: &Chart) -> String {
    let plot = Plot::fixed(chart, 0, WIDTH - EDGE);
    let title = if chart.title.is_empty() { &section.title } else { &chart.title };
    let own = section.legend.iter().map(|(name, colour)| (name.clone(), colour.0.to_owned()));
    let (legend, head) = legend(&own.chain(plot.legend.clone()).collect::<Vec<_>>());
    let [top, right, bottom, left] = plot.margins;
    let height = head + f64::from(chart.height);
    let inner = (WIDTH - EDGE - left - right, f64::from(chart.height) - top - bottom);
    let mut svg = String::new();
    let _ = writeln!(
        svg,
        "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"plot\" width=\"{WIDTH}\" \
         height=\"{height}\" viewBox=\"0 0 {WIDTH} {height}\" role=\"img\">\
         <title>{}</title><style>{}</style>\
         <rect class=\"panel\" width=\"{WIDTH}\" height=\"{height}\"/>\
         <text class=\"key\" x=\"{EDGE}\" y=\"24\" font-size=\"15\" font-weight=\"600\">{}</text>\
         {legend}<svg x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" overflow=\"visible\">{}\
         </svg></svg>",
        escaped(&chart.label),
        escaped(&palette::alone()),
        escaped(title),
        left + EDGE / 2.0,
        head + top,
        inner.0,
        inner.1,
        plot.svg,
    );
    svg
}

/// The legend in as many lines as it takes, and where the plot begins below it.
fn legend(entries: &[(String, String)]) -> (String, f64) {
    let (mut x, mut y, mut svg) = (EDGE, 48.0, String::new());
    for (name, colour) in entries {
        let wide = 16.0 + text_width(name) + 18.0;
        if x > EDGE && x + wide > WIDTH - EDGE {
            (x, y) = (EDGE, y + LINE);
        }
        let (top, text) = (y - 9.0, x + 15.0);
        let _ = write!(
            svg,
            "<rect class=\"f-{colour}\" x=\"{x}\" y=\"{top}\" width=\"10\" height=\"10\" \
             rx=\"2\"/><text class=\"key\" x=\"{text}\" y=\"{y}\">{}</text>",
            escaped(name)
        );
        x += wide;
    }
    let end = if entries.is_empty() { 36.0 } else { y + 12.0 };
    (svg, end)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chart::{Axis, Curve};
    use crate::{Colour, Section};

    fn document() -> Document {
        let mut chart = Chart::new("tail", 300, "A <line>.", (Axis::time("x"), Axis::part("y")));
        chart.draw(Curve::line(vec![0.0, 1.0], vec![0.0, 1.0], Colour("b"), 2.0));
        let mut section = Section::new("tail", "Tail & more", "").chart(chart);
        section.legend = (0..20).map(|at| (format!("A name {at}"), Colour("b"))).collect();
        Document { sections: vec![section], ..Document::default() }
    }

    #[test]
    fn a_picture_is_whole_by_itself() {
        let mut file = Vec::new();
        svg(&document(), "tail", &mut file).expect("memory takes everything");
        let text = String::from_utf8(file).expect("text");
        let tree = roxmltree::Document::parse(&text).expect("XML");
        let texts: Vec<&str> = tree.descendants().filter_map(|node| node.text()).collect();
        assert!(texts.contains(&"Tail & more") && texts.contains(&"A name 19"), "{texts:?}");
        assert!(!text.contains("var(") && !text.contains("<script"));
        let right = tree.descendants().filter(|node| node.has_tag_name("text"));
        let right = right.filter_map(|node| node.attribute("x")?.parse::<f64>().ok());
        assert!(right.fold(0.0, f64::max) < WIDTH - 40.0);
    }

    #[test]
    fn a_name_that_is_not_there_lists_those_that_are() {
        let error = svg(&document(), "tale", &mut Vec::new()).expect_err("no such chart");
        assert_eq!(error.to_string(), "there is no chart 'tale'; choose from: tail");
    }
}
