//! Launches that go well.

use crate::stage::*;
use fabric::TransportSpec;
use fourstamp_launch::*;
use serde_json::json;
use std::path::Path;
use std::sync::atomic::Ordering;
use std::thread;

#[test]
fn two_processes_work_together_and_leave() {
    let mut stage = Stage::new(2);
    let outcome = stage.play(&["count", "count"]).unwrap();
    assert!(!outcome.stopped);
    let hosted: Vec<_> = outcome.nodes.iter().map(|node| node.hosted.clone()).collect();
    assert_eq!(hosted, [vec![0], vec![1]]);
    let peers = outcome.nodes[0].outcome["peers"]["peers"].as_array().unwrap();
    assert_eq!(peers.len(), 2, "each process listens, and all know where");
    assert!(
        stage
            .notes
            .iter()
            .any(|note| matches!(note, Note::Progress(p) if p.goal == 24 && p.done > 0))
    );
    let domains = &stage.run.info().domains;
    assert!(
        domains.len() == 1 && domains[0].reference && domains[0].anchors.len() >= 3,
        "{domains:?}"
    );
    assert!(stage.run.info().failures.is_empty());
}

#[test]
fn nodes_of_transport_udp_are_told_where_to_meet() {
    let settings = (fabric::UDP.settings)(&fabric::GivenOptions::new()).unwrap();
    let spec = spec(2, TransportSpec { settings, ..TransportSpec::of(&fabric::UDP) });
    let mut stage =
        Stage::with(LaunchOptions::new(0, spec, Hosting::ProcessEach, Starter::Local(myself())));
    let outcome = stage.play(&["count", "count"]).unwrap();
    assert_eq!(outcome.nodes[0].outcome["peers"]["peers"].as_array().map(Vec::len), Some(2));
    assert_eq!(outcome.nodes[1].outcome["peers"]["settings"]["max_acks"], json!(256));
}

#[test]
fn one_process_holds_all_nodes_of_transport_thread() {
    let spec = spec(4, TransportSpec::of(&fabric::THREAD));
    let mut stage =
        Stage::with(LaunchOptions::new(0, spec, Hosting::OneProcess, Starter::Local(myself())));
    let outcome = stage.play(&["count"]).unwrap();
    assert_eq!(outcome.nodes.len(), 1);
    assert_eq!(outcome.nodes[0].outcome["hosted"], json!([0, 1, 2, 3]));
}

#[test]
fn a_segment_is_there_while_nodes_set_up_and_gone_afterwards() {
    let spec = spec(2, TransportSpec::of(&fabric::SHM));
    let mut stage =
        Stage::with(LaunchOptions::new(0, spec, Hosting::ProcessEach, Starter::Local(myself())));
    let outcome = stage.play(&["count", "count"]).unwrap();
    let path = outcome.nodes[0].outcome["peers"]["file"].as_str().unwrap().to_owned();
    assert!(path.contains("fourstamp-") && !Path::new(&path).exists(), "{path}");
}

#[test]
fn stop_ends_the_work_with_what_there_is() {
    let mut stage = Stage::new(2);
    let outcome = stage
        .play_observed(&["until-stop", "until-stop"], |note, stop| {
            if *note == Note::Begun {
                stop.store(true, Ordering::Relaxed);
            }
        })
        .unwrap();
    assert!(outcome.stopped && outcome.nodes.len() == 2);
}

#[test]
fn stop_before_the_beginning_is_said_so() {
    let mut stage = Stage::new(2);
    let result = stage
        .play_observed(&["count", "never-ready"], |_, stop| stop.store(true, Ordering::Relaxed));
    assert!(matches!(result, Err(LaunchError::Stopped)), "{result:?}");
}

#[test]
fn launches_follow_each_other_and_a_node_started_by_hand_joins_again() {
    let mut options =
        LaunchOptions::new(0, spec(1, tcp()), Hosting::ProcessEach, Starter::External);
    options.more = true;
    let mut stage = Stage::with(options);
    let (node_options, key) =
        (NodeOptions::new(stage.coordinator.join_address()), stage.key.clone());
    let by_hand = thread::spawn(move || {
        let mut launches = 0;
        loop {
            launches += 1;
            match serve(&node_options, &key, |_, control| {
                Ok(json!(control.ready_and_wait_go().is_ok()))
            })
            .unwrap()
            {
                Served::MoreFollow => continue,
                Served::Last => return launches,
            }
        }
    });
    stage.play(&["count"]).unwrap();
    (stage.options.launch, stage.options.more) = (1, false);
    stage.play(&["count"]).unwrap();
    assert_eq!(by_hand.join().unwrap(), 2);
}
