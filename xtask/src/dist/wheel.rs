//! The wheel, built by pip of the folder `python`.

use super::material::Material;
use super::{needs, texts};
use crate::install;
use crate::process;
use crate::workspace::Workspace;
use anyhow::{Context, Result, bail, ensure};
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

/// What it is built of, in `python`: files and folders of files.
const SOURCES: [&str; 5] =
    ["README.md", "pyproject.toml", "setup.py", "src/_stamp", "src/fourstamp"];

const LIMIT: Duration = Duration::from_secs(600);

/// A Python that can build it: that of the chores, with the headers of C.
pub fn ready_python(workspace: &Workspace) -> Result<PathBuf> {
    let python = install::python(workspace)?;
    let include = "import sysconfig; print(sysconfig.get_path('include'))";
    let folder = process::capture(Command::new(&python).args(["-c", include]))?;
    ensure!(
        Path::new(folder.trim()).join("Python.h").is_file(),
        "no Python.h in {}: apt install python3-dev",
        folder.trim()
    );
    ensure!(process::on_path("gcc").is_some(), "no gcc: apt install gcc");
    Ok(python)
}

/// Builds it in `folder`, with the program and the library of `prefix`.
pub fn build(
    workspace: &Workspace,
    python: &Path,
    material: &Material,
    prefix: &Path,
    folder: &Path,
) -> Result<PathBuf> {
    let sources = folder.join("python");
    // Building leaves files among the sources, and would take older ones that it finds there.
    for part in SOURCES {
        copy(&workspace.root.join("python").join(part), &sources.join(part))?;
    }
    for licence in ["LICENSE-APACHE", "LICENSE-MIT"] {
        put(&sources.join(licence), &fs::read(workspace.root.join(licence))?)?;
    }
    put(&sources.join("LICENSE-THIRD-PARTY.md"), material.third_party.as_bytes())?;
    let (wheels, age) = (folder.join("wheels"), material.seconds.to_string());
    // What is built has its permissions by the umask.
    let mut pip = Command::new("sh");
    pip.args(["-c", "umask 022; exec \"$@\"", "sh"]).arg(python);
    pip.args(["-m", "pip", "wheel", "--quiet", "--disable-pip-version-check", "--no-deps"])
        .args(["--no-build-isolation", "--no-index", "--wheel-dir"])
        .args([&wheels, &sources])
        .env("FOURSTAMP_PREFIX", prefix)
        .env("FOURSTAMP_VERSION", &material.version)
        .env("SOURCE_DATE_EPOCH", &age);
    process::capture_within(&mut pip, LIMIT)?;
    let wheel = only_file(&wheels)?;
    let tag = platform(python, material, &wheel, &folder.join("unpacked"))?;
    let mut name = Command::new(python);
    name.args(["-m", "wheel", "tags", "--remove", "--platform-tag", &tag]).arg(&wheel);
    name.env("SOURCE_DATE_EPOCH", &age);
    process::capture_within(&mut name, LIMIT)?;
    only_file(&wheels)
}

/// The oldest system that the wheel runs on, as pip names it (PEP 600): that of the newest glibc
/// that anything in it asks for. `unpacked` is a folder for what is in it.
fn platform(python: &Path, material: &Material, wheel: &Path, unpacked: &Path) -> Result<String> {
    let mut unzip = Command::new(python);
    process::capture(unzip.args(["-m", "zipfile", "-e"]).args([wheel, unpacked]))?;
    let extension = needs::of(&[unpacked.join("fourstamp/_stamp.abi3.so")])?;
    // Those that a package of Debian is known for are ones that every system has.
    texts::depends(&extension)?;
    let (major, minor) = extension.glibc.max(material.needs.glibc);
    Ok(format!("manylinux_{major}_{minor}_{}", material.system.processor))
}

/// A file, or the files of a folder.
fn copy(from: &Path, to: &Path) -> Result<()> {
    if from.is_file() {
        return put(to, &fs::read(from)?);
    }
    for entry in fs::read_dir(from).with_context(|| format!("cannot list {}", from.display()))? {
        let (path, name) = entry.map(|entry| (entry.path(), entry.file_name()))?;
        if path.is_file() {
            put(&to.join(name), &fs::read(&path)?)?;
        }
    }
    Ok(())
}

/// A file, with the same permissions whatever the umask says.
fn put(path: &Path, bytes: &[u8]) -> Result<()> {
    path.parent().map(fs::create_dir_all).transpose()?;
    fs::write(path, bytes).with_context(|| format!("cannot write {}", path.display()))?;
    Ok(fs::set_permissions(path, fs::Permissions::from_mode(0o644))?)
}

fn only_file(folder: &Path) -> Result<PathBuf> {
    let mut files: Vec<_> =
        fs::read_dir(folder)?.map(|entry| Ok(entry?.path())).collect::<Result<_>>()?;
    match (files.pop(), files.pop()) {
        (Some(file), None) => Ok(file),
        _ => bail!("there should be one wheel in {}", folder.display()),
    }
}
