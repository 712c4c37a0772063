//! Inputs that somebody has tampered with: run folders, closed and killed, of every producer,
//! configuration files, and the tables of scenarios.
//!
//! A case copies a sound input, changes it in a few places drawn from its number, and gives it to
//! every command that reads such a thing. Whatever they answer, they answer: no panic, no signal,
//! no ten seconds of a core, no gigabytes, and not a file outside the run is touched.

mod changes;
mod sound;

pub use sound::ring;

use super::Cases;
use crate::workspace::Workspace;
use anyhow::{Context, Result, bail, ensure};
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64;
use std::collections::BTreeMap;
use std::num::NonZeroUsize;
use std::os::unix::fs::MetadataExt;
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
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

/// Runs the cases on every core, and names those that fail.
pub fn mutants(workspace: &Workspace, cases: Cases) -> Result<()> {
    let program = workspace.soaked();
    let home =
        tempfile::Builder::new().prefix("mutants-").tempdir().context("no temporary folder")?;
    let sound = sound::inputs(workspace, &program, &home.path().join("sound"))?;
    let workers = std::thread::available_parallelism().map_or(1, NonZeroUsize::get);
    let work =
        Work { program, home: home.path().to_path_buf(), sound, cases, begun: Instant::now() };
    let (next, done) = (AtomicU64::new(cases.from), Mutex::new(Done::default()));
    std::thread::scope(|scope| {
        for _ in 0..workers {
            scope.spawn(|| work.do_all(&next, &done));
        }
    });
    sound::forget(&work.program, &work.sound);
    let Done { commands, mut failures, .. } = done.into_inner().unwrap_or_default();
    println!(
        "mutants: {} cases of {} inputs, {commands} commands, {} failures",
        cases.count,
        work.sound.len(),
        failures.len()
    );
    failures.sort_unstable();
    let named: Vec<String> = failures.iter().take(NAMED).map(u64::to_string).collect();
    let again = "cargo xtask soak --only mutants --count 1 --from N";
    ensure!(failures.is_empty(), "cases {} failed: {again}", named.join(", "));
    Ok(())
}

/// What the workers share.
struct Work {
    program: PathBuf,
    home: PathBuf,
    sound: Vec<sound::Input>,
    cases: Cases,
    begun: Instant,
}

/// What they have found.
#[derive(Default)]
struct Done {
    cases: u64,
    commands: u64,
    failures: Vec<u64>,
}

impl Work {
    /// Takes cases until there are no more.
    fn do_all(&self, next: &AtomicU64, done: &Mutex<Done>) {
        loop {
            let number = next.fetch_add(1, Ordering::Relaxed);
            if number >= self.cases.from + self.cases.count {
                return;
            }
            let folder = self.home.join(format!("case-{number}"));
            let mut commands = 0;
            let outcome = case(&self.program, &self.sound, &folder, number, &mut commands);
            let cleared = std::fs::remove_dir_all(&folder).context("its folder cannot be removed");
            let mut done = done.lock().expect("no worker panics");
            done.cases += 1;
            done.commands += commands;
            if let Err(error) = outcome.and(cleared) {
                println!("case {number}: {error:#}");
                done.failures.push(number);
            }
            if done.cases.is_multiple_of(500) {
                println!("{} cases, {:.0} s", done.cases, self.begun.elapsed().as_secs_f64());
            }
        }
    }
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
        let words =
            words.iter().map(|word| word.replace("SOUND", &input.path.display().to_string()));
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
    let limits =
        format!("ulimit -t {CORE_S}; ulimit -v {MEMORY_KIB}; ulimit -c 0; exec \"$0\" \"$@\"");
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
