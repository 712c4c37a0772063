//! The steps of `cargo xtask test`, in order: what fails soonest comes first. What runs the
//! finished program takes the one that was built for the tests, or with `--release` that of a
//! release build.

use super::built::TestProgram;
use super::tally::Tally;
use super::{built, dist, harness, lanes, programs, readme, slurm};
use crate::dependencies;
use crate::install;
use crate::invariants;
use crate::mpi::as_root_too;
use crate::process::{self, on_path, run, run_and_watch};
use crate::surface;
use crate::workspace::{Build, Workspace};
use anyhow::{Context, Result, bail};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

/// One step.
pub struct Step {
    /// As given to `--only`.
    pub name: &'static str,
    /// In a line.
    pub what: &'static str,
    /// When it is run.
    pub part: Part,
    /// Does it.
    pub run: fn(&Workspace, &mut Tally) -> Result<()>,
}

/// When a step is run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// Always, and it needs nothing but the compiler: what others need is installed beside it.
    Bare,
    /// Always.
    Quick,
    /// Not with `--quick`.
    Whole,
    /// Not with `--quick`, and beside others of its kind: it measures nothing, and keeps one core
    /// busy. (Ranks of MPI that wait keep all of them busy.)
    Beside,
}
use Part::{Bare, Beside, Quick, Whole};

/// All of them: in order, but those that run two at a time come last, the longest of them first.
pub const STEPS: &[Step] = &[
    Step { name: "format", what: "the code is formatted", part: Bare, run: format },
    Step { name: "rules", what: "the rules of docs/ARCHITECTURE.md hold", part: Bare, run: rules },
    Step { name: "lints", what: "no compiler or clippy warning", part: Bare, run: lints },
    Step { name: "fuzz", what: "every decoder's fuzz target compiles", part: Bare, run: fuzz },
    Step { name: "tests", what: "unit, property and end-to-end tests", part: Quick, run: tests },
    Step { name: "timed", what: "tests that measure time, each alone", part: Quick, run: timed },
    Step { name: "finished", what: "the finished program", part: Whole, run: finished },
    Step {
        name: "docs",
        what: "the documentation builds without a warning",
        part: Whole,
        run: documentation,
    },
    Step {
        name: "transport",
        what: "our nodes over MPI: the conformance suite, jobs of Slurm's",
        part: Whole,
        run: transport,
    },
    Step {
        name: "programs",
        what: "real MPI programs give the same results when traced",
        part: Whole,
        run: programs::run,
    },
    Step { name: "browser", what: "the report in a real browser", part: Beside, run: browser },
    Step {
        name: "dist",
        what: "the tar, the .deb and the wheel, installed in empty places",
        part: Beside,
        run: dist::run,
    },
    Step {
        name: "readme",
        what: "the README's other commands, as pasted",
        part: Beside,
        run: readme::run,
    },
    Step { name: "tour", what: "the tour, all of it", part: Beside, run: tour },
    Step {
        name: "surface",
        what: "nothing that a user meets was lost",
        part: Beside,
        run: surface,
    },
    Step { name: "examples", what: "the examples run", part: Beside, run: examples },
    Step {
        name: "readers",
        what: "DuckDB, pandas and polars read a run",
        part: Beside,
        run: readers,
    },
    Step {
        name: "documented",
        what: "the documentation's examples",
        part: Beside,
        run: documented,
    },
    Step {
        name: "dependencies",
        what: "licences, sources, advisories",
        part: Beside,
        run: dependencies,
    },
];

/// Longest that one command may take: the slowest on two cores, three times over.
const LIMIT: Duration = Duration::from_secs(3600);

/// Of the whole workspace: a package alone would choose other features of what it shares with
/// others, and build that again.
const TESTS: &[&str] = &["test", "--workspace", "--locked"];

fn format(workspace: &Workspace, _: &mut Tally) -> Result<()> {
    run(&mut workspace.cargo(&["fmt", "--all", "--check"]), LIMIT)
}

fn rules(workspace: &Workspace, _: &mut Tally) -> Result<()> {
    match invariants::check(workspace)? {
        0 => Ok(()),
        broken => bail!("{broken} broken"),
    }
}

