//! Text from outside (names of nodes, parameters, hosts) made harmless where it is put.

/// Text inside an element or a quoted attribute of the page.
pub(crate) fn html(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            c if c.is_control() && c != '\n' => out.push('\u{fffd}'),
            c => out.push(c),
        }
    }
    out
}

/// A label in a chart. The drawing script reads a little HTML (`<b>`, `<a>`, entities) and templates (`%{x}`) in
/// labels, so both are taken apart.
pub(crate) fn chart_label(text: &str) -> String {
    html(text).replace("%{", "%\u{200b}{")
}

/// Text in a terminal: control characters could move the cursor or change the title.
pub(crate) fn terminal(text: &str) -> String {
    text.chars().map(|c| if c.is_control() { '\u{fffd}' } else { c }).collect()
}

/// A CSV field: quoted where it must be; a spreadsheet would run a leading `=`, so that gets an apostrophe.
pub fn csv(text: &str) -> String {
    let guarded =
        if text.starts_with(['=', '+', '@', '\t', '\r']) { format!("'{text}") } else { text.to_owned() };
    if guarded.contains([',', '"', '\n', '\r']) {
        format!("\"{}\"", guarded.replace('"', "\"\""))
    } else {
        guarded
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hostile_names_lose_their_teeth() {
        let name = "</script><img src=x onerror='alert(1)'>&\u{7}";
        assert_eq!(html(name), "&lt;/script&gt;&lt;img src=x onerror=&#39;alert(1)&#39;&gt;&amp;\u{fffd}");
        assert!(!chart_label("%{x}").contains("%{"));
        assert_eq!(terminal("a\u{1b}]0;b"), "a\u{fffd}]0;b");
        assert_eq!(csv("=1+1,\"x\""), "\"'=1+1,\"\"x\"\"\"");
    }
}
