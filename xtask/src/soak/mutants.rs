//! Inputs that somebody has tampered with: run folders, closed and killed, of every producer, and
//! configuration files.
//!
//! A case copies a sound input, changes it in a few places drawn from its number, and gives it to
//! every command that reads such a thing. Whatever they answer, they answer: no panic, no signal,
//! no ten seconds of a core, no gigabytes, and not a file outside the run is touched.

mod changes;
mod sound;

pub use sound::ring;

use super::Cases;
use crate::workspace::Workspace;
use anyhow::{Context, Result, bail};
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64;
use std::collections::BTreeMap;
use std::os::unix::fs::MetadataExt;
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// What a command may take of a core, seconds: time that a busy machine takes from it does not
/// count.
const CORE_S: u32 = 10;
/// Address space that a command may have, KiB.
const MEMORY_KIB: u64 = 8 << 20;
/// A command that waits for ever uses no core.
const WAIT_MAX: Duration = Duration::from_secs(100);
/// Failures that are named; the rest are counted.
const NAMED: usize = 20;

/// Runs the cases, and names those that fail.
pub fn mutants(workspace: &Workspace, cases: Cases) -> Result<()> {
    let program = std::env::var_os("FOURSTAMP").map_or_else(|| workspace.fourstamp(), PathBuf::from);
    let home = tempfile::Builder::new().prefix("mutants-").tempdir().context("no temporary folder")?;
    let sound = sound::inputs(workspace, &program, &home.path().join("sound"))?;
    let mut failures = Vec::new();
    let (mut commands, begun) = (0, Instant::now());
    for number in cases.from..cases.from + cases.count {
        let folder = home.path().join("case");
        let outcome = case(&program, &sound, &folder, number, &mut commands);
        if let Err(error) = outcome {
            println!("case {number}: {error:#}");
            failures.push(number);
        }
        std::fs::remove_dir_all(&folder).with_context(|| format!("cannot remove case {number}"))?;
        if (number + 1 - cases.from).is_multiple_of(500) {
            println!("{} cases, {:.0} s", number + 1 - cases.from, begun.elapsed().as_secs_f64());
        }
    }
    sound::forget(&program, &sound);
    println!(
        "mutants: {} cases of {} inputs, {commands} commands, {} failures",
        cases.count,
        sound.len(),
        failures.len()
    );
    if failures.is_empty() {
        return Ok(());
    }
    let named: Vec<String> = failures.iter().take(NAMED).map(u64::to_string).collect();
    bail!("cases {} failed: cargo xtask soak --only mutants --count 1 --from N", named.join(", "));
}

fn case(
    program: &Path,
    sound: &[sound::Input],
    folder: &Path,
    number: u64,
    commands: &mut u64,
) -> Result<()> {
    let mut random = Pcg64::seed_from_u64(number);
    let input = &sound[random.random_range(0..sound.len())];
    let (inside, beside) = (folder.join("input"), folder.join("beside"));
    changes::copy(&input.path, &inside)?;
    std::fs::create_dir_all(folder.join("out"))?;
    std::fs::create_dir_all(beside.join("folder"))?;
    std::fs::write(beside.join("thesis"), "a year of work")?;
    std::fs::write(beside.join("folder/chapter"), "one")?;
    let what = changes::tamper(&inside, &beside, &mut random)?;
    let before = listing(&beside)?;
    // What comes first closes a run that was killed; of the others some.
    let (first, others) = input.commands.split_first().context("nothing reads it")?;
    let chosen = others.iter().filter(|_| random.random_ratio(2, others.len().max(2) as u32));
    for words in std::iter::once(first).chain(chosen.collect::<Vec<_>>()) {
        let words = words.iter().map(|word| word.replace("SOUND", &input.path.display().to_string()));
        let words: Vec<String> = words.collect();
        *commands += 1;
        let said = || format!("{}, {}: fourstamp {}", input.name, what.join("; "), words.join(" "));
        answers(program, folder, &words).with_context(said)?;
        if listing(&beside)? != before {
            bail!("{}: files beside the run have changed", said());
        }
    }
    Ok(())
}

/// Whether a command comes to an answer.
fn answers(program: &Path, folder: &Path, words: &[String]) -> Result<()> {
    let limits = format!("ulimit -t {CORE_S}; ulimit -v {MEMORY_KIB}; ulimit -c 0; exec \"$0\" \"$@\"");
    let errors = folder.join("out/stderr");
    let mut command = Command::new("sh");
    command.args(["-c", &limits]).arg(program).args(words).current_dir(folder);
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(std::fs::File::create(&errors)?);
    let mut child = command.spawn().context("cannot start sh")?;
    let begun = Instant::now();
    let status = loop {
        if let Some(status) = child.try_wait()? {
            break status;
        }
        if begun.elapsed() > WAIT_MAX {
            child.kill()?;
            child.wait()?;
            bail!("it waits for ever");
        }
        std::thread::sleep(Duration::from_millis(2));
    };
    let said = String::from_utf8_lossy(&std::fs::read(errors)?).into_owned();
    let panicked = said.contains("panicked at") || said.contains("memory allocation of");
    match (status.code(), status.signal()) {
        (Some(0..=3), None) if !panicked => Ok(()),
        _ => bail!("{status}: {}", said.lines().take(6).collect::<Vec<_>>().join(" | ")),
    }
}

/// What tells whether a file was touched: length, time of change in s and ns, contents.
type Touch = (u64, i64, i64, Vec<u8>);

/// Every file of a folder with what tells whether it was touched.
fn listing(folder: &Path) -> Result<BTreeMap<PathBuf, Touch>> {
    let mut files = BTreeMap::new();
    let mut folders = vec![folder.to_path_buf()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(&folder)?.flatten() {
            let (path, about) = (entry.path(), entry.metadata()?);
            let bytes = if about.is_file() { std::fs::read(&path)? } else { Vec::new() };
            files.insert(path.clone(), (about.len(), about.mtime(), about.mtime_nsec(), bytes));
            if about.is_dir() {
                folders.push(path);
            }
        }
    }
    Ok(files)
}
