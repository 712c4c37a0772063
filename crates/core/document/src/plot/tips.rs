//! What is said of a point that a reader points at.

use super::read::{Each, Texts, Trace};
use crate::format::{count, six_figures};

/// What is said of the `at`-th point, which lies at `x` and `y`; lines are parted by `\n`.
pub(super) fn of(trace: &Trace, at: usize, x: f64, y: f64) -> Option<String> {
    if trace.hover_info == "skip" {
        return None;
    }
    let own = trace.hover.at(at).cloned().or_else(|| match &trace.text {
        Each::All(all) if !trace.mode.contains("text") => match all.get(at)? {
            Texts::One(text) => Some(text.clone()),
            Texts::Row(_) => None,
        },
        _ => None,
    });
    let text = match own {
        Some(text) => text,
        None => filled(trace.template.at(at)?, x, y),
    };
    let text = plain(&text);
    (!text.is_empty()).then_some(text)
}

/// The text without what only a chart's label can show.
pub(super) fn plain(text: &str) -> String {
    let text = text.replace("<br>", "\n").replace("%\u{200b}{", "%{");
    let mut plain = String::with_capacity(text.len());
    let mut rest = text.as_str();
    while let Some(open) = rest.find('<') {
        plain.push_str(&rest[..open]);
        rest = rest[open..].split_once('>').map_or("", |(_, after)| after);
    }
    plain.push_str(rest);
    let entities = [("&lt;", "<"), ("&gt;", ">"), ("&quot;", "\""), ("&#39;", "'"), ("&amp;", "&")];
    entities.into_iter().fold(plain, |text, (name, of)| text.replace(name, of))
}

/// The template with the values put in: `%{y:.3~s}`.
fn filled(template: &str, x: f64, y: f64) -> String {
    let template = template.split("<extra>").next().unwrap_or_default();
    let mut text = String::new();
    let mut rest = template;
    while let Some((before, after)) = rest.split_once("%{") {
        text.push_str(before);
        let (what, after) = after.split_once('}').unwrap_or((after, ""));
        let (name, format) = what.split_once(':').unwrap_or((what, ""));
        text.push_str(&formatted(if name == "x" { x } else { y }, format));
        rest = after;
    }
    text + rest
}

/// The value in one of the formats that templates here use.
fn formatted(value: f64, format: &str) -> String {
    let digits: String = format.chars().filter(char::is_ascii_digit).collect();
    let digits: usize = digits.parse().unwrap_or(6);
    match format.chars().last() {
        Some(',') => count(value.round() as u64),
        Some('s') => prefixed(value, digits),
        Some('%') if format.contains('~') => {
            format!("{}\u{202f}%", significant(value * 100.0, digits))
        }
        Some('%') => format!("{:.digits$}\u{202f}%", value * 100.0),
        Some('f') => format!("{value:.digits$}"),
        _ => six_figures(value),
    }
}

/// With the prefix of its size, `3.12 µ`.
fn prefixed(value: f64, digits: usize) -> String {
    const STEPS: [(f64, &str); 7] =
        [(1e9, "G"), (1e6, "M"), (1e3, "k"), (1.0, ""), (1e-3, "m"), (1e-6, "µ"), (1e-9, "n")];
    if value == 0.0 {
        return "0\u{202f}".to_owned();
    }
    let step = STEPS.iter().find(|(size, _)| value.abs() >= size * 0.9995).unwrap_or(&STEPS[6]);
    format!("{}\u{202f}{}", significant(value / step.0, digits), step.1)
}

fn significant(value: f64, digits: usize) -> String {
    let before = value.abs().max(1e-12).log10().floor() as i32;
    let text = format!("{value:.*}", (digits as i32 - 1 - before).clamp(0, 12) as usize);
    match text.contains('.') {
        true => text.trim_end_matches('0').trim_end_matches('.').to_owned(),
        false => text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn templates_are_filled_and_names_are_text() {
        let text = filled("maximum %{y:.3~s}s at %{x:.4~s}s<extra></extra>", 1.25, 3.1249e-6);
        assert_eq!(text, "maximum 3.12\u{202f}µs at 1.25\u{202f}s");
        assert_eq!(
            filled("%{y:.1%} of %{x:,} B", 16384.0, 0.9),
            "90.0\u{202f}% of 16\u{202f}384 B"
        );
        assert_eq!(plain("<b>5</b> from<br>&lt;img&gt;"), "5 from\n<img>");
    }
}
