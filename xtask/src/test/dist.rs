//! What people install, installed in empty places: the tar, the package for Debian, the wheel.

use super::tally::Tally;
use crate::dist;
use crate::install;
use crate::process::{self, on_path};
use crate::workspace::Workspace;
use anyhow::{Context, Result, ensure};
use serde_json::Value;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

const LIMIT: Duration = Duration::from_secs(600);

/// Messages of the examples in C and in Python.
const MESSAGES: u64 = 10_000;

/// The page server as a service, in the tar; in the package the same is below `usr`.
const UNIT: &str = "lib/systemd/system/fourstamp-pager.service";
const SERVICE: [&str; 3] =
    [UNIT, "lib/sysusers.d/fourstamp-pager.conf", "share/doc/fourstamp/examples/pager.toml"];

/// Programs without which nothing can be made or tried, and their packages.
const TOOLS: &[(&str, &str)] = &[
    ("dpkg", "dpkg"),
    ("dpkg-deb", "dpkg"),
    ("gcc", "gcc"),
    ("pkg-config", "pkg-config"),
    ("readelf", "binutils"),
    ("tar", "tar"),
];

/// The step.
pub fn run(workspace: &Workspace, tally: &mut Tally) -> Result<()> {
    for (program, package) in TOOLS {
        if on_path(program).is_none() {
            return tally.skip(format!("no {program}: apt install {package}"));
        }
    }
    if let Err(why) = dist::can_build_wheels(workspace) {
        return tally.skip(format!("{why:#}"));
    }
    let packages = dist::make(workspace, workspace.finished)?;
    let folder = workspace.fresh("dist-installed")?;
    let prefix = unpacked_tar(&packages.tar, &folder)?;
    from_c(workspace, &prefix, &folder, tally)?;
    debian(&packages.deb, &folder, tally)?;
    python(workspace, &packages.wheel, &folder, tally)
}

/// The tar, unpacked where it was never meant to be: what it has, and how old it is.
fn unpacked_tar(tar: &Path, folder: &Path) -> Result<PathBuf> {
    let prefix = folder.join("any").join("prefix");
    fs::create_dir_all(&prefix)?;
    let mut unpack = Command::new("tar");
    unpack.arg("-xzf").arg(tar).args(["--strip-components=1", "-C"]).arg(&prefix);
    process::capture(&mut unpack)?;
    ensure_program(&prefix.join("bin/fourstamp"))?;
    for path in [
        "share/man/man1/fourstamp.1",
        "share/bash-completion/completions/fourstamp",
        "share/doc/fourstamp/LICENSE-MIT",
        "share/doc/fourstamp/README.md",
    ]
    .iter()
    .chain(&SERVICE)
    {
        ensure!(prefix.join(path).is_file(), "the tar has no {path}");
    }
    Ok(prefix)
}

fn ensure_program(program: &Path) -> Result<()> {
    let said = process::capture(Command::new(program).arg("--version"))?;
    ensure!(said.starts_with("fourstamp "), "{} says {said:?}", program.display());
    Ok(())
}

/// The example in C, linked with either library as pkg-config says, records every message.
fn from_c(workspace: &Workspace, prefix: &Path, folder: &Path, tally: &mut Tally) -> Result<()> {
    let source = workspace.root.join("examples/c/two_processes.c");
    for (name, link) in [
        ("shared", "pkg-config --cflags --libs fourstamp"),
        (
            "static",
            "pkg-config --cflags --libs --static fourstamp | \
            sed s/-lfourstamp/-l:libfourstamp.a/",
        ),
    ] {
        let program = folder.join(format!("two_processes_{name}"));
        // A shell, as in the guide: pkg-config writes words for one.
        let mut compile = Command::new("sh");
        compile.args(["-c", &format!("gcc \"$1\" -o \"$2\" $({link})"), "sh"]);
        compile.args([&source, &program]);
        compile.env("PKG_CONFIG_PATH", prefix.join("lib/pkgconfig"));
        process::capture(&mut compile)?;
        let out = folder.join(format!("c-{name}"));
        let mut example = Command::new(&program);
        example.arg(&out).env_remove("LD_LIBRARY_PATH");
        if name == "shared" {
            example.env("LD_LIBRARY_PATH", prefix.join("lib"));
        }
        process::run(&mut example, LIMIT)?;
        ensure_messages(&out)?;
        tally.passed += 1;
    }
    Ok(())
}

/// The run has ended, nothing was lost, and its messages are as many as were sent.
fn ensure_messages(run_folder: &Path) -> Result<()> {
    let file = run_folder.join("run.json");
    let text = fs::read(&file).with_context(|| format!("cannot read {}", file.display()))?;
    let info: Value = serde_json::from_slice(&text)?;
    let nodes = info["launches"][0]["nodes"].as_array().context("the run has no nodes")?;
    let rows: u64 = nodes.iter().filter_map(|node| node["rows"].as_u64()).sum();
    ensure!(rows == MESSAGES, "{rows} messages of {MESSAGES} in {}", run_folder.display());
    ensure!(info["state"] == "closed", "the run is {}, not closed", info["state"]);
    Ok(())
}

