//! Keys of `run.json`: those of made-up runs, and those that its description names.

use crate::workspace::Workspace;
use anyhow::{Context, Result};
use serde_json::Value;
use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

/// Where run.json is described.
const DESCRIPTION: &str = "docs/FORMAT.md";

/// Of the runs in the folder, and of the description.
pub fn all(workspace: &Workspace, folder: &Path) -> Result<BTreeSet<String>> {
    let read = |path: &Path| {
        fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))
    };
    let mut lines = BTreeSet::new();
    for entry in fs::read_dir(folder).context("cannot list the made-up runs")? {
        let path = entry?.path().join("run.json");
        if path.is_file() {
            let run = serde_json::from_str(&read(&path)?)?;
            below(&run, "run.json: ", &mut lines);
        }
    }
    let text = read(&workspace.root.join(DESCRIPTION))?;
    lines.extend(described(&text));
    Ok(lines)
}

/// Every key's path; the elements of a list share theirs.
fn below(value: &Value, path: &str, lines: &mut BTreeSet<String>) {
    match value {
        Value::Object(fields) => {
            for (key, value) in fields {
                lines.insert(format!("{path}{key}"));
                below(value, &format!("{path}{key}."), lines);
            }
        }
        Value::Array(items) => items.iter().for_each(|item| below(item, path, lines)),
        _ => {}
    }
}

/// What stands in backticks in the section on run.json.
fn described(text: &str) -> impl Iterator<Item = String> {
    let section = text.split("\n## ").find(|section| section.starts_with("run.json"));
    let words = section.unwrap_or_default().split('`').skip(1).step_by(2);
    words.map(|words| {
        let words: Vec<_> = words.split_whitespace().collect();
        format!("described: {}", words.join(" "))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_go_through_lists() {
        let mut lines = BTreeSet::new();
        below(&serde_json::json!({"a": [{"b": 1}, {"b": {"c": 2}}]}), "", &mut lines);
        assert_eq!(lines.into_iter().collect::<Vec<_>>(), ["a", "a.b", "a.b.c"]);
    }

    #[test]
    fn only_the_section_on_run_json_counts() {
        let text = "# F\n`no`\n\n## run.json\n\n| `id` | the `run\nstate` |\n\n## Other\n`no`\n";
        let found: Vec<String> = described(text).collect();
        assert_eq!(found, ["described: id", "described: run state"]);
    }
}
