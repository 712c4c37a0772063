//! Other clocks, and nodes that are elsewhere.

use crate::stage::*;
use crate::{PLANT, PLANTED_TICKS};
use fourstamp_launch::*;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

#[test]
fn a_planted_clock_offset_is_found_within_its_bound() {
    let mut command = myself();
    command.environment.push((PLANT.into(), "1".into()));
    let mut options =
        LaunchOptions::new(0, spec(2, tcp()), Hosting::ProcessEach, Starter::Local(command));
    options.synchronising.every = Duration::from_millis(300);
    let mut stage = Stage::with(options);
    stage.play(&["count", "count"]).unwrap();
    let info = stage.run.info();
    for node in 0..2 {
        let planted = info
            .domains
            .iter()
            .find(|domain| domain.id.ends_with(&format!("/planted-{node}")))
            .unwrap();
        assert!(planted.offsets.len() >= 3, "at the start, in between, and at the end");
        for offset in &planted.offsets {
            let difference =
                offset.local.0.wrapping_sub(offset.remote.0) as i64 - PLANTED_TICKS as i64;
            let ns_per_tick = ns_per_tick(&info.domains[0].anchors);
            assert!(
                (difference as f64 * ns_per_tick).abs() <= offset.error_ns,
                "{difference} ticks, {offset:?}"
            );
        }
    }
}

fn ns_per_tick(anchors: &[clock::Anchor]) -> f64 {
    let (first, last) = (anchors.first().unwrap(), anchors.last().unwrap());
    (last.monotonic_raw_ns - first.monotonic_raw_ns) as f64 / (last.ticks.0 - first.ticks.0) as f64
}

#[test]
fn a_node_that_does_not_see_the_run_folder_sends_its_log() {
    let probe = Command::new("unshare").args(["-m", "true"]).output();
    if !probe.is_ok_and(|output| output.status.success()) {
        println!("skipped: hiding a folder from a process needs unshare(1) and privilege");
        return;
    }
    let mut stage = Stage::new(2);
    let hide = format!("mount -t tmpfs none '{}' && exec \"$@\"", stage.run.path().display());
    let inner = myself();
    let mut arguments: Vec<String> = ["-m", "sh", "-c", &hide, "sh"].map(String::from).into();
    arguments.push(inner.program.display().to_string());
    arguments.extend(inner.arguments);
    stage.options.starter = Starter::Local(NodeCommand {
        program: "unshare".into(),
        arguments,
        environment: Vec::new(),
    });
    let outcome = stage.play(&["record", "record"]).unwrap();
    for node in &outcome.nodes {
        let folder = node.outcome["folder"].as_str().unwrap();
        let own =
            Path::new(folder).parent().and_then(Path::file_name).expect("a folder of its own");
        assert!(
            memory::owner_of(own).is_some(),
            "{folder}: nobody could say that it is a leftover"
        );
        assert!(!Path::new(folder).exists(), "the node's own folder is removed");
    }
    let info = stage.run.close().unwrap();
    assert_eq!(info.rows(), 2000);
    assert!(info.lost.is_nothing(), "{:?}", info.lost);
}

#[test]
fn over_ssh_the_key_is_on_no_command_line() {
    let tools = tempfile::tempdir().unwrap();
    let (ssh, seen) = (tools.path().join("ssh"), tools.path().join("seen"));
    // Stands in for ssh: notes its arguments, then does what a remote shell would.
    let script = format!(
        "#!/bin/sh\necho \"$@\" >> '{}'\neval \"last=\\${{$#}}\"\nexec sh -c \"$last\"\n",
        seen.display()
    );
    std::fs::write(&ssh, script).unwrap();
    Command::new("chmod").arg("755").arg(&ssh).status().unwrap();
    let hosts = vec!["localhost".to_string(), "me@localhost".to_string()];
    let starter = Starter::Ssh { program: ssh, hosts, command: myself() };
    let mut stage =
        Stage::with(LaunchOptions::new(0, spec(3, tcp()), Hosting::ProcessEach, starter));
    let outcome = stage.play(&["count", "count", "count"]).unwrap();
    assert_eq!(outcome.nodes.len(), 3);
    let seen = std::fs::read_to_string(&seen).unwrap();
    assert_eq!(seen.matches("-- localhost ").count(), 2);
    assert_eq!(seen.matches("-- me@localhost ").count(), 1);
    assert!(!seen.contains(&stage.key.to_hex()));
}

#[test]
fn tmux_shows_each_node_in_a_pane_and_is_cleaned_up() {
    if !Command::new("tmux").arg("-V").output().is_ok_and(|output| output.status.success()) {
        println!("skipped: tmux is not installed");
        return;
    }
    let server = format!("fourstamp-test-{}", std::process::id());
    let tmux = |arguments: &[&str]| {
        Command::new("tmux").args(["-L", &server]).args(arguments).output().unwrap()
    };
    let starter =
        Starter::Tmux { session: "nodes".into(), server: Some(server.clone()), command: myself() };
    let mut stage =
        Stage::with(LaunchOptions::new(0, spec(3, tcp()), Hosting::ProcessEach, starter));
    let mut panes = 0;
    let outcome = stage.play_observed(&["count", "count", "count"], |note, _| {
        if *note == Note::Begun {
            let listed = tmux(&["list-panes", "-s", "-t", "=nodes:"]);
            panes = String::from_utf8_lossy(&listed.stdout).lines().count();
        }
    });
    assert_eq!(outcome.unwrap().nodes.len(), 3);
    assert_eq!(panes, 3);
    assert!(!tmux(&["has-session", "-t", "=nodes"]).status.success(), "the session is closed");

    let failure = first_failure(stage.play(&["until-stop", "until-stop", "exit"]));
    // Whether tmux still knows the exit code depends on how fast it cleans up.
    assert!(failure.to_string().contains("its last line: the dog ate my homework"), "{failure}");
    let _ = tmux(&["kill-server"]);
}
#[test]
fn clocks_that_no_node_shares_with_the_coordinator_still_come_onto_one_timeline() {
    let mut command = myself();
    command.environment.push((PLANT.into(), "1".into()));
    let options =
        LaunchOptions::new(0, spec(2, tcp()), Hosting::ProcessEach, Starter::Local(command));
    let mut stage = Stage::with(options);
    stage.play(&["record", "record"]).unwrap();
    let info = stage.run.close().unwrap();
    let reference = info.domains.iter().find(|domain| domain.reference).unwrap();
    assert!(reference.model.is_some(), "the others are tied to it, though no node has it");
    let error_ns = info.largest_error_ns(&info.launches[0]);
    assert!(error_ns > 0.0 && error_ns < 1e7, "{error_ns}, {:?}", info.notes);
}
