//! `cargo xtask dist`: what people install, made of one release build: a tar for any folder, a
//! package for Debian and Ubuntu, a wheel for Python.
//!
//! Everything is made under the target folder and copied last, so that a failure leaves nothing in
//! the folder that was asked for. Entries are sorted, belong to root, and are as old as the newest
//! commit (or `SOURCE_DATE_EPOCH`): the same build makes the same bytes.

mod archive;
mod date;
mod debian;
mod deliver;
mod layout;
mod material;
mod needs;
mod system;
mod texts;
mod third_party;
mod wheel;

use crate::workspace::{Build, Workspace};
use anyhow::Result;
use clap::Args;
use layout::Layout;
use material::Material;
use std::path::PathBuf;

/// Where to.
#[derive(Args, Debug, Default)]
pub struct Options {
    /// The folder for the packages [default: dist in the target folder].
    #[arg(long, value_name = "FOLDER")]
    out: Option<PathBuf>,
}

/// Packages, by kind.
pub struct Packages {
    /// `fourstamp-VERSION-ARCH-linux.tar.gz`.
    pub tar: PathBuf,
    /// `fourstamp_VERSION_ARCH.deb`.
    pub deb: PathBuf,
    /// `fourstamp-VERSION-cp39-abi3-….whl`.
    pub wheel: PathBuf,
    /// What the tar unpacks to.
    pub prefix: PathBuf,
}

/// The chore.
pub fn run(workspace: &Workspace, options: &Options) -> Result<()> {
    let out = options.out.clone().unwrap_or_else(|| workspace.target.join("dist"));
    let packages = make(workspace, Build::Release)?;
    for path in deliver::all(&[packages.tar, packages.deb, packages.wheel], &out)? {
        println!("{}", path.display());
    }
    Ok(())
}

/// Makes all three under the target folder, of what is built so.
pub fn make(workspace: &Workspace, build: Build) -> Result<Packages> {
    let folder = workspace.fresh("dist")?;
    debian::check_tools()?;
    let python = wheel::ready_python(workspace)?;
    let material = Material::gather(workspace, build, &folder.join("material"))?;
    let anywhere = Layout::anywhere(&material);
    let prefix = folder.join(&material.name);
    anywhere.write_to(&prefix, material.seconds)?;
    let tar = folder.join(format!("{}.tar.gz", material.name));
    archive::write(&tar, &material.name, &anywhere, material.seconds)?;
    let deb = debian::build(&material, &folder)?;
    let wheel = wheel::build(workspace, &python, &material, &prefix, &folder)?;
    Ok(Packages { tar, deb, wheel, prefix })
}

/// Whether this machine has what a wheel is built with.
pub fn can_build_wheels(workspace: &Workspace) -> Result<()> {
    wheel::ready_python(workspace).map(drop)
}
