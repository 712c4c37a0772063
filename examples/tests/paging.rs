//! The programs to be paged find their own results right, whatever the size.

use std::path::PathBuf;
use std::process::{Command, Output};

/// Examples are built with the tests, beside them.
fn program(name: &str) -> PathBuf {
    let own = std::env::current_exe().expect("this test has a file");
    let folder = own.parent().and_then(|deps| deps.parent()).expect("it lies two folders deep");
    folder.join("examples").join(name)
}

fn run(name: &str, words: &[&str]) -> Output {
    Command::new(program(name)).args(words).output().unwrap_or_else(|why| panic!("{name}: {why}"))
}

#[test]
fn every_program_finds_its_result_right() {
    for name in ["fft", "mvec", "gauss", "qsort", "filter"] {
        // A power of two, three times one, and neither.
        for size in ["1M", "1536K", "1000003"] {
            let output = run(name, &["--size", size]);
            let said = String::from_utf8_lossy(&output.stdout).into_owned();
            assert!(
                output.status.success() && said.ends_with(": right\n"),
                "{name} {size}: {said}"
            );
            assert!(said.starts_with(name) && said.lines().count() == 1, "{said}");
        }
    }
}

#[test]
fn a_slowed_program_has_the_same_result() {
    for name in ["fft", "mvec", "gauss", "qsort", "filter"] {
        let usual = run(name, &["--size", "256K"]);
        let slowed = run(name, &["--slow", "7", "--size", "256K"]);
        assert!(slowed.status.success(), "{name}");
        assert_eq!(usual.stdout, slowed.stdout, "{name}");
    }
    for words in [&["--slow", "0"][..], &["--slow", "-1"], &["--slow"], &["--slow", "1.5"]] {
        let output = run("fft", words);
        assert_eq!(output.status.code(), Some(2), "{words:?}");
        assert!(String::from_utf8_lossy(&output.stderr).contains("--slow N"), "{words:?}");
    }
}

#[test]
fn a_size_that_is_none_is_refused() {
    for words in [
        &["--size", "3"][..],
        &["--size", "lots"],
        &["--size"],
        &["--size", "99999999999G"],
        &["4M"],
    ] {
        let output = run("fft", words);
        assert_eq!(output.status.code(), Some(2), "{words:?}");
        assert!(String::from_utf8_lossy(&output.stderr).contains("--size BYTES"), "{words:?}");
    }
}
