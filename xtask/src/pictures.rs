//! `cargo xtask pictures`: the pictures of the README, made of a run of this machine.

use crate::install;
use crate::process::{self, on_path, run};
use crate::workspace::Workspace;
use anyhow::{Context, Result};
use std::fs;
use std::time::Duration;

const LIMIT: Duration = Duration::from_secs(3600);

/// What is shown: messages of an open loop between four processes.
const SHOWN: &[&str] = &[
    "bench",
    "stream",
    "--transport",
    "tcp",
    "--nodes",
    "4",
    "--all",
    "--rate",
    "4000",
    "--duration",
    "3s",
    "--launches",
    "3",
    "--out",
];

/// Measure, and put the first screen of the page into docs/pictures.
pub fn make(workspace: &Workspace) -> Result<()> {
    install::browser_packages(workspace)?;
    let chromium = on_path("chromium").context("no Chromium: apt install chromium")?;
    let build = ["build", "--release", "--locked", "--package", "fourstamp-cli"];
    run(&mut workspace.cargo(&build), LIMIT)?;
    let folder = workspace.fresh("pictures")?;
    let run_folder = folder.join("stream");
    run(workspace.command(workspace.fourstamp(), SHOWN).arg(&run_folder), LIMIT)?;
    let page = folder.join("page.html");
    let mut report = workspace.command(workspace.fourstamp(), &["report"]);
    run(report.arg(&run_folder).arg("--out").arg(&page), LIMIT)?;
    let pictures = workspace.root.join("docs/pictures");
    fs::create_dir_all(&pictures)?;
    let mut take = workspace.command("node", &["tests/browser/picture.mjs"]);
    take.arg(&page).arg(pictures.join("page.jpg")).env("CHROMIUM", chromium);
    println!("{}", process::capture(&mut take)?);
    Ok(())
}
