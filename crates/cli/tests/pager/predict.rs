//! `fourstamp predict` of paged runs.
//!
//! What is predicted for other networks is compared with truth in `crates/pager/lens`, where truth
//! is simulated; here servers are on this machine, and what the command says and refuses is looked
//! at.

use crate::common::{fail, folder, run, succeed, text};
use crate::paging::checker;
use serde_json::Value;
use std::path::Path;
use std::process::Command;

/// A network that is so fast that the link takes nothing of the recorded time.
const LOOPBACK: &str = "name = \"Loopback\"\nnodes = 8\ntopology = \"switch\"\n\
    [processor]\nsend = { value = \"1us\", basis = \"chosen\" }\n\
    receive = { value = \"1us\", basis = \"chosen\" }\n\
    [network]\nlatency = { value = \"1us\", basis = \"chosen\" }\n\
    bandwidth = { value = \"10GB/s\", basis = \"chosen\" }\n";

/// A paged run in the folder, and the machine it was made on; `None` where that is not possible.
fn paged(home: &Path) -> Option<()> {
    let checker = checker()?;
    let mut command = Command::new(env!("CARGO_BIN_EXE_fourstamp"));
    command.current_dir(home).args([
        "pager",
        "run",
        "--no-report",
        "--local",
        "2M",
        "--out",
        "run",
    ]);
    let ended = command.arg("--").arg(&checker).args(["8", "4000", "5"]).output().unwrap();
    assert!(ended.status.success(), "{}", text(&ended.stderr));
    std::fs::write(home.join("here.toml"), LOOPBACK).unwrap();
    let slow = LOOPBACK.replace("10GB/s", "100KB/s");
    std::fs::write(home.join("slow.toml"), slow).unwrap();
    Some(())
}

fn json(home: &Path, command: &str) -> Value {
    serde_json::from_str(&succeed(home, &format!("{command} --json"))).unwrap()
}

fn files(home: &Path, prefix: &str) -> Vec<std::path::PathBuf> {
    let entries = std::fs::read_dir(home.join("run")).unwrap().map(|entry| entry.unwrap().path());
    entries.filter(|it| it.file_name().unwrap().to_string_lossy().starts_with(prefix)).collect()
}

#[test]
fn a_paged_run_is_predicted_over_other_networks() {
    let home = folder();
    let Some(()) = paged(home.path()) else { return };
    let command = "predict run --from here.toml --anyway --bandwidth";
    let [same, slower, slowest] =
        ["1x", "0.001x", "0.0001x"].map(|by| json(home.path(), &format!("{command} {by}")));
    let predicted = |of: &Value| of["predicted"]["s"].as_f64().unwrap();
    assert_eq!(same["recorded"], same["predicted"], "the same network, the same draws");
    assert!(same["measured_s"].as_f64().unwrap() > 0.0);
    // 10 MB/s, and 1 MB/s: by then the link is all that matters.
    assert!(predicted(&slower) > predicted(&same));
    let times = predicted(&slowest) / predicted(&slower);
    assert!((2.0..15.0).contains(&times), "{times}");
    for of in [&same, &slower] {
        let [from, to] = ["from_s", "to_s"].map(|end| of["predicted"][end].as_f64().unwrap());
        assert!(from <= predicted(of) && predicted(of) <= to);
    }
    assert_eq!(json(home.path(), &format!("{command} 0.001x")), slower, "to the last bit");
}

#[test]
fn a_curve_and_a_page_are_made_of_it() {
    let home = folder();
    let Some(()) = paged(home.path()) else { return };
    let command =
        "predict run --from here.toml --anyway --curve bandwidth=0.0001x..0.01x --page page.html";
    let table = succeed(home.path(), &format!("{command} --csv=curve"));
    let times: Vec<f64> = table
        .lines()
        .skip(1)
        .map(|line| line.split(',').nth(1).unwrap().parse().unwrap())
        .collect();
    assert_eq!(times.len(), 9);
    assert!(times[0] > times[8], "{times:?}");
    let page = std::fs::read_to_string(home.path().join("page.html")).unwrap();
    let ways = ["decisions are as recorded", "decides anew"];
    assert!(page.contains("Along bandwidth") && ways.iter().any(|way| page.contains(way)));
}

#[test]
fn a_network_on_which_it_was_not_recorded_is_refused() {
    let home = folder();
    let Some(()) = paged(home.path()) else { return };
    let refused = run(home.path(), "predict run --from slow.toml --bandwidth 10x");
    assert_eq!(refused.status.code(), Some(3), "{}", text(&refused.stderr));
    let said = text(&refused.stderr);
    assert!(said.contains("no prediction") && said.contains("--anyway"), "{said}");
    assert!(refused.stdout.is_empty());
}

#[test]
fn a_run_without_its_pages_is_predicted_with_decisions_as_recorded() {
    let home = folder();
    let Some(()) = paged(home.path()) else { return };
    let pages = files(home.path(), "pages-");
    assert!(!pages.is_empty());
    pages.iter().for_each(|file| std::fs::remove_file(file).unwrap());
    let command = "predict run --from here.toml --anyway --bandwidth 0.01x";
    let said = json(home.path(), command);
    let why = said["decisions_as_recorded"].as_str().unwrap();
    assert!(why.contains("recorded without its pages"), "{why}");
    let refused = fail(home.path(), "predict run --from here.toml --anyway --cpu 2x");
    assert!(refused.contains("--cpu needs the pager to decide anew"), "{refused}");
    let course = files(home.path(), "course-");
    course.iter().for_each(|file| std::fs::remove_file(file).unwrap());
    let refused = fail(home.path(), command);
    assert!(refused.contains("course-"), "{refused}");
}

#[test]
fn what_cannot_be_predicted_is_said_in_a_line() {
    let home = folder();
    let Some(()) = paged(home.path()) else { return };
    for (command, reason) in [
        ("predict run --bandwidth 10x", "give it with --from"),
        ("predict run --from here.toml", "on which machine"),
        ("predict run --from here.toml --bandwidth 10x --nodes 2", "--nodes is for simulations"),
    ] {
        let said = fail(home.path(), command);
        assert!(said.contains(reason), "{command}: {said}");
    }
}
