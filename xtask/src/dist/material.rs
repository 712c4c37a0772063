//! What packages are made of: what a build gives, and files of the checkout.

use super::needs::{self, Needs};
use super::system::{self, System};
use super::{date, third_party};
use crate::process;
use crate::workspace::{Build, Workspace};
use anyhow::{Context, Result, ensure};
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// All of it.
pub struct Material {
    /// `fourstamp-0.1.0-x86_64-linux`.
    pub name: String,
    pub version: String,
    pub system: System,
    /// How old packed files are, in seconds since 1970.
    pub seconds: u64,
    pub program: PathBuf,
    pub shared_library: PathBuf,
    pub static_library: PathBuf,
    pub header: PathBuf,
    /// Pages, each named as it is installed.
    pub manual: Vec<PathBuf>,
    /// A folder with a file for each shell, named after it.
    pub completions: PathBuf,
    /// Files of the checkout, and where they are below the folder of the documentation.
    pub documents: Vec<(PathBuf, String)>,
    /// A folder with what a page server needs to be a service.
    pub service: PathBuf,
    /// Licences of the packages that are built in.
    pub third_party: String,
    pub needs: Needs,
}

const LIMIT: Duration = Duration::from_secs(3600);
const SHELLS: [&str; 3] = ["bash", "fish", "zsh"];

impl Material {
    /// Builds and collects it; what has to be made goes to `folder`.
    pub fn gather(workspace: &Workspace, build: Build, folder: &Path) -> Result<Material> {
        let (system, seconds) = (system::here()?, date::seconds(workspace)?);
        let [program, shared_library, static_library] = compiled(workspace, build, folder)?;
        let version = version(&program)?;
        let (manual, completions) = (folder.join("manual"), folder.join("completions"));
        pages(&program, &manual)?;
        complete(&program, &completions)?;
        let mut files = vec![program.clone(), shared_library.clone()];
        files.extend(carried(workspace, build)?);
        Ok(Material {
            name: format!("fourstamp-{version}-{}-linux", system.processor),
            version,
            system,
            seconds,
            program,
            shared_library,
            static_library,
            header: workspace.root.join("crates/fourstamp/c/include/fourstamp.h"),
            manual: sorted_files(&manual)?,
            completions,
            documents: documents(&workspace.root)?,
            service: workspace.root.join("crates/cli/service"),
            third_party: third_party::list(workspace)?,
            needs: needs::of(&files)?,
        })
    }

    /// The shared library's name for programs that were linked with it. While versions are 0.x,
    /// each minor may break programs.
    pub fn soname(&self) -> String {
        let mut parts = self.version.splitn(3, '.');
        let (major, minor) = (parts.next().unwrap_or("0"), parts.next().unwrap_or("0"));
        format!("libfourstamp.so.{major}.{minor}")
    }

    /// The file of the shared library.
    pub fn library_file(&self) -> String {
        format!("libfourstamp.so.{}", self.version)
    }
}

/// The program and the two libraries of the interface for C, built.
fn compiled(workspace: &Workspace, build: Build, folder: &Path) -> Result<[PathBuf; 3]> {
    process::run(&mut workspace.compile(build), LIMIT)?;
    let files = ["fourstamp", "libfourstamp_c.so", "libfourstamp_c.a"];
    let files = files.map(|name| workspace.built(build, name));
    match build {
        Build::Release => Ok(files),
        Build::Tests => stripped(&files, &folder.join("stripped")),
    }
}

/// Copies without what only a debugger reads, of which a release build has none: packing it would
/// take longest.
fn stripped(files: &[PathBuf; 3], folder: &Path) -> Result<[PathBuf; 3]> {
    fs::create_dir_all(folder)?;
    let mut copies = files.clone();
    for (file, copy) in files.iter().zip(&mut copies) {
        *copy = folder.join(file.file_name().context("a file has a name")?);
        let mut strip = std::process::Command::new("strip");
        process::capture(strip.arg("--strip-debug").arg("-o").args([&*copy, file]))?;
    }
    Ok(copies)
}

/// What the program says of itself.
fn version(program: &Path) -> Result<String> {
    let said = process::capture(std::process::Command::new(program).arg("--version"))?;
    let version = said.trim().strip_prefix("fourstamp ");
    Ok(version.with_context(|| format!("{} says {said:?}", program.display()))?.to_owned())
}

fn pages(program: &Path, folder: &Path) -> Result<()> {
    fs::create_dir_all(folder)?;
    process::capture(std::process::Command::new(program).arg("man").arg(folder)).map(drop)
}

fn complete(program: &Path, folder: &Path) -> Result<()> {
    fs::create_dir_all(folder)?;
    for shell in SHELLS {
        let script =
            process::capture(std::process::Command::new(program).args(["completions", shell]))?;
        fs::write(folder.join(shell), script)?;
    }
    Ok(())
}

/// The libraries that the program carries and loads into others: they need what they need, too.
fn carried(workspace: &Workspace, build: Build) -> Result<Vec<PathBuf>> {
    let folder = workspace.built(build, "deps");
    let names = ["libmpitrace.so", "librmem_preload.so", "libsockettrace.so"];
    let files = names.map(|name| folder.join(name)).to_vec();
    for file in &files {
        ensure!(file.is_file(), "there is no {}, which the program carries", file.display());
    }
    Ok(files)
}

/// What people read, and the example in C.
fn documents(root: &Path) -> Result<Vec<(PathBuf, String)>> {
    let mut names =
        ["CHANGELOG.md", "LICENSE-APACHE", "LICENSE-MIT", "README.md"].map(str::to_owned).to_vec();
    for folder in ["docs", "docs/pictures", "examples/c"] {
        let files = sorted_files(&root.join(folder))?;
        names.extend(files.iter().filter_map(|file| {
            let name = file.file_name()?.to_str()?;
            (name != "SUMMARY.md" && name != "book.toml").then(|| format!("{folder}/{name}"))
        }));
    }
    Ok(names.into_iter().map(|name| (root.join(&name), name)).collect())
}

fn sorted_files(folder: &Path) -> Result<Vec<PathBuf>> {
    let entries =
        fs::read_dir(folder).with_context(|| format!("cannot list {}", folder.display()))?;
    let mut files: Vec<_> = entries.map(|entry| Ok(entry?.path())).collect::<Result<_>>()?;
    files.retain(|path| path.is_file());
    files.sort();
    Ok(files)
}
