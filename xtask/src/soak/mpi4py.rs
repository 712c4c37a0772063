//! mpi4py's own tests, traced: some two thousand small programs that call nearly all of MPI in ways
//! that nobody here thought of.
//!
//! A module of tests that fails or does not end untraced, as some do over Debian's MPICH, says
//! nothing. One that passes must pass traced as well, and every message must be matched.

use super::Cases;
use super::each::each;
use crate::install;
use crate::mpi::{Library, all_matched, as_root_too};
use crate::process;
use crate::workspace::Workspace;
use anyhow::{Context, Result, ensure};
use std::ffi::OsString;
use std::ops::AddAssign;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::time::Duration;

/// Cases in a round: about as many as there are modules, over both libraries.
pub const COUNT: u64 = 140;

/// How long a module may take.
const LIMIT: Duration = Duration::from_secs(90);

/// Runs the cases.
pub fn mpi4py(workspace: &Workspace, cases: Cases) -> Result<()> {
    let stage = Stage::set(workspace)?;
    each("mpi4py", cases, |number| {
        let case = stage.case(number);
        case.run(&stage).with_context(|| case.name())
    })
}

/// What cases came to.
#[derive(Debug, Default)]
struct Done {
    /// Modules that passed, untraced and traced, and those that say nothing.
    passed: u64,
    left_out: u64,
    messages: u64,
}

impl AddAssign for Done {
    fn add_assign(&mut self, other: Done) {
        self.passed += other.passed;
        self.left_out += other.left_out;
        self.messages += other.messages;
    }
}

/// What all cases share.
struct Stage {
    fourstamp: PathBuf,
    python: PathBuf,
    home: PathBuf,
    /// The unpacked source.
    source: PathBuf,
    modules: Vec<String>,
}

/// A module of tests over one library.
struct Case<'a> {
    module: &'a str,
    library: Library,
    ranks: u32,
}

impl Stage {
    fn set(workspace: &Workspace) -> Result<Stage> {
        let python = install::python(workspace)?;
        let home = workspace.scratch("mpi4py")?;
        let source = source(&python, &home)?;
        let mut modules: Vec<String> = std::fs::read_dir(source.join("test"))?
            .filter_map(|entry| entry.ok()?.file_name().into_string().ok())
            .filter_map(|name| Some(name.strip_suffix(".py")?.to_owned()))
            .filter(|name| name.starts_with("test_"))
            .collect();
        modules.sort_unstable();
        ensure!(!modules.is_empty(), "{} has no tests", source.display());
        Ok(Stage { fourstamp: workspace.fourstamp(), python, home, source, modules })
    }

    /// Modules first, then the libraries, then more ranks.
    fn case(&self, number: u64) -> Case<'_> {
        let modules = self.modules.len() as u64;
        let round = number / modules;
        Case {
            module: &self.modules[(number % modules) as usize],
            library: [Library::OpenMpi, Library::Mpich][(round % 2) as usize],
            ranks: 2 + (round / 2 % 3) as u32,
        }
    }
}

/// The source of the mpi4py that is installed, unpacked: its tests are not installed with it.
fn source(python: &Path, home: &Path) -> Result<PathBuf> {
    let version = "from importlib.metadata import version; print(version('mpi4py'))";
    let version = process::capture(Command::new(python).args(["-c", version]))?;
    let name = format!("mpi4py-{}", version.trim());
    let source = home.join(&name);
    if !source.join("test/main.py").is_file() {
        let wanted = name.replacen('-', "==", 1);
        let mut pip = Command::new(python);
        pip.args(["-m", "pip", "download", "--quiet", "--no-binary", ":all:", "--no-deps"]);
        process::run(pip.arg(&wanted).arg("--dest").arg(home), Duration::from_secs(300))?;
        let archive = home.join(format!("{name}.tar.gz"));
        process::run(Command::new("tar").arg("xzf").arg(archive).arg("-C").arg(home), LIMIT)?;
    }
    Ok(source)
}

impl Case<'_> {
    fn name(&self) -> String {
        format!("{} over {}, {} ranks", self.module, self.library.name(), self.ranks)
    }

    fn run(&self, stage: &Stage) -> Result<Done> {
        let words = self.words(stage)?;
        let told = self.library.for_python(&stage.home)?;
        let start = |words: &[OsString]| {
            let mut command = Command::new(&words[0]);
            as_root_too(command.args(&words[1..]).current_dir(&stage.source)).envs(told.clone());
            process::output_within(&mut command, LIMIT)
        };
        if let Some(why) = why_left_out(start(&words)) {
            println!("left out: {}: {why}", self.name());
            return Ok(Done { left_out: 1, ..Done::default() });
        }
        let run = stage.home.join("run");
        if run.exists() {
            std::fs::remove_dir_all(&run)?;
        }
        let tracing = ["mpi", "trace", "--no-report", "--out"].map(OsString::from);
        let mut traced = vec![stage.fourstamp.clone().into()];
        traced.extend(tracing.into_iter().chain([run.clone().into(), "--".into()]));
        traced.extend(words);
        let traced = start(&traced)?;
        let said = String::from_utf8_lossy(&traced.stderr);
        ensure!(traced.status.success(), "{} traced\n{said}", traced.status);
        // A tracer that gives up says so, and the program goes on without it.
        ensure!(!said.contains("fourstamp: "), "{said}");
        let facts = all_matched(&run)?;
        let number =
            |key: &str| facts[key].as_u64().with_context(|| format!("run.json has no mpi.{key}"));
        // Some modules begin processes, which are ranks as well.
        let ranks = number("ranks")?;
        ensure!(ranks >= self.ranks.into(), "{ranks} ranks were traced");
        Ok(Done { passed: 1, messages: number("matched")?, ..Done::default() })
    }

    fn words(&self, stage: &Stage) -> Result<Vec<OsString>> {
        let words = self.library.run(self.ranks, &stage.python)?;
        let test = ["test/main.py", self.module].map(OsString::from);
        Ok(words.into_iter().map(OsString::from).chain(test).collect())
    }
}

/// Why a module that went so untraced would say nothing traced.
fn why_left_out(plain: Result<Output>) -> Option<String> {
    match plain {
        Ok(plain) if plain.status.success() => None,
        Ok(plain) => Some(format!("untraced {}", plain.status)),
        Err(error) => Some(format!("untraced {error:#}")),
    }
}
