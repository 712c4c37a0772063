//! `fourstamp compare` as a user calls it: verdicts, conditions, exit codes, the page, wrong input.

use crate::common::{fail, folder, run, succeed, text};
use std::path::Path;
use std::process::Command;

/// A run as every other of this kind: tests beside it take cores, and whether one is left differs.
pub fn bench(folder: &Path, name: &str, more: &str) {
    let pingpong = "bench pingpong --transport thread --receive blocking --no-pin";
    succeed(folder, &format!("{pingpong} --out {name} {more}"));
}

/// What it printed, and its exit code.
fn compare(folder: &Path, arguments: &[&str]) -> (String, Option<i32>) {
    let output = crate::common::fourstamp(folder, "compare")
        .args(arguments)
        .output()
        .expect("the command starts");
    (text(&output.stdout) + &text(&output.stderr), output.status.code())
}

fn words(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[test]
fn a_run_is_compared_with_a_slower_one() {
    let folder = folder();
    bench(folder.path(), "a", "--count 300 --launches 4");
    // Four megabytes to copy cannot take as long as eight bytes.
    bench(folder.path(), "b", "--size 4M --count 40 --launches 4");
    let (said, code) =
        compare(folder.path(), &["a", "b", "--fail-if", "p50 > +5%", "--html", "page.html"]);
    let said = words(&said);
    assert_eq!(code, Some(1), "{said}");
    for wanted in [
        "Size 8 B 4 MiB",
        "B is slower: p",
        "× that of A (",
        "p50 > +5%: holds; B/A ",
        "Fail: a failure condition is met.",
        "wrote page.html",
    ] {
        assert!(said.contains(wanted), "{wanted}: {said}");
    }
    let page = std::fs::read_to_string(folder.path().join("page.html")).expect("a page");
    assert!(
        page.contains("<h1 class=\"finding\">B is slower")
            && page.contains("4\u{a0}MiB")
            && !page.contains("<script")
    );
    let (back, code) = compare(folder.path(), &["b", "a", "--fail-if", "p50 > +5%"]);
    assert_eq!(code, Some(0), "{back}");
    assert!(
        words(&back).contains("B is faster") && words(&back).contains("p50 > +5%: does not hold"),
        "{back}"
    );
}

#[test]
fn what_cannot_be_decided_passes_unless_it_must_be() {
    let folder = folder();
    bench(folder.path(), "a", "--count 300 --launches 1");
    bench(folder.path(), "b", "--count 300 --launches 1");
    let condition = ["a", "b", "--fail-if", "p50 > +5%"];
    let (said, code) = compare(folder.path(), &condition);
    assert_eq!(code, Some(0), "{said}");
    assert!(words(&said).contains("Undecided: too few launches (1 launch of A, 1 of B)"), "{said}");
    assert!(words(&said).contains("p50 > +5%: undecided, too few launches; B/A "), "{said}");
    assert!(words(&said).contains("undecided ones pass, unless --strict is given"), "{said}");
    let (said, code) = compare(folder.path(), &[&condition[..], &["--strict"]].concat());
    assert_eq!(code, Some(3), "{said}");
}

#[test]
fn several_runs_of_each_are_read_as_one() {
    let folder = folder();
    for name in ["a1", "b1", "a2", "b2"] {
        bench(folder.path(), name, "--count 300 --launches 1");
    }
    let (said, code) = compare(
        folder.path(),
        &["--a", "a1", "--a", "a2", "--b", "b1", "--b", "b2", "--stage", "cycle", "--json"],
    );
    assert_eq!(code, Some(0), "{said}");
    let found: serde_json::Value = serde_json::from_str(&said).expect("JSON");
    assert_eq!(found["launches"], serde_json::json!([2, 2]));
    assert_eq!(found["messages"], serde_json::json!([600, 600]));
    assert_eq!(found["stage"], "cycle");
    assert_eq!(found["verdict"], "undecided");
    let quantiles = found["quantiles"].as_array().expect("a list");
    assert!(!quantiles.is_empty());
    for of in quantiles {
        // Two launches of each: a ratio, and nothing that says how sure it is.
        let (a, b) = (of["values_ns"][0].as_f64().unwrap(), of["values_ns"][1].as_f64().unwrap());
        assert!((of["ratio"].as_f64().unwrap() * a / b - 1.0).abs() < 1e-9, "{of}");
        assert!(
            ["interval", "chance", "launches_needed"].iter().all(|name| of[name].is_null()),
            "{of}"
        );
        assert_eq!(of["reason"], "too-few-launches");
    }
}

#[test]
fn wrong_input_is_one_line_that_helps() {
    let folder = folder();
    bench(folder.path(), "a", "--count 300 --launches 4");
    bench(folder.path(), "b", "--count 300 --launches 4");
    bench(folder.path(), "cycles", "--count 300 --launches 4 --no-record");
    let copied = Command::new("cp").args(["-r", "a", "copy"]).current_dir(folder.path()).status();
    assert!(copied.expect("cp runs").success());
    for (arguments, wanted) in [
        ("compare a a", "a and a are the same run; give each run once"),
        ("compare a copy", "a and copy are the same run"),
        ("compare --a a --a copy --b b", "a and copy are the same run"),
        ("compare a nowhere", "nowhere is not a run"),
        (
            "compare a cycles --stage transit",
            "B has no transit: it has cycle; choose a stage that every run has",
        ),
        ("compare a", "a is only one run: give two or more to compare, or --trend"),
        ("compare a b --fail-if p99>=5%", "column 4: write > or < here"),
        ("compare a b --fail-if max>+5%", "a single message and has no interval"),
        ("compare a b --least 2", "write a share from 0% to 100%"),
        ("compare a b --confidence 100%", "99.99%"),
        ("compare a b --strict", "--fail-if"),
        ("compare a b --html nosuch/page.html", "cannot write nosuch/page.html"),
    ] {
        let said = fail(folder.path(), arguments);
        assert!(said.contains(wanted), "{arguments}: {said}");
    }
    let cycles = succeed(folder.path(), "compare a cycles");
    assert!(
        words(&cycles).contains("Recording every message cycles only")
            && words(&cycles).contains("whole cycle"),
        "{cycles}"
    );
    assert_eq!(run(folder.path(), "compare a b").status.code(), Some(0));
}
