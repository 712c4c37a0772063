//! `cargo xtask bench pager`: paging to memory servers on this machine against the least that a
//! page can cost, against the kernel's swap, against itself without parity; and predicted against
//! measured times over shaped links.
//!
//! Everything of the pager runs under `fourstamp pager run` with the servers that it starts itself;
//! its figures are read from `run.json`. The kernel's swap runs under `fourstamp pager swap`: a
//! memory cgroup of the same size and a swap file, as root.

mod real;
mod run_numbers;

pub use run_numbers::run_numbers;

use super::competition::{self, Terms};
use super::contest::Contestant;
use super::figures::{Bound, Compared, Figure, Number, figure};
use super::peers::{Compiler, build};
use crate::install;
use crate::process;
use crate::workspace::Workspace;
use anyhow::Result;
use clap::Args;
use real::*;
use std::cell::OnceCell;
use std::path::PathBuf;
use std::process::Command;
use std::time::Duration;

/// How to measure.
#[derive(Args, Debug)]
pub struct Options {
    #[command(flatten)]
    terms: Terms,
    /// A `fourstamp` to measure instead of this checkout's release build.
    #[arg(long, value_name = "FILE")]
    binary: Option<PathBuf>,
}

const FLOOR: &str = "polling round trip and UFFDIO_COPY";
const FAULT: &str = "random faults";
const RANDOM: &str = "random reads, paged";
const RANDOM_SWAP: &str = "random reads, swap";
const READ: &str = "sequential read, paged";
const READ_SWAP: &str = "sequential read, swap";
const FFTW: &str = "FFTW, paged";
const FFTW_SWAP: &str = "FFTW, swap";
const NUMPY: &str = "numpy, paged";
const NUMPY_SWAP: &str = "numpy, swap";
const PARITY: &str = "FFT, parity log";
const BARE: &str = "FFT, none";
const SECRET: &str = "FFT, none, encrypted";
const STUDY: &str = "FFT over shaped links";

const FIGURES: &[Figure] = &[
    figure(
        "fault",
        "random fault of 4 KiB over loopback TCP, p50 / polling round trip and UFFDIO_COPY",
        (FAULT, FLOOR),
        (Number::FaultP50Ns, Compared::Ratio),
        Bound::AtMost(2.0),
    ),
    figure(
        "fault-tail",
        "the same, p99",
        (FAULT, FLOOR),
        (Number::FaultP99Ns, Compared::Ratio),
        Bound::AtMost(5.0),
    ),
    figure(
        "random-swap",
        "random reads of 512 MiB with 256 MiB local, rate / kernel swap",
        (RANDOM, RANDOM_SWAP),
        (Number::BytesPerSecond, Compared::Ratio),
        Bound::AtLeast(1.5),
    ),
    figure(
        "read",
        "sequential read of 512 MiB with 128 MiB local, bytes a second",
        (READ, READ),
        (Number::BytesPerSecond, Compared::Ours),
        Bound::AtLeast(2e9),
    ),
    figure(
        "read-swap",
        "the same / kernel swap",
        (READ, READ_SWAP),
        (Number::BytesPerSecond, Compared::Ratio),
        Bound::AtLeast(3.0),
    ),
    figure(
        "fftw",
        "FFTW of 256 MiB with 64 MiB local, time / kernel swap",
        (FFTW, FFTW_SWAP),
        (Number::WallSeconds, Compared::Ratio),
        Bound::AtMost(0.5),
    ),
    figure(
        "numpy",
        "numpy FFT of 128 MiB with a quarter of what it takes local, time / kernel swap",
        (NUMPY, NUMPY_SWAP),
        (Number::WallSeconds, Compared::Ratio),
        Bound::AtMost(1.0),
    ),
    of_program("sort", "GNU sort of 56 MB with 64 MiB local, time / kernel swap", SORT),
    of_program("gcc", "gcc -O2 of a large file with 64 MiB local, the same", GCC),
    of_program("xz", "xz -6 with 24 MiB local, the same", XZ),
    of_program("sqlite", "sqlite3 in memory with 32 MiB local, the same", SQLITE),
    of_program("redis", "redis-server, 122 MB of keys, with 64 MiB local, the same", REDIS),
    figure(
        "parity-transfers",
        "FFT of 64 MiB with 16 MiB local: transfers with parity logging / without",
        (PARITY, BARE),
        (Number::Transfers, Compared::Ratio),
        Bound::AtMost(1.25),
    ),
    figure(
        "parity-time",
        "the same, time",
        (PARITY, BARE),
        (Number::PagedSeconds, Compared::Ratio),
        Bound::AtMost(1.1),
    ),
    figure(
        "encryption",
        "the same FFT without parity, time encrypted / in the clear",
        (SECRET, BARE),
        (Number::PagedSeconds, Compared::Ratio),
        Bound::AtMost(1.5),
    ),
    figure(
        "prediction",
        "predicted against measured time over links from 30 Mbit/s to 900, median error",
        (STUDY, STUDY),
        (Number::PredictionError, Compared::Ours),
        Bound::AtMost(0.05),
    ),
];

