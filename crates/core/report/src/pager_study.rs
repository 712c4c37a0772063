//! The figure of a paging study: completion times of alternatives as stacked bars, with what was
//! predicted marked on them.
//!
//! Plain HTML without a script: bars are boxes whose lengths are parts of the longest.

use std::io::Write;

use crate::ReportError;
use crate::escape::html;
use crate::format::time;
use crate::pager_seconds::{PagedPart, PagedSeconds};
use crate::tables::{list, wrap};

/// A study's figure.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct StudyFigure {
    /// Of the window and the page.
    pub title: String,
    /// What to see, a line each.
    pub sentences: Vec<String>,
    /// In the order in which they are shown; those of one group follow one another.
    pub bars: Vec<Bar>,
    /// What was left out, and why.
    pub remarks: Vec<String>,
}

/// An alternative's completion time.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Bar {
    /// What the program was given, such as `24 MiB`.
    pub group: String,
    /// The alternative.
    pub name: String,
    /// Median of what was measured, with its parts.
    pub seconds: PagedSeconds,
    /// The tick that the processor's time is counted in; 0 where it is measured.
    pub tick_s: f64,
    /// The fastest and the slowest launch.
    pub range_s: (f64, f64),
    /// What was predicted for it, from other runs.
    pub predicted_s: Option<f64>,
}

impl StudyFigure {
    /// Write the page.
    ///
    /// # Errors
    /// When `out` refuses the text.
    pub fn html(&self, out: &mut dyn Write) -> Result<(), ReportError> {
        writeln!(
            out,
            "<!doctype html>\n<html lang=en>\n<head>\n<meta \
            charset=utf-8>\n<title>{title}</title>\n<meta name=viewport \
             content=\"width=device-width,initial-scale=1\">\n<meta name=color-scheme \
             content=\"light dark\">\n<meta \
             http-equiv=Content-Security-Policy content=\"default-src 'none';style-src \
             'unsafe-inline'\">\n<style>{}{STYLE}</style>\n\
             </head>\n<body><main><header class=hero><h1>{title}</h1>{}</header>",
            include_str!("page/page.css"),
            self.sentences
                .iter()
                .map(|text| format!("<p class=lead>{}</p>", html(text)))
                .collect::<String>(),
            title = html(&self.title),
        )?;
        writeln!(out, "<ul class=legend>{}</ul>", legend())?;
        for group in self.bars.chunk_by(|a, b| a.group == b.group) {
            writeln!(out, "{}", section(group))?;
        }
        if !self.remarks.is_empty() {
            writeln!(out, "{}", list("plain remarks", &self.remarks))?;
        }
        writeln!(out, "</main></body></html>")?;
        out.flush()?;
        Ok(())
    }
}

const STYLE: &str = "
.run { display: grid; grid-template-columns: minmax(9em, 15em) 1fr 6em; gap: 4px 14px; align-items: center; margin: 7px 0 }
.track { position: relative; display: flex; height: 24px }
.track i { display: block; height: 100% }
.track i.work { background: var(--work) } .track i.collect { background: var(--collect) } .track i.idle { background: var(--idle) }
.track i.undo { background: var(--undo) } .track i.a { background: var(--a) } .track i.b { background: var(--b) } .track i.c { background: var(--c) }
.track i.d { background: var(--d) } .track i.cycle { background: var(--cycle) }
.legend { margin-bottom: 14px }
.legend .mark { display: inline-block; height: 1em; margin-right: 6px; vertical-align: -2px; border-left: 3px solid var(--ink) }
.track b { position: absolute; top: -3px; bottom: -3px; border-left: 3px solid var(--ink) }
";

fn legend() -> String {
    let parts = PagedSeconds::default().parts();
    let parts = parts.iter().map(|PagedPart { name, class, .. }| {
        format!("<li><span class=\"swatch {class}\"></span>{name}</li>")
    });
    parts.chain(["<li><span class=mark></span>predicted</li>".to_owned()]).collect()
}

