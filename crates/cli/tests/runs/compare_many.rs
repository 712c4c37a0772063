//! `fourstamp compare` of three runs and more, and of a series, as a user calls it.

use crate::common::{fail, folder, succeed, text};
use crate::compare::bench;
use std::path::Path;

const SMALL: &str = "--count 300 --launches 3";
/// Four megabytes to copy cannot take as long as eight bytes.
const LARGE: &str = "--size 4M --count 40 --launches 3";

/// What it printed, on one line, and its exit code.
fn compare(folder: &Path, arguments: &[&str]) -> (String, Option<i32>) {
    let output = crate::common::fourstamp(folder, "compare")
        .args(arguments)
        .output()
        .expect("the command starts");
    let said = text(&output.stdout) + &text(&output.stderr);
    (said.split_whitespace().collect::<Vec<_>>().join(" "), output.status.code())
}

#[test]
fn three_runs_make_a_matrix() {
    let folder = folder();
    bench(folder.path(), "runs/a", SMALL);
    bench(folder.path(), "runs/b", LARGE);
    bench(folder.path(), "runs/c", SMALL);
    let all = ["runs/a", "runs/b", "runs/c"];
    let (said, code) = compare(folder.path(), &[&all[..], &["--html", "page.html"]].concat());
    assert_eq!(code, Some(0), "{said}");
    for wanted in ["Slower: ", "B (b) ", "Size 8 B (A, C), 4 MiB (B)", "Pair by pair", "page.html"]
    {
        assert!(said.contains(wanted), "{wanted}: {said}");
    }
    let page = std::fs::read_to_string(folder.path().join("page.html")).expect("a page");
    assert!(page.contains("Each run against each other") && page.contains("<svg"));
    let json = succeed(folder.path(), "compare runs/a runs/b runs/c --json");
    let found: serde_json::Value = serde_json::from_str(&json).expect("JSON");
    let pairs = found["pairs"].as_array().expect("a list");
    assert_eq!(pairs.len(), 3);
    assert_eq!(pairs[0]["standing"], "slower", "{}", pairs[0]);
    let csv = succeed(folder.path(), "compare runs/a runs/b runs/c --csv");
    assert!(csv.starts_with("run,against,ratio,ratio_low,ratio_high,chance,standing,reason"));
    assert_eq!(csv.lines().count(), 4);
    let matrix = succeed(folder.path(), "compare runs/a runs/b runs/c --csv=matrix");
    assert_eq!(matrix.lines().count(), 3, "{matrix}");
}

#[test]
fn a_reference_makes_a_gate_of_many() {
    let folder = folder();
    for (name, more) in [("a", SMALL), ("b", LARGE), ("c", SMALL)] {
        bench(folder.path(), name, more);
    }
    let gate = ["a", "b", "c", "--reference", "a", "--fail-if", "p50 > +100%"];
    let (said, code) = compare(folder.path(), &gate);
    assert_eq!(code, Some(1), "{said}");
    assert!(said.contains("Against A (a)") && said.contains("B (b): p50 > +100%: holds; B/A "));
    let back = ["a", "b", "c", "--reference", "b", "--fail-if", "p50 > +100%"];
    assert_eq!(compare(folder.path(), &back).1, Some(0));
}

#[test]
fn a_folder_of_runs_is_a_series_by_start() {
    let folder = folder();
    // By name the slow one comes first; by its start it is the newest.
    for name in ["runs/m1", "runs/m2", "runs/m3", "runs/m4"] {
        bench(folder.path(), name, SMALL);
    }
    bench(folder.path(), "runs/a-slow", LARGE);
    std::fs::create_dir(folder.path().join("runs/notes")).expect("a folder");
    std::fs::create_dir(folder.path().join("runs/broken")).expect("a folder");
    std::fs::write(folder.path().join("runs/broken/run.json"), "{").expect("a file");
    let (said, code) = compare(
        folder.path(),
        &["--trend", "runs", "--fail-if", "p50 > +10%", "--html", "trend.html"],
    );
    assert_eq!(code, Some(1), "{said}");
    for wanted in [
        "5 runs are too few to search for a lasting change",
        "The newest run, a-slow, against the 4 runs before it: p50, ",
        "left out: runs/broken",
        "left out: runs/notes is not a run",
        "p50 > +10%: holds; newest/earlier ",
        "Fail: a failure condition is met.",
        "wrote trend.html",
    ] {
        assert!(said.contains(wanted), "{wanted}: {said}");
    }
    let csv = succeed(folder.path(), "compare --trend runs --csv");
    let names: Vec<&str> = csv.lines().skip(1).filter_map(|row| row.split(',').next()).collect();
    assert_eq!(names, ["m1", "m2", "m3", "m4", "a-slow"]);
    let changed =
        |runs: &str| succeed(folder.path(), &format!("compare --trend {runs} --csv=changed"));
    let (all, alike) = (changed("runs"), changed("runs/m1 runs/m2"));
    assert!(all.lines().count() > 1, "the slow run is another: {all}");
    assert_eq!(alike, "run,fact,before,after\n", "a table without rows has its heads");
    let page = std::fs::read_to_string(folder.path().join("trend.html")).expect("a page");
    assert!(page.contains("trend-p50"), "a chart");
    let (said, code) =
        compare(folder.path(), &["--trend", "runs/m1", "runs/m2", "--fail-if", "p50 > +10%"]);
    assert!(code == Some(0) && said.contains("undecided, too few runs"), "{code:?} {said}");
    let strict = ["--trend", "runs/m1", "runs/m2", "--fail-if", "p50 > +10%", "--strict"];
    assert_eq!(compare(folder.path(), &strict).1, Some(3));
}

#[test]
fn wrong_input_is_one_line_that_helps() {
    let folder = folder();
    for name in ["a", "b", "c"] {
        bench(folder.path(), name, "--count 50 --launches 1");
    }
    bench(folder.path(), "cycles", "--count 50 --launches 1 --no-record");
    succeed(folder.path(), "warp phold --objects 64 --cutoff 5 --out sim");
    std::fs::create_dir_all(folder.path().join("empty/inside")).expect("a folder");
    for (arguments, wanted) in [
        ("compare a b a", "a and a are the same run"),
        ("compare a b nowhere", "nowhere is not a run"),
        ("compare a sim b", "cannot compare different kinds of runs"),
        ("compare a b cycles --stage transit", "cycles has no transit: it has cycle"),
        ("compare a b c --fail-if p50>+5%", "add --reference RUN"),
        ("compare a b c --reference d", "d is not among the runs; name one of them: a, b, c"),
        ("compare a b c --figure max", "a single message and has no interval"),
        ("compare --trend a", "a is the only run; a trend needs two or more"),
        ("compare --trend empty", "empty contains no readable run (empty/inside is not a run"),
        ("compare --trend nowhere", "nowhere is not a run"),
        ("compare a b --last 3", "--trend"),
    ] {
        let said = fail(folder.path(), arguments);
        assert!(said.contains(wanted), "{arguments}: {said}");
    }
    let (said, code) = compare(folder.path(), &["a", "b", "c"]);
    assert!(
        code == Some(0) && said.contains("Below 3 launches of a run nothing is known"),
        "{said}"
    );
}
