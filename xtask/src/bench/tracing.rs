//! `cargo xtask bench mpi`: what tracing an MPI program costs, what a trace takes on the disk and
//! to close, and our own transport over MPI against a plain loop and against shared memory.

use super::competition::{self, Terms};
use super::contest::Contestant;
use super::contestants::timed;
use super::figures::{Bound, Compared, Figure, Number, figure};
use super::peers::{Compiler, build, build_library};
use crate::mpi::{Library, as_root_too};
use crate::process;
use crate::workspace::Workspace;
use anyhow::{Context, Result};
use clap::Args;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

/// How to measure.
#[derive(Args, Debug)]
pub struct Options {
    #[command(flatten)]
    terms: Terms,
    /// Messages of the large run.
    #[arg(long, default_value_t = 50_000_000)]
    messages: u64,
}

const OPEN_MPI: &str = "Open MPI call";
const OPEN_MPI_TRACED: &str = "Open MPI call, traced";
const MPICH: &str = "MPICH call";
const MPICH_TRACED: &str = "MPICH call, traced";
const OPEN_MPI_COUNTER: &str = "Open MPI call, two readings of the counter";
const OPEN_MPI_GETTIME: &str = "Open MPI call, two clock_gettime";
const MPICH_COUNTER: &str = "MPICH call, two readings of the counter";
const MPICH_GETTIME: &str = "MPICH call, two clock_gettime";
const LAMMPS: &str = "LAMMPS peptide";
const LAMMPS_TRACED: &str = "LAMMPS peptide, traced";
const NETPIPE: &str = "NetPIPE";
const NETPIPE_TRACED: &str = "NetPIPE, traced";
const DISK: &str = "ping-pong in C, traced";
const CLOSE: &str = "closing and report of a large run";
const PLAIN: &str = "ping-pong in C";
const TRANSPORT: &str = "ping-pong over mpi, recorded";
const PLAIN_MPICH: &str = "ping-pong in C over MPICH";
const TRANSPORT_MPICH: &str = "ping-pong over mpi with MPICH, recorded";
const PHOLD: &str = "phold over mpi";
const PHOLD_SHM: &str = "phold over shm";

const FIGURES: &[Figure] = &[
    figure(
        "call-openmpi",
        "added to a call (send to PROC_NULL), Open MPI",
        (OPEN_MPI_TRACED, OPEN_MPI),
        (Number::CallNs, Compared::DifferenceNs),
        Bound::AtMost(30.0),
    ),
    figure(
        "call-openmpi",
        "of that, beyond a library that reads the counter twice",
        (OPEN_MPI_TRACED, OPEN_MPI_COUNTER),
        (Number::CallNs, Compared::DifferenceNs),
        Bound::AtMost(10.0),
    ),
    figure(
        "call-openmpi",
        "against a library that calls clock_gettime twice, whole call",
        (OPEN_MPI_TRACED, OPEN_MPI_GETTIME),
        (Number::CallNs, Compared::Ratio),
        Bound::AtMost(1.0),
    ),
    figure(
        "call-mpich",
        "added to a call, MPICH",
        (MPICH_TRACED, MPICH),
        (Number::CallNs, Compared::DifferenceNs),
        Bound::AtMost(30.0),
    ),
    figure(
        "call-mpich",
        "of that, beyond a library that reads the counter twice",
        (MPICH_TRACED, MPICH_COUNTER),
        (Number::CallNs, Compared::DifferenceNs),
        Bound::AtMost(10.0),
    ),
    figure(
        "call-mpich",
        "against a library that calls clock_gettime twice, whole call",
        (MPICH_TRACED, MPICH_GETTIME),
        (Number::CallNs, Compared::Ratio),
        Bound::AtMost(1.0),
    ),
    figure(
        "lammps",
        "LAMMPS peptide on 2 ranks, traced / not",
        (LAMMPS_TRACED, LAMMPS),
        (Number::WallSeconds, Compared::Ratio),
        Bound::AtMost(1.01),
    ),
    figure(
        "netpipe",
        "NetPIPE to 64 KiB, traced / not",
        (NETPIPE_TRACED, NETPIPE),
        (Number::WallSeconds, Compared::Ratio),
        Bound::AtMost(1.01),
    ),
    figure(
        "disk",
        "bytes on the disk a message, its calls included",
        (DISK, DISK),
        (Number::BytesPerMessage, Compared::Ours),
        Bound::AtMost(32.0),
    ),
    figure(
        "close",
        "matching and report of a large run, seconds",
        (CLOSE, CLOSE),
        (Number::WallSeconds, Compared::Ours),
        Bound::AtMost(20.0),
    ),
    figure(
        "memory",
        "its peak memory",
        (CLOSE, CLOSE),
        (Number::PeakGib, Compared::Ours),
        Bound::AtMost(1.0),
    ),
    figure(
        "transport",
        "ping-pong 8 B over mpi, recorded / plain C over Open MPI",
        (TRANSPORT, PLAIN),
        (Number::RoundTripNs, Compared::Ratio),
        Bound::AtMost(1.3),
    ),
    figure(
        "transport-mpich",
        "the same over MPICH",
        (TRANSPORT_MPICH, PLAIN_MPICH),
        (Number::RoundTripNs, Compared::Ratio),
        Bound::AtMost(1.3),
    ),
    figure(
        "phold",
        "phold on 2 ranks, remote 0.25, over mpi / over shm",
        (PHOLD, PHOLD_SHM),
        (Number::EventsPerSecond, Compared::Ratio),
        Bound::AtLeast(0.7),
    ),
];

