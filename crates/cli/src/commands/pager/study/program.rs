//! The program that a study measures: a file that is there, or one built for it. The sources travel
//! inside this program, so that an installed one can build them where there is a Rust compiler.

use super::launch;
use crate::args::PagerStudyArgs;
use crate::on_path::on_path;
use anyhow::{Context, Result, bail};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// What all of them share.
const GIVEN: &str = include_str!("../../../../../../examples/paging/given.rs");
/// Each by its name.
const SOURCES: [(&str, &str); 5] = [
    ("fft", include_str!("../../../../../../examples/paging/fft.rs")),
    ("mvec", include_str!("../../../../../../examples/paging/mvec.rs")),
    ("gauss", include_str!("../../../../../../examples/paging/gauss.rs")),
    ("qsort", include_str!("../../../../../../examples/paging/qsort.rs")),
    ("filter", include_str!("../../../../../../examples/paging/filter.rs")),
];

/// Where the program comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Program {
    /// A file.
    File(PathBuf),
    /// It is still to be built, by this compiler.
    Build { name: &'static str, rustc: PathBuf },
}

impl Program {
    /// The file that is named, or lies beside this program; else what can be built. One that an
    /// older checkout left beside this program, and that does not know what is asked of it, is
    /// built anew.
    pub fn find(args: &PagerStudyArgs) -> Result<Program> {
        let name = args.program.name();
        if let Some(named) = &args.program_file {
            let cannot = || format!("cannot find {}", named.display());
            let file = named.canonicalize().with_context(cannot)?;
            let remedy = format!("give one that does, or leave out --program-file to build {name}");
            knows(&file, args).with_context(|| outdated(&file, &remedy))?;
            return Ok(Program::File(file));
        }
        let own = std::env::current_exe().context("cannot find this program's own file")?;
        let beside = own.parent().context("this program's own file has no folder")?;
        let candidates = [beside.join("examples").join(name), beside.join(name)];
        if let Some(file) = candidates.into_iter().find(|file| file.is_file()) {
            match (knows(&file, args), on_path("rustc")) {
                (Ok(()), _) => return Ok(Program::File(file)),
                (Err(_), Some(rustc)) => {
                    eprintln!("{}", outdated(&file, "one is built that does"));
                    return Ok(Program::Build { name, rustc });
                }
                (Err(why), None) => {
                    let remedy = "build it again (cargo build --package fourstamp-examples \
                        --examples), or install Rust (https://rustup.rs)";
                    return Err(why.context(outdated(&file, remedy)));
                }
            }
        }
        let Some(rustc) = on_path("rustc") else {
            bail!(
                "there is no {name} in {}, and no rustc on PATH to build it: install Rust \
                (https://rustup.rs), or build it elsewhere (cargo build --release --package \
                fourstamp-examples --examples) and give --program-file",
                beside.display()
            );
        };
        Ok(Program::Build { name, rustc })
    }

    /// Its file; built into the study's folder if need be, where it stays with what was measured.
    pub fn file(&self, folder: &Path) -> Result<PathBuf> {
        match self {
            Program::File(file) => Ok(file.clone()),
            Program::Build { name, rustc } => build(name, rustc, &folder.join("program")),
        }
    }
}

/// Whether a program does what is asked of it: those of older builds take a size only.
fn knows(file: &Path, args: &PagerStudyArgs) -> Result<()> {
    let Some(least) = args.sizes.iter().min().filter(|_| args.slow > 1) else { return Ok(()) };
    let mut tried = Command::new(file);
    tried.args(["--size", &least.to_string(), "--slow", "1"]);
    launch::run(tried).map(|_| ())
}

fn outdated(file: &Path, remedy: &str) -> String {
    format!("{} does not know --slow, as older builds do not; {remedy}", file.display())
}

fn build(name: &str, rustc: &Path, folder: &Path) -> Result<PathBuf> {
    let source = SOURCES.iter().find(|(known, _)| *known == name);
    let (_, source) = source.with_context(|| format!("no source of {name}"))?;
    std::fs::create_dir_all(folder)
        .and_then(|()| std::fs::write(folder.join("given.rs"), GIVEN))
        .and_then(|()| std::fs::write(folder.join(format!("{name}.rs")), source))
        .with_context(|| format!("cannot write the source of {name} to {}", folder.display()))?;
    eprintln!("building {name} in {}", folder.display());
    // As cargo's release builds are.
    let built = Command::new(rustc)
        .args(["--edition", "2024", "-C", "opt-level=3", "-o", name])
        .arg(format!("{name}.rs"))
        .current_dir(folder)
        .stdin(Stdio::null())
        .output()
        .with_context(|| format!("cannot start {}", rustc.display()))?;
    if !built.status.success() {
        let said = String::from_utf8_lossy(&built.stderr);
        let first = said.lines().find(|line| !line.is_empty()).unwrap_or("it said nothing");
        bail!("rustc cannot build {name}: {first}; give --program-file");
    }
    let file = folder.join(name);
    file.canonicalize().with_context(|| format!("rustc left no {}", file.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_program_can_be_built_from_what_this_one_carries() {
        let Some(rustc) = on_path("rustc") else {
            println!("skipped: rustc is not on PATH");
            return;
        };
        let folder = tempfile::tempdir().unwrap();
        for (name, _) in SOURCES {
            let program = Program::Build { name, rustc: rustc.clone() };
            let file = program.file(folder.path()).unwrap();
            let output = Command::new(file).args(["--size", "64K", "--slow", "2"]).output();
            let said = String::from_utf8_lossy(&output.unwrap().stdout).into_owned();
            assert!(said.starts_with(name) && said.ends_with(": right\n"), "{said}");
        }
    }
}
