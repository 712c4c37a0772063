//! Installing what the tests and benchmarks need, on Debian and Ubuntu, as root or with sudo.
//!
//! Everything here may fail without harm: the test that needed it says `skipped: reason`. Nothing
//! that is there already is touched, so a second call costs a second.

use crate::process::{self, on_path};
use crate::workspace::Workspace;
use anyhow::{Context, Result, bail};
use std::path::PathBuf;
use std::process::Command;
use std::time::Duration;

const LIMIT: Duration = Duration::from_secs(900);

/// System packages: a program or file whose presence proves it, the package, and what wants it.
const SYSTEM: &[(&str, &str, &str)] = &[
    ("gcc", "gcc", "the programs to compare with"),
    ("gcc", "libc6-dev", "the programs to compare with"),
    ("mpicc.openmpi", "libopenmpi-dev", "tracing Open MPI programs, the comparison with MPI"),
    ("mpirun.openmpi", "openmpi-bin", "tracing Open MPI programs, the comparison with MPI"),
    ("mpicc.mpich", "libmpich-dev", "tracing MPICH programs"),
    ("mpirun.mpich", "mpich", "tracing MPICH programs"),
    ("/usr/sbin/munged", "munge", "jobs of Slurm's"),
    ("/usr/sbin/slurmctld", "slurmctld", "jobs of Slurm's"),
    ("/usr/sbin/slurmd", "slurmd", "jobs of Slurm's"),
    ("srun", "slurm-client", "jobs of Slurm's"),
    ("gfortran", "gfortran", "tracing Fortran programs"),
    ("/usr/include/fftw3.h", "libfftw3-dev", "paging a program with FFTW"),
    ("otf2-print", "otf2-tools", "traces for tools that read OTF2"),
    ("lmp", "lammps", "tracing a real program"),
    ("hpcc", "hpcc", "tracing a real program"),
    ("NPopenmpi", "netpipe-openmpi", "tracing a real program"),
    ("/usr/share/lammps/examples/melt/in.melt", "lammps-examples", "tracing a real program"),
    ("ip", "iproute2", "hosts that are network namespaces"),
    ("chromium", "chromium", "the tests of the report in a browser"),
    ("npm", "npm", "the tests of the report in a browser"),
    ("tmux", "tmux", "the tests of `fourstamp launch --tmux`"),
    ("time", "time", "peak memory in `cargo xtask bench latency`"),
    ("zsh", "zsh", "its completions"),
    ("fish", "fish", "its completions"),
    ("python3", "python3", "reading runs from Python"),
    ("readelf", "binutils", "`cargo xtask dist`"),
    ("dpkg-deb", "dpkg", "`cargo xtask dist`"),
    ("pkg-config", "pkg-config", "the test of what `cargo xtask dist` makes"),
];

/// What Python reads runs with, and what builds a wheel.
const PYTHON_PACKAGES: &[&str] =
    &["duckdb", "pandas", "pyarrow", "polars", "mpi4py", "numpy", "setuptools", "wheel"];

/// Installs all of it; says what could not be, and whether all is there.
pub fn all(workspace: &Workspace) -> bool {
    let mut complete = true;
    let mut note = |what: &str, result: Result<()>| match result {
        Ok(()) => println!("ready: {what}"),
        Err(error) => {
            complete = false;
            println!("not installed: {what}: {error:#}");
        }
    };
    note("system packages", system_packages());
    note("Python environment", python(workspace).map(drop));
    note("browser test packages", browser_packages(workspace));
    complete
}

/// The Python of an environment in the target folder that has all of [`PYTHON_PACKAGES`], if it has
/// been made.
pub fn ready_python(workspace: &Workspace) -> Option<PathBuf> {
    let python = workspace.target.join("xtask/python/bin/python");
    let imports = format!("import {}", PYTHON_PACKAGES.join(","));
    process::succeeds(Command::new(&python).args(["-c", &imports])).then_some(python)
}

/// The same, made if need be.
pub fn python(workspace: &Workspace) -> Result<PathBuf> {
    if let Some(python) = ready_python(workspace) {
        return Ok(python);
    }
    let folder = workspace.target.join("xtask/python");
    let python = folder.join("bin/python");
    let base = on_path("python3").context("no python3: apt install python3 python3-venv")?;
    workspace.scratch("python")?;
    let mut make = Command::new(base);
    process::run(make.args(["-m", "venv", "--clear"]).arg(&folder), LIMIT)
        .context("no virtual environment: apt install python3-venv")?;
    let mut pip = Command::new(&python);
    // Of thousands of modules Python compiles those that are imported, when they are.
    pip.args(["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-compile"])
        .args(PYTHON_PACKAGES);
    process::run(&mut pip, LIMIT).context("pip cannot install the packages")?;
    Ok(python)
}

