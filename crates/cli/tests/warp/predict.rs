//! `fourstamp predict` of recorded simulations: what a simulated machine truly gives must be
//! predicted from a run of another number of nodes, or of another machine.

use crate::common::{fail, folder, run, succeed, text};
use serde_json::Value;
use std::path::Path;

/// Sampled often: each sample takes what has come, which changes what happens next.
const PHOLD: &str =
    "warp phold --objects 64 --cutoff 20 --remote 0.5 --gvt-interval 500ms --sample 7ms";

/// A machine whose events cost what the run says; nothing of it is left to chance.
const PLAIN: &str = r#"
name = "Plain"
nodes = 16
topology = "switch"
[processor]
send = "20us"
receive = "30us"
copy = "100MB/s"
look = "2us"
[network]
latency = "50us"
bandwidth = "10MB/s"
[costs.warp]
event = "2ms"
save = "0.1ms"
send = "0.2ms"
enqueue = "0.1ms"
undo = "0.5ms"
look = "0.01ms"
"#;

/// A machine like those that run threads, to see what becomes of recorded costs.
const HERE: &str = r#"
name = "Here"
nodes = 8
topology = "switch"
[processor]
send = "100ns"
receive = "100ns"
copy = "5GB/s"
look = "30ns"
[network]
latency = "200ns"
bandwidth = "5GB/s"
"#;

fn json(text: &str) -> Value {
    serde_json::from_str(text).unwrap_or_else(|error| panic!("{error}: {text}"))
}

/// Run time by the result of a run, s, and its rollbacks.
fn ran(folder: &Path, args: &str) -> (f64, u64) {
    let result = json(&succeed(folder, &format!("{args} --json")));
    let of = |name: &str| result.get(name).unwrap_or_else(|| panic!("no {name}: {result}")).clone();
    (of("seconds").as_f64().expect("s"), of("rollbacks").as_u64().expect("a count"))
}

/// The predicted runs, as JSON has them.
fn predicted(folder: &Path, args: &str) -> Vec<Value> {
    let said = json(&succeed(folder, &format!("predict {args} --json")));
    said["runs"].as_array().expect("runs").clone()
}

fn seconds(run: &Value) -> f64 {
    run["predicted_ns"].as_u64().expect("ns") as f64 / 1e9
}

#[test]
fn what_a_simulated_machine_gives_is_predicted_to_the_last_bit() {
    let folder = folder();
    let path = folder.path();
    std::fs::write(path.join("plain.toml"), PLAIN).expect("written");
    succeed(path, &format!("{PHOLD} --on plain.toml -n 4 --out run"));
    let runs = predicted(path, "run --nodes 1,2,4,8");
    assert_eq!(runs.len(), 4);
    for run in &runs {
        let nodes = run["nodes"].as_u64().expect("nodes");
        let truth = ran(path, &format!("{PHOLD} --on plain.toml -n {nodes} --out t{nodes}"));
        assert_eq!((seconds(run), run["rollbacks"].as_u64()), (truth.0, Some(truth.1)), "{run}");
        assert!(run["interval_ns"].is_null(), "nothing is left to chance: {run}");
        assert_eq!(run["measured_ns"].is_u64(), nodes == 4);
    }
    let times: Vec<f64> = runs.iter().map(seconds).collect();
    assert!(times.windows(2).all(|pair| pair[1] < pair[0]), "{times:?}");
}

#[test]
fn another_machine_is_predicted_from_the_recorded_events() {
    let folder = folder();
    let path = folder.path();
    std::fs::write(path.join("plain.toml"), PLAIN).expect("written");
    let slow = PLAIN.replace("50us", "4ms").replace("event = \"2ms\"", "event = \"9ms\"");
    let slow = slow.replace("[processor]", "[processor]\nspeed = 0.5").replace("Plain", "Slow");
    std::fs::write(path.join("slow.toml"), slow).expect("written");
    succeed(path, &format!("{PHOLD} --on plain.toml -n 2 --out run"));
    let run = &predicted(path, "run --on slow.toml --nodes 8")[0];
    // Its events take the recorded 2 ms, at half the speed, and not the 9 ms of its file.
    let said = succeed(path, "predict run --on slow.toml --nodes 8");
    assert!(said.contains("and not the 9.00 ms"), "{said}");
    let stated = std::fs::read_to_string(path.join("slow.toml")).expect("read");
    let stated = stated.replace("\"9ms\"", "\"2ms\"");
    std::fs::write(path.join("stated.toml"), stated).expect("written");
    let truth = ran(path, &format!("{PHOLD} --on stated.toml -n 8 --out truth"));
    assert_eq!((seconds(run), run["rollbacks"].as_u64()), (truth.0, Some(truth.1)));
}

