//! The Rust packages that the program and the library are built of, with their licences, which ask
//! to be passed on.

use crate::process;
use crate::workspace::Workspace;
use anyhow::{Context, Result};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

/// A package as `cargo tree` names it: `zstd v0.14.0`.
type Name = String;

/// A page of all of them: who is there, then each text once, with whose it is.
pub fn list(workspace: &Workspace) -> Result<String> {
    let (folders, names) = (folders(workspace)?, names(workspace)?);
    let mut page = "# Packages that Fourstamp is built of\n\n".to_owned();
    let mut texts: BTreeMap<String, Vec<&str>> = BTreeMap::new();
    for (name, licence) in &names {
        page += &format!("* {name}: {licence}\n");
        let folder = folders.get(name).with_context(|| format!("cargo does not know {name}"))?;
        for text in licences(folder)? {
            texts.entry(text).or_default().push(name);
        }
    }
    for (text, owners) in &texts {
        page += &format!("\n## {}\n\n```text\n{}\n```\n", owners.join(", "), text.trim_end());
    }
    Ok(page)
}

/// What is linked on this system, with what each says of its licence; ours left out.
fn names(workspace: &Workspace) -> Result<BTreeSet<(Name, String)>> {
    let mut cargo = workspace.cargo(&["tree", "--locked", "--edges", "normal,no-proc-macro"]);
    cargo.args(["--package", "fourstamp-cli", "--package", "fourstamp-c"]);
    let tree = process::capture(cargo.args(["--prefix", "none", "--format", "{p}|{l}|"]))?;
    let lines = tree.lines().filter(|line| !line.contains(" (/"));
    let parts = lines.filter_map(|line| {
        let (name, rest) = line.split_once('|')?;
        Some((name.to_owned(), rest.split('|').next()?.to_owned()))
    });
    Ok(parts.collect())
}

/// Where the sources of each package are.
fn folders(workspace: &Workspace) -> Result<BTreeMap<Name, PathBuf>> {
    let mut cargo = workspace.cargo(&["metadata", "--locked", "--format-version", "1"]);
    let metadata: Value = serde_json::from_str(&process::capture(&mut cargo)?)?;
    let packages = metadata["packages"].as_array().context("cargo metadata lists no packages")?;
    let place = |package: &Value| {
        let (name, version) = (package["name"].as_str()?, package["version"].as_str()?);
        let manifest = Path::new(package["manifest_path"].as_str()?);
        Some((format!("{name} v{version}"), manifest.parent()?.to_owned()))
    };
    Ok(packages.iter().filter_map(place).collect())
}

/// The texts of the licences that a package comes with.
fn licences(folder: &Path) -> Result<Vec<String>> {
    let mut texts = Vec::new();
    for entry in
        fs::read_dir(folder).with_context(|| format!("cannot list {}", folder.display()))?
    {
        let path = entry?.path();
        let name = path.file_name().unwrap_or_default().to_string_lossy().to_uppercase();
        let is_licence = ["LICENSE", "LICENCE", "COPYING", "NOTICE", "UNLICENSE"]
            .iter()
            .any(|word| name.starts_with(word));
        if is_licence && path.is_file() {
            texts.push(fs::read_to_string(&path)?.replace("\r\n", "\n"));
        }
    }
    Ok(texts)
}