fn section(bars: &[Bar]) -> String {
    let longest = bars.iter().flat_map(|bar| [bar.seconds.elapsed, bar.predicted_s.unwrap_or(0.0)]);
    let longest = longest.fold(f64::MIN_POSITIVE, f64::max);
    let lines: String = bars.iter().map(|bar| line(bar, longest)).collect();
    let heading = html(&bars[0].group);
    format!("<section><h3>{heading}</h3>{lines}{}</section>", table(bars))
}

/// Name, bar and time.
fn line(bar: &Bar, longest: f64) -> String {
    let percent = |s: f64| format!("{:.3}%", 100.0 * s / longest);
    let part = |part: PagedPart| {
        let (width, PagedPart { name, class, .. }) = (percent(part.seconds.max(0.0)), part);
        format!(
            "<i class={class} style=\"width:{width}\" title=\"{name} {}\"></i>",
            part.text(bar.tick_s)
        )
    };
    let parts: String = bar.seconds.parts().into_iter().map(part).collect();
    let mark = bar.predicted_s.map_or_else(String::new, |s| {
        format!("<b style=\"left:{}\" title=\"predicted {}\"></b>", percent(s), time(s * 1e9))
    });
    format!(
        "<div class=run><span>{}</span><div class=track>{parts}{mark}</div><span>{}</span></div>",
        html(&bar.name),
        time(bar.seconds.elapsed * 1e9)
    )
}

fn table(bars: &[Bar]) -> String {
    let heads: String = PagedSeconds::default()
        .parts()
        .iter()
        .map(|part| format!("<th scope=col>{}", part.name))
        .collect();
    let rows: String = bars.iter().map(row).collect();
    wrap(&format!(
        "<table class=figures><thead><tr><th scope=col>Alternative<th scope=col>Median<th \
        scope=col>Fastest<th scope=col>Slowest<th \
         scope=col>Predicted{heads}<tbody>{rows}</table>"
    ))
}

fn row(bar: &Bar) -> String {
    let parts: String =
        bar.seconds.parts().iter().map(|part| format!("<td>{}", part.text(bar.tick_s))).collect();
    format!(
        "<tr><th scope=row>{}<td>{}<td>{}<td>{}<td>{}{parts}",
        html(&bar.name),
        time(bar.seconds.elapsed * 1e9),
        time(bar.range_s.0 * 1e9),
        time(bar.range_s.1 * 1e9),
        predicted(bar),
    )
}

/// With how far it is from what was measured.
fn predicted(bar: &Bar) -> String {
    let Some(s) = bar.predicted_s else { return crate::format::NONE.to_owned() };
    let elapsed = bar.seconds.elapsed.max(f64::MIN_POSITIVE);
    format!("{} ({:+.1} %)", time(s * 1e9), 100.0 * (s / elapsed - 1.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bar(group: &str, name: &str, user: f64, network: f64) -> Bar {
        let seconds =
            PagedSeconds { elapsed: user + network, user, network, ..PagedSeconds::default() };
        let (group, name, predicted_s) = (group.into(), name.into(), Some(2.5));
        Bar { group, name, seconds, tick_s: 0.01, range_s: (1.0, 2.0), predicted_s }
    }

    #[test]
    fn bars_are_parts_of_their_groups_longest() {
        let bars = vec![
            bar("1 MiB", "disk", 2.0, 8.0),
            bar("1 MiB", "<i>", 2.0, 0.0),
            bar("2 MiB", "disk", 4.0, 4.0),
        ];
        let figure = StudyFigure { title: "FFT".into(), bars, ..StudyFigure::default() };
        let mut page = Vec::new();
        figure.html(&mut page).unwrap();
        let page = String::from_utf8(page).unwrap();
        assert_eq!(page.matches("<section>").count(), 2);
        for wanted in [
            "<i class=undo style=\"width:80.000%\"",
            "left:25.000%",
            "(-75.0 %)",
            "&lt;i&gt;",
            "<td>below\u{a0}10.0\u{a0}ms",
            "<i class=work style=\"width:50.000%\"",
        ] {
            assert!(page.contains(wanted), "{wanted}");
        }
        assert!(!page.contains("<script"));
    }
}