/// A real program takes no longer than under the kernel's swap.
const fn of_program(name: &'static str, what: &'static str, real: Real) -> Figure {
    let compared = (Number::WallSeconds, Compared::Ratio);
    figure(name, what, (real.paged, real.swapped), compared, Bound::AtMost(1.0))
}

/// Runs the benchmark and prints its tables.
pub fn run(workspace: &Workspace, options: &Options) -> Result<()> {
    let figures = options.terms.choose(FIGURES)?;
    let fourstamp = match &options.binary {
        Some(binary) => binary.clone(),
        None => competition::release_build(workspace)?,
    };
    let bench = Bench { workspace, fourstamp, prepared: OnceCell::new() };
    options.terms.hold(&figures, |name| bench.contestant(name))
}

/// What a contestant is made with.
struct Bench<'a> {
    workspace: &'a Workspace,
    fourstamp: PathBuf,
    /// Where real programs find what they read, once that is made.
    prepared: OnceCell<PathBuf>,
}

impl Bench<'_> {
    fn contestant(&self, name: &'static str) -> Result<Contestant> {
        match name {
            FLOOR => Ok(self.plain(name, vec![self.peer("page_floor", Compiler::C)?])),
            // Without prefetching: every touch of another page is a round trip.
            FAULT => self.paged(
                name,
                "--local 64M --policy none --start 1 --prefetch 0",
                self.walk("random 512")?,
            ),
            RANDOM => self.paged(name, "--local 256M", self.walk("random 512")?),
            RANDOM_SWAP => Ok(self.swapped(name, "256M", self.walk("random 512")?)),
            READ => self.paged(name, "--local 128M", self.walk("sequential 512")?),
            READ_SWAP => Ok(self.swapped(name, "128M", self.walk("sequential 512")?)),
            FFTW => self.paged(name, "--local 64M", self.fftw()?),
            FFTW_SWAP => Ok(self.swapped(name, "64M", self.fftw()?)),
            // Two arrays of 128 MiB and a temporary one at its peak: what numpy takes without
            // paging.
            NUMPY => self.paged(name, "--local 96M", self.numpy()?),
            NUMPY_SWAP => Ok(self.swapped(name, "96M", self.numpy()?)),
            PARITY => {
                self.paged(name, "--local 16M --policy parity-log --start 4", self.example("64M")?)
            }
            BARE => self.paged(name, "--local 16M --policy none --start 4", self.example("64M")?),
            SECRET => {
                let options = "--local 16M --policy none --start 4 --encrypt";
                self.paged(name, options, self.example("64M")?)
            }
            STUDY => self.study(),
            real => self.real(real),
        }
    }

    fn peer(&self, program: &str, compiler: Compiler) -> Result<String> {
        Ok(build(self.workspace, program, compiler)?.display().to_string())
    }

    fn walk(&self, words: &str) -> Result<Vec<String>> {
        let program = self.peer("page_walk", Compiler::C)?;
        Ok(std::iter::once(program).chain(words.split(' ').map(str::to_owned)).collect())
    }

    fn fftw(&self) -> Result<Vec<String>> {
        Ok(vec![self.peer("fftw_there_and_back", Compiler::Fftw)?, "256".into()])
    }

    fn numpy(&self) -> Result<Vec<String>> {
        let python = install::python(self.workspace)?;
        let script = self.workspace.root.join("xtask/peers/numpy_fft.py");
        Ok([python.display().to_string(), script.display().to_string(), "128".into()].to_vec())
    }

    /// The FFT of this project's examples.
    fn example(&self, size: &str) -> Result<Vec<String>> {
        let mut cargo = self.workspace.cargo(&[
            "build",
            "--release",
            "--locked",
            "--package",
            "fourstamp-examples",
        ]);
        process::capture_within(cargo.args(["--example", "fft"]), Duration::from_secs(900))?;
        let program = self.workspace.target.join("release/examples/fft");
        Ok([program.display().to_string(), "--size".into(), size.into()].to_vec())
    }

    fn plain(&self, name: &'static str, words: Vec<String>) -> Contestant {
        let command = move || {
            let mut command = Command::new(&words[0]);
            command.args(&words[1..]);
            command
        };
        Contestant {
            name,
            command: Box::new(command),
            afterwards: None,
            numbers: None,
            leaves: None,
        }
    }

    /// Under the pager, which starts its own servers here.
    fn paged(&self, name: &'static str, options: &str, program: Vec<String>) -> Result<Contestant> {
        let folder = self.folder(name)?;
        let mut words: Vec<String> = vec![self.fourstamp.display().to_string()];
        words.extend(
            "pager run --no-report --no-record"
                .split(' ')
                .chain(options.split(' '))
                .map(str::to_owned),
        );
        words.extend(["--out".into(), folder.display().to_string(), "--".into()]);
        words.extend(program);
        let numbers = Some(folder.join("run.json"));
        Ok(Contestant { numbers, leaves: Some(folder), ..self.plain(name, words) })
    }

    /// Under the kernel's swap, with as much memory.
    fn swapped(&self, name: &'static str, local: &str, program: Vec<String>) -> Contestant {
        let mut words: Vec<String> = vec![self.fourstamp.display().to_string()];
        words.extend(["pager", "swap", "--local", local, "--"].map(str::to_owned));
        words.extend(program);
        self.plain(name, words)
    }

    fn study(&self) -> Result<Contestant> {
        let program = self.example("24M")?;
        let folder = self.folder(STUDY)?;
        let mut words: Vec<String> = vec![self.fourstamp.display().to_string()];
        let fixed = "pager study fft --sizes 24M --launches 1 --only networks --networks \
        30mbit,100mbit,300mbit,900mbit";
        words.extend(fixed.split(' ').map(str::to_owned));
        words.extend([
            "--program-file".into(),
            program[0].clone(),
            "--out".into(),
            folder.display().to_string(),
        ]);
        let numbers = Some(folder.join("predictions.csv"));
        Ok(Contestant { numbers, leaves: Some(folder), ..self.plain(STUDY, words) })
    }

    /// Where a contestant's run goes.
    fn folder(&self, name: &str) -> Result<PathBuf> {
        Ok(self.workspace.scratch("pager")?.join(name.replace([',', ' '], "")))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bench::figures;

    #[test]
    fn figures_are_chosen_by_name() {
        let choose = |only: &[String]| figures::named(FIGURES, only);
        assert_eq!(choose(&[]).unwrap().len(), FIGURES.len());
        assert!(choose(&["swap".into()]).unwrap_err().to_string().contains("read-swap"));
    }
}
