//! The colours of the page's style sheet, as data: for pictures that stand alone.

/// Light and dark: what `page.css` builds on.
pub(crate) const CSS: &str = include_str!("page/palette.css");
/// How a plot looks, in the palette's colours.
pub(crate) const PLOT: &str = include_str!("page/plot.css");

/// Name and value of each colour: light, then dark.
fn colours() -> [Vec<(&'static str, &'static str)>; 2] {
    let (light, dark) = CSS.split_once("@media").unwrap_or((CSS, ""));
    [light, dark].map(|block| {
        let pairs = block.split(['{', ';', '}']).filter_map(|pair| pair.trim().split_once(':'));
        let named =
            pairs.filter_map(|(name, value)| Some((name.strip_prefix("--")?, value.trim())));
        named.collect()
    })
}

/// A class for each colour that fills (`f-b`), and one for each that draws (`k-b`).
fn classes() -> String {
    let [light, _] = colours();
    let names = light.iter().filter(|(_, value)| value.starts_with('#')).map(|(name, _)| name);
    names
        .map(|name| {
            format!(".f-{name}{{fill:var(--{name})}}.k-{name}{{stroke:var(--{name});fill:none}}")
        })
        .collect()
}

/// The style of plots on a page.
pub(crate) fn on_page() -> String {
    format!("{PLOT}{}", classes())
}

/// The style of a plot that stands alone: with the colours themselves, since not every program that
/// shows SVG knows variables, and dark where its reader's screen is.
pub(crate) fn alone() -> String {
    let [light, dark] = colours();
    let of = |colours: &[(&str, &str)]| {
        let css = on_page() + ".panel{fill:var(--panel)}.plot .key{fill:var(--ink)}";
        // Longest first: `--s1` must not be taken for `--s`.
        let mut colours = colours.to_vec();
        colours.sort_by_key(|(name, _)| std::cmp::Reverse(name.len()));
        let put = |css: String, (name, value): &(&str, &str)| {
            css.replace(&format!("var(--{name})"), value)
        };
        colours.iter().fold(css, put)
    };
    let mut all = light.clone();
    for (name, value) in dark {
        if let Some(pair) = all.iter_mut().find(|(known, _)| *known == name) {
            pair.1 = value;
        }
    }
    format!("{}@media (prefers-color-scheme:dark){{{}}}", of(&light), of(&all))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_picture_alone_has_every_colour_itself() {
        let style = alone();
        assert!(style.contains(".f-b{fill:#0b6fb8}") && style.contains(".f-b{fill:#4aa8ec}"));
        assert!(!style.contains("var("), "{style}");
    }
}
