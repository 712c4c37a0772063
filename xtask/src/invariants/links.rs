//! Links between documents: the file is there, and so is the heading.

use super::Broken;
use std::fs;
use std::path::Path;

/// Checks a Markdown file of the workspace at `root`, named from there.
pub fn check(root: &Path, file: &Path, text: &str) -> Vec<Broken> {
    let mut broken = Vec::new();
    for (at, line) in (1..).zip(prose(text)) {
        for target in targets(line) {
            if let Some(what) = fault(root, file, text, target) {
                broken.push(Broken { place: format!("{}:{at}", file.display()), what });
            }
        }
    }
    broken
}

/// The lines of a text, those of code blocks empty.
pub(super) fn prose(text: &str) -> impl Iterator<Item = &str> {
    let mut code = false;
    text.lines().map(move |line| {
        let fence = line.trim_start().starts_with("```");
        code ^= fence;
        if code || fence { "" } else { line }
    })
}

/// Where a line's links lead.
fn targets(line: &str) -> impl Iterator<Item = &str> {
    line.split("](").skip(1).filter_map(|rest| Some(rest.split_once(')')?.0))
}

fn fault(root: &Path, file: &Path, text: &str, target: &str) -> Option<String> {
    if target.contains("://") || target.starts_with("mailto:") {
        return None;
    }
    let (path, heading) = target.split_once('#').unwrap_or((target, ""));
    let there = root.join(file.parent().unwrap_or(Path::new(""))).join(path);
    let linked = match path {
        "" => text.to_owned(),
        _ if there.is_dir() => return None,
        _ => match fs::read(&there) {
            Ok(bytes) => String::from_utf8_lossy(&bytes).into_owned(),
            Err(_) => return Some(format!("the link `{target}` leads nowhere")),
        },
    };
    let known = heading.is_empty() || prose(&linked).filter_map(anchor).any(|of| of == heading);
    (!known).then(|| format!("`{target}`: there is no such heading"))
}

/// What a heading is called in links: small letters, digits, hyphens for spaces.
fn anchor(line: &str) -> Option<String> {
    let title = line.strip_prefix('#')?.trim_start_matches('#').trim();
    let letter = |c: char| match c {
        ' ' => Some('-'),
        c if c.is_alphanumeric() || c == '-' || c == '_' => Some(c),
        _ => None,
    };
    Some(title.to_lowercase().chars().filter_map(letter).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(text: &str) -> Vec<String> {
        let root = Path::new(env!("CARGO_MANIFEST_DIR"));
        check(root, Path::new("a.md"), text).into_iter().map(|broken| broken.what).collect()
    }

    #[test]
    fn links_lead_to_files_and_headings() {
        let good = "# Two words, one `code`\n[a](Cargo.toml) [b](#two-words-one-code) [c](src)\n\
            [d](https://x.y/z)\n```\n[no](link.md)\n```\n";
        assert_eq!(found(good), [""; 0]);
        assert_eq!(found("[a](nowhere.md)"), ["the link `nowhere.md` leads nowhere"]);
        assert_eq!(found("# A\n[a](#b)"), ["`#b`: there is no such heading"]);
    }
}
