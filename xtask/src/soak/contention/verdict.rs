//! Whether `story` and `explain` name what held a node.

use super::{Case, LIMIT, Plant};
use crate::process::capture_within;
use crate::workspace::Workspace;
use anyhow::Result;
use serde_json::Value;
use std::path::Path;
use std::process::Command;

/// How much of a planted time a message must have waited for to be the one that it held.
const HELD_LEAST: f64 = 0.6;
/// A wait for pages that cannot be anything else, ns.
const PAGES_LEAST_NS: f64 = 50e6;
/// And how much of its wait must be covered.
const COVERED_LEAST: f64 = 0.9;

/// What the verbs said of the wait.
#[derive(Debug, PartialEq)]
pub enum Verdict {
    Right,
    Wrong(String),
    /// The plant held no message that both tell of.
    NotHeld,
}

/// What both verbs say of the message that the plant held.
pub fn judge(
    workspace: &Workspace,
    case: Case,
    planted: (i64, i64),
    folder: &Path,
) -> Result<Verdict> {
    let ask = |verb: &str, more: &[&str]| -> Result<Value> {
        let mut command = Command::new(workspace.fourstamp());
        let answer = capture_within(command.arg(verb).arg(folder).args(more).arg("--json"), LIMIT)?;
        Ok(serde_json::from_str(&answer)?)
    };
    let stories = ask("story", &["--slowest", "20"])?;
    let stories = stories["stories"].as_array().into_iter().flatten();
    let waits: Vec<Value> = stories.filter_map(|told| longest(&told["story"])).collect();
    let held = |(_, wait): &(usize, &Value)| was_held(wait, case, planted);
    let Some((place, wait)) = waits.iter().enumerate().find(held) else {
        return Ok(Verdict::NotHeld);
    };
    if let Some(why) = wrong(case, wait) {
        return Ok(Verdict::Wrong(format!("story: {why}")));
    }
    let explanation = ask("explain", &[])?;
    let episodes = explanation["episodes"].as_array();
    match episodes.into_iter().flatten().find(|episode| was_held(episode, case, planted)) {
        Some(episode) => Ok(match wrong(case, episode) {
            Some(why) => Verdict::Wrong(format!("explain: {why}")),
            None => Verdict::Right,
        }),
        // The slowest message is always explained; another one if it holds a hundredth of all time.
        None if place == 0 => {
            Ok(Verdict::Wrong("explain does not tell of the slowest message".to_owned()))
        }
        None => Ok(Verdict::NotHeld),
    }
}

/// The longest chapter of a story, with its message as an episode has it.
fn longest(story: &Value) -> Option<Value> {
    let chapter = story["chapters"].as_array()?.iter().max_by_key(|chapter| length(chapter))?;
    let mut wait = chapter.clone();
    wait["slowest"] = story["message"].clone();
    Some(wait)
}

fn length(wait: &Value) -> i64 {
    wait["to_ns"].as_i64().unwrap_or(0) - wait["from_ns"].as_i64().unwrap_or(0)
}

/// Whether the plant was what it waited for: it waited for most of that time, and little longer, in
/// a stage that depends on the planted node. A message in the other node's queue waited for
/// something else at the same time.
fn was_held(wait: &Value, case: Case, (from, to): (i64, i64)) -> bool {
    let (begin, end) = (wait["from_ns"].as_i64().unwrap_or(0), wait["to_ns"].as_i64().unwrap_or(0));
    let common = (end.min(to) - begin.max(from)).max(0) as f64;
    let depends = match wait["stage"].as_str() {
        Some("receive-wait") => wait["slowest"]["dst"] == case.node,
        Some("send-wait") => wait["slowest"]["src"] == case.node,
        _ => true,
    };
    let (most, little_else) =
        (HELD_LEAST * (to - from) as f64, common >= HELD_LEAST * length(wait) as f64);
    depends
        && match case.plant {
            Plant::Core | Plant::Stop => common >= most && little_else,
            // Between two faults the node goes on.
            Plant::Pages => common >= PAGES_LEAST_NS && little_else,
            // A record stays full while its disk catches up.
            Plant::Disk => common >= most,
        }
}

/// What is wrong with what was said of a wait.
fn wrong(case: Case, wait: &Value) -> Option<String> {
    let cause = cause(case.plant);
    let account = &wait["account"];
    let chief = &account["parts"][0];
    let covered = account["covered_ns"].as_f64().unwrap_or(0.0) / length(wait).max(1) as f64;
    if case.plant == Plant::Pages && wait["stage"] == "transit" {
        // On its way a message depends on two nodes: that one of them read pages is said, not
        // blamed.
        let paged = &account["paged"];
        let is_said =
            paged.as_array().into_iter().flatten().any(|paged| paged["node"] == case.node);
        return (!is_said).then(|| format!("pages of {paged}, not of node {}", case.node));
    }
    let named = chief["cause"] == cause && chief["node"] == case.node;
    (!named || covered < COVERED_LEAST).then(|| {
        let said = format!("{} of node {}", chief["cause"], chief["node"]);
        format!("{said}, {:.0} % covered, not {cause} of node {}", 100.0 * covered, case.node)
    })
}

/// As the recording calls it.
fn cause(plant: Plant) -> &'static str {
    match plant {
        Plant::Core => "run-queue",
        Plant::Stop => "stopped",
        Plant::Pages => "major-faults",
        Plant::Disk => "recording",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn the_right_node_cause_and_cover_are_asked_for() {
        let case = Case::draw(0);
        let wait = |node: u32, covered: i64| {
            let part = json!({"node": node, "cause": cause(case.plant), "ns": covered});
            let account = json!({"parts": [part], "covered_ns": covered});
            json!({"from_ns": 100, "to_ns": 1100, "account": account})
        };
        assert_eq!(wrong(case, &wait(case.node, 950)), None);
        assert!(wrong(case, &wait(case.node, 800)).is_some());
        assert!(wrong(case, &wait(1 - case.node, 950)).is_some());
        let of_queue = |dst: u32, case: Case| {
            let mut wait = wait(0, 0);
            (wait["stage"], wait["slowest"]) =
                (json!("receive-wait"), json!({"src": 1 - dst, "dst": dst}));
            was_held(&wait, case, (0, 1000))
        };
        let of = |node, plant| Case { node, plant, ..case };
        assert!(of_queue(1, of(1, Plant::Core)) && of_queue(1, of(1, Plant::Disk)));
        assert!(!of_queue(0, of(1, Plant::Core)), "it waited for the other node");
        assert!(!of_queue(1, of(1, Plant::Pages)), "for a microsecond");
        assert!(!was_held(&wait(0, 0), case, (1000, 2000)), "before that");
    }
}
