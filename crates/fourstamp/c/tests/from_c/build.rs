//! Compiling a program in C against the libraries that cargo has built.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use tempfile::TempDir;

/// How a program gets the library.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Link {
    Shared,
    Static,
}

pub const LINKS: [Link; 2] = [Link::Shared, Link::Static];

#[derive(Clone, Copy, Debug)]
pub enum Language {
    C,
    Cpp,
}

/// A program, in a folder of its own with what it is linked with.
pub struct Built {
    folder: TempDir,
    program: PathBuf,
    link: Link,
}

impl Built {
    /// Compiles a source file of this package; `None` where there is no compiler, which is said.
    pub fn of(source: &str, language: Language, link: Link) -> Option<Built> {
        let folder = tempfile::tempdir().expect("a folder");
        let root = Path::new(env!("CARGO_MANIFEST_DIR"));
        let (compiler, flags) = match language {
            Language::C => ("gcc", "-std=c99"),
            Language::Cpp => ("g++", "-std=c++11"),
        };
        let mut command = Command::new(compiler);
        command.args([flags, "-Wall", "-Wextra", "-Werror", "-pedantic", "-O1"]);
        if matches!(language, Language::Cpp) {
            command.args(["-x", "c++"]);
        }
        command.arg("-I").arg(root.join("include")).arg(root.join(source));
        let program = folder.path().join(Path::new(source).file_stem().expect("a file"));
        command.args(["-x", "none", "-o"]).arg(&program);
        lay_out(folder.path());
        match link {
            Link::Shared => command.arg("-L").arg(folder.path()).arg("-lfourstamp"),
            Link::Static => command.arg(folder.path().join("libfourstamp.a")),
        };
        command.args(["-lgcc_s", "-lutil", "-lrt", "-lpthread", "-lm", "-ldl"]);
        match command.output() {
            Err(_) => {
                println!("skipped: there is no {compiler}");
                None
            }
            Ok(output) => {
                assert!(output.status.success(), "{language:?}, {link:?}: {}", said(&output));
                Some(Built { folder, program, link })
            }
        }
    }

    pub fn folder(&self) -> &Path {
        self.folder.path()
    }

    /// The program with these words, not started yet.
    pub fn command(&self, words: &[&str]) -> Command {
        let mut command = Command::new(&self.program);
        command.args(words).env_remove("LD_LIBRARY_PATH");
        if self.link == Link::Shared {
            command.env("LD_LIBRARY_PATH", self.folder.path());
        }
        command
    }

    /// What it prints; it must succeed.
    pub fn run(&self, words: &[&str]) -> String {
        let output = self.command(words).output().expect("it was built");
        assert!(output.status.success(), "{:?}: {}", output.status, said(&output));
        String::from_utf8(output.stdout).expect("it prints text")
    }
}

/// The names that the shared library defines for others; `None` where nothing can list them.
pub fn exported() -> Option<Vec<String>> {
    let listed = Command::new("nm").args(["-D", "--defined-only"]).arg(library("so")).output();
    let Ok(listed) = listed else {
        println!("skipped: there is no nm (apt install binutils)");
        return None;
    };
    let text = String::from_utf8_lossy(&listed.stdout).into_owned();
    Some(text.lines().filter_map(|line| line.split(' ').nth(2)).map(str::to_owned).collect())
}

/// The libraries under the names that they are installed with.
fn lay_out(folder: &Path) {
    std::os::unix::fs::symlink(library("a"), folder.join("libfourstamp.a")).expect("a link");
    for name in ["libfourstamp.so", "libfourstamp.so.0.1"] {
        std::os::unix::fs::symlink(library("so"), folder.join(name)).expect("a link");
    }
}

/// Cargo puts them beside the tests.
fn library(ending: &str) -> PathBuf {
    let own = std::env::current_exe().expect("this test has a file");
    let beside = own.with_file_name(format!("libfourstamp_c.{ending}"));
    assert!(beside.is_file(), "{} was not built", beside.display());
    beside
}

fn said(output: &Output) -> String {
    let both = [&output.stdout[..], &output.stderr].concat();
    String::from_utf8_lossy(&both).into_owned()
}
