//! The rules of docs/ARCHITECTURE.md that a program can check: where unsafe code may live, who may
//! print, who may depend on whom, what must stay pure, why a dependency is there, how files are
//! laid out, which of them use each other, how many fields a struct has, where links lead and
//! whether files that documents name are there.
//!
//! It reads source text with comments and literals blanked out, not a syntax tree: the rules are
//! about words, and so a reader can check the checker. What only a person can judge is left to
//! review.

mod circles;
mod dependencies;
mod fields;
mod layout;
mod links;
mod paths;
mod source_text;
mod words;

use crate::workspace::Workspace;
use anyhow::{Context, Result};
use circles::Files;
use std::fs;
use std::path::{Path, PathBuf};

/// A file longer than this is worth a look.
const LONG_FILE: usize = 500;

/// Something that a rule forbids.
#[derive(Debug, PartialEq, Eq)]
struct Broken {
    /// File, and line where there is one.
    place: String,
    /// What is wrong and what is right.
    what: String,
}

/// Checks the checkout and prints what it finds; how many rules are broken.
pub fn check(workspace: &Workspace) -> Result<usize> {
    let mut broken = dependencies::between_packages(&workspace.packages);
    let root_manifest = read(&workspace.root.join("Cargo.toml"))?;
    broken.extend(dependencies::without_reason(&root_manifest));
    for package in &workspace.packages {
        let manifest = package.folder.join("Cargo.toml");
        broken.extend(dependencies::outside_workspace(
            &manifest,
            &read(&workspace.root.join(&manifest))?,
        ));
        let mut files = Files::default();
        let sources = workspace.root.join(&package.folder).join("src");
        for file in files_below(&sources, &["rs"])? {
            let name = file.strip_prefix(&workspace.root).unwrap_or(&file);
            let text = read(&file)?;
            broken.extend(words::check(&package.name, name, &text));
            broken.extend(fields::check(&package.name, name, &text));
            files.add(file.strip_prefix(&sources).unwrap_or(&file), &text);
            warn_if_long(name, &text);
        }
        broken.extend(files.circles(&package.name));
    }
    for file in files_below(&workspace.root, &["rs", "md"])? {
        let name = file.strip_prefix(&workspace.root).unwrap_or(&file);
        let text = read(&file)?;
        broken.extend(layout::check(name, &text));
        if file.extension().is_some_and(|ending| ending == "md") {
            broken.extend(links::check(&workspace.root, name, &text));
            broken.extend(paths::check(&workspace.root, name, &text));
        }
    }
    broken.iter().for_each(|Broken { place, what }| println!("{place}: {what}"));
    Ok(broken.len())
}

fn warn_if_long(name: &Path, text: &str) {
    let lines = text.lines().count();
    if lines > LONG_FILE {
        println!("warning: {}: {lines} lines; aim at fewer than 400", name.display());
    }
}

/// What is not ours in a checkout: what was built, what was installed, what was measured.
const NOT_OURS: &[&str] = &["target", "node_modules", "runs"];

/// Every file with one of the endings under a folder, in order of name; none if the folder is
/// absent. Hidden folders are passed over.
fn files_below(folder: &Path, endings: &[&str]) -> Result<Vec<PathBuf>> {
    let ours = |path: &Path| {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        !name.starts_with('.') && !NOT_OURS.contains(&name.as_ref())
    };
    let mut files = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop().filter(|folder| folder.is_dir()) {
        for entry in
            fs::read_dir(&folder).with_context(|| format!("cannot list {}", folder.display()))?
        {
            let path = entry?.path();
            if path.is_dir() && ours(&path) {
                folders.push(path);
            } else if path.extension().is_some_and(|it| endings.iter().any(|ending| it == *ending))
            {
                files.push(path);
            }
        }
    }
    files.sort();
    Ok(files)
}

fn read(file: &Path) -> Result<String> {
    fs::read_to_string(file).with_context(|| format!("cannot read {}", file.display()))
}