/// The packages of the browser test, as its lock file names them.
pub fn browser_packages(workspace: &Workspace) -> Result<()> {
    let folder = workspace.root.join("tests/browser");
    let (lock, installed) =
        (folder.join("package-lock.json"), folder.join("node_modules/.package-lock.json"));
    let time = |file: &PathBuf| file.metadata().and_then(|m| m.modified()).ok();
    if time(&installed).is_some_and(|then| Some(then) >= time(&lock)) {
        return Ok(());
    }
    let npm = on_path("npm").context("no npm: apt install npm")?;
    let mut command = Command::new(npm);
    // The browser is the system's: fetching another would take minutes.
    let quiet = ["ci", "--no-audit", "--no-fund"];
    command.args(quiet).current_dir(&folder).env("PUPPETEER_SKIP_DOWNLOAD", "1");
    process::run(command.env("PLAYWRIGHT_SKIP_BROWSER_DOWNLOAD", "1"), LIMIT)
}

/// cargo-deny, built unoptimised: it runs for a second, and optimising it takes minutes.
pub fn cargo_deny(workspace: &Workspace) -> Result<()> {
    if on_path("cargo-deny").is_some() || local_cargo_deny(workspace).is_file() {
        return Ok(());
    }
    let folder = workspace.scratch("tools")?;
    let mut cargo = workspace.cargo(&["install", "--locked", "--debug", "cargo-deny", "--root"]);
    process::run(cargo.arg(folder), LIMIT)
}

/// cargo-fuzz, as [`cargo_deny`]; where it is.
pub fn cargo_fuzz(workspace: &Workspace) -> Result<PathBuf> {
    let local = workspace.target.join("xtask/tools/bin/cargo-fuzz");
    if let Some(found) = on_path("cargo-fuzz").or_else(|| local.is_file().then(|| local.clone())) {
        return Ok(found);
    }
    let folder = workspace.scratch("tools")?;
    let mut cargo = workspace.cargo(&["install", "--locked", "--debug", "cargo-fuzz", "--root"]);
    process::run(cargo.arg(folder), LIMIT)?;
    Ok(local)
}

/// mdBook, as [`cargo_deny`], without what serves and watches; where it is.
pub fn mdbook(workspace: &Workspace) -> Result<PathBuf> {
    let local = workspace.target.join("xtask/tools/bin/mdbook");
    if let Some(found) = on_path("mdbook").or_else(|| local.is_file().then(|| local.clone())) {
        return Ok(found);
    }
    let folder = workspace.scratch("tools")?;
    let lean = ["install", "--locked", "--debug", "--no-default-features", "mdbook", "--root"];
    process::run(workspace.cargo(&lean).arg(folder), LIMIT)?;
    Ok(local)
}

/// Where [`cargo_deny`] puts it when there is none on the PATH.
pub fn local_cargo_deny(workspace: &Workspace) -> PathBuf {
    workspace.target.join("xtask/tools/bin/cargo-deny")
}

fn system_packages() -> Result<()> {
    let missing: Vec<_> =
        SYSTEM.iter().filter(|(program, ..)| on_path(program).is_none()).collect();
    let mut packages: Vec<&str> = missing.iter().map(|(_, package, _)| *package).collect();
    if !python_can_make_environments() {
        packages.push("python3-venv");
    }
    if !python_has_headers() {
        packages.push("python3-dev");
    }
    if packages.is_empty() {
        return Ok(());
    }
    for (program, _, why) in &missing {
        println!("missing: {program} ({why})");
    }
    apt_install(&packages)
}

/// Debian's python3 comes without `ensurepip`, and then `venv` fails.
fn python_can_make_environments() -> bool {
    process::succeeds(Command::new("python3").args(["-c", "import ensurepip, venv"]))
}

/// Its headers, for an extension in C, are a package of their own.
fn python_has_headers() -> bool {
    let look = "import os, sysconfig; \
        os.stat(os.path.join(sysconfig.get_path('include'), 'Python.h'))";
    process::succeeds(Command::new("python3").args(["-c", look]))
}

fn apt_install(packages: &[&str]) -> Result<()> {
    let by_hand = format!("apt-get install {}", packages.join(" "));
    if on_path("apt-get").is_none() {
        bail!("no apt-get here; install these with the system's own tool: {}", packages.join(" "));
    }
    if !rustix::process::geteuid().is_root()
        && !process::succeeds(Command::new("sudo").args(["-n", "true"]))
    {
        bail!("neither root nor sudo without a password; run: sudo {by_hand}");
    }
    process::run(&mut as_root(&["apt-get", "update", "--quiet"]), LIMIT)?;
    let mut install =
        as_root(&["apt-get", "install", "--quiet", "--yes", "--no-install-recommends"]);
    process::run(install.args(packages), LIMIT).with_context(|| by_hand)
}

fn as_root(words: &[&str]) -> Command {
    let mut command = if rustix::process::geteuid().is_root() {
        Command::new("env")
    } else {
        let mut sudo = Command::new("sudo");
        sudo.args(["-n", "env"]);
        sudo
    };
    command.arg("DEBIAN_FRONTEND=noninteractive").args(words);
    command
}
