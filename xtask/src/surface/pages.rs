//! Sections, charts, tables and folded parts of pages.

use super::without_numbers;
use anyhow::{Context, Result};
use std::collections::BTreeSet;
use std::path::Path;

/// Of the pages in the folder; not of the one whose names are attacks.
pub fn all(folder: &Path) -> Result<BTreeSet<String>> {
    let mut lines = BTreeSet::new();
    for entry in std::fs::read_dir(folder).context("cannot list the pages")? {
        let path = entry?.path();
        let is_page = path.extension().is_some_and(|extension| extension == "html");
        if is_page && !path.ends_with("hostile.html") {
            let page = std::fs::read_to_string(&path)
                .with_context(|| format!("cannot read {}", path.display()))?;
            lines.extend(surface(&page));
        }
    }
    Ok(lines)
}

/// What a page shows, each under its section.
fn surface(page: &str) -> BTreeSet<String> {
    let mut reader = Reader::default();
    let mut rest = page;
    while let Some(begin) = rest.find('<') {
        reader.text(&rest[..begin]);
        let Some((tag, after)) = rest[begin + 1..].split_once('>') else { break };
        rest = after;
        if let Some(hidden) = ["script", "style"].into_iter().find(|name| tag.starts_with(name)) {
            rest = rest.split_once(&format!("</{hidden}>")).map_or("", |(_, after)| after);
            continue;
        }
        reader.tag(tag);
    }
    reader.lines
}

/// Where a reader of the page is.
#[derive(Default)]
struct Reader {
    /// The last `h1`, `h2`, or `h3`.
    section: String,
    /// The element whose text is being read.
    reading: Option<&'static str>,
    /// In the line that a folded part shows: a heading there is a run's name.
    in_summary: bool,
    text: String,
    /// The columns of the table that has begun.
    columns: Vec<String>,
    lines: BTreeSet<String>,
}

/// Elements whose text counts.
const READ: [&str; 7] = ["h1", "h2", "h3", "h4", "summary", "dt", "th"];

impl Reader {
    fn text(&mut self, text: &str) {
        if self.reading.is_some() {
            self.text += text;
        }
    }

    fn tag(&mut self, tag: &str) {
        let name = tag.split([' ', '\n']).next().unwrap_or_default();
        let closes = name.trim_start_matches('/');
        // The end of a cell may be left out.
        let cell_ends = ["th", "td", "tr", "thead", "tbody", "table"].contains(&closes);
        match self.reading {
            Some(reading) if closes == reading || (reading == "th" && cell_ends) => self.end(),
            _ => {}
        }
        match name {
            "summary" => self.in_summary = true,
            "/summary" => self.in_summary = false,
            _ => {}
        }
        let is_column = |tag: &str| tag.contains("scope=col") || tag.contains("scope=\"col\"");
        match READ.into_iter().find(|read| *read == name) {
            Some("th") if !is_column(tag) => {}
            Some(read) => (self.reading, self.text) = (Some(read), String::new()),
            None => {}
        }
        if let Some(label) = attribute(tag, "aria-label").filter(|_| tag.contains("role=\"img\"")) {
            self.line("chart", &without_data(&label));
        }
        if closes == "tbody" && !self.columns.is_empty() {
            let columns = std::mem::take(&mut self.columns).join(" | ");
            self.line("table", &columns);
        }
    }

    /// An element whose text counts has ended.
    fn end(&mut self) {
        let text = plain(&self.text);
        match self.reading.take() {
            // A finding is a sentence.
            Some("h1") => self.section = "head".into(),
            Some("h2") if self.in_summary || text.ends_with('.') => self.section = "head".into(),
            Some("h2" | "h3") => {
                self.section = without_numbers(&text);
                self.lines.insert(format!("section: {}", self.section));
            }
            Some("h4") => self.line("part", &text),
            Some("summary") => self.line("folded", &text),
            Some("dt") => self.line("fact", &text),
            Some("th") => self.columns.push(text),
            _ => {}
        }
    }

    fn line(&mut self, kind: &str, text: &str) {
        let line = format!("{kind}: {} / {}", self.section, without_numbers(text));
        self.lines.insert(line);
    }
}

/// A chart's label without the figures that some end with.
fn without_data(label: &str) -> String {
    let label = without_numbers(label);
    if label.contains("# %,") && label.ends_with('%') {
        let name = label.split_once(": ").map_or("", |(name, _)| name);
        return format!("Bar of parts {name}").trim_end().to_owned();
    }
    label.split(": #").next().unwrap_or_default().to_owned()
}

/// The value of an attribute in quotes.
fn attribute(tag: &str, name: &str) -> Option<String> {
    let (_, value) = tag.split_once(&format!("{name}=\""))?;
    Some(plain(value.split('"').next()?))
}

/// Text without entities, with single spaces.
fn plain(text: &str) -> String {
    let entities = [("&#39;", "'"), ("&quot;", "\""), ("&lt;", "<"), ("&gt;", ">"), ("&amp;", "&")];
    let text = entities.iter().fold(text.to_owned(), |text, (from, to)| text.replace(from, to));
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_is_its_sections_charts_and_tables() {
        let page = "<style>h3{}</style><h3 id=x>By <b>size</b></h3><script>'<h3>no</h3>'</script>\
                    <div role=\"img\" aria-label=\"Lines of 7 sizes\"></div><table><thead><tr>\
                    <th scope=col>Size<th scope=col><b>It&#39;s</b><tbody><tr><th scope=row>64\
                    <td>5</table><details><summary>All 12</summary></details>\
                    <dl><dt>Host</dt></dl>";
        let found: Vec<String> = surface(page).into_iter().collect();
        assert_eq!(
            found,
            [
                "chart: By size / Lines of # sizes",
                "fact: By size / Host",
                "folded: By size / All #",
                "section: By size",
                "table: By size / Size | It's",
            ]
        );
    }

    #[test]
    fn what_is_data_is_no_part_of_a_label() {
        for (label, name) in [
            (
                "Histogram of Transit, slowest 0.1 %: 1 message.",
                "Histogram of Transit, slowest # %",
            ),
            ("All time: send wait 5 %, transit under 0.1 %", "Bar of parts All time"),
            ("Mean time in each stage by hops.", "Mean time in each stage by hops."),
        ] {
            assert_eq!(without_data(label), name);
        }
    }

    #[test]
    fn cells_may_be_closed_and_attributes_quoted() {
        let page = "<h2>A</h2><table><thead><tr><th scope=\"col\">B</th><th scope=\"col\">C</th>\
                    </tr></thead><tbody><tr><th scope=\"row\">1</th></tr></tbody></table>";
        assert!(surface(page).contains("table: A / B | C"), "{:?}", surface(page));
    }
}
