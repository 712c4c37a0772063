//! Simulations whose nodes `launch` starts, a process each; and those that are launched in turn
//! with an option changed.

use crate::common::{fail, folder, succeed};
use std::process::Command;

const MODEL: &str = "warp phold --objects 64 --remote 0.5 --cutoff 40";

fn digests(folder: &std::path::Path, arguments: &str) -> [String; 2] {
    let said = succeed(folder, &format!("{arguments} --json"));
    let result: serde_json::Value = serde_json::from_str(&said).expect("JSON");
    ["trace_digest", "state_digest"].map(|name| result[name].to_string())
}

#[test]
fn nodes_that_are_launched_give_the_sequential_result() {
    let folder = folder();
    let expected = digests(folder.path(), &format!("{MODEL} --seq"));
    for options in ["", " --transport shm", " --out run"] {
        let launched = digests(folder.path(), &format!("launch -n 3 -- {MODEL}{options}"));
        assert_eq!(launched, expected, "{options}");
    }
    let run = record::Run::open(folder.path().join("run")).expect("a closed run");
    assert_eq!((run.info.transport.as_str(), run.info.launches[0].nodes.len()), ("tcp", 3));
    if Command::new("tmux").arg("-V").output().is_err() {
        return println!("skipped: tmux is not installed");
    }
    let in_panes = digests(folder.path(), &format!("launch -n 2 --tmux -- {MODEL}"));
    assert_eq!(in_panes, expected);
}

#[test]
fn what_has_no_processes_of_its_own_cannot_be_launched() {
    let folder = folder();
    for options in ["--seq", "--on mark3", "--transport thread"] {
        let error = fail(folder.path(), &format!("launch -n 2 -- {MODEL} {options}"));
        assert!(error.contains("starts a process for each node"), "{options}: {error}");
    }
    let error = fail(folder.path(), "launch -n 2 -- warp study phold");
    assert!(error.contains("the nodes of one run"), "{error}");
    let error = fail(folder.path(), "launch -n 2 -- doctor");
    assert!(error.contains("benchmarks and simulations"), "{error}");
}

#[test]
fn one_option_is_changed_launch_by_launch() {
    let folder = folder();
    let model = format!("{MODEL} --nodes 2 --max-acks 1 --plimit 5");
    let said = succeed(folder.path(), &format!("{model} --intervene max-acks=20 --out both"));
    assert!(said.contains("B: with --max-acks=20"), "{said}");
    assert!(said.contains("both/as-it-was-5") && said.contains("both/changed-5"), "{said}");
    for (run, acks) in [("as-it-was-1", 1), ("as-it-was-5", 1), ("changed-1", 20)] {
        let run = record::Run::open(folder.path().join("both").join(run)).expect("a closed run");
        assert_eq!(run.info.parameters["max_acks"], acks, "{:?}", run.info.parameters);
    }
    for (wrong, said) in [
        ("--intervene penalty=2 --out no", "a penalty without a reward"),
        ("--intervene nodes=3 --out no", "an option of the engine"),
        ("--intervene max-acks=2 --check --out no", "cannot be used with"),
        ("--launches 3 --out no", "--intervene"),
    ] {
        let error = fail(folder.path(), &format!("{MODEL} {wrong}"));
        assert!(error.contains(said), "{wrong}: {error}");
        assert!(!folder.path().join("no").exists(), "{wrong} left a folder");
    }
    let error = fail(folder.path(), &format!("launch -n 2 -- {MODEL} --intervene max-acks=2"));
    assert!(error.contains("cannot be used with launch"), "{error}");
}
