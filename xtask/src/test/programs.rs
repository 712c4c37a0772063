//! Real MPI programs, traced: the same results as untraced, and every message matched.

use super::tally::Tally;
use crate::install;
use crate::mpi::{Library, all_matched, as_root_too};
use crate::process::{self, on_path};
use crate::workspace::Workspace;
use anyhow::{Context, Result, ensure};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

/// A program to trace.
struct Program {
    name: &'static str,
    library: Library,
    ranks: u32,
    /// The program, and how to get it.
    program: &'static str,
    remedy: &'static str,
    arguments: &'static [&'static str],
    /// Files that it reads from its folder: where they are, and what they are called there.
    inputs: &'static [(&'static str, &'static str)],
    /// Where its results are, if not in what it prints.
    output: Option<&'static str>,
    /// What of its results must not differ.
    results: fn(&str) -> String,
    /// Messages that it is known to send (point to point, over all ranks).
    sends: Option<u64>,
}

const EXAMPLES: &str = "/usr/share/lammps/examples";

const PROGRAMS: &[Program] = &[
    Program {
        name: "LAMMPS melt",
        library: Library::OpenMpi,
        ranks: 4,
        program: "lmp",
        remedy: "apt install lammps lammps-examples",
        arguments: &["-in", "in.melt", "-log", "none"],
        inputs: &[("melt/in.melt", "in.melt")],
        output: None,
        results: thermodynamics,
        sends: Some(4 * (2034 + 78)), // MPI_Send and MPI_Sendrecv
    },
    Program {
        name: "LAMMPS peptide",
        library: Library::OpenMpi,
        ranks: 4,
        program: "lmp",
        remedy: "apt install lammps lammps-examples",
        arguments: &["-in", "in.peptide", "-log", "none"],
        inputs: &[("peptide/in.peptide", "in.peptide"), ("peptide/data.peptide", "data.peptide")],
        output: None,
        results: thermodynamics,
        sends: Some(47_599),
    },
    Program {
        name: "HPCC",
        library: Library::OpenMpi,
        ranks: 4,
        program: "hpcc",
        remedy: "apt install hpcc",
        arguments: &[],
        inputs: &[("/usr/share/doc/hpcc/examples/_hpccinf.txt", "hpccinf.txt")],
        output: Some("hpccoutf.txt"),
        results: verdicts,
        sends: None,
    },
    Program {
        name: "NetPIPE",
        library: Library::OpenMpi,
        ranks: 2,
        program: "NPopenmpi",
        remedy: "apt install netpipe-openmpi",
        arguments: &["-u", "65536", "-n", "200", "-i", "-o", "netpipe.out"],
        inputs: &[],
        output: None,
        results: integrity,
        sends: None,
    },
];

const LIMIT: Duration = Duration::from_secs(300);

/// The step.
pub fn run(workspace: &Workspace, tally: &mut Tally) -> Result<()> {
    for program in PROGRAMS {
        match trace(workspace, program) {
            Ok(()) => tally.passed += 1,
            Err(Trouble::Missing(why)) => tally.skip(format!("{}: {why:#}", program.name))?,
            Err(Trouble::Failed(why)) => return Err(why.context(program.name)),
        }
    }
    python(workspace, tally)
}

/// Why a program was not traced as it should be.
enum Trouble {
    /// It is not here.
    Missing(anyhow::Error),
    Failed(anyhow::Error),
}

fn trace(workspace: &Workspace, program: &Program) -> Result<(), Trouble> {
    let words = command_words(program).map_err(Trouble::Missing)?;
    compare(workspace, program, &words).map_err(Trouble::Failed)
}

fn command_words(program: &Program) -> Result<Vec<String>> {
    let path = on_path(program.program)
        .with_context(|| format!("no {}: {}", program.program, program.remedy))?;
    let mut words = program.library.run(program.ranks, &path)?;
    words.extend(program.arguments.iter().map(|&word| word.to_owned()));
    Ok(words)
}

fn compare(workspace: &Workspace, program: &Program, words: &[String]) -> Result<()> {
    let (plain, traced) =
        (folder(workspace, program, "plain")?, folder(workspace, program, "traced")?);
    let run = traced.join("run");
    let expected = results(program, &plain, &mut command(&plain, words))?;
    let found = results(program, &traced, &mut tracing(workspace, &traced, &run, words))?;
    ensure!(!expected.is_empty(), "its results were not found in what it wrote");
    ensure!(expected == found, "the results differ: untraced\n{expected}\ntraced\n{found}");
    check(&run, program.ranks, program.sends)
}

/// An empty folder with the program's inputs.
fn folder(workspace: &Workspace, program: &Program, which: &str) -> Result<PathBuf> {
    let folder = workspace.scratch("programs")?.join(program.name.replace(' ', "-")).join(which);
    if folder.exists() {
        std::fs::remove_dir_all(&folder)?;
    }
    std::fs::create_dir_all(&folder)?;
    for (from, to) in program.inputs {
        let from = Path::new(EXAMPLES).join(from);
        std::fs::copy(&from, folder.join(to))
            .with_context(|| format!("cannot copy {}", from.display()))?;
    }
    Ok(folder)
}

