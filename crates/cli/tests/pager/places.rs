//! Which lines of a program cause its faults, where that is known.

use pager_facts::{FaultPlace, KEY, PagerFacts};
use serde::Deserialize;
use std::path::{Path, PathBuf};
use std::process::Command;

const FOURSTAMP: &str = env!("CARGO_BIN_EXE_fourstamp");
const SOURCE: &str = include_str!("../programs/places.c");

#[test]
fn lines_have_their_parts_of_the_faults() {
    let folder = tempfile::tempdir().unwrap();
    let Some(program) = compile(folder.path()) else { return };
    let run = folder.path().join("run");
    let mut command = Command::new(FOURSTAMP);
    command.args(["pager", "run", "--local", "8M", "--no-report", "--out"]).arg(&run).arg("--");
    let ended = command.arg(program).output().unwrap();
    assert!(ended.status.success() && ended.stdout == b"1\n", "{ended:?}");

    let facts = record::Run::open(&run).unwrap().info.parameters[KEY].clone();
    let facts = PagerFacts::deserialize(&facts).unwrap();
    let process = facts.main().unwrap();
    let (all, sampled) = (process.faults.hard, &process.sampled);
    if std::fs::read("/proc/thread-self/syscall").is_err() {
        println!("skipped: this kernel does not tell where a thread waits");
        return;
    }
    let of_eight = sampled.faults as f64 * 8.0 / all as f64;
    assert!((0.8..1.25).contains(&of_eight), "{} of {all} are looked at", sampled.faults);
    let mut parts = Vec::new();
    for (what, truth) in [("often", 0.8), ("seldom", 0.1), ("copied", 0.1)] {
        // The machine's own registers say nothing of callers elsewhere.
        let there = |place: &&FaultPlace| match what {
            "copied" if cfg!(not(target_arch = "x86_64")) => place.at.object.contains("libc"),
            _ => is_at(place, what),
        };
        let faults: u64 = sampled.places.iter().filter(there).map(|place| place.faults).sum();
        let part = faults as f64 / sampled.faults as f64;
        assert!((part - truth).abs() < 0.05, "{what}: {part} of {}: {sampled:?}", sampled.faults);
        parts.push(part);
    }
    let shown = Command::new(FOURSTAMP).args(["report", "--terminal"]).arg(&run).output().unwrap();
    let shown = String::from_utf8_lossy(&shown.stdout);
    let line = format!("places.c:{}", line_of("often"));
    assert!(shown.contains(&line) && shown.contains("Where in the program"), "{shown}");
    // Two of them have 90 % by a hair, or not.
    parts.sort_by(f64::total_cmp);
    let lines = if parts[1..].iter().sum::<f64>() >= 0.9 { "2 lines." } else { "3 lines." };
    assert!(shown.contains(lines) || cfg!(not(target_arch = "x86_64")), "{lines} {shown}");
}

/// Whether the program's own line of a place is the one that is marked so.
fn is_at(place: &FaultPlace, marked: &str) -> bool {
    let spot = place.called_from.as_ref().unwrap_or(&place.at);
    spot.file.ends_with("places.c") && spot.line == Some(line_of(marked))
}

fn line_of(marked: &str) -> u32 {
    let mark = format!("// {marked}");
    1 + SOURCE.lines().position(|line| line.ends_with(&mark)).unwrap() as u32
}

fn compile(folder: &Path) -> Option<PathBuf> {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/programs/places.c");
    let program = folder.join("places");
    match Command::new("cc").args(["-O1", "-g", "-o"]).arg(&program).arg(source).status() {
        Ok(status) => assert!(status.success(), "it compiles"),
        Err(error) => {
            println!("skipped: no C compiler: {error}");
            return None;
        }
    }
    Some(program)
}
