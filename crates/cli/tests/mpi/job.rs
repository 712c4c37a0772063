//! The command as a job of mpirun: every rank the same command line, one run, one report, one line
//! when it fails. Over MPI itself under the mpirun of each library, from the same binary.

use crate::common::{OPEN_MPI_FOLDER, folder, for_open_mpi, text};
use record::{Run, State};
use std::path::Path;
use std::process::{Command, Output, Stdio};

/// An mpirun, and what it needs to be told here.
struct Launcher {
    program: &'static str,
    arguments: &'static [&'static str],
}

static OPEN_MPI: Launcher =
    Launcher { program: "mpirun.openmpi", arguments: &["--oversubscribe", "--bind-to", "none"] };
static MPICH: Launcher = Launcher { program: "mpirun.mpich", arguments: &[] };

impl Launcher {
    /// It, if it is installed.
    fn present(&self) -> bool {
        let there = Command::new(self.program).arg("--version").output().is_ok();
        if !there {
            println!("skipped: {} is not installed", self.program);
        }
        there
    }

    fn command(&self, folder: &Path, ranks: u16, arguments: &str) -> Command {
        let mut command = Command::new(self.program);
        command.args(self.arguments).args([
            "-n",
            &ranks.to_string(),
            env!("CARGO_BIN_EXE_fourstamp"),
        ]);
        command.args(arguments.split_whitespace()).current_dir(folder).stdin(Stdio::null());
        for_open_mpi(&mut command);
        command
    }

    /// Two ranks, each with a folder of its own for temporary files: two programs of Open MPI that
    /// believe to be alone make the same one in it, and the second may fail at that.
    fn command_apart(&self, folder: &Path, arguments: &str) -> Command {
        let mut command = Command::new(self.program);
        command.args(self.arguments);
        for rank in ["0", "1"] {
            let temporary = folder.join(rank);
            std::fs::create_dir(&temporary).expect("a folder");
            let temporary = format!("{OPEN_MPI_FOLDER}={}", temporary.display());
            command.args(["-n", "1", "env", &temporary, env!("CARGO_BIN_EXE_fourstamp")]);
            command.args(arguments.split_whitespace()).args((rank == "0").then_some(":"));
        }
        command.current_dir(folder).stdin(Stdio::null());
        for_open_mpi(&mut command);
        command
    }

    fn run(&self, folder: &Path, ranks: u16, arguments: &str) -> Output {
        self.command(folder, ranks, arguments).output().expect("the launcher starts")
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
        self.said(&self.run(folder, ranks, arguments))
    }

