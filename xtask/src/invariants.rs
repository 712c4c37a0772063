//! The rules of docs/ARCHITECTURE.md that a program can check: where unsafe code may live, who may
//! print, who may depend on whom, what must stay pure, why a dependency is there.
//!
//! It reads source text with comments and literals blanked out, not a syntax tree: the rules are
//! about words, and so a reader can check the checker. What only a person can judge is left to
//! review.

mod dependencies;
mod source_text;
mod words;

use crate::workspace::Workspace;
use anyhow::{Context, Result};
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
        for file in rust_files(&workspace.root.join(&package.folder).join("src"))? {
            let name = file.strip_prefix(&workspace.root).unwrap_or(&file);
            let text = read(&file)?;
            broken.extend(words::check(&package.name, name, &text));
            warn_if_long(name, &text);
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

/// Every Rust file under a folder, in order of name; none if the folder is absent.
fn rust_files(folder: &Path) -> Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop().filter(|folder| folder.is_dir()) {
        for entry in
            fs::read_dir(&folder).with_context(|| format!("cannot list {}", folder.display()))?
        {
            let path = entry?.path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
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
