//! `fourstamp pager arithmetic` and the study's own program, as a user runs them.

use crate::common::{fail, folder, succeed, text};

const DOCUMENT: &str = "pager arithmetic --etime 130.76 --utime 66.138 --systime 3.133 \
    --inittime 0.21 --pageouts 2718 --pageins 2055 --servers 4 --pptime 1.6ms --bandwidth 10";

#[test]
fn the_numbers_of_1996_come_out_on_the_terminal_in_csv_and_in_json() {
    let home = folder();
    let said = succeed(home.path(), DOCUMENT);
    for wanted in ["83.459", "79.246", "3.754", "0.252", "16.748", "5452 transfers", "95.8 s"] {
        assert!(said.contains(wanted), "{wanted}: {said}");
    }
    let csv = succeed(home.path(), &format!("{DOCUMENT} --csv"));
    let elapsed = csv.lines().find(|line| line.starts_with("elapsed,")).expect("a row");
    let seconds: Vec<f64> = elapsed.split(',').skip(1).map(|cell| cell.parse().unwrap()).collect();
    for (at, wanted) in [(0, 130.76), (2, 83.459), (4, 95.776)] {
        assert!((seconds[at] - wanted).abs() < 1e-6, "{elapsed}");
    }
    let json = succeed(home.path(), &format!("{DOCUMENT} --json"));
    let json: serde_json::Value = serde_json::from_str(&json).expect("JSON");
    assert!(json.to_string().contains("all_shrinks_s"), "{json}");
    assert!(fail(home.path(), &DOCUMENT.replace("66.138", "660")).contains("elapsed time"));
    assert!(fail(home.path(), &DOCUMENT.replace("1.6ms", "1.6")).contains("1.6ms"));
    assert!(
        fail(home.path(), &DOCUMENT.replace("bandwidth 10", "bandwidth 0")).contains("above 0")
    );
}

#[test]
fn a_slowed_program_computes_longer_and_the_study_says_so() {
    let home = folder();
    let words = "pager study fft --sizes 4M --local 1M --launches 1 --slow 3 --out study \
        --only all-memory,disk,parity-log";
    succeed(home.path(), words);
    let study = home.path().join("study");
    let launches = std::fs::read_to_string(study.join("study.csv")).expect("a table");
    assert_eq!(launches.lines().count(), 4, "{launches}");
    // Without links there is no rate.
    let crossings = std::fs::read_to_string(study.join("crossings.csv")).expect("a table");
    assert_eq!(crossings.lines().count(), 1, "{crossings}");
    let run = std::fs::read_to_string(study.join("disk-4-mib-1/run.json")).expect("a run");
    assert!(run.contains("--slow"), "{run}");
    assert!(fail(home.path(), "pager study fft --slow 0").contains("--slow"));
}

#[test]
fn without_program_and_compiler_the_remedy_is_said() {
    let home = folder();
    // A copy that nothing lies beside.
    let alone = home.path().join("fourstamp");
    std::fs::copy(env!("CARGO_BIN_EXE_fourstamp"), &alone).expect("a copy");
    let output = std::process::Command::new(alone)
        .args(["pager", "study", "fft", "--only", "all-memory", "--out", "study"])
        .env("PATH", home.path())
        .current_dir(home.path())
        .output()
        .expect("it starts");
    let err = text(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{err}");
    assert!(err.contains("no rustc on PATH") && err.contains("--program-file"), "{err}");
    assert!(!home.path().join("study").exists());
}

/// A program as an older checkout left it: it takes a size, and knows no `--slow`.
fn old_program(folder: &std::path::Path) -> std::path::PathBuf {
    use std::os::unix::fs::PermissionsExt;
    let file = folder.join("fft");
    let script = "#!/bin/sh\n[ $# = 2 ] && { echo fft: right; exit; }\necho 'usage: [--size]' >&2\n\
        exit 2\n";
    std::fs::write(&file, script).expect("a program");
    let executable = std::fs::Permissions::from_mode(0o755);
    std::fs::set_permissions(&file, executable).expect("it can be executed");
    file
}

#[test]
fn a_program_of_an_older_build_is_noticed() {
    let home = folder();
    let alone = home.path().join("fourstamp");
    std::fs::copy(env!("CARGO_BIN_EXE_fourstamp"), &alone).expect("a copy");
    old_program(home.path());
    let study = |slow: &str, path: &std::ffi::OsStr| {
        let output = std::process::Command::new(&alone)
            .args(["pager", "study", "fft", "--sizes", "64K", "--only", "all-memory"])
            .args(["--launches", "1", "--slow", slow, "--out", &format!("study-{slow}")])
            .env("PATH", path)
            .current_dir(home.path())
            .output()
            .expect("it starts");
        (output.status.code(), text(&output.stderr))
    };
    let here = std::env::var_os("PATH").unwrap_or_default();
    // What is not asked of it, it need not know.
    assert_eq!(study("1", &here).0, Some(0));
    let (code, err) = study("2", home.path().join("empty").as_os_str());
    assert_eq!(code, Some(2), "{err}");
    for said in ["fft does not know --slow", "usage: [--size]", "build it again", "rustup.rs"] {
        assert!(err.contains(said), "{err}");
    }
    assert!(!home.path().join("study-2").exists());
    if std::process::Command::new("rustc").arg("--version").output().is_err() {
        println!("skipped: rustc is not on PATH");
        return;
    }
    let (code, err) = study("3", &here);
    assert!(code == Some(0) && err.contains("one is built that does"), "{err}");
    assert!(home.path().join("study-3/program/fft").is_file());
}

#[test]
fn a_program_that_is_named_is_not_replaced() {
    let home = folder();
    old_program(home.path());
    let said = fail(home.path(), "pager study fft --slow 2 --program-file fft --out study");
    assert!(said.contains("does not know --slow") && said.contains("--program-file"), "{said}");
    assert!(!home.path().join("study").exists());
}
