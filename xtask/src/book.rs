//! `cargo xtask book`: the documents as a book of web pages, with a page of all commands.

use crate::install;
use crate::process::run;
use crate::surface;
use crate::workspace::Workspace;
use anyhow::{Context, Result};
use std::fs;
use std::path::Path;
use std::time::Duration;

const LIMIT: Duration = Duration::from_secs(3600);

/// Build it into target/xtask/book/html.
pub fn build(workspace: &Workspace) -> Result<()> {
    let mdbook = install::mdbook(workspace)?;
    let release = ["build", "--release", "--locked", "--package", "fourstamp-cli"];
    run(&mut workspace.cargo(&release), LIMIT)?;
    let folder = workspace.fresh("book")?;
    let sources = folder.join("sources");
    copy(&workspace.root.join("docs"), &sources)?;
    fs::write(sources.join("COMMANDS.md"), commands(workspace)?)?;
    let summary = fs::read_to_string(sources.join("SUMMARY.md"))?;
    let with_commands =
        summary.replace("# Reference\n\n", "# Reference\n\n- [Commands](COMMANDS.md)\n");
    fs::write(sources.join("SUMMARY.md"), with_commands)?;
    let html = folder.join("html");
    run(workspace.command(mdbook, &["build"]).arg(&sources).arg("--dest-dir").arg(&html), LIMIT)?;
    println!("{}", html.join("index.html").display());
    Ok(())
}

/// Links that leave the documents lead to the files of the checkout.
fn copy(from: &Path, to: &Path) -> Result<()> {
    fs::create_dir_all(to)?;
    for entry in fs::read_dir(from).with_context(|| format!("cannot list {}", from.display()))? {
        let (path, name) = entry.map(|entry| (entry.path(), entry.file_name()))?;
        if path.is_dir() {
            copy(&path, &to.join(name))?;
        } else if path.extension().is_some_and(|ending| ending == "md") {
            let root = from.parent().unwrap_or(from).display().to_string();
            fs::write(
                to.join(name),
                fs::read_to_string(&path)?.replace("](../", &format!("]({root}/")),
            )?;
        } else {
            fs::copy(&path, to.join(name))?;
        }
    }
    Ok(())
}

/// What `--help` says of every command.
fn commands(workspace: &Workspace) -> Result<String> {
    let helps = surface::helps(workspace, &workspace.fourstamp())?;
    let section = |(name, help): &(String, String)| format!("## {name}\n\n```text\n{help}```\n");
    let sections: Vec<String> = helps.iter().map(section).collect();
    Ok(format!("# Commands\n\nWhat `--help` says of each.\n\n{}", sections.join("\n")))
}
