//! mpi4py's own tests, traced: some two thousand small programs that call nearly all of MPI in ways
//! that nobody here thought of.
//!
//! A module of tests that fails or does not end untraced, as some do over Debian's MPICH, says
//! nothing. One that passes must pass traced as well, and every message must be matched.

use super::Cases;
use crate::install;
use crate::mpi::{Library, all_matched, as_root_too, for_python};
use crate::process;
use crate::workspace::Workspace;
use anyhow::{Result, ensure};
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

/// Cases in a round: about as many as there are modules, over both libraries.
pub const COUNT: u64 = 140;

/// How long a module may take.
const LIMIT: Duration = Duration::from_secs(90);
/// Modules whose programs begin others, which Debian's MPICH cannot.
const SPAWNING: &[&str] = &["test_spawn", "test_dynproc", "test_util_pool"];

/// What became of a module.
enum Verdict {
    /// It passed, traced and untraced; its messages.
    Same(u64),
    /// It says nothing: why.
    Left(String),
}

/// Runs the cases.
pub fn mpi4py(workspace: &Workspace, cases: Cases) -> Result<()> {
    let stage = Stage::set(workspace)?;
    let (mut failures, mut left, mut messages) = (Vec::new(), Vec::new(), 0);
    for number in cases.from..cases.from + cases.count {
        let case = stage.case(number);
        match case.run(&stage) {
            Ok(Verdict::Same(matched)) => messages += matched,
            Ok(Verdict::Left(why)) => left.push(format!("{}: {why}", case.name())),
            Err(error) => {
                println!("case {number}, {}: {error:#}", case.name());
                failures.push(number);
            }
        }
    }
    left.iter().for_each(|why| println!("says nothing: {why}"));
    let (count, bad) = (cases.count, failures.len());
    println!("mpi4py: {count} cases, {bad} failures, {} left out, {messages} messages", left.len());
    ensure!(
        failures.is_empty(),
        "cases {failures:?}: cargo xtask soak --only mpi4py --count 1 --from N"
    );
    Ok(())
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

    fn run(&self, stage: &Stage) -> Result<Verdict> {
        if self.library == Library::Mpich && SPAWNING.contains(&self.module) {
            return Ok(Verdict::Left("Debian's MPICH begins no processes".into()));
        }
        let words = self.words(stage)?;
        let told = for_python(self.library, &stage.home)?;
        let start = |program: &Path, words: &[OsString]| {
            let mut command = Command::new(program);
            as_root_too(command.args(words).current_dir(&stage.source)).envs(told.clone());
            process::output_within(&mut command, LIMIT)
        };
        match start(Path::new(&words[0]), &words[1..]) {
            Ok(plain) if plain.status.success() => {}
            Ok(plain) => return Ok(Verdict::Left(format!("{} untraced", plain.status))),
            Err(error) => return Ok(Verdict::Left(format!("untraced {error:#}"))),
        }
        let run = stage.home.join("run");
        if run.exists() {
            std::fs::remove_dir_all(&run)?;
        }
        let mut traced: Vec<OsString> =
            ["mpi", "trace", "--no-report", "--out"].map(OsString::from).into();
        traced.extend([run.clone().into(), "--".into()]);
        traced.extend(words);
        let traced = start(&stage.fourstamp, &traced)?;
        let said = String::from_utf8_lossy(&traced.stderr);
        ensure!(traced.status.success(), "{} traced\n{said}", traced.status);
        Ok(Verdict::Same(all_matched(&run)?["matched"].as_u64().unwrap_or(0)))
    }

    fn words(&self, stage: &Stage) -> Result<Vec<OsString>> {
        let words = self.library.run(self.ranks, &stage.python)?;
        let test = ["test/main.py", self.module].map(OsString::from);
        Ok(words.into_iter().map(OsString::from).chain(test).collect())
    }
}