/// What a contestant is made with.
struct Bench<'a> {
    workspace: &'a Workspace,
    /// The release build.
    fourstamp: PathBuf,
    messages: u64,
}

/// Runs the benchmark and prints its tables.
pub fn run(workspace: &Workspace, options: &Options) -> Result<()> {
    let figures = options.terms.choose(FIGURES)?;
    let bench = Bench {
        workspace,
        fourstamp: competition::release_build(workspace)?,
        messages: options.messages,
    };
    options.terms.hold(&figures, |name| bench.contestant(name))
}

impl Bench<'_> {
    fn contestant(&self, name: &'static str) -> Result<Contestant> {
        let (open_mpi, mpich) = (Library::OpenMpi, Library::Mpich);
        match name {
            OPEN_MPI => self.plain(name, self.proc_null(open_mpi)?),
            OPEN_MPI_TRACED => self.traced(name, self.proc_null(open_mpi)?),
            OPEN_MPI_COUNTER => self.plain(name, self.shimmed(open_mpi, "mpi_shim_counter")?),
            OPEN_MPI_GETTIME => self.plain(name, self.shimmed(open_mpi, "mpi_shim_gettime")?),
            MPICH_COUNTER => self.plain(name, self.shimmed(mpich, "mpi_shim_counter")?),
            MPICH_GETTIME => self.plain(name, self.shimmed(mpich, "mpi_shim_gettime")?),
            MPICH => self.plain(name, self.proc_null(mpich)?),
            MPICH_TRACED => self.traced(name, self.proc_null(mpich)?),
            LAMMPS => self.timed(name, self.lammps()?, false),
            LAMMPS_TRACED => self.timed(name, self.lammps()?, true),
            NETPIPE => self.timed(name, self.netpipe()?, false),
            NETPIPE_TRACED => self.timed(name, self.netpipe()?, true),
            PLAIN => self.plain(name, self.pingpong(open_mpi)?),
            DISK => self.weighed(name, self.pingpong(open_mpi)?),
            CLOSE => self.large(),
            PLAIN_MPICH => self.plain(name, self.pingpong(mpich)?),
            TRANSPORT => self.over_mpi(name, open_mpi, PINGPONG_WORDS),
            TRANSPORT_MPICH => self.over_mpi(name, mpich, PINGPONG_WORDS),
            PHOLD => self.over_mpi(name, open_mpi, &format!("{PHOLD_WORDS} --no-record")),
            PHOLD_SHM => {
                let words = format!("{PHOLD_WORDS} --transport shm --nodes 2 --no-record --csv");
                Ok(of_words(
                    name,
                    self.fourstamp.clone(),
                    words.split(' ').map(str::to_owned).collect(),
                    None,
                ))
            }
            other => {
                unreachable!("no contestant {other}: figures and contestants are written together")
            }
        }
    }

    /// A loop of sends to nobody.
    fn proc_null(&self, library: Library) -> Result<Vec<String>> {
        library.run(1, &build(self.workspace, "mpi_proc_null", compiler(library))?)
    }

    /// The same under a preloaded library that only reads a clock before and after each call.
    fn shimmed(&self, library: Library, shim: &str) -> Result<Vec<String>> {
        let shim = build_library(self.workspace, shim, compiler(library))?;
        let mut words = self.proc_null(library)?;
        // Not for mpirun, which is no MPI program.
        let program = words.pop().context("a command has words")?;
        words.extend(["env".into(), format!("LD_PRELOAD={}", shim.display()), program]);
        Ok(words)
    }

    fn pingpong(&self, library: Library) -> Result<Vec<String>> {
        library.run(2, &build(self.workspace, "mpi_pingpong", compiler(library))?)
    }

    fn lammps(&self) -> Result<Vec<String>> {
        let program =
            process::on_path("lmp").context("no lmp: apt install lammps lammps-examples")?;
        let mut words = Library::OpenMpi.run(2, &program)?;
        words.extend(["-in", "in.peptide", "-log", "none"].map(str::to_owned));
        Ok(words)
    }

    fn netpipe(&self) -> Result<Vec<String>> {
        let program =
            process::on_path("NPopenmpi").context("no NPopenmpi: apt install netpipe-openmpi")?;
        let mut words = Library::OpenMpi.run(2, &program)?;
        words.extend(["-u", "65536", "-n", "2000", "-o", "/dev/null"].map(str::to_owned));
        Ok(words)
    }

    fn plain(&self, name: &'static str, words: Vec<String>) -> Result<Contestant> {
        let (program, rest) = words.split_first().context("a command has words")?;
        Ok(of_words(name, program.into(), rest.to_vec(), None))
    }

    /// The same under the tracer.
    fn traced(&self, name: &'static str, words: Vec<String>) -> Result<Contestant> {
        let folder = self.workspace.scratch("mpi")?.join(name.replace([',', ' '], ""));
        if folder.exists() {
            std::fs::remove_dir_all(&folder)?; // of a benchmark that was stopped
        }
        let mut all: Vec<String> =
            ["mpi", "trace", "--no-report", "--out"].map(str::to_owned).to_vec();
        all.extend([folder.display().to_string(), "--".into()]);
        all.extend(words);
        Ok(of_words(name, self.fourstamp.clone(), all, Some(folder)))
    }

    /// Under GNU time: the wall time of the program itself, which is what users wait for, not of
    /// starting and closing.
    fn timed(&self, name: &'static str, words: Vec<String>, traced: bool) -> Result<Contestant> {
        let place = self.peptide_folder()?;
        let mut timed = timed(self.workspace, name, PathBuf::from(&words[0]), words[1..].to_vec())?;
        if traced {
            let inner = (timed.command)();
            let words = std::iter::once(inner.get_program()).chain(inner.get_args());
            let words = words.map(|word| word.to_string_lossy().into_owned()).collect();
            let traced = self.traced(name, words)?;
            timed = Contestant { command: traced.command, leaves: traced.leaves, ..timed };
        }
        let command = timed.command;
        let command = move || {
            let mut command = command();
            command.current_dir(&place);
            command
        };
        Ok(Contestant { command: Box::new(command), ..timed })
    }

    /// Where LAMMPS finds its input.
    fn peptide_folder(&self) -> Result<PathBuf> {
        let folder = self.workspace.scratch("mpi")?;
        for file in ["in.peptide", "data.peptide"] {
            let from = Path::new("/usr/share/lammps/examples/peptide").join(file);
            if from.is_file() {
                std::fs::copy(&from, folder.join(file))?;
            }
        }
        Ok(folder)
    }

    /// A traced ping-pong whose run is weighed.
    fn weighed(&self, name: &'static str, words: Vec<String>) -> Result<Contestant> {
        let traced = self.traced(name, words)?;
        let folder = traced.leaves.clone().context("a traced program leaves a run")?;
        let script = self.workspace.root.join("xtask/peers/weigh.sh");
        let afterwards = move || {
            let mut shell = Command::new("sh");
            shell.arg(&script).arg(&folder);
            shell
        };
        Ok(Contestant { afterwards: Some(Box::new(afterwards)), ..traced })
    }

    /// Logs of many messages, made once a launch, then closed and reported.
    fn large(&self) -> Result<Contestant> {
        let folder = self.workspace.scratch("mpi")?.join("large");
        let mut cargo = self.workspace.cargo(&[
            "build",
            "--release",
            "--locked",
            "--package",
            "fourstamp-calls",
        ]);
        process::capture_within(cargo.args(["--example", "large"]), Duration::from_secs(900))?;
        let make = self.workspace.target.join("release/examples/large");
        process::on_path("time").context("no GNU time: apt install time")?;
        let script = self.workspace.root.join("xtask/peers/close_large.sh");
        let (messages, run, fourstamp) =
            (self.messages.to_string(), folder.clone(), self.fourstamp.clone());
        let numbers = folder.with_extension("csv");
        let output = numbers.clone();
        let command = move || {
            let mut shell = Command::new("sh");
            shell.arg(&script).arg(&make).arg(&run).arg(&messages).arg(&output).arg(&fourstamp);
            shell
        };
        Ok(Contestant {
            name: CLOSE,
            command: Box::new(command),
            afterwards: None,
            numbers: Some(numbers),
            leaves: Some(folder),
        })
    }

    /// One of our commands over MPI, on two ranks.
    fn over_mpi(&self, name: &'static str, library: Library, words: &str) -> Result<Contestant> {
        let folder = self.workspace.scratch("mpi")?.join(name.replace([',', ' '], ""));
        let mut all = library.run(2, &self.fourstamp)?;
        all.extend(words.split(' ').map(str::to_owned));
        all.extend(["--transport", "mpi", "--csv"].map(str::to_owned));
        if !words.contains("--no-record") {
            all.extend(["--out".into(), folder.display().to_string()]);
        }
        Ok(of_words(name, PathBuf::from(&all[0]), all[1..].to_vec(), Some(folder)))
    }
}

fn compiler(library: Library) -> Compiler {
    match library {
        Library::OpenMpi => Compiler::Mpi,
        Library::Mpich => Compiler::Mpich,
    }
}

const PINGPONG_WORDS: &str = "bench pingpong --size 8 --launches 1 --count 200000";
const PHOLD_WORDS: &str = "warp phold --objects 2048 --cutoff 200 --remote 0.25 --groups 2";

fn of_words(
    name: &'static str,
    program: PathBuf,
    words: Vec<String>,
    leaves: Option<PathBuf>,
) -> Contestant {
    let command = move || {
        let mut command = Command::new(&program);
        as_root_too(command.args(&words));
        command
    };
    Contestant { name, command: Box::new(command), afterwards: None, numbers: None, leaves }
}
