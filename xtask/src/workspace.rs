//! Where things are: the checkout, the target folder, the packages and what each depends on.

use crate::process;
use anyhow::{Context, Result};
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::Command;

/// This checkout.
#[derive(Debug)]
pub struct Workspace {
    /// The folder of the root Cargo.toml.
    pub root: PathBuf,
    /// Where cargo builds, and where the chores keep what they make (`target/xtask`).
    pub target: PathBuf,
    /// What the tests take for the finished program.
    pub finished: Build,
    /// Every package of the workspace.
    pub packages: Vec<Package>,
}

/// How a program is compiled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Build {
    /// As the tests are: what they need of it is built with them, once.
    Tests,
    /// As people install it.
    Release,
}

impl Build {
    /// Its folder in the target folder.
    pub fn folder(self) -> &'static str {
        match self {
            Build::Tests => "debug",
            Build::Release => "release",
        }
    }
}

/// A package of the workspace.
#[derive(Debug)]
pub struct Package {
    /// As in its Cargo.toml.
    pub name: String,
    /// Its folder, relative to the root.
    pub folder: PathBuf,
    /// Names of the packages that its own code uses (not those for tests or build scripts alone).
    pub dependencies: Vec<String>,
}

impl Workspace {
    /// Asks cargo.
    pub fn find() -> Result<Workspace> {
        let mut cargo = cargo();
        cargo.args(["metadata", "--no-deps", "--format-version", "1"]);
        let metadata = process::capture(&mut cargo)?;
        Workspace::from_metadata(
            &serde_json::from_str(&metadata).context("cargo metadata is not JSON")?,
        )
        .context("cargo metadata lacks a field")
    }

    fn from_metadata(metadata: &Value) -> Option<Workspace> {
        let root = PathBuf::from(metadata["workspace_root"].as_str()?);
        let packages = metadata["packages"].as_array()?;
        let packages =
            packages.iter().map(|p| Package::from_metadata(p, &root)).collect::<Option<_>>()?;
        let target = metadata["target_directory"].as_str()?.into();
        Some(Workspace { root, target, finished: Build::Tests, packages })
    }

    /// A folder under the target folder for what the chores make; made if absent.
    pub fn scratch(&self, name: &str) -> Result<PathBuf> {
        let folder = self.target.join("xtask").join(name);
        std::fs::create_dir_all(&folder)
            .with_context(|| format!("cannot make {}", folder.display()))?;
        Ok(folder)
    }

    /// Compiles all that is taken of a build, in one command: a package alone would choose other
    /// features of what it shares with others, and build that again.
    pub fn compile(&self, build: Build) -> Command {
        let what: &[&str] = match build {
            // What the tests have built already.
            Build::Tests => &["--workspace", "--lib", "--bins", "--examples", "--quiet"],
            Build::Release => {
                &["--release", "--package", "fourstamp-cli", "--package", "fourstamp-c"]
            }
        };
        let mut cargo = match build {
            Build::Tests => self.linted(&["build", "--locked"]),
            Build::Release => self.cargo(&["build", "--locked"]),
        };
        cargo.args(what);
        cargo
    }

    /// A cargo command whose compiler is clippy's, for our own packages: what runs is linted as it
    /// is built, and not checked a second time for that. Each such command finds what another has
    /// built.
    pub fn linted(&self, arguments: &[&str]) -> Command {
        let mut cargo = self.cargo(arguments);
        cargo.env("RUSTC_WORKSPACE_WRAPPER", self.toolchain("clippy-driver"));
        cargo
    }

    /// A program of the toolchain that runs this one.
    pub fn toolchain(&self, name: &str) -> PathBuf {
        let beside = Path::new(self.cargo(&[]).get_program()).with_file_name(name);
        if beside.is_file() { beside } else { name.into() }
    }

    /// A program or library as it was compiled.
    pub fn built(&self, build: Build, name: &str) -> PathBuf {
        self.target.join(build.folder()).join(name)
    }

    /// The release build of the product.
    pub fn fourstamp(&self) -> PathBuf {
        self.built(Build::Release, "fourstamp")
    }

    /// The product that soaks run: what `FOURSTAMP` names, or the release build.
    pub fn soaked(&self) -> PathBuf {
        std::env::var_os("FOURSTAMP").map_or_else(|| self.fourstamp(), PathBuf::from)
    }

    /// The product that the tests take for finished.
    pub fn finished(&self) -> PathBuf {
        self.built(self.finished, "fourstamp")
    }

    /// The same, emptied.
    pub fn fresh(&self, name: &str) -> Result<PathBuf> {
        std::fs::remove_dir_all(self.scratch(name)?)?;
        self.scratch(name)
    }

    /// A cargo command at the root.
    pub fn cargo(&self, arguments: &[&str]) -> Command {
        let mut command = cargo();
        command.args(arguments).current_dir(&self.root);
        command
    }

    /// Any other command at the root.
    pub fn command(&self, program: impl AsRef<Path>, arguments: &[&str]) -> Command {
        let mut command = Command::new(program.as_ref());
        command.args(arguments).current_dir(&self.root);
        command
    }
}

impl Package {
    fn from_metadata(package: &Value, root: &Path) -> Option<Package> {
        let manifest = Path::new(package["manifest_path"].as_str()?);
        let normal = package["dependencies"].as_array()?.iter().filter(|d| d["kind"].is_null());
        Some(Package {
            name: package["name"].as_str()?.to_owned(),
            folder: manifest.parent()?.strip_prefix(root).ok()?.to_owned(),
            dependencies: normal
                .map(|d| d["name"].as_str().map(str::to_owned))
                .collect::<Option<_>>()?,
        })
    }
}

/// The cargo that runs this program, so that a chosen toolchain stays chosen. Without what it has
/// set for this program: build scripts that watch these variables (ring's does) would run again
/// after each command that was given by hand, and all that depends on them would be built again.
fn cargo() -> Command {
    let mut cargo = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    let names = std::env::vars_os().filter_map(|(name, _)| name.into_string().ok());
    names.filter(|name| is_of_a_package(name)).for_each(|name| {
        cargo.env_remove(name);
    });
    cargo
}

/// Whether `cargo run` sets a variable to what it is for the package that it runs.
fn is_of_a_package(variable: &str) -> bool {
    variable.starts_with("CARGO_PKG_") || variable.starts_with("CARGO_MANIFEST_")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cargo_hears_nothing_of_the_package_that_calls_it() {
        let removed: Vec<_> = cargo().get_envs().map(|(name, _)| name.to_owned()).collect();
        let set = ["CARGO_PKG_NAME", "CARGO_PKG_VERSION_MINOR", "CARGO_MANIFEST_DIR"];
        for name in set.into_iter().filter(|name| std::env::var_os(name).is_some()) {
            assert!(removed.iter().any(|removed| removed == name), "{name} of {removed:?}");
        }
        assert!(set.into_iter().all(is_of_a_package));
        assert!(!["CARGO_TARGET_DIR", "CARGO_INCREMENTAL"].into_iter().any(is_of_a_package));
    }
}