/// Builds what the tests run, all of it even if there are warnings.
fn lints(workspace: &Workspace, _: &mut Tally) -> Result<()> {
    match built::warnings(&mut workspace.linted(TESTS))? {
        0 => Ok(()),
        1 => bail!("a warning"),
        many => bail!("{many} warnings"),
    }
}

fn documentation(workspace: &Workspace, _: &mut Tally) -> Result<()> {
    let mut cargo = workspace.cargo(&["doc", "--workspace", "--no-deps", "--locked", "--quiet"]);
    run(cargo.env("RUSTDOCFLAGS", "-D warnings"), LIMIT)
}

fn tests(workspace: &Workspace, tally: &mut Tally) -> Result<()> {
    let mut programs = test_programs(workspace)?;
    programs.retain(|program| !lanes::measures(program));
    harness::run(workspace, "tests", &programs, None, tally)
}

/// The tests that the step `tests` has built and left.
fn timed(workspace: &Workspace, tally: &mut Tally) -> Result<()> {
    let mut programs = test_programs(workspace)?;
    programs.retain(lanes::measures);
    harness::run(workspace, "timed", &programs, None, tally)
}

/// Those of the whole workspace.
fn test_programs(workspace: &Workspace) -> Result<Vec<TestProgram>> {
    let python = install::ready_python(workspace);
    let mut cargo = workspace.linted(TESTS);
    // The same cases in every run, so that a red one can be had again; `cargo xtask soak` draws
    // others.
    cargo.env("PROPTEST_RNG_SEED", "1");
    // Has mpi4py.
    cargo.envs(python.iter().map(|python| ("FOURSTAMP_TEST_PYTHON", python)));
    // The step `transport` does that.
    cargo.env("FOURSTAMP_TEST_TRANSPORT_LATER", "1");
    built::build(&mut cargo)
}

/// Those that stand in the documentation of the code.
fn documented(workspace: &Workspace, tally: &mut Tally) -> Result<()> {
    let mut cargo = workspace.linted(TESTS);
    cargo.arg("--doc");
    run_and_watch(&mut cargo, LIMIT, |line| tally.line(line))
}

/// Takes the programs that the tests have built.
fn surface(workspace: &Workspace, _: &mut Tally) -> Result<()> {
    match surface::check_built(workspace)? {
        true => Ok(()),
        false => bail!("see the lines `lost` above"),
    }
}

/// What the steps below run.
fn finished(workspace: &Workspace, _: &mut Tally) -> Result<()> {
    run(&mut workspace.compile(workspace.finished), LIMIT)
}

fn examples(workspace: &Workspace, tally: &mut Tally) -> Result<()> {
    let folder = workspace.fresh("examples")?;
    run(&mut workspace.compile(Build::Tests), LIMIT)?;
    for name in ["tcp_stream", "tokio", "two_processes", "service"] {
        let out = folder.join(name);
        run(example(workspace, name).arg(&out), LIMIT)?;
        report_reads(workspace, &out)?;
        tally.passed += 1;
    }
    run(example(workspace, "bank_threads").arg("2000"), LIMIT)?;
    a_program_of_its_own(workspace, &folder, tally)?;
    copied_out(workspace, &folder, tally)?;
    let python = match install::python(workspace) {
        Ok(python) => python,
        Err(why) => return tally.skip(format!("{why:#}")),
    };
    for (program, arguments) in [
        ("examples/read_run.py", None),
        ("xtask/readers/notebook.py", Some("examples/read_run.ipynb")),
    ] {
        let mut read = workspace.command(&python, &[program]);
        run(read.args(arguments).arg(folder.join("tcp_stream")), LIMIT)?;
        tally.passed += 1;
    }
    Ok(())
}

/// A program with a model of its own: its nodes are processes, and it reads what they recorded.
fn a_program_of_its_own(workspace: &Workspace, folder: &Path, tally: &mut Tally) -> Result<()> {
    let out = folder.join("bank");
    let out = out.to_str().context("a folder's name is no text")?;
    let dealt = ["--cutoff", "1000", "--placement", "round-robin"];
    for words in [
        &["--nodes", "3", "--transport", "tcp", "--check", "--out", out][..],
        &["--nodes", "4", "--on", "mark3"],
        &["study", "--nodes", "1,2", "--launches", "1", "--csv"],
        &["launch", "-n", "2", "--", "warp", "bank"],
    ] {
        run(example(workspace, "bank").args(words).args(dealt), LIMIT)?;
        tally.passed += 1;
    }
    run(example(workspace, "bank").args(["report", "--terminal", out]), LIMIT)
}

