//! Test programs: built by cargo, and where they are.

use crate::process::{read_lines, shown};
use anyhow::{Context, Result};
use serde_json::Value;
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

/// Longest that building them may take: as on two cores, three times over.
const LIMIT: Duration = Duration::from_secs(3600);

/// How cargo is to tell what it has built.
const FORMAT: &str = "--message-format=json-render-diagnostics";

/// A test program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TestProgram {
    /// `PACKAGE` for the tests within a library, `PACKAGE/TARGET` for others.
    pub name: String,
    /// How it is started; the harness's own arguments follow.
    pub words: Vec<String>,
    /// Its package's folder, in which cargo starts it, too.
    pub folder: PathBuf,
    /// Variables that the command of cargo's was given, for the tests.
    pub environment: Vec<(OsString, OsString)>,
}

/// Those of a `cargo test` command, built, in cargo's order.
///
/// # Errors
/// Something does not build. The compiler has said what.
pub fn build(cargo: &mut Command) -> Result<Vec<TestProgram>> {
    cargo.args(["--no-run", FORMAT]);
    let mut programs = Vec::new();
    println!("$ {}", shown(cargo));
    read_lines(cargo, LIMIT, |line| programs.extend(TestProgram::from_message(line)))?;
    let set = |(name, value): (&OsStr, Option<&OsStr>)| Some((name.into(), value?.into()));
    let environment: Vec<_> = cargo.get_envs().filter_map(set).collect();
    programs.iter_mut().for_each(|program| program.environment.clone_from(&environment));
    // Cargo tells them as they are done, which differs from run to run.
    programs.sort_by(|a, b| a.name.cmp(&b.name));
    (!programs.is_empty()).then_some(programs).context("cargo named no test program")
}

/// Builds the same, and counts the compiler's warnings, of things that were built before, too.
///
/// # Errors
/// As [`build`].
pub fn warnings(cargo: &mut Command) -> Result<usize> {
    cargo.args(["--no-run", "--message-format=json"]);
    let mut warnings = 0;
    println!("$ {}", shown(cargo));
    read_lines(cargo, LIMIT, |line| {
        let Some(text) = compiler_said(line) else { return };
        eprint!("{text}");
        warnings += 1;
    })?;
    Ok(warnings)
}

/// A warning or an error out of a message of cargo's, as the compiler puts it.
fn compiler_said(line: &str) -> Option<String> {
    let message: Value = serde_json::from_str(line).ok()?;
    let ours = message["reason"] == "compiler-message";
    Some(message["message"]["rendered"].as_str().filter(|_| ours)?.to_owned())
}

impl TestProgram {
    /// Out of a message of cargo's, if it tells of a test program.
    fn from_message(line: &str) -> Option<TestProgram> {
        let message: Value = serde_json::from_str(line).ok()?;
        if message["profile"]["test"] != true {
            return None;
        }
        let program = message["executable"].as_str()?.to_owned();
        let folder = Path::new(message["manifest_path"].as_str()?).parent()?.to_owned();
        let (package, target) = (package(&message)?, message["target"]["name"].as_str()?);
        let kinds = message["target"]["kind"].as_array()?;
        let name = match kinds.iter().any(|kind| kind == "test" || kind == "bin") {
            true => format!("{package}/{target}"),
            false => package,
        };
        Some(TestProgram { name, words: vec![program], folder, environment: Vec::new() })
    }

    /// The command that runs it, with arguments for the harness.
    pub fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(&self.words[0]);
        command.args(&self.words[1..]).args(arguments).current_dir(&self.folder);
        command.envs(self.environment.iter().map(|(name, value)| (name, value)));
        command
    }
}

/// The package's name, out of `path+file:///a/b#name@0.1.0`, or `…/name#0.1.0` where its folder has
/// its name.
fn package(message: &Value) -> Option<String> {
    let (path, id) = message["package_id"].as_str()?.rsplit_once('#')?;
    let name = id.split_once('@').map(|(name, _)| name);
    name.or_else(|| path.rsplit('/').next()).map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_compiler_says_is_told_from_what_cargo_says() {
        let of = |reason| {
            let message = r#"{"level":"warning","rendered":"warning: a\n"}"#;
            compiler_said(&format!(r#"{{"reason":"{reason}","message":{message}}}"#))
        };
        assert_eq!(of("compiler-message").as_deref(), Some("warning: a\n"));
        assert_eq!(of("compiler-artifact"), None);
        assert_eq!(compiler_said("Compiling a"), None);
    }

    #[test]
    fn a_message_of_cargo_names_the_program_and_its_folder() {
        let message = |kind: &str, id: &str, test: bool| {
            format!(
                r#"{{"reason":"compiler-artifact","package_id":"{id}","manifest_path":
                "/w/crates/a/Cargo.toml","target":{{"kind":["{kind}"],"name":"t"}},
                "profile":{{"test":{test}}},"executable":"/w/target/t-1"}}"#
            )
        };
        let named = "path+file:///w/crates/a#fourstamp-a@0.1.0";
        let of = |kind, id, test| TestProgram::from_message(&message(kind, id, test));
        let program = of("test", named, true).expect("a test program");
        assert_eq!(program.name, "fourstamp-a/t");
        assert_eq!(
            (program.words, program.folder),
            (vec!["/w/target/t-1".into()], "/w/crates/a".into())
        );
        assert_eq!(of("lib", named, true).expect("a library").name, "fourstamp-a");
        assert_eq!(of("lib", "path+file:///w/xtask#0.1.0", true).expect("one").name, "xtask");
        assert_eq!(of("bin", named, false), None, "a program that is no test");
        assert_eq!(TestProgram::from_message("Compiling a"), None);
    }
}
