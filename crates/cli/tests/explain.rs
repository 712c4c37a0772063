//! What goes with slow messages, and what became of peaks when one thing was changed, through the
//! command line.

mod common;

use common::{fail, folder, succeed};

#[test]
fn a_planted_peak_is_explained_and_a_run_says_what_was_watched() {
    let folder = folder();
    let bench = "bench pingpong --transport thread --receive blocking --launches 2 --count 6000";
    succeed(
        folder.path(),
        &format!("{bench} --plant peak:mass=0.02,by=3ms,stage=receive-wait --out a"),
    );
    let causes = folder.path().join("a/causes/launch-0-node-0.parquet");
    assert!(causes.is_file(), "every run is watched");
    let said = succeed(folder.path(), "explain a --all");
    assert!(said.contains("The peak of receive wait at 3."), "{said}");
    assert!(said.contains("The slowest 0.1 %"), "{said}");
    assert!(said.contains("idle"), "{said}");
    assert!(!said.contains("was not watched"), "{said}");
    let groups = succeed(folder.path(), "explain a --csv");
    let peaks: Vec<&str> = groups.lines().filter(|line| line.contains(",peak,")).collect();
    let planted = |line: &&&str| {
        let times = line.split(',').skip(4).take(2).filter_map(|ns| ns.parse::<f64>().ok());
        times.collect::<Vec<_>>().first().is_some_and(|ns| (2e6..4e6).contains(ns))
    };
    assert!(peaks.iter().filter(planted).count() > 0, "{groups}");
    let json: serde_json::Value =
        serde_json::from_str(&succeed(folder.path(), "explain a --json")).expect("JSON");
    let (rows, found) = (&json["tables"][0]["rows"], &json["groups"]);
    assert_eq!(json["tables"][0]["id"], "groups");
    assert_eq!(rows.as_array().map(Vec::len), found.as_array().map(Vec::len));
    assert_eq!(rows[0]["messages"], found[0]["count"]);
    let error = fail(folder.path(), "explain a --csv=nothing");
    assert!(error.contains("episode-causes, episodes, groups, idle, reasons"), "{error}");
}

/// The whole way, from the delay in the transport to the sentence. The delay is longer than most
/// pauses of a busy machine.
#[test]
fn a_planted_delay_is_found_to_be_the_cause() {
    let folder = folder();
    let bench = "bench pingpong --transport thread --receive blocking --launches 2 --count 10000";
    succeed(
        folder.path(),
        &format!("{bench} --plant peak:mass=0.002,by=20ms,stage=receive-wait --out a"),
    );
    let said =
        succeed(folder.path(), "explain a --all").split_whitespace().collect::<Vec<_>>().join(" ");
    // In a time that holds much, or of a group: that depends on how much else there was.
    let told = ["Consistent with a planted delay: ", "Consistent with a delay planted at node "];
    assert!(told.iter().any(|words| said.contains(words)), "{said}");
}

#[test]
fn a_run_that_was_not_watched_says_so() {
    let folder = folder();
    let bench =
        "bench pingpong --transport thread --receive blocking --launches 1 --count 6000 --no-watch";
    succeed(
        folder.path(),
        &format!("{bench} --plant peak:mass=0.02,by=3ms,stage=receive-wait --out a"),
    );
    assert!(!folder.path().join("a/causes").exists());
    let said = succeed(folder.path(), "explain a");
    assert!(said.contains("This run was not watched (--no-watch was given)"), "{said}");
    assert!(!said.contains("idle"), "{said}");
}

#[test]
fn one_thing_is_changed_and_both_runs_stay() {
    let folder = folder();
    let said = succeed(
        folder.path(),
        "bench stream --transport thread --receive blocking --launches 2 --count 5000 --out a \
        --intervene batch",
    );
    let words = said.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(
        words.contains("A: 2 launches as it was. B: 2 launches with 8 messages handed over"),
        "{said}"
    );
    assert!(words.contains("Below 3 launches of each nothing is decided"), "{said}");
    assert!(!words.contains("moved, ") && !words.contains(" to +"), "no interval: {said}");
    for run in ["a", "a-changed"] {
        let shown = succeed(folder.path(), &format!("report {run} --terminal"));
        assert!(shown.contains("10 000 messages"), "{shown}");
    }
}

#[test]
fn what_cannot_be_changed_is_refused_before_anything_is_measured() {
    let folder = folder();
    for (arguments, reason) in [
        ("bench pingpong --transport thread --intervene batch", "--intervene batch needs a burst"),
        (
            "bench pingpong --transport thread --intervene timer",
            "--intervene timer needs --transport udp",
        ),
        ("explain nowhere", "nowhere is not a run"),
    ] {
        let error = fail(folder.path(), arguments);
        assert!(error.contains(reason), "{error}");
    }
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0, "nothing was made");
}