/// Examples copied out of here, for which the crate `fourstamp` is all that there is. That it does
/// with the features that it asks for by itself is looked at by the step `fuzz`.
fn copied_out(workspace: &Workspace, folder: &Path, tally: &mut Tally) -> Result<()> {
    let (project, out) = (folder.join("project"), folder.join("copied"));
    fs::create_dir_all(&project)?;
    let sources = [
        ("two_processes.rs", "two_processes.rs"),
        ("bank/threads.rs", "bank_threads.rs"),
        ("bank/model.rs", "model.rs"),
    ];
    for (from, to) in sources {
        fs::copy(workspace.root.join("examples").join(from), project.join(to))?;
    }
    let rustc = workspace.toolchain("rustc");
    let built = |name| workspace.built(Build::Tests, name);
    for (name, argument) in [("two_processes", out.as_os_str()), ("bank_threads", "500".as_ref())] {
        let mut compile = Command::new(&rustc);
        compile.current_dir(&project).args(["--edition", "2024", &format!("{name}.rs"), "-L"]);
        compile.arg(format!("dependency={}", built("deps").display())).arg("--extern");
        run(compile.arg(format!("fourstamp={}", built("libfourstamp.rlib").display())), LIMIT)?;
        run(workspace.command(project.join(name), &[]).arg(argument), LIMIT)?;
        tally.passed += 1;
    }
    report_reads(workspace, &out)
}

/// An example that has been built.
fn example(workspace: &Workspace, name: &str) -> Command {
    workspace.command(workspace.built(Build::Tests, "examples").join(name), &[])
}

/// A run that a program of its own wrote is a run as any other.
fn report_reads(workspace: &Workspace, run_folder: &Path) -> Result<()> {
    let mut report = workspace.command(workspace.finished(), &["report", "--terminal"]);
    run(report.arg(run_folder), LIMIT)
}

fn readers(workspace: &Workspace, tally: &mut Tally) -> Result<()> {
    let python = match install::python(workspace) {
        Ok(python) => python,
        Err(why) => return tally.skip(format!("{why:#}")),
    };
    let folder = workspace.fresh("readers")?;
    let (run_folder, csv) = (folder.join("run"), folder.join("report.csv"));
    let arguments = [
        "bench",
        "pingpong",
        "--transport",
        "shm",
        "--size",
        "8",
        "--count",
        "20000",
        "--launches",
        "2",
    ];
    run(workspace.command(workspace.finished(), &arguments).arg("--out").arg(&run_folder), LIMIT)?;
    let mut report = workspace.command(workspace.finished(), &["report", "--csv"]);
    fs::write(&csv, process::capture(report.arg(&run_folder))?)?;
    let mut check = workspace.command(python, &["xtask/readers/check.py"]);
    check.arg(&run_folder).arg(&csv).arg(workspace.root.join("docs/FORMAT.md"));
    run_and_watch(&mut check, LIMIT, |line| tally.line(line))
}

/// The conformance suite under the mpirun of each library, then jobs of Slurm's.
fn transport(workspace: &Workspace, tally: &mut Tally) -> Result<()> {
    let mut cargo = workspace.linted(TESTS);
    as_root_too(cargo.args(["--test", "conformance_mpi"]));
    harness::run(workspace, "transport", &built::build(&mut cargo)?, None, tally)?;
    slurm::jobs(workspace, tally)
}

fn tour(workspace: &Workspace, _: &mut Tally) -> Result<()> {
    let folder = workspace.fresh("tour")?;
    let mut tour = match workspace.finished {
        Build::Tests => workspace.command(workspace.finished(), &[]),
        Build::Release => workspace.cargo(&["run", "--release", "--locked", "--"]),
    };
    run(tour.args(["tour", "--out"]).arg(folder.join("tour")), LIMIT)
}