    fn said(&self, output: &Output) -> Vec<String> {
        let err = text(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{}: {err}", self.program);
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

/// With `--transport tcp` the launcher's environment is enough.
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

/// Over the library of that launcher, which nobody names.
fn messages_of_every_rank_are_recorded(mpirun: &Launcher) {
    if !mpirun.present() {
        return;
    }
    let folder = folder();
    let arguments = "bench pingpong --count 200 --launches 2 --warm-up 5 --out run";
    mpirun.succeed(folder.path(), 2, arguments);
    let path = folder.path().join("run");
    check_pingpong(&path, 2, 2 * 200 * 3);
    let info = Run::open(&path).expect("a run").info;
    assert_eq!(info.transport, "mpi");
    let library = if std::ptr::eq(mpirun, &OPEN_MPI) { "Open MPI v" } else { "MPICH " };
    let note = format!("the MPI library is {library}");
    assert!(info.notes.iter().any(|line| line.starts_with(&note)), "{:?}", info.notes);
}

#[test]
fn messages_of_every_rank_of_open_mpi_are_recorded() {
    messages_of_every_rank_are_recorded(&OPEN_MPI);
}

#[test]
fn messages_of_every_rank_of_mpich_are_recorded() {
    messages_of_every_rank_are_recorded(&MPICH);
}

#[test]
fn a_simulation_over_mpi_has_the_sequential_result() {
    for mpirun in [&OPEN_MPI, &MPICH] {
        if !mpirun.present() {
            continue;
        }
        let folder = folder();
        let arguments = "warp phold --transport mpi --objects 64 --cutoff 5 --check";
        let out = mpirun.succeed(folder.path(), 3, arguments);
        assert_eq!(out.matches("Matches the sequential run").count(), 1, "{out}");
    }
}

#[test]
fn a_run_over_mpi_that_cannot_begin_ends_the_job() {
    for mpirun in [&OPEN_MPI, &MPICH] {
        if !mpirun.present() {
            continue;
        }
        let folder = folder();
        std::fs::write(folder.path().join("file"), "").expect("a file");
        let said = mpirun.fail(folder.path(), 2, "bench pingpong --transport mpi --out file");
        assert_eq!(said.len(), 1, "{said:?}");
    }
}

/// Open MPI is told where its limit is, headers included.
#[test]
fn a_sweep_finds_the_eager_limit_that_was_set_and_a_machine_has_it() {
    if !OPEN_MPI.present() {
        return;
    }
    let folder = folder();
    let found = |limit: u32| {
        let name = format!("run{limit}");
        let arguments = "bench sweep --transport mpi --count 10 --launches 1 --largest 64 --out";
        let mut command = OPEN_MPI.command(folder.path(), 2, &format!("{arguments} {name}"));
        command.env("OMPI_MCA_btl", "tcp,self");
        command.env("OMPI_MCA_btl_tcp_eager_limit", limit.to_string());
        let output = command.output().expect("the launcher starts");
        assert!(output.status.success(), "{}", text(&output.stderr));
        let run = Run::open(folder.path().join(name)).expect("a closed run");
        let eager = &run.info.parameters["eager"];
        let bytes = |name: &str| eager[name].as_u64().expect("bytes");
        assert_eq!(bytes("waits_bytes"), bytes("at_once_bytes") + 1);
        bytes("at_once_bytes")
    };
    let (low, high) = (found(20_000), found(30_000));
    assert!((19_800..=20_000).contains(&low), "{low}");
    assert_eq!(high - low, 10_000);
    let mut calibrate = crate::common::fourstamp(folder.path(), "machine calibrate run20000");
    let machine = text(&calibrate.output().expect("the command starts").stdout);
    assert!(machine.contains(&format!("eager = {{ value = \"{low}B\"")), "{machine}");
}

#[test]
fn outside_of_a_job_the_transport_mpi_starts_one() {
    if !OPEN_MPI.present() && !MPICH.present() {
        return;
    }
    let folder = folder();
    let mut command = crate::common::fourstamp(
        folder.path(),
        "bench pingpong --transport mpi --count 50 --out run",
    );
    let output = for_open_mpi(&mut command).output().expect("the command starts");
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    assert_eq!(
        Run::open(folder.path().join("run")).expect("a run").info.transport,
        "mpi",
        "{}",
        text(&output.stdout)
    );
}

/// The tracer has MPI's functions, too, and is no library to be taken for one.
#[test]
fn our_own_messages_can_be_traced() {
    for mpirun in [&OPEN_MPI, &MPICH] {
        if !mpirun.present() {
            continue;
        }
        let folder = folder();
        let job = format!(
            "mpi trace --out traced -- {} -n 2 {} bench pingpong --count 100 --launches 1 \
            --out run",
            mpirun.program,
            env!("CARGO_BIN_EXE_fourstamp")
        );
        let mut command = crate::common::fourstamp(folder.path(), &job);
        let output = for_open_mpi(&mut command).output().expect("the command starts");
        assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
        let rows = |name: &str| Run::open(folder.path().join(name)).expect("a run").info.rows();
        // Ours are two messages and a cycle a round trip; MPI has warming up and good-byes as well.
        assert_eq!(rows("run"), 300);
        assert!(rows("traced") > 200, "{}", text(&output.stdout));
    }
}

/// Every process believes then to be alone.
#[test]
fn a_library_that_is_not_the_launchers_is_noticed() {
    if !OPEN_MPI.present() || !MPICH.present() {
        return;
    }
    for (mpirun, library) in [(&OPEN_MPI, "libmpich.so.12"), (&MPICH, "libmpi.so.40")] {
        let folder = folder();
        let mut command = mpirun.command_apart(folder.path(), "bench pingpong --out run");
        let output = command.env("FOURSTAMP_MPI_LIBRARY", library).output();
        let said = mpirun.said(&output.expect("the launcher starts"));
        assert_eq!(said.len(), 1, "{said:?}");
        assert!(said[0].contains("sees 1 of the 2 ranks"), "{said:?}");
        assert!(said[0].contains("FOURSTAMP_MPI_LIBRARY") && !folder.path().join("run").exists());
    }
}

#[test]
fn a_library_that_is_none_is_named_with_the_remedy() {
    if !MPICH.present() {
        return;
    }
    let folder = folder();
    std::fs::write(folder.path().join("text.so"), "no library").expect("a file");
    let text_file = folder.path().join("text.so");
    let cases = [
        ("/no/such/libmpi.so", "cannot load the MPI library /no/such/libmpi.so"),
        (text_file.to_str().expect("a path"), "cannot load the MPI library"),
        ("libc.so.6", "libc.so.6 has no MPI_Initialized"),
    ];
    for (library, what) in cases {
        let mut command =
            MPICH.command(folder.path(), 2, "bench pingpong --transport mpi --out run");
        let output = command.env("FOURSTAMP_MPI_LIBRARY", library).output();
        let said = MPICH.said(&output.expect("the launcher starts"));
        assert!(said.len() == 1 && said[0].contains(what), "{said:?}");
        assert!(said[0].contains("FOURSTAMP_MPI_LIBRARY"), "{said:?}");
    }
}

/// The variables that srun sets without a plug-in for MPI.
#[test]
fn srun_that_says_nothing_to_mpi_libraries_is_told_from_one_that_does() {
    if !OPEN_MPI.present() {
        return;
    }
    let folder = folder();
    let mut command =
        crate::common::fourstamp(folder.path(), "bench pingpong --transport mpi --out run");
    command.envs([("SLURM_STEP_ID", "0"), ("SLURM_PROCID", "0"), ("SLURM_STEP_NUM_TASKS", "2")]);
    command.env("SLURM_STEP_NUM_NODES", "1").env("FOURSTAMP_MPI_LIBRARY", "libmpi.so.40");
    let output = command.output().expect("the command starts");
    let said = text(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{said}");
    assert!(said.lines().count() == 1 && said.contains("srun --mpi=pmix"), "{said}");
}
