//! The command as a job of mpirun: every rank the same command line, one run, one report, one line
//! when it fails.
//!
//! Over MPI itself only in a build with `--features mpi`, under the mpirun of the library that it
//! was built with.

mod common;

use common::{folder, text};
use record::{Run, State};
use std::path::Path;
use std::process::{Command, Output, Stdio};

/// An mpirun, and what it needs to be told here.
struct Launcher {
    program: &'static str,
    arguments: &'static [&'static str],
}

const OPEN_MPI: Launcher =
    Launcher { program: "mpirun.openmpi", arguments: &["--oversubscribe", "--bind-to", "none"] };
const MPICH: Launcher = Launcher { program: "mpirun.mpich", arguments: &[] };

impl Launcher {
    /// It, if it is installed.
    fn present(&self) -> bool {
        let there = Command::new(self.program).arg("--version").output().is_ok();
        if !there {
            println!("skipped: {} is not installed", self.program);
        }
        there
    }

    fn run(&self, folder: &Path, ranks: u16, arguments: &str) -> Output {
        let mut command = Command::new(self.program);
        command.args(self.arguments).args([
            "-n",
            &ranks.to_string(),
            env!("CARGO_BIN_EXE_fourstamp"),
        ]);
        command.args(arguments.split_whitespace()).current_dir(folder).stdin(Stdio::null());
        // CI runs as root, which Open MPI wants to be told twice.
        command.env("OMPI_ALLOW_RUN_AS_ROOT", "1").env("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1");
        command.output().expect("the launcher starts")
    }

    fn succeed(&self, folder: &Path, ranks: u16, arguments: &str) -> String {
        let output = self.run(folder, ranks, arguments);
        let (out, err) = (text(&output.stdout), text(&output.stderr));
        assert!(
            output.status.success(),
            "{} -n {ranks} fourstamp {arguments}\n{out}\n{err}",
            self.program
        );
        out
    }

    /// Our lines of what a failing job says; its launcher adds some of its own.
    fn fail(&self, folder: &Path, ranks: u16, arguments: &str) -> Vec<String> {
        let output = self.run(folder, ranks, arguments);
        let err = text(&output.stderr);
        assert_eq!(
            output.status.code(),
            Some(2),
            "{} -n {ranks} fourstamp {arguments}\n{err}",
            self.program
        );
        err.lines().filter(|line| line.starts_with("fourstamp: ")).map(str::to_string).collect()
    }
}

fn check_pingpong(run: &Path, launches: usize, rows: u64) {
    let run = Run::open(run).expect("a closed run");
    assert_eq!(run.info.state, State::Closed);
    assert!(run.info.lost.is_nothing(), "{:?}", run.info.lost);
    assert_eq!(run.info.launches.len(), launches);
    assert!(run.info.launches.iter().all(|launch| launch.nodes.len() == 2));
    assert_eq!(run.info.rows(), rows);
}

/// Without MPI in the build, or with `--transport tcp`: the launcher's environment is enough.
fn ranks_find_one_another(launcher: &Launcher) {
    if !launcher.present() {
        return;
    }
    let folder = folder();
    let arguments = "bench pingpong --transport tcp --count 200 --launches 2 --warm-up 5 --out run";
    let out = launcher.succeed(folder.path(), 2, arguments);
    assert_eq!(out.matches("run: run ").count(), 1, "one report, rank 0's:\n{out}");
    // Two messages and a cycle for each round trip.
    check_pingpong(&folder.path().join("run"), 2, 2 * 200 * 3);
}

#[test]
fn ranks_of_open_mpi_find_one_another() {
    ranks_find_one_another(&OPEN_MPI);
}

#[test]
fn ranks_of_mpich_find_one_another() {
    ranks_find_one_another(&MPICH);
}

#[test]
fn ranks_can_share_memory() {
    if !MPICH.present() {
        return;
    }
    let folder = folder();
    MPICH.succeed(
        folder.path(),
        2,
        "bench pingpong --transport shm --count 50 --launches 1 --warm-up 0 --out run",
    );
    check_pingpong(&folder.path().join("run"), 1, 150);
}

#[test]
fn a_simulation_in_a_job_has_the_sequential_result() {
    if !MPICH.present() {
        return;
    }
    let folder = folder();
    let out = MPICH.succeed(
        folder.path(),
        3,
        "warp phold --transport tcp --objects 64 --cutoff 5 --check",
    );
    assert_eq!(out.matches("Matches the sequential run").count(), 1, "{out}");
}

#[test]
fn what_is_wrong_is_said_once() {
    if !MPICH.present() {
        return;
    }
    let folder = folder();
    let said = MPICH.fail(folder.path(), 3, "bench pingpong --transport thread --out run");
    assert!(said.len() == 1 && said[0].contains("all nodes in one process"), "{said:?}");
    let said = MPICH.fail(folder.path(), 3, "bench pingpong --transport tcp --nodes 5 --out run");
    assert!(said.len() == 1 && said[0].contains("the job's 3 ranks"), "{said:?}");
    std::fs::create_dir(folder.path().join("full")).expect("a folder");
    std::fs::write(folder.path().join("full/file"), "").expect("a file");
    let said = MPICH.fail(folder.path(), 2, "bench pingpong --transport tcp --out full");
    assert!(said.len() == 1 && said[0].contains("is not empty"), "{said:?}");
    assert!(!folder.path().join("run").exists());
}

#[cfg(not(feature = "mpi"))]
#[test]
fn without_the_feature_one_line_says_how_to_get_it() {
    let folder = folder();
    let output = common::run(folder.path(), "bench pingpong --transport mpi --out run");
    let err = text(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{err}");
    assert!(
        err.lines().count() == 1 && err.contains("cargo build --release --features mpi"),
        "{err}"
    );
    if MPICH.present() {
        let said = MPICH.fail(folder.path(), 2, "bench pingpong --transport mpi --out run");
        assert!(said.len() == 1 && said[0].contains("--features mpi"), "{said:?}");
    }
}

#[cfg(feature = "mpi")]
mod over_mpi {
    use super::*;

    /// The mpirun of the library in this build.
    fn own() -> Option<&'static Launcher> {
        let library = fabric::mpi_library().expect("this build has one");
        let own = if library.contains("Open MPI") { &OPEN_MPI } else { &MPICH };
        own.present().then_some(own)
    }

    #[test]
    fn messages_of_every_rank_are_recorded() {
        let Some(mpirun) = own() else { return };
        let folder = folder();
        mpirun.succeed(
            folder.path(),
            2,
            "bench pingpong --transport mpi --count 200 --launches 2 --warm-up 5 --out run",
        );
        let path = folder.path().join("run");
        check_pingpong(&path, 2, 2 * 200 * 3);
        assert_eq!(Run::open(&path).expect("a run").info.transport, "mpi");
    }

    #[test]
    fn a_simulation_has_the_sequential_result() {
        let Some(mpirun) = own() else { return };
        let folder = folder();
        let out = mpirun.succeed(
            folder.path(),
            3,
            "warp phold --transport mpi --objects 64 --cutoff 5 --check",
        );
        assert_eq!(out.matches("Matches the sequential run").count(), 1, "{out}");
    }

    #[test]
    fn a_run_that_cannot_begin_ends_the_job() {
        let Some(mpirun) = own() else { return };
        let folder = folder();
        std::fs::write(folder.path().join("file"), "").expect("a file");
        let said = mpirun.fail(folder.path(), 2, "bench pingpong --transport mpi --out file");
        assert_eq!(said.len(), 1, "{said:?}");
    }
}
