//! Programs built with the installed MPI libraries, run as they are and traced, and the logs that
//! they leave.

pub mod headers;
pub mod logs;

use record::{RunFolder, RunInfo};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::{Mutex, MutexGuard};
use std::time::{Duration, Instant};

/// An installed MPI library, by the ending of its commands' names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Mpi(pub &'static str);

/// How long a program may run.
const LIMIT: Duration = Duration::from_secs(120);

/// The libraries that are installed; says which are not.
pub fn libraries() -> Vec<Mpi> {
    let all = [Mpi("openmpi"), Mpi("mpich")];
    all.into_iter().filter(|mpi| mpi.is_there("mpicc") && mpi.is_there("mpirun")).collect()
}

/// Jobs one after the other: two of them at once on few cores take longer than both in turn.
pub fn alone() -> MutexGuard<'static, ()> {
    static ONE: Mutex<()> = Mutex::new(());
    ONE.lock().unwrap_or_else(|error| error.into_inner())
}

/// What a program did.
#[derive(Debug)]
pub struct Ran {
    pub code: Option<i32>,
    pub out: Vec<String>,
    pub err: String,
}

/// A traced run's folder.
pub struct Traced {
    pub ran: Ran,
    pub run: PathBuf,
    _folder: RunFolder,
    _home: tempfile::TempDir,
}

impl Mpi {
    pub fn is_there(self, command: &str) -> bool {
        let name = format!("{command}.{}", self.0);
        let found = Command::new(&name).arg("--version").output().is_ok();
        if !found {
            println!("skipped: {name} is not installed");
        }
        found
    }

    /// Compile a test program with a compiler wrapper of the library.
    pub fn build(self, compiler: &str, source: &str, folder: &Path) -> PathBuf {
        self.build_with(compiler, source, folder, &[])
    }

    pub fn build_with(self, compiler: &str, source: &str, folder: &Path, more: &[&str]) -> PathBuf {
        let program = folder.join(Path::new(source).file_stem().unwrap());
        let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/programs").join(source);
        let mut command = Command::new(format!("{compiler}.{}", self.0));
        // MPICH's own declarations make the compiler warn of its own constants.
        command
            .args(["-O1", "-g", "-w"])
            .args(more)
            .arg("-o")
            .arg(&program)
            .arg(source)
            .arg("-lpthread");
        let output = command.output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        program
    }

    /// The functions that its header declares, without `MPI_`.
    pub fn functions(self) -> BTreeSet<String> {
        headers::of(self).into_keys().collect()
    }

    /// Functions that this library, as Debian builds it, has and cannot do.
    pub fn unable(self) -> &'static [&'static str] {
        match self.0 {
            // Its network layer (UCX) has no ports.
            "mpich" => &[
                "Comm_accept",
                "Comm_connect",
                "Comm_spawn",
                "Comm_spawn_multiple",
                "Close_port",
                "Open_port",
            ],
            _ => &[],
        }
    }

    fn launch(self, ranks: u32) -> Command {
        let mut command = Command::new(format!("mpirun.{}", self.0));
        command.args(["-n", &ranks.to_string()]).stdin(Stdio::null());
        command.env("OMPI_ALLOW_RUN_AS_ROOT", "1").env("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1");
        if self.0 == "openmpi" {
            command.arg("--oversubscribe");
        }
        command
    }

    pub fn run(self, ranks: u32, words: &[&str]) -> Ran {
        ran(self.launch(ranks).args(words))
    }

    pub fn trace(self, ranks: u32, words: &[&str]) -> Traced {
        self.trace_with(ranks, words, &[])
    }

    /// Trace with more in the ranks' environment.
    pub fn trace_with(self, ranks: u32, words: &[&str], environment: &[(&str, &str)]) -> Traced {
        let home = tempfile::tempdir().unwrap();
        let run = home.path().join("run");
        let folder = RunFolder::create(&run, RunInfo::new("test")).unwrap();
        let mut command = self.launch(ranks);
        match self.0 {
            "openmpi" => command.args(["-x", &format!("LD_PRELOAD={}", library().display())]),
            _ => command.args(["-genv", "LD_PRELOAD", library().to_str().unwrap()]),
        };
        command.args(words).env("FOURSTAMP_MPI_RUN", &run).envs(environment.iter().copied());
        Traced { ran: ran(&mut command), run, _folder: folder, _home: home }
    }
}

/// The library that is built with these tests.
pub fn library() -> PathBuf {
    let own = std::env::current_exe().unwrap();
    let library = own.parent().unwrap().join("libmpitrace.so");
    assert!(library.is_file(), "cargo builds {}", library.display());
    library
}

/// Run to the end; killed after the limit. Lines of standard output in the order of the alphabet:
/// ranks print in any order.
fn ran(command: &mut Command) -> Ran {
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let deadline = Instant::now() + LIMIT;
    while child.try_wait().unwrap().is_none() && Instant::now() < deadline {
        std::thread::sleep(Duration::from_millis(20));
    }
    let _ = child.kill();
    let Output { status, stdout, stderr } = child.wait_with_output().unwrap();
    let mut out: Vec<String> = String::from_utf8_lossy(&stdout).lines().map(String::from).collect();
    out.sort();
    Ran { code: status.code(), out, err: String::from_utf8_lossy(&stderr).into_owned() }
}