/// The package for Debian: what it says of itself, unpacked in an empty root and removed again.
fn debian(package: &Path, folder: &Path, tally: &mut Tally) -> Result<()> {
    let said = process::capture(Command::new("dpkg-deb").arg("--field").arg(package))?;
    for line in ["Package: fourstamp", "Depends: libc6 (>= 2.", "Architecture: "] {
        ensure!(said.contains(line), "the package's control has no {line:?}:\n{said}");
    }
    let listed = process::capture(Command::new("dpkg-deb").arg("--contents").arg(package))?;
    let owned = listed.lines().all(|line| line.contains(" root/root "));
    ensure!(owned, "not all files belong to root:\n{listed}");
    let root = folder.join("debian");
    empty_root(&root)?;
    // Not configured: its script would make the page server's user.
    process::capture(dpkg(&root).arg("--unpack").arg(package))?;
    ensure_program(&root.join("usr/bin/fourstamp"))?;
    for path in ["usr/include/fourstamp.h", "usr/share/doc/fourstamp/copyright"] {
        ensure!(root.join(path).is_file(), "the package has no {path}");
    }
    let installed = process::capture(
        Command::new("dpkg-deb").arg("--info").args([package, Path::new("postinst")]),
    )?;
    ensure!(installed.contains("systemd-sysusers fourstamp-pager.conf"), "postinst: {installed}");
    let starts = ["enable", "start"].iter().any(|word| installed.contains(word));
    ensure!(!starts, "nothing is started at install: {installed}");
    service(&root.join("usr"), folder, tally)?;
    let differs = process::capture(dpkg(&root).args(["--verify", "fourstamp"]))?;
    ensure!(differs.is_empty(), "files are not as the package says:\n{differs}");
    process::capture(dpkg(&root).args(["--remove", "fourstamp"]))?;
    ensure!(!root.join("usr").exists(), "removing the package leaves files in {}", root.display());
    tally.passed += 1;
    Ok(())
}

/// The service of the package below `prefix`: systemd reads it without a complaint, and the program
/// accepts the example of its configuration, as far as the key that is not there yet.
fn service(prefix: &Path, folder: &Path, tally: &mut Tally) -> Result<()> {
    for path in SERVICE {
        ensure!(prefix.join(path).is_file(), "the package has no usr/{path}");
    }
    let program = prefix.join("bin/fourstamp");
    let mut serve = Command::new(&program);
    let config = prefix.join(SERVICE[2]);
    serve.args(["pager", "serve", "--memory", "1M", "--config"]).arg(&config);
    let output = serve.output()?;
    let said = String::from_utf8_lossy(&output.stderr);
    let asks = said.contains("run.key") && said.lines().count() == 1;
    ensure!(
        output.status.code() == Some(2) && asks,
        "{} without its key: {said}",
        config.display()
    );
    if on_path("systemd-analyze").is_none() {
        return tally.skip("no systemd-analyze: apt install systemd".to_owned());
    }
    // The program is not where the unit says before the package is installed.
    let text = fs::read_to_string(prefix.join(UNIT))?;
    let installed = "ExecStart=/usr/bin/fourstamp ";
    ensure!(text.contains(installed), "the unit has no {installed}");
    let unit = folder.join("fourstamp-pager.service");
    fs::write(&unit, text.replace(installed, &format!("ExecStart={} ", program.display())))?;
    let mut verify = Command::new("systemd-analyze");
    let output = verify.args(["verify", "--man=no"]).arg(&unit).output()?;
    // What it does not know it tells, and ignores.
    let said = String::from_utf8_lossy(&output.stderr);
    let is_well = output.status.success() && !said.contains("fourstamp-pager");
    ensure!(is_well, "systemd-analyze verify: {said}");
    tally.passed += 1;
    Ok(())
}

/// A root in which nothing is installed.
fn empty_root(root: &Path) -> Result<()> {
    let database = root.join("var/lib/dpkg");
    for part in ["info", "updates", "triggers"] {
        fs::create_dir_all(database.join(part))?;
    }
    ["status", "available"].iter().try_for_each(|file| fs::write(database.join(file), []))?;
    Ok(())
}

/// Anybody may install there, and what the package needs is that of the machine.
fn dpkg(root: &Path) -> Command {
    let mut dpkg = Command::new("dpkg");
    dpkg.arg("--root").arg(root).args(["--force-not-root", "--force-depends", "--log=/dev/null"]);
    dpkg
}

/// The wheel in an empty environment: the program, then the package's own tests, which record with
/// it and read with what the chores' environment has.
fn python(workspace: &Workspace, wheel: &Path, folder: &Path, tally: &mut Tally) -> Result<()> {
    let outer = install::python(workspace)?;
    let (empty, inner) = (folder.join("python"), folder.join("python/bin/python"));
    let mut make = Command::new(&outer);
    process::capture(make.args(["-m", "venv", "--without-pip"]).arg(&empty))?;
    let mut pip = Command::new(&outer);
    pip.args(["-m", "pip", "--disable-pip-version-check", "--python"]).arg(&inner);
    process::capture(pip.args(["install", "--quiet", "--no-index"]).arg(wheel))?;
    ensure_program(&empty.join("bin/fourstamp"))?;
    process::capture(Command::new(&inner).args(["-c", "import fourstamp"]))?;
    let readers = "import sysconfig; print(sysconfig.get_path('purelib'))";
    let readers = process::capture(Command::new(&outer).args(["-c", readers]))?;
    let mut tests = Command::new(&inner);
    tests.args(["-W", "error::ResourceWarning", "-m", "unittest", "discover", "--start-directory"]);
    tests.arg(workspace.root.join("python/tests")).current_dir(folder);
    process::run(tests.env("PYTHONPATH", readers.trim()), LIMIT)?;
    tally.passed += 1;
    Ok(())
}