#[test]
fn what_was_measured_there_stands_beside_what_is_predicted() {
    let folder = folder();
    let path = folder.path();
    std::fs::write(path.join("plain.toml"), PLAIN).expect("written");
    let far = PLAIN.replace("50us", "5ms").replace("Plain", "Far");
    std::fs::write(path.join("far.toml"), far).expect("written");
    succeed(path, &format!("{PHOLD} --on plain.toml -n 4 --out run"));
    let (there, _) = ran(path, &format!("{PHOLD} --on far.toml -n 4 --out there"));
    let often = PHOLD.replace("500ms", "20ms");
    let (other, _) = ran(path, &format!("{often} --on far.toml -n 4 --out often"));
    let [there, other] = [there, other].map(|seconds| (seconds * 1e9).round() as u64);
    assert_ne!(there, other, "their mean says which of them it is of");
    let runs = predicted(path, "run --on far.toml --nodes 2 --measured there --measured often");
    assert_eq!(runs[0]["measured_ns"], Value::Null, "on 2 nodes nothing was");
    assert_eq!(runs[1]["nodes"], 4, "what was measured is predicted as well");
    assert_eq!(runs[1]["measured_ns"].as_u64(), Some((there + other) / 2));
    let runs = predicted(path, "run --on far.toml --nodes 4 --measured there");
    assert_eq!(runs[0]["measured_ns"].as_u64(), Some(there));
    assert_eq!(runs[0]["predicted_ns"], runs[0]["measured_ns"]);
    let said = fail(path, "predict run --on far.toml --measured there --measured there");
    assert!(said.contains("it is the same run as there"), "{said}");
    let other = PHOLD.replace("64", "32");
    succeed(path, &format!("{other} --on far.toml -n 4 --out other"));
    let said = fail(path, "predict run --on far.toml --measured other");
    assert!(said.contains("other: it is not the simulation that was recorded"), "{said}");
}

#[test]
fn a_machine_of_ranges_has_an_interval_and_two_predictions_are_equal() {
    let folder = folder();
    let path = folder.path();
    succeed(path, &format!("{PHOLD} --on mark3 -n 4 --out run"));
    let first = succeed(path, "predict run --nodes 2,4 --json");
    assert_eq!(first, succeed(path, "predict run --nodes 2,4 --json"));
    for run in json(&first)["runs"].as_array().expect("runs") {
        let ends: Vec<u64> = serde_json::from_value(run["interval_ns"].clone()).expect("ends");
        let at = run["predicted_ns"].as_u64().expect("ns");
        assert!(ends[0] < at && at < ends[1], "{run}");
    }
    let other = succeed(path, "predict run --nodes 2,4 --seed 2 --json");
    assert_ne!(json(&first)["runs"], json(&other)["runs"], "other draws");
    let page = path.join("p.html");
    succeed(path, "predict run --nodes 1,2 --page p.html");
    let html = std::fs::read_to_string(&page).expect("a page");
    assert!(html.contains("Speed-up against nodes"));
    let csv = succeed(path, "predict run --nodes 1,2 --csv");
    assert!(csv.starts_with("nodes,predicted_s,"), "{csv}");
    assert_eq!(csv.lines().count(), 3, "{csv}");
}