fn browser(workspace: &Workspace, tally: &mut Tally) -> Result<()> {
    let Some(chromium) = on_path("chromium").or_else(|| on_path("google-chrome")) else {
        return tally.skip("no Chromium: apt install chromium");
    };
    if let Err(why) = install::browser_packages(workspace) {
        return tally.skip(format!("{why:#}"));
    }
    let mut test = workspace.command("node", &["tests/browser/pages.mjs"]);
    test.args(pages(workspace)?).env("CHROMIUM", chromium).env("FOURSTAMP", workspace.finished());
    run_and_watch(&mut test, LIMIT, |line| tally.line(line))
}

/// The report of a run of 10 messages, of one of a million (ten million with a release build), of a
/// simulation, and of made-up runs.
fn pages(workspace: &Workspace) -> Result<Vec<PathBuf>> {
    let folder = workspace.fresh("pages")?;
    let mut pages = Vec::new();
    let large = match workspace.finished {
        Build::Tests => "500000",
        Build::Release => "5000000",
    };
    for (name, count) in [("small", "5"), ("large", large)] {
        let (run_folder, page) = (folder.join(name), folder.join(name).with_extension("html"));
        let arguments = [
            "bench",
            "pingpong",
            "--transport",
            "shm",
            "--launches",
            "1",
            "--count",
            count,
            "--out",
        ];
        run(workspace.command(workspace.finished(), &arguments).arg(&run_folder), LIMIT)?;
        let mut report = workspace.command(workspace.finished(), &["report"]);
        run(report.arg(&run_folder).arg("--out").arg(&page), LIMIT)?;
        pages.push(page);
    }
    pages.push(simulation_page(workspace, &folder)?);
    pages.extend(made_up_pages(workspace, &folder)?);
    Ok(pages)
}

/// Pages of runs that nobody ran: a traced MPI program with delays planted in it, and names that
/// try to break out of the page.
fn made_up_pages(workspace: &Workspace, folder: &Path) -> Result<Vec<PathBuf>> {
    run(&mut workspace.compile(Build::Tests), LIMIT)?;
    process::capture(example(workspace, "synthetic").arg(folder))?;
    Ok(["mpi.html", "hostile.html"].map(|page| folder.join(page)).to_vec())
}

/// The report of a simulation.
fn simulation_page(workspace: &Workspace, folder: &Path) -> Result<PathBuf> {
    let (run_folder, page) = (folder.join("simulation"), folder.join("simulation.html"));
    let arguments = ["warp", "phold", "--cutoff", "20", "--transport", "shm", "--check", "--out"];
    run(workspace.command(workspace.finished(), &arguments).arg(&run_folder), LIMIT)?;
    let mut report = workspace.command(workspace.finished(), &["report"]);
    run(report.arg(&run_folder).arg("--out").arg(&page), LIMIT)?;
    Ok(page)
}

/// The fuzz targets are a workspace of their own, which nothing else compiles. `cargo xtask soak
/// --only fuzz` runs them.
fn fuzz(workspace: &Workspace, tally: &mut Tally) -> Result<()> {
    let mut cargo = workspace.cargo(&["check", "--locked", "--manifest-path", "fuzz/Cargo.toml"]);
    // With this workspace's profiles and in its folder: the documentation wants most dependencies
    // checked, too.
    cargo.args(["--config", "Cargo.toml", "--target-dir"]).arg(&workspace.target);
    // Where the fuzzer's own library is, which is in C++ and compiles longer than all targets:
    // nothing is linked here, so any file will do.
    run(cargo.env("CUSTOM_LIBFUZZER_PATH", "/dev/null"), LIMIT)?;
    tally.passed += 1;
    Ok(())
}

fn dependencies(workspace: &Workspace, tally: &mut Tally) -> Result<()> {
    if dependencies::unchanged(workspace) {
        tally.passed += 1;
        return tally.skip("advisories: `cargo xtask dependencies` asks for them");
    }
    if let Err(why) = install::cargo_deny(workspace) {
        return tally.skip(format!("no cargo-deny: {why:#}"));
    }
    let advisories = dependencies::check(workspace)?;
    tally.passed += 1;
    match advisories {
        Some(why) => tally.skip(format!("advisories: {why}")),
        None => Ok(()),
    }
}