fn results(program: &Program, folder: &Path, command: &mut Command) -> Result<String> {
    let printed = process::capture_within(&mut with_errors(command), LIMIT)?;
    let text = match program.output {
        Some(file) => std::fs::read_to_string(folder.join(file))?,
        None => printed,
    };
    Ok((program.results)(&text))
}

fn command(folder: &Path, words: &[String]) -> Command {
    let mut command = Command::new(&words[0]);
    as_root_too(command.args(&words[1..]).current_dir(folder));
    command
}

fn tracing(workspace: &Workspace, folder: &Path, run: &Path, words: &[String]) -> Command {
    let mut command = Command::new(workspace.finished());
    command.args(["mpi", "trace", "--no-report", "--out"]).arg(run).arg("--").args(words);
    as_root_too(command.current_dir(folder));
    command
}

/// The same with standard error in its output: some programs say there what they found.
fn with_errors(command: &Command) -> Command {
    let mut shell = Command::new("sh");
    shell
        .args(["-c", "exec \"$@\" 2>&1", "sh"])
        .arg(command.get_program())
        .args(command.get_args());
    as_root_too(&mut shell);
    command.get_current_dir().map(|folder| shell.current_dir(folder));
    shell
}

/// Whether every message of a run was matched.
fn check(run: &Path, ranks: u32, sends: Option<u64>) -> Result<()> {
    let found = all_matched(run)?;
    let number =
        |key: &str| found[key].as_u64().with_context(|| format!("run.json has no mpi.{key}"));
    ensure!(
        number("ranks")? == u64::from(ranks),
        "{} ranks were traced, not {ranks}",
        number("ranks")?
    );
    ensure!(number("matched")? > 0, "no message was matched");
    let sent = number("sends")?;
    ensure!(sends.is_none_or(|known| known == sent), "{sent} sends, and not {sends:?}");
    println!("{} ranks, {sent} sends, all matched: {}", ranks, run.display());
    Ok(())
}

/// What LAMMPS prints of the system, step by step, without the time that it took.
fn thermodynamics(text: &str) -> String {
    let steps = text.lines().skip_while(|line| !line.starts_with("Per MPI rank memory")).skip(1);
    let steps = steps.take_while(|line| !line.starts_with("Loop time"));
    steps.map(|line| line.split(" ----- CPU").next().unwrap_or(line)).collect::<Vec<_>>().join("\n")
}

/// What HPCC says of its own results.
fn verdicts(text: &str) -> String {
    let says = |line: &&str| line.contains("residual checks") || line.starts_with("Success=");
    text.lines().filter(says).collect::<Vec<_>>().join("\n")
}

/// NetPIPE checks each message when asked to; its ranks' lines come in any order.
fn integrity(text: &str) -> String {
    match text.matches("Integrity check passed").count() {
        0 => String::new(),
        passed => {
            format!(
                "{passed} checks passed, {} failed",
                text.matches("Integrity check failed").count()
            )
        }
    }
}

/// A program of our own in Python, over both libraries.
fn python(workspace: &Workspace, tally: &mut Tally) -> Result<()> {
    let python = match install::python(workspace) {
        Ok(python) => python,
        Err(why) => return tally.skip(format!("mpi4py: {why:#}")),
    };
    for library in [Library::OpenMpi, Library::Mpich] {
        let mut words = match library.run(2, &python) {
            Ok(words) => words,
            Err(why) => {
                tally.skip(format!("mpi4py over {}: {why:#}", library.name()))?;
                continue;
            }
        };
        words.push(workspace.root.join("examples/mpi/mpi_ring.py").display().to_string());
        let folder = workspace.scratch("programs")?.join(format!("python-{library:?}"));
        if folder.exists() {
            std::fs::remove_dir_all(&folder)?;
        }
        std::fs::create_dir_all(&folder)?;
        let told = library.for_python(&folder)?;
        let run = folder.join("run");
        let capture =
            |mut command: Command| process::capture_within(command.envs(told.clone()), LIMIT);
        let expected = capture(command(&folder, &words))?;
        let found = capture(tracing(workspace, &folder, &run, &words))?;
        ensure!(
            expected == found,
            "mpi4py over {}: untraced\n{expected}\ntraced\n{found}",
            library.name()
        );
        check(&run, 2, None).with_context(|| format!("mpi4py over {}", library.name()))?;
        tally.passed += 1;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_leave_out_what_depends_on_the_hour() {
        let log = "Per MPI rank memory\nStep Temp\n 0 3\nLoop time of 0.98 on 4 procs\n";
        assert_eq!(thermodynamics(log), "Step Temp\n 0 3");
        let log = "Per MPI rank memory\n- Step 0 ----- CPU = 0.1 (sec) -\nTotEng = 1\nLoop time\n";
        assert_eq!(thermodynamics(log), "- Step 0\nTotEng = 1");
        assert_eq!(verdicts("Success=1\nHPL_Tflops=0.3\n"), "Success=1");
    }
}