/// Time is measured, so only what does not depend on it is looked at.
#[test]
fn events_recorded_in_real_time_take_what_they_took() {
    let folder = folder();
    let path = folder.path();
    std::fs::write(path.join("here.toml"), HERE).expect("written");
    let phold = "warp phold --objects 16 --cutoff 30 --remote 0.5 --work-steps 3000";
    let result = json(&succeed(path, &format!("{phold} -n 1 --transport shm --out run --json")));
    let said = succeed(path, "predict run --from here.toml --nodes 1,2,4 --anyway --json");
    let said = json(&said);
    let gate = &said["recorded_run"];
    let measured = result["seconds"].as_f64().expect("s");
    assert!((gate["measured_ns"].as_u64().expect("ns") as f64 / 1e9 - measured).abs() < 1e-9);
    let runs = said["runs"].as_array().expect("runs");
    let one = seconds(&runs[0]);
    // What the events took is most of what was measured.
    assert!(one > 0.5 * measured && one < 1.5 * measured, "{one} of {measured}");
    // One after another they take the same, whatever was undone.
    let in_order = runs.iter().map(|run| seconds(run) * run["speedup"].as_f64().expect("times"));
    let in_order: Vec<f64> = in_order.collect();
    assert!(in_order.iter().all(|s| (s / in_order[0] - 1.0).abs() < 1e-6), "{in_order:?}");
    assert!(runs.iter().any(|run| run["rolled_back"] != 0), "{runs:?}");
    assert!(runs.iter().all(|run| seconds(run) > in_order[0] / 8.0), "{runs:?}");
    assert_eq!(runs[0]["not_recorded"], 0, "one node undoes nothing");
    let shown = succeed(path, "predict run --from here.toml --nodes 2 --anyway");
    let unknown = "nothing is charged for it: send, enqueue, undo and look.";
    let line = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ").contains(unknown);
    assert!(line(&shown), "{shown}");
    assert_eq!(std::fs::read_dir(path).expect("listed").count(), 2, "run and here.toml");
    succeed(path, &format!("{phold} -n 2 --transport tcp --out two"));
    let shown = succeed(path, "predict two --from here.toml --nodes 2 --anyway");
    let look = shown.lines().find(|line| line.trim_start().starts_with("look ")).expect("a row");
    assert!(look.ends_with("the recording, its mean"), "two nodes have looked: {look}");
}

#[test]
fn a_machine_on_which_the_recorded_run_is_not_predicted_is_refused() {
    let folder = folder();
    let path = folder.path();
    std::fs::write(path.join("plain.toml"), PLAIN).expect("written");
    std::fs::write(path.join("wrong.toml"), PLAIN.replace("look = \"2us\"", "look = \"900us\""))
        .expect("written");
    succeed(path, &format!("{PHOLD} --on plain.toml -n 4 --out run"));
    let out = run(path, "predict run --from wrong.toml --on plain.toml --nodes 2");
    let said = text(&out.stderr);
    assert_eq!(out.status.code(), Some(3), "{said}");
    assert!(said.contains("nothing is predicted, because the recorded run itself"), "{said}");
    assert!(out.stdout.is_empty());
    let anyway = succeed(path, "predict run --from wrong.toml --on plain.toml --nodes 2 --anyway");
    assert!(anyway.contains("which is outside: do not rely on what follows"), "{anyway}");
}

#[test]
fn what_cannot_be_predicted_is_named() {
    let folder = folder();
    let path = folder.path();
    std::fs::write(path.join("plain.toml"), PLAIN).expect("written");
    succeed(path, &format!("{PHOLD} --on mark3 -n 2 --out run"));
    for (args, what) in [
        ("run --nodes 64", "has 32 nodes, not 64"),
        ("run --on plain.toml --nodes 17", "has 16 nodes, not 17"),
        ("run", "predict it on which machine?"),
        ("nothing --on mark3", "nothing"),
    ] {
        let said = fail(path, &format!("predict {args}"));
        assert!(said.contains(what), "{args}: {said}");
        assert_eq!(said.trim_end().lines().count(), 1, "{args}: {said}");
    }
    let changed = |file: &str, from: &str, to: &str| {
        let file = path.join("run").join(file);
        let text = std::fs::read_to_string(&file).expect("read");
        assert!(text.contains(from), "no {from} in {text}");
        std::fs::write(&file, text.replacen(from, to, 1)).expect("written");
        let said = fail(path, "predict run --nodes 2");
        std::fs::write(&file, text).expect("written");
        assert_eq!(said.trim_end().lines().count(), 1, "{said}");
        said
    };
    for (file, from, to, what) in [
        ("run.json", "\"state\": \"closed\"", "\"state\": \"cut\"", "it was cut"),
        ("run.json", "\"optimistic\"", "\"sequential\"", "without --seq"),
        ("warp/job.json", "\"phold\"", "\"gloom\"", "there is no model 'gloom'"),
        ("warp/job.json", "\"seed\": 1", "\"seed\": 2", "are not those that were recorded"),
        ("warp/job.json", "\"engine\"", "\"motor\"", "is not a job of this version"),
    ] {
        let said = changed(file, from, to);
        assert!(said.contains(what), "{said}");
    }
    std::fs::remove_file(path.join("run/warp/job.json")).expect("removed");
    let said = fail(path, "predict run --nodes 2");
    assert!(said.contains("has no warp/job.json"), "{said}");
    assert_eq!(std::fs::read_dir(path).expect("listed").count(), 2, "run and plain.toml");
}
