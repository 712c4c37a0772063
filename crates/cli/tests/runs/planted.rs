//! Planted truth, through the command line: what was planted in a run is what its analysis finds.

use crate::common::{fail, folder, succeed};
use serde_json::Value;
use std::path::Path;

fn bench(folder: &Path, name: &str, count: u32, plant: &str) {
    let run = "bench pingpong --transport thread --receive blocking --launches 4";
    succeed(folder, &format!("{run} --count {count} --plant {plant} --out {name}"));
}

/// The comparison of two runs as JSON.
fn compared(folder: &Path, arguments: &str) -> Value {
    serde_json::from_str(&succeed(folder, &format!("compare {arguments} --json"))).expect("JSON")
}

/// The matched peaks that `wanted` accepts.
fn peaks(found: &Value, wanted: impl Fn(&Value) -> bool) -> Vec<Value> {
    found["peaks"].as_array().expect("a list").iter().filter(|peak| wanted(peak)).cloned().collect()
}

fn number(value: &Value) -> f64 {
    value.as_f64().unwrap_or(0.0)
}

#[test]
fn a_planted_peak_is_found_and_seen_to_move() {
    let folder = folder();
    bench(folder.path(), "a", 1000, "peak:mass=0.1,by=3ms");
    bench(folder.path(), "b", 1000, "peak:mass=0.1,by=4500us");
    let found = compared(folder.path(), "a b --stage transit");
    let there = |peak: &Value| {
        (2.9e6..3.6e6).contains(&number(&peak["a"]["place_ns"]))
            && (0.05..0.15).contains(&number(&peak["a"]["mass"]))
    };
    let planted = peaks(&found, there);
    assert_eq!(planted.len(), 1, "{found:#}");
    assert!((4.4e6..5.2e6).contains(&number(&planted[0]["b"]["place_ns"])), "{:#}", planted[0]);
    assert!(
        ["moved", "moved-and-mass-changed"].contains(&planted[0]["change"].as_str().unwrap_or("")),
        "{:#}",
        planted[0]
    );
}

#[test]
fn a_planted_delay_of_all_messages_is_a_slower_run() {
    let folder = folder();
    bench(folder.path(), "a", 200, "peak:mass=0,by=1ns");
    bench(folder.path(), "b", 200, "peak:mass=1,by=2ms,stage=receive-wait");
    let found = compared(folder.path(), "a b");
    assert_eq!(found["verdict"], "slower", "{found:#}");
    let shift = |stage: &str| -> f64 {
        let all = found["elsewhere"].as_array().expect("a list");
        let of = all
            .iter()
            .find(|pair| pair[0] == stage)
            .expect("the stage")
            .get(1)
            .expect("its quantiles");
        // Where half of the messages took no time, there is no ratio, and no shift to speak of.
        let median = of.as_array().expect("a list").iter().find(|q| q["p"] == 0.5);
        median.map_or(0.0, |q| number(&q["values_ns"][1]) - number(&q["values_ns"][0]))
    };
    assert!(shift("receive-wait") > 1.9e6, "{}", shift("receive-wait"));
    assert!(shift("transit") < 1e6, "{}", shift("transit"));
}

#[test]
fn a_run_says_what_was_planted_in_it() {
    let folder = folder();
    let said = succeed(
        folder.path(),
        "bench pingpong --transport thread --count 100 --launches 1 --plant \
        every:messages=10,by=1us --out a",
    );
    assert!(
        said.split_whitespace()
            .collect::<Vec<_>>()
            .join(" ")
            .contains("delays were planted in this run"),
        "{said}"
    );
    let info = std::fs::read_to_string(folder.path().join("a/run.json")).expect("run.json");
    assert!(info.contains("\"every:messages=10,by=1us\""), "{info}");
    let wrong = fail(folder.path(), "bench pingpong --plant hill:by=1us");
    assert!(wrong.contains("'hill' cannot be planted"), "{wrong}");
}
