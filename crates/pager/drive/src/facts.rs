//! What the processes of a paged program say of themselves: in files of the run while it goes on,
//! in `run.json` afterwards.

use crate::DriveError;
use pager_facts::{FOLDER, Happened, KEY, Paged, PagerEvent, PagerFacts};
use record::RunInfo;
use serde::Deserialize;
use serde_json::Value;
use std::path::Path;

/// What each process of the run at `path` said last, by process number.
pub fn processes(path: &Path) -> Vec<Paged> {
    let files = std::fs::read_dir(path.join(FOLDER)).into_iter().flatten().flatten();
    let whole = files
        .map(|entry| entry.path())
        .filter(|file| file.extension().is_some_and(|ending| ending == "json"));
    let texts = whole.filter_map(|file| record::read_input(&file).ok());
    let mut processes: Vec<Paged> =
        texts.filter_map(|text| serde_json::from_slice(&text).ok()).collect();
    processes.sort_by_key(|process| process.pid);
    processes
}

/// Put it into the run's information.
pub fn complete(info: &mut RunInfo, processes: Vec<Paged>) {
    let given = |name: &str| info.parameters.get(name);
    // The servers of the process that used them most stand for all.
    let servers = processes.iter().max_by_key(|process| process.page_outs);
    let facts = PagerFacts {
        policy: given("policy").and_then(|name| name.as_str()).unwrap_or_default().to_owned(),
        local_bytes: given("local_bytes").and_then(|bytes| bytes.as_u64()).unwrap_or_default(),
        page_bytes: pager::PAGE_BYTES as u64,
        encrypted: given("encrypted").and_then(|is| is.as_bool()).unwrap_or_default(),
        servers: servers.map(|process| process.servers.clone()).unwrap_or_default(),
        processes,
        predictions: Vec::new(),
    };
    // Numbers, texts and lists: JSON has room for them all.
    let facts = serde_json::to_value(facts).unwrap_or_default();
    info.parameters.insert(KEY.into(), facts);
}

/// The same for a run whose launcher was killed before it could.
pub fn complete_cut(info: &mut RunInfo, path: &Path) {
    let processes = processes(path);
    if !info.parameters.contains_key(KEY) && !processes.is_empty() {
        complete(info, processes);
    }
}

/// What the run at `run` says of itself; it is closed, and need not be opened.
///
/// # Errors
/// When its `run.json` cannot be read, or is none of a paged program.
pub fn of_run(run: &Path) -> Result<PagerFacts, DriveError> {
    let path = run.join("run.json");
    let text = record::read_input(&path).map_err(DriveError::file("read", &path))?;
    let info: Value = serde_json::from_slice(&text).unwrap_or_default();
    PagerFacts::deserialize(&info["parameters"][KEY]).map_err(|_| DriveError::NotPaged(path))
}

/// What a process has lost for ever, for a person; `run.json` has the address of each page.
pub fn loss(process: &Paged, policy: &str) -> Option<String> {
    let first = process.lost_pages.first()?;
    Some(format!(
        "fourstamp: process {} lost the contents of {} pages, the first at {first}: {}; a thread \
        that touches one of them gets SIGBUS",
        process.pid,
        process.lost_pages.len(),
        cause(process, policy)
    ))
}

fn cause(process: &Paged, policy: &str) -> String {
    let deaths: Vec<String> = process.events.iter().filter_map(death).collect();
    if deaths.is_empty() {
        return "no server was seen to fail, but what came back was not what was sent".to_owned();
    }
    format!("{}, which the policy {policy} cannot survive", deaths.join(", "))
}

fn death(event: &PagerEvent) -> Option<String> {
    match &event.what {
        Happened::ServerDown { address, .. } => {
            Some(format!("server {address} went down at {:.1} s", event.at_s))
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_loss_names_the_servers_that_went_down_and_no_others() {
        let mut process = Paged { lost_pages: vec!["0x1000".into()], ..Paged::default() };
        let said = loss(&process, "none").unwrap();
        assert!(said.contains("no server was seen to fail"), "{said}");
        let what = Happened::ServerDown { server: 0, address: "a:1".into(), why: "reset".into() };
        process.events.push(PagerEvent { at_s: 2.0, what });
        let said = loss(&process, "none").unwrap();
        assert!(said.contains("a:1 went down at 2.0 s, which the policy none"), "{said}");
        assert_eq!(loss(&Paged::default(), "none"), None);
    }
}
