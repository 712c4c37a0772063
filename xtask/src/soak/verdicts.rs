//! Verdicts on the source documents that do not depend on the hour: a case is all of `fourstamp
//! reproduce --quick`, with none, one or two others that take cores all the while, in turn. A
//! statement may be undecided in one case and decided in another; it may not hold in one and fail
//! in another.

use super::Cases;
use crate::hog::Others;
use crate::mpi::as_root_too;
use crate::workspace::Workspace;
use anyhow::{Context, Result, bail, ensure};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

/// As many as the documents' verdicts are to be the same in.
pub const COUNT: u64 = 10;
/// How many others take cores, in turn.
const OTHERS: [u64; 3] = [0, 1, 2];
/// Longer than a case, which stops them.
const OTHERS_END: Duration = Duration::from_secs(1800);
/// Of the statements, so many may not contradict themselves.
const STEADY_LEAST: f64 = 0.95;
/// Verdicts that say that nothing is known.
const OPEN: [&str; 2] = ["undecided", "not possible here"];

/// A statement in a place, and the verdicts that it had.
type Had = BTreeMap<[String; 3], BTreeSet<String>>;

/// How many statements keep to one verdict.
#[derive(Debug, Default, PartialEq)]
struct Steadiness {
    /// The same in all cases.
    same: usize,
    /// Decided in some and open in others, and never otherwise decided.
    open: usize,
    /// Decided in two ways.
    torn: Vec<String>,
}

/// Runs the cases, and compares.
pub fn verdicts(workspace: &Workspace, cases: Cases) -> Result<()> {
    let program = workspace.soaked();
    let home = workspace.fresh("verdicts")?;
    let mut had = Had::new();
    for number in cases.from..cases.from + cases.count {
        let others = OTHERS[(number % OTHERS.len() as u64) as usize];
        let out = home.join(format!("case-{number}"));
        let page = reproduce(&program, &out, others).with_context(|| format!("case {number}"))?;
        note(&page, &mut had)?;
        println!("case {number}, {others} others: {} statements", had.len());
        // Ten of them would fill a small disk; the verdicts are kept.
        std::fs::remove_dir_all(out.join("runs")).context("cannot remove the runs")?;
    }
    let steadiness = Steadiness::of(&had);
    steadiness.torn.iter().for_each(|why| println!("{why}"));
    println!(
        "{} of {} statements had one verdict in all cases, {} were undecided in some, {} were \
         decided in two ways",
        steadiness.same,
        had.len(),
        steadiness.open,
        steadiness.torn.len()
    );
    let steady = 1.0 - steadiness.torn.len() as f64 / had.len().max(1) as f64;
    ensure!(!had.is_empty() && steady >= STEADY_LEAST, "{:.1} % are steady", 100.0 * steady);
    Ok(())
}

/// Makes all of it in a folder, while others take cores; its page as JSON.
fn reproduce(program: &Path, out: &Path, others: u64) -> Result<Value> {
    let _others = Others::start(others, OTHERS_END)?;
    let mut command = Command::new(program);
    command.args(["reproduce", "--quick", "--json", "--out"]).arg(out);
    command.stdin(Stdio::null()).stderr(Stdio::null());
    let done = as_root_too(&mut command)
        .output()
        .with_context(|| format!("cannot start {}", program.display()))?;
    ensure!(done.status.success(), "{}", done.status);
    Ok(serde_json::from_slice(&done.stdout)?)
}

/// Adds the verdicts of a page.
fn note(page: &Value, had: &mut Had) -> Result<()> {
    let tables = page["tables"].as_array().context("the page has no tables")?;
    let Some(table) = tables.iter().find(|table| table["id"] == "verdicts") else {
        bail!("the page has no verdicts");
    };
    for row in table["rows"].as_array().into_iter().flatten() {
        let text = |name: &str| row[name].as_str().unwrap_or_default().to_owned();
        if !row["must"].is_null() {
            had.entry(["id", "says", "place"].map(text)).or_default().insert(text("verdict"));
        }
    }
    Ok(())
}

impl Steadiness {
    fn of(had: &Had) -> Steadiness {
        let mut found = Steadiness::default();
        for (statement, verdicts) in had {
            let decided: Vec<_> =
                verdicts.iter().filter(|verdict| !OPEN.contains(&verdict.as_str())).collect();
            match (verdicts.len(), decided.len()) {
                (1, _) => found.same += 1,
                (_, 0 | 1) => found.open += 1,
                _ => found.torn.push(format!("{}: {decided:?}", statement.join(", "))),
            }
        }
        found
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_statement_decided_in_two_ways_is_torn_and_an_open_one_is_not() {
        let page = |verdicts: [&str; 3]| {
            let rows = verdicts.iter().enumerate().map(|(at, verdict)| {
                json!({"id": at.to_string(), "says": "x", "place": "here", "must": "above 1",
                       "verdict": verdict})
            });
            let shown = json!({"id": "9", "says": "x", "place": "here", "must": null,
                               "verdict": ""});
            let rows: Vec<Value> = rows.chain([shown]).collect();
            json!({"tables": [{"id": "documents", "rows": []}, {"id": "verdicts", "rows": rows}]})
        };
        let mut had = Had::new();
        note(&page(["holds", "undecided", "holds"]), &mut had).unwrap();
        note(&page(["holds", "holds", "does not hold"]), &mut had).unwrap();
        let found = Steadiness::of(&had);
        assert_eq!((found.same, found.open, found.torn.len()), (1, 1, 1));
        assert!(found.torn[0].starts_with("2, x, here: "), "{:?}", found.torn);
        assert!(note(&json!({"tables": []}), &mut had).is_err());
    }
}
