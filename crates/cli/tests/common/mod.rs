//! The built command, run as a user would.

use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

/// `fourstamp` with these arguments, in this folder, with nothing of ours in its environment.
pub fn fourstamp(folder: &Path, arguments: &str) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_fourstamp"));
    command.current_dir(folder).args(arguments.split_whitespace()).stdin(Stdio::null());
    command.env_remove("FOURSTAMP_RUN_KEY");
    command
}

/// Where Open MPI makes the folder of its temporary files.
#[allow(dead_code, reason = "not every test program starts ranks")]
pub const OPEN_MPI_FOLDER: &str = "OMPI_MCA_orte_tmpdir_base";

/// What a command needs that starts ranks of Open MPI: CI runs as root, which it wants to be told
/// twice; and the folder that jobs make for temporary files must not be that of another test's
/// job, whose end removes it under their hands.
#[allow(dead_code, reason = "not every test program starts ranks")]
pub fn for_open_mpi(command: &mut Command) -> &mut Command {
    if let Some(folder) = command.get_current_dir().map(Path::to_path_buf) {
        command.env(OPEN_MPI_FOLDER, folder);
    }
    command.env("OMPI_ALLOW_RUN_AS_ROOT", "1").env("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1")
}

/// Run to the end.
#[allow(dead_code, reason = "not every test program runs it by itself")]
pub fn run(folder: &Path, arguments: &str) -> Output {
    fourstamp(folder, arguments).output().expect("the command starts")
}

/// Run to the end, which must be a good one; what it printed.
#[allow(dead_code, reason = "not every test program runs it by itself")]
pub fn succeed(folder: &Path, arguments: &str) -> String {
    let output = run(folder, arguments);
    let (out, err) = (text(&output.stdout), text(&output.stderr));
    assert!(output.status.success(), "fourstamp {arguments} failed\n{out}\n{err}");
    out
}

#[allow(dead_code, reason = "not every test program provokes failures")]
/// Run to the end, which must be exit code 2 with one line on standard error; that line.
pub fn fail(folder: &Path, arguments: &str) -> String {
    let output = run(folder, arguments);
    let err = text(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "fourstamp {arguments}\n{err}");
    assert!(!err.contains("panicked"), "{err}");
    err
}

pub fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// A fresh folder that is removed afterwards.
pub fn folder() -> tempfile::TempDir {
    tempfile::tempdir().expect("a temporary folder")
}

/// A program of the tracer's own tests, built with one MPI library; `None` where that is not
/// installed.
#[allow(dead_code, reason = "not every test program traces")]
pub fn mpi_program(mpi: &str, name: &str, into: &Path) -> Option<PathBuf> {
    let source = mpi_source(&format!("{name}.c"));
    let program = into.join(name);
    let mut compiler = Command::new(format!("mpicc.{mpi}"));
    compiler.args(["-O1", "-g", "-w", "-o"]).arg(&program).arg(source).arg("-lpthread");
    let there = Command::new(format!("mpirun.{mpi}")).arg("--version").output().is_ok();
    match compiler.output() {
        Ok(output) if there => {
            assert!(output.status.success(), "{}", text(&output.stderr));
            Some(program)
        }
        _ => {
            println!("skipped: mpicc.{mpi} or mpirun.{mpi} is not installed");
            None
        }
    }
}

/// A Python that has mpi4py: the system's, or the one that `FOURSTAMP_TEST_PYTHON` names.
#[allow(dead_code, reason = "not every test program traces Python")]
pub fn python_with_mpi4py() -> Option<String> {
    let python = std::env::var("FOURSTAMP_TEST_PYTHON").unwrap_or_else(|_| "python3".into());
    let there = Command::new(&python).args(["-c", "import mpi4py"]).output();
    if there.is_ok_and(|output| output.status.success()) {
        return Some(python);
    }
    println!("skipped: {python} has no mpi4py; name one that has in FOURSTAMP_TEST_PYTHON");
    None
}

/// A program of the tracer's own tests.
#[allow(dead_code, reason = "not every test program traces")]
pub fn mpi_source(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../mpi/preload/tests/programs").join(name)
}

/// A folder in which MPICH's library has the name by which mpi4py looks for it, which Debian does
/// not give it.
#[allow(dead_code, reason = "not every test program traces Python")]
pub fn mpich_by_its_other_name(home: &Path) -> PathBuf {
    let folder = home.join("mpich");
    std::fs::create_dir_all(&folder).expect("a folder can be made");
    let name = folder.join("libmpi.so.12");
    for machine in ["x86_64", "aarch64"] {
        let found = format!("/usr/lib/{machine}-linux-gnu/libmpich.so.12");
        if Path::new(&found).exists() && !name.exists() {
            std::os::unix::fs::symlink(&found, &name).expect("a link can be made");
        }
    }
    folder
}

/// The messages files of a run.
#[allow(dead_code, reason = "not every test program looks into a run")]
pub fn messages(run: &Path) -> Vec<PathBuf> {
    let files = std::fs::read_dir(run.join("messages")).expect("a run has messages");
    files.map(|file| file.expect("readable").path()).collect()
}
